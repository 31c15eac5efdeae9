//! What a value must be besides its type and length.

use rust_decimal::Decimal;

use crate::values::limits::{AMOUNT_BELOW, QUANTITY_BELOW, STOCK_BELOW};
use crate::values::sentence::Sentence;

// rule: D-REQ-06, D-REQ-13, R-TOT-02
/// The rule of a member. There are three kinds of text: free text, names and keys. A blank text is an absent one in all of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// No further rule. For texts: free text, with line ends and any visible or invisible character but control
    /// characters.
    None,
    /// A name, address or foreign number: a text without characters that are invisible, because two names that look
    /// equal must be equal.
    Name,
    /// A number or key of the business system: without invisible characters, and trailing blanks are padding, because
    /// old programs send columns of fixed width.
    Key,
    /// A number of the business system: a key of decimal digits without leading zeros.
    Digits,
    /// The number of an article, which a link names: `.` and `..` are steps of a path, which clients take out.
    Linked,
    /// A colour `#rrggbb`.
    Colour,
    /// How an article is processed.
    Processing,
    /// Prices and costs.
    Amount,
    /// A number above 0.
    Quantity,
    /// A number from 0 on; 0 deletes.
    ChangedQuantity,
    /// A rate in percent.
    Percent,
    /// Stored stock: of either sign, because orders may take out more than there is.
    Stock,
    /// A whole number from 0 on.
    Natural,
    /// A whole number from 1 on.
    Positive,
    /// 0 (general), 1 (mister) or 2 (miss).
    Salutation,
    /// Base64.
    Base64,
    /// A number or its digits as text, as a setting says.
    Lifetime,
    /// Yes and no as 1 and 0.
    OneZero,
    /// Yes and no as `J` and `N`.
    YesNo,
}

/// How a type of text is written, where it is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Any text.
    Free,
    /// One of these.
    Words(&'static [&'static str]),
    /// So many letters in either case.
    Letters(usize),
}

impl Rule {
    pub(super) fn allows(self, value: Decimal) -> bool {
        let bound = self.bound().map(Decimal::from);
        let is_low_enough = |value| bound.is_none_or(|bound| value < bound);
        match self {
            Self::Quantity => value > Decimal::ZERO && is_low_enough(value),
            Self::Amount | Self::ChangedQuantity => value >= Decimal::ZERO && is_low_enough(value),
            Self::Percent => value >= Decimal::ZERO && Some(value) <= bound,
            _ => is_low_enough(value.abs()),
        }
    }

    /// How high a decimal number may be; `None` for a rule that says nothing about one.
    pub(super) const fn bound(self) -> Option<u64> {
        match self {
            Self::Quantity | Self::ChangedQuantity => Some(QUANTITY_BELOW),
            Self::Stock => Some(STOCK_BELOW),
            Self::Amount => Some(AMOUNT_BELOW),
            Self::Percent => Some(100),
            _ => None,
        }
    }

    /// What a decimal number must be, up to its bound.
    pub(super) fn sentence(self, bound: u64) -> Sentence {
        match self {
            Self::Quantity => sentence!("out_of_range.quantity", bound),
            Self::Percent => sentence!("out_of_range.percent", bound),
            Self::Stock => sentence!("out_of_range.stock", bound),
            _ => sentence!("out_of_range.amount", bound),
        }
    }
}
