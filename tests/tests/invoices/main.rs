//! Invoice PDFs, verified by independent programs.

mod combine;
mod extract;
mod fixtures;
mod inspect;
mod judge;
mod made;
mod readers;
mod report;
mod zugferd_common;
