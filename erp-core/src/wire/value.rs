//! The values of members: how each type is read with its problems, and written.

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::Serialize;
use smol_str::SmolStr;

use super::rule::{Rule, Spelling};
use super::scope::{Scope, entries, wrong_type};
use super::table::{Field, Kind};
use crate::values::codes::{Country, Currency, Language};
use crate::values::json::{Digits, Json};
use crate::values::limits::FRACTION_DIGITS;
use crate::values::number::{Number, fraction_digits};
use crate::values::problem::Code;
use crate::values::sentence::Sentence;
use crate::values::text::{self, Text, TextError, invisible_in_code, invisible_in_name};
use crate::values::time::{DocumentTime, format_instant, parse_instant};

/// A type that a member can have.
pub trait Value: Sized + Serialize {
    /// How the interface declares it, where the member says nothing else.
    const KIND: Kind;

    /// How it is written.
    const SPELLING: Spelling = Spelling::Free;

    /// Reads the value of a member that is there and not null, and notes every problem. `None` without a problem: a
    /// blank text, which counts as absent.
    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self>;

    /// What is written; `None` when the member is left out.
    fn to_wire(&self, _: &Field) -> Option<impl Serialize> {
        Some(self)
    }
}

/// A text of the declared length.
fn read_text<'j>(value: &'j Json, field: &Field, scope: &mut Scope<'_>) -> Option<&'j str> {
    let Json::String(text) = value else {
        return wrong_type(value, sentence!("type.string"), scope);
    };
    let limit = match field.kind {
        Kind::Varchar(limit) | Kind::Char(limit) => Some(limit),
        _ => None,
    };
    match text::check(text, limit) {
        Ok(()) => Some(text),
        Err(error) => scope.refuse_text(error),
    }
}

/// A text with its own syntax; blank counts as absent.
pub(crate) fn read_parsed<T, E: Into<Sentence>>(
    value: &Json,
    field: &Field,
    scope: &mut Scope<'_>,
    code: Code,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Option<T> {
    let text = read_text(value, field, scope)?;
    if text.trim().is_empty() {
        return None;
    }
    match parse(text) {
        Ok(parsed) => Some(parsed),
        Err(error) => scope.refuse(code, error),
    }
}

/// A word out of a few; `other` says what any other text is.
pub(crate) fn read_word<T>(
    value: &Json,
    field: &Field,
    scope: &mut Scope<'_>,
    parse: impl FnOnce(&str) -> Option<T>,
    other: impl FnOnce(&str) -> Sentence,
) -> Option<T> {
    read_parsed(value, field, scope, Code::UnknownValue, |text| {
        let word = text.trim();
        parse(word).ok_or_else(|| other(word))
    })
}

impl Value for SmolStr {
    const KIND: Kind = Kind::Text;

    /// As it was sent, blank or not: the rules of texts belong to [`Text`].
    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let text = read_text(value, field, scope)?;
        let is_absent = field.padded && text.trim().is_empty();
        (!is_absent).then(|| text.into())
    }
}

impl<const MAX: usize> Value for Text<MAX> {
    const KIND: Kind = Kind::Varchar(MAX);

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let text = read_text(value, field, scope)?;
        let rule = field.rule;
        let is_key = matches!(rule, Rule::Key | Rule::Digits | Rule::Linked);
        let text = if field.padded || is_key {
            text.trim_end_matches(' ')
        } else {
            text
        };
        if text.trim().is_empty() {
            return None;
        }
        let invisible = match rule {
            Rule::Name => invisible_in_name(text),
            _ if is_key => invisible_in_code(text),
            _ => None,
        };
        let read = match invisible {
            Some(character) => Err(TextError::InvisibleCharacter(character.into())),
            None => Self::new(text),
        };
        match read {
            Err(error) => scope.refuse_text(error),
            Ok(read) => match breach(text, rule) {
                Some((code, message)) => scope.refuse(code, message),
                None => Some(read),
            },
        }
    }

    fn to_wire(&self, field: &Field) -> Option<impl Serialize> {
        let text = if field.padded {
            self.trim_end_matches(' ')
        } else {
            self.as_str()
        };
        // Nearly every text begins with a letter or a digit, so few are searched.
        let is_filled = text.as_bytes().first().is_some_and(u8::is_ascii_graphic);
        (field.required || is_filled || !text.trim().is_empty()).then_some(text)
    }
}

/// Why a text breaks its rule, if it does.
fn breach(text: &str, rule: Rule) -> Option<(Code, Sentence)> {
    let is_number = || text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let is_colour = || {
        let digits = text.strip_prefix('#').unwrap_or_default();
        digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    match rule {
        Rule::Digits if !is_number() => {
            Some((Code::Malformed, sentence!("malformed.digits", text)))
        }
        Rule::Linked if matches!(text, "." | "..") => {
            Some((Code::Malformed, sentence!("malformed.link", text)))
        }
        Rule::Colour if !is_colour() => {
            Some((Code::Malformed, sentence!("malformed.colour", text)))
        }
        Rule::Processing if !"CN".contains(text) => Some((
            Code::UnknownValue,
            sentence!("unknown_value.processing", word = text),
        )),
        _ => None,
    }
}

impl Value for bool {
    const KIND: Kind = Kind::Bool;

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        match (field.rule, value) {
            (Rule::OneZero, _) => match i32::read_value(value, field, scope)? {
                0 => Some(false),
                1 => Some(true),
                other => {
                    let message = sentence!("unknown_value.one_zero", word = other);
                    scope.refuse(Code::UnknownValue, message)
                }
            },
            (Rule::YesNo, _) => {
                let parse = |word: &str| match word {
                    "J" => Some(true),
                    "N" => Some(false),
                    _ => None,
                };
                let other = |word: &str| sentence!("unknown_value.yes_no", word);
                read_word(value, field, scope, parse, other)
            }
            (_, Json::Bool(found)) => Some(*found),
            _ => wrong_type(value, sentence!("type.bool"), scope),
        }
    }

    fn to_wire(&self, field: &Field) -> Option<impl Serialize> {
        Some(match field.rule {
            Rule::OneZero => Json::from(i64::from(*self)),
            Rule::YesNo => Json::from(if *self { "J" } else { "N" }),
            _ => Json::Bool(*self),
        })
    }
}

impl Value for Number {
    const KIND: Kind = Kind::Float;

    fn read_value(value: &Json, _: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let Json::Number(number) = value else {
            return wrong_type(value, sentence!("type.number"), scope);
        };
        let read = Self::from_digits(number);
        read.or_else(|| scope.refuse(Code::OutOfRange, sentence!("out_of_range.digits")))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum WrittenNumber {
    Rounded(Number),
    Exact(Json),
}

impl Value for Decimal {
    const KIND: Kind = Kind::Float;

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let Number(number) = Number::read_value(value, field, scope)?;
        within(number, field.rule, scope)
    }

    fn to_wire(&self, field: &Field) -> Option<impl Serialize> {
        // Who reads the number refuses one with too many digits, if its rule says so.
        let is_refused = field.rule.bound().is_some() && fraction_digits(*self) > FRACTION_DIGITS;
        Some(if is_refused {
            WrittenNumber::Exact(Json::Number(Digits::of(&self.normalize().to_string())))
        } else {
            WrittenNumber::Rounded(Number(*self))
        })
    }
}

/// A number that its rule allows, if it says anything of numbers: these have at most [`FRACTION_DIGITS`] fraction digits.
pub(crate) fn within(value: Decimal, rule: Rule, scope: &mut Scope<'_>) -> Option<Decimal> {
    let Some(bound) = rule.bound() else {
        return Some(value);
    };
    let digits = fraction_digits(value);
    let (code, limit, message) = if !rule.allows(value) {
        (Code::OutOfRange, bound, rule.sentence(bound))
    } else if digits > FRACTION_DIGITS {
        let message = sentence!("too_precise", digits, most = FRACTION_DIGITS);
        (Code::TooPrecise, FRACTION_DIGITS.into(), message)
    } else {
        return Some(value);
    };
    scope.problems.add_limit(scope.path, code, limit, message);
    None
}

fn whole(value: &Json, lowest: i64, highest: i64, scope: &mut Scope<'_>) -> Option<i64> {
    let Json::Number(number) = value else {
        return wrong_type(value, sentence!("type.whole"), scope);
    };
    let whole = Number::from_digits(number)
        .map(|number| number.0.normalize())
        .filter(|decimal| decimal.scale() == 0)
        .and_then(|decimal| i64::try_from(decimal).ok())
        .filter(|whole| (lowest..=highest).contains(whole));
    whole.or_else(|| {
        let message = sentence!("out_of_range.whole", lowest, highest);
        scope.refuse(Code::OutOfRange, message)
    })
}

impl Value for i32 {
    const KIND: Kind = Kind::Int;

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let whole = whole(value, Self::MIN.into(), Self::MAX.into(), scope)?;
        let lowest = match field.rule {
            Rule::Natural => 0,
            Rule::Positive => 1,
            _ => whole,
        };
        if whole < lowest {
            return scope.refuse(Code::OutOfRange, sentence!("out_of_range.lowest", lowest));
        }
        Self::try_from(whole).ok()
    }
}

impl Value for u8 {
    const KIND: Kind = Kind::TinyInt;

    fn read_value(value: &Json, _: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let whole = whole(value, 0, Self::MAX.into(), scope)?;
        Self::try_from(whole).ok()
    }
}

/// Makes types values that are texts with a syntax: how the interface declares them, how they are written, and the function
/// that reads them with what it needs to know.
macro_rules! parsed {
    ($($type:ty: $kind:expr, $spelling:expr, $read:ident($($how:expr),*);)*) => {$(
        impl $crate::wire::Value for $type {
            const KIND: $crate::wire::Kind = $kind;
            const SPELLING: $crate::wire::Spelling = $spelling;

            fn read_value(
                value: &$crate::values::json::Json,
                field: &$crate::wire::Field,
                scope: &mut $crate::wire::Scope<'_>,
            ) -> Option<Self> {
                $crate::wire::value::$read(value, field, scope, $($how),*)
            }
        }
    )*};
}

pub(crate) use parsed;

parsed! {
    Currency: Kind::Char(4), Spelling::Letters(3), read_parsed(Code::UnknownCurrency, Self::parse);
    Country: Kind::Varchar(4), Spelling::Letters(2), read_parsed(Code::UnknownCountry, Self::parse);
    Language: Kind::Varchar(4), Spelling::Letters(3), read_parsed(Code::UnknownLanguage, Self::parse);
    Date: Kind::Char(10), Spelling::Free, read_parsed(Code::Malformed, |text: &str| {
        text.parse().map_err(|_| sentence!("malformed.day", text))
    });
}

impl Value for DocumentTime {
    const KIND: Kind = Kind::DateTime;

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let zone = scope.zone;
        read_parsed(value, field, scope, Code::Malformed, |text| {
            parse_instant(text, zone)
        })
    }

    fn to_wire(&self, _: &Field) -> Option<impl Serialize> {
        Some(format_instant(*self))
    }
}

impl<T: Value + Default + Serialize> Value for Vec<T> {
    const KIND: Kind = T::KIND.listed();

    /// An unreadable entry keeps its place, so that the paths of the entries after it are right.
    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let mut list = Self::new();
        for (at, entry) in entries(value, field, scope)?.iter().enumerate() {
            let path = scope.path.index(at);
            list.push(T::read_value(entry, field, &mut scope.at(&path)).unwrap_or_default());
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::problem::{Path, Problems};
    use crate::wire::Reading;

    fn decimal(value: &str, rule: Rule) -> Result<Decimal, (Code, Option<u64>)> {
        let mut problems = Problems::new();
        let scope = &mut Scope::new(Reading::default(), &Path::ROOT, &mut problems);
        let read = within(value.parse().unwrap(), rule, scope);
        read.ok_or_else(|| (problems.as_slice()[0].code, problems.as_slice()[0].limit))
    }

    // rule: R-TOT-02
    #[test]
    fn numbers_stay_within_their_range() {
        for (value, rule) in [
            ("0.000001", Rule::Quantity),
            ("999999999.999999", Rule::Quantity),
            ("1.5000000000", Rule::Quantity),
            ("0", Rule::ChangedQuantity),
            ("0", Rule::Amount),
            ("100.000", Rule::Percent),
        ] {
            assert!(decimal(value, rule).is_ok(), "{value} by {rule:?}");
        }
        for (value, rule, limit) in [
            ("0", Rule::Quantity, 1_000_000_000),
            ("-1", Rule::ChangedQuantity, 1_000_000_000),
            ("1000000000", Rule::Quantity, 1_000_000_000),
            ("1000000000", Rule::Amount, 1_000_000_000),
            ("-0.01", Rule::Amount, 1_000_000_000),
            ("100.01", Rule::Percent, 100),
        ] {
            assert_eq!(
                decimal(value, rule),
                Err((Code::OutOfRange, Some(limit))),
                "{value}"
            );
        }
        assert_eq!(
            decimal("1.0000001", Rule::Amount),
            Err((Code::TooPrecise, Some(6)))
        );
    }
}
