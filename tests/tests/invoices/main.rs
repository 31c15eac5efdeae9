//! Invoice PDFs, judged by programs of others.

mod combine;
mod extract;
mod inspect;
mod pdf_tools;
mod zugferd_common;
mod zugferd_judge;
