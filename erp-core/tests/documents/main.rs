//! The documents and data beside the code, compared with the code.

mod clauses;
mod glossary;
mod interface;
mod page;
mod pages;
mod places;
mod rules;
mod town_data;
