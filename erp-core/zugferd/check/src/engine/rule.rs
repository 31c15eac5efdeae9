//! A rule, and the element to which it is applied.

use crate::codes::{self, CodeList};
use crate::invoice::abort::Abort;
use crate::invoice::categories::Category;
use crate::invoice::document::Document;
use crate::invoice::facts::Facts;
use crate::invoice::node::Node;
use crate::report::Severity;

pub(crate) type Holds = Result<bool, Abort>;

/// What a rule is judged at.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) facts: &'a Facts,
    pub(crate) document: &'a Document<'a>,
    pub(crate) category: Option<&'static Category>,
}

impl Subject<'_> {
    /// The code of the VAT category; no XML has the empty one.
    pub(crate) fn code(&self) -> &'static str {
        self.category.map_or("", |category| category.code)
    }
}

/// Sentences in English and German.
pub(crate) type Says = (&'static str, &'static str);

#[derive(Clone)]
pub(crate) struct Rule {
    /// The official id; `*` is replaced by the letters of the VAT category.
    pub(crate) id: &'static str,
    /// The number that is its id in a profile of Factur-X.
    pub(crate) number: Option<u32>,
    pub(crate) severity: Severity,
    /// Business terms and groups, with blanks between.
    pub(crate) terms: &'static str,
    pub(crate) test: Test,
    /// Its own messages; without them it has those of its kind of test.
    pub(crate) says: Option<Says>,
}

impl Rule {
    /// The official id for a VAT category, or in the profile.
    pub(crate) fn id_of(&self, category: Option<&Category>) -> String {
        self.number.map_or_else(|| self.name_of(category), numbered)
    }

    /// The name in the standard for a VAT category.
    pub(crate) fn name_of(&self, category: Option<&Category>) -> String {
        self.id
            .replace('*', category.map_or("", |category| category.letters))
    }
}

/// The id of a rule that has a number in a profile of Factur-X.
pub(crate) fn numbered(number: u32) -> String {
    format!("FX-SCH-A-{number:06}")
}

/// The values that disagree, for the sentence.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) found: String,
    pub(crate) expected: String,
}

impl Values {
    pub(crate) fn found(found: String) -> Self {
        Self {
            found,
            expected: String::new(),
        }
    }
}

/// Nothing when the rule holds, else the values that disagree.
pub(crate) type Verdict = Result<Option<Values>, Abort>;

/// The condition of a rule. Paths start at the element of the context.
#[derive(Clone, Copy)]
pub(crate) enum Test {
    /// Nothing is at the path.
    Absent(&'static str),
    /// Nothing is at the path from the document element, or after `//` anywhere.
    Nowhere(&'static str),
    /// Something is at the path, even if it is empty.
    Present(&'static str),
    /// One of the alternatives with `|` between holds: `A/B` is there, even if it is empty; `!A/B` is not there; one
    /// of `A/B=text` or `A/@b=text` is exactly this text.
    Any(&'static str),
    /// All of what `Any` needs one of.
    All(&'static str),
    /// The element at the path has more than white space; more than one abort.
    NotBlank(&'static str),
    /// An element at the path has more than white space.
    Words(&'static str),
    /// An element at the path has a text, be it white space.
    Filled(&'static str),
    /// There is not something at both paths.
    NotBoth(&'static str, &'static str),
    /// At most one element is at the path.
    AtMostOnce(&'static str),
    /// Exactly one element is at the path.
    Once(&'static str),
    /// At most two characters after the first point; more than one element abort.
    Decimals(&'static str),
    /// As `Decimals`, of the first element at the path.
    FirstDecimals(&'static str),
    /// The value is in the code list; white space around it does not count.
    Code(&'static CodeList),
    /// The attribute of the element is in the code list.
    AttributeCode(&'static str, &'static CodeList),
    /// The function says whether the rule holds.
    Is(fn(&Subject<'_>) -> Holds),
    /// The function says of the document and the element whether the rule holds.
    Of(fn(&Document<'_>, Node<'_>) -> Holds),
    /// The function says whether the rule holds and which values disagree.
    Judge(fn(&Subject<'_>) -> Verdict),
    /// Never broken in the official artefact.
    Always,
}

impl Test {
    /// The path of a test that looks at one.
    pub(crate) const fn path(&self) -> Option<&'static str> {
        match *self {
            Self::Absent(path)
            | Self::Nowhere(path)
            | Self::Present(path)
            | Self::NotBlank(path)
            | Self::Words(path)
            | Self::Filled(path)
            | Self::AtMostOnce(path)
            | Self::Once(path)
            | Self::Decimals(path)
            | Self::FirstDecimals(path) => Some(path),
            _ => None,
        }
    }

    /// The test of this kind that needs no function.
    pub(crate) fn of_kind(kind: &str, argument: &'static str) -> Option<Self> {
        Some(match kind {
            "Absent" => Self::Absent(argument),
            "Nowhere" => Self::Nowhere(argument),
            "All" => Self::All(argument),
            "Present" => Self::Present(argument),
            "Any" => Self::Any(argument),
            "NotBlank" => Self::NotBlank(argument),
            "Words" => Self::Words(argument),
            "Filled" => Self::Filled(argument),
            "AtMostOnce" => Self::AtMostOnce(argument),
            "Once" => Self::Once(argument),
            "Decimals" => Self::Decimals(argument),
            "FirstDecimals" => Self::FirstDecimals(argument),
            "Always" => Self::Always,
            "NotBoth" => {
                let (one, other) = argument.split_once(' ')?;
                Self::NotBoth(one, other)
            }
            "Code" => {
                let (of, list) = argument.split_once(' ')?;
                let list = codes::list(list)?;
                match of.strip_prefix('@') {
                    Some(name) => Self::AttributeCode(name, list),
                    None => Self::Code(list),
                }
            }
            _ => return None,
        })
    }
}
