//! Checks whether an invoice is well-formed, has the structure of its schema (CII), and follows the rules of EN 16931 for
//! its syntax, CII or UBL.
//!
//! ```text
//! bytes ──xml──> Tree ──> View ──structure, engine (lists of rules)──> findings ──message──> Report
//! ```
//!
//! The result is that of the official validation artefacts: the same rule ids, equally often, with the same severity.
//! Both syntaxes have one view: `Syntax` says what each calls the same things, and where its rules compute otherwise.
//! Where they stop with an error and return no result (text where a number must be, an amount twice), the report has a
//! fatal finding of this crate, `ERP-…`, that says why.
//!
//! # How a rule set is added
//! A `RuleSet` is a list of rules as text and the conditions that it names. `table` describes the form of the list:
//! patterns, each with contexts in the order of the artefact, each with its rules. Of the contexts in a pattern only the
//! first one that matches an element is applied to it. To add a rule set:
//!
//! 1. Write a folder next to `en16931` with the list and a static `RuleSet`. Most rules are one of the kinds of
//!    `Test` with a path (`Absent`, `Once`, `NotBlank`, …); a special rule is a function that gets the
//!    `Subject` and returns whether the rule holds, with the contradicting values. The macro
//!    `functions!` gives functions the names that the list calls them by. A path is `Child/Grandchild`: names are in the
//!    namespace `ram` unless they have a prefix (`rsm:`, `udt:`, `qdt:`; in UBL `cac:`, `cbc:`, `ext:`); `@name` at the end is an attribute.
//! 2. Choose it for its guidelines in `judge::rules_of`.
//! 3. Names of business terms for the sentences are in `terms`; a rule may have sentences of its own, in English
//!    and German, with `{found}` and `{expected}` for the values.
//!
//! The profiles of Factur-X are checked by the same engine, but all matching contexts are applied, and a profile has
//! only the rules listed for it in `names.txt`. In addition they have a table of the elements of each profile, and
//! rules on sums.
// Its code is tested.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod codes;
mod en16931;
mod engine;
mod facturx;
mod faults;
mod findings;
pub mod html;
mod invoice;
mod judge;
mod language;
mod limits;
mod read;
mod report;
mod structure;
#[cfg(test)]
mod tests;
mod xrechnung;

use xml::{Tree, text::decode};

pub use erp_xml as xml;
pub use language::Language;
pub use limits::CheckLimits;
pub use read::{ReadError, read};
pub use report::{Finding, Report, Severity};

/// Checks an invoice (Cross Industry Invoice of UN/CEFACT, D16B; invoice or credit note of UBL 2.1) against the rules of its
/// guideline.
///
/// It never fails: input that is not XML or not such an invoice has a fatal finding that says so.
///
/// ```
/// use erp_invoice_check::{CheckLimits, check};
///
/// let report = check(b"<invoice>", &CheckLimits::DEFAULT);
/// assert!(!report.valid);
/// assert_eq!(report.findings[0].rule, "ERP-XML");
/// assert_eq!(
///     report.findings[0].en,
///     "The XML is not well-formed: line 1, column 10: the document ends inside an element."
/// );
/// ```
#[must_use]
pub fn check(xml: &[u8], limits: &CheckLimits) -> Report {
    let text = match decode(xml, &limits.xml) {
        Ok(text) => text,
        Err(error) => return report::not_xml(&error),
    };
    match Tree::parse(&text, &limits.xml) {
        Ok(tree) => judge::judge(&tree, limits).0,
        Err(error) => report::not_xml(&error),
    }
}
