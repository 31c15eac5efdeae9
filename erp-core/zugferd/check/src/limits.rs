//! How much work a check may be.

use crate::xml::XmlLimits;

/// Bounds on the work of [`check`](super::check).
#[derive(Debug, Clone, Copy)]
pub struct CheckLimits {
    /// Bounds on reading the XML.
    pub xml: XmlLimits,
    /// Findings that are described, in 16 MiB of paths and sentences at most; further ones are only counted.
    pub findings: usize,
    /// Steps of judging: rules, elements and attributes that are looked at, and texts that are read.
    pub steps: u64,
    /// Asked every thousand steps whether the report is still wanted; once it is not, the check ends as after too many.
    pub keep_going: fn() -> bool,
}

impl CheckLimits {
    /// 10,000 findings; 32 million steps, a third more than an invoice of 15 MB with 5,000 lines needs, each with
    /// allowance, charge and period.
    pub const DEFAULT: Self = Self {
        xml: XmlLimits::DEFAULT,
        findings: 10_000,
        steps: 32_000_000,
        keep_going: || true,
    };
}

impl Default for CheckLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
