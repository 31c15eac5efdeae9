//! Totals of documents: the worked examples and what holds for every document.

#[cfg(test)]
mod golden;
#[cfg(test)]
mod properties;
