//! An invoice as the rules see it: elements, their values, and facts about the whole document.

pub(crate) mod abort;
pub(crate) mod categories;
pub(crate) mod category_sums;
pub(crate) mod date;
pub(crate) mod decimal;
pub(crate) mod document;
pub(crate) mod double;
pub(crate) mod facts;
pub(crate) mod line_tree;
pub(crate) mod node;
pub(crate) mod syntax;
pub(crate) mod taxes;
pub(crate) mod texts;
pub(crate) mod values;
pub(crate) mod view;
