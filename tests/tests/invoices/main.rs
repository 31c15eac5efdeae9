//! Invoice PDFs, verified by independent programs.

mod combine;
mod extract;
mod inspect;
mod pdf_tools;
mod zugferd_common;
mod zugferd_judge;
