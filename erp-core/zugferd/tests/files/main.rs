//! Invoice PDFs and PDF/A on whole files.

mod cases;
mod clauses;
mod decisions;
mod free_list;
mod training_content;
mod training_fonts;
mod training_structure;
