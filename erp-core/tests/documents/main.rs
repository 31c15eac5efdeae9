//! The documents and data beside the code, compared with the code.

mod glossary;
mod rules;
mod town_data;
