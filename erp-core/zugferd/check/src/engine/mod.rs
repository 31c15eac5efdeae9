//! Lists of rules: how they are read, and how they are judged.

pub(crate) mod context;
mod index;
mod judging;
pub(crate) mod rule;
pub(crate) mod rule_set;
pub(crate) mod table;

pub(crate) use context::Context;
pub(crate) use judging::judge_set;
pub(crate) use rule::{Holds, Rule, Says, Subject, Test, Values, Verdict, numbered};
pub(crate) use rule_set::{InProfile, RuleSet};
pub(crate) use table::{Functions, functions};
