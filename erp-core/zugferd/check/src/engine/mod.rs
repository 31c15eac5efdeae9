//! Lists of rules: how they are read, and how they are judged.

pub(crate) mod context;
mod index;
mod judging;
pub(crate) mod rule;
pub(crate) mod rule_set;
pub(crate) mod table;

pub(crate) use judging::judge_set;
