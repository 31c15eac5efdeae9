//! What a value must be besides its type and length.

use std::fmt;

use rust_decimal::Decimal;

use crate::values::limits::{AMOUNT_BELOW, QUANTITY_BELOW};

/// The rule of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule(RuleKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleKind {
    None,
    Name,
    Key,
    Digits,
    Linked,
    Colour,
    Letter(&'static str, &'static str),
    Number(Range),
    From(i32),
    OneZero,
    YesNo,
}

/// The three kinds of text: free text, names and keys. A blank text is an absent one in all of them.
impl Rule {
    /// No further rule. For texts: free text, with line ends and any visible or invisible character but control
    /// characters.
    pub(crate) const NONE: Self = Self(RuleKind::None);
    /// A name, address or foreign number: a text without characters that are invisible, because two names that look
    /// equal must be equal.
    pub(crate) const NAME: Self = Self(RuleKind::Name);
    // rule: D-REQ-06, D-REQ-13
    /// A number or key of the business system: without invisible characters, and trailing blanks are padding, because
    /// old programs send columns of fixed width.
    pub(crate) const KEY: Self = Self(RuleKind::Key);
    /// Prices and costs.
    pub(crate) const AMOUNT: Self = Self(RuleKind::Number(Range::AMOUNT));
    /// A number above 0.
    pub(crate) const QUANTITY: Self = Self(RuleKind::Number(Range::QUANTITY));
    /// A number from 0 on; 0 deletes.
    pub(crate) const CHANGED_QUANTITY: Self = Self(RuleKind::Number(Range::CHANGED_QUANTITY));
    /// A rate in percent.
    pub(crate) const PERCENT: Self = Self(RuleKind::Number(Range::PERCENT));
    /// Stored stock: a quantity that may be negative.
    pub(crate) const STOCK: Self = Self(RuleKind::Number(Range::STOCK));
    /// A number of the business system: a key of decimal digits without leading zeros.
    pub(crate) const DIGITS: Self = Self(RuleKind::Digits);
    /// The number of an article, which a link names: `.` and `..` are steps of a path, which clients take out.
    pub(crate) const LINKED: Self = Self(RuleKind::Linked);
    /// A colour `#rrggbb`.
    pub(crate) const COLOUR: Self = Self(RuleKind::Colour);
    /// How an article is processed.
    pub(crate) const PROCESSING: Self =
        Self(RuleKind::Letter("CN", "neither C (batch-managed) nor N"));
    /// A whole number from 0 on.
    pub(crate) const NATURAL: Self = Self(RuleKind::From(0));
    /// A whole number from 1 on.
    pub(crate) const POSITIVE: Self = Self(RuleKind::From(1));
    /// Yes and no as 1 and 0.
    pub(crate) const ONE_ZERO: Self = Self(RuleKind::OneZero);
    /// Yes and no as `J` and `N`.
    pub(crate) const YES_NO: Self = Self(RuleKind::YesNo);

    pub(super) const fn kind(self) -> RuleKind {
        self.0
    }
}

/// Allowed values of a number field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    lowest: Lowest,
    highest: Highest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lowest {
    AboveZero,
    Zero,
    /// As far below 0 as the highest value is above it.
    Negative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Highest {
    Below(u64),
    UpTo(u64),
}

impl Range {
    // rule: R-TOT-02
    /// Quantities of new positions: above 0.
    pub(crate) const QUANTITY: Self = Self::of(Lowest::AboveZero, Highest::Below(QUANTITY_BELOW));
    /// Quantities of changed positions: 0 deletes.
    pub(crate) const CHANGED_QUANTITY: Self =
        Self::of(Lowest::Zero, Highest::Below(QUANTITY_BELOW));
    /// Prices and costs.
    pub(crate) const AMOUNT: Self = Self::of(Lowest::Zero, Highest::Below(AMOUNT_BELOW));
    /// Rates in percent.
    pub(crate) const PERCENT: Self = Self::of(Lowest::Zero, Highest::UpTo(100));
    /// Stored stock.
    const STOCK: Self = Self::of(Lowest::Negative, Highest::Below(QUANTITY_BELOW));

    const fn of(lowest: Lowest, highest: Highest) -> Self {
        Self { lowest, highest }
    }

    pub(super) fn holds(self, value: Decimal) -> bool {
        let is_low_enough = |value: Decimal| match self.highest {
            Highest::Below(bound) => value < Decimal::from(bound),
            Highest::UpTo(bound) => value <= Decimal::from(bound),
        };
        match self.lowest {
            Lowest::AboveZero => value > Decimal::ZERO && is_low_enough(value),
            Lowest::Zero => value >= Decimal::ZERO && is_low_enough(value),
            Lowest::Negative => is_low_enough(value.abs()),
        }
    }

    pub(super) const fn bound(self) -> u64 {
        match self.highest {
            Highest::Below(bound) | Highest::UpTo(bound) => bound,
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.lowest {
            Lowest::AboveZero => "above 0",
            Lowest::Zero => "0 or more",
            Lowest::Negative => "of either sign",
        })?;
        match self.highest {
            Highest::Below(bound) => write!(f, " and below {bound}"),
            Highest::UpTo(bound) => write!(f, " and at most {bound}"),
        }
    }
}
