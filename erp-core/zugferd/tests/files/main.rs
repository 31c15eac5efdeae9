//! Invoice PDFs and PDF/A on whole files.

mod clauses;
mod decisions;
mod free_list;
mod verapdf;
