//! Compares documents and data with the code.

mod clauses;
mod glossary;
mod interface;
#[cfg(test)]
mod page;
mod pages;
#[cfg(test)]
mod places;
mod rules;
mod town_data;
