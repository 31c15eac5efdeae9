//! A rule, and what it is judged at.

use super::abort::Abort;
use super::codes::CodeList;
use super::facts::Facts;
use super::node::Node;
use super::report::Severity;

/// Whether something holds for a subject.
pub(super) type Condition = fn(&Subject<'_>) -> Result<bool, Abort>;

/// A VAT category with rules of its own.
pub(super) struct Category {
    /// The code of UNTDID 5305.
    pub(super) code: &'static str,
    /// What stands for `*` in the ids of its rules.
    pub(super) letters: &'static str,
    pub(super) en: &'static str,
    pub(super) de: &'static str,
}

/// What a rule is judged at.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) node: Node<'a>,
    /// What is known of the whole document.
    pub(super) facts: &'a Facts,
    pub(super) category: Option<&'static Category>,
}

impl Subject<'_> {
    /// The code of the VAT category; no XML has the empty one.
    pub(super) fn code(&self) -> &'static str {
        self.category.map_or("", |category| category.code)
    }
}

/// A rule.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// The official id; `*` stands for the letters of the VAT category.
    pub(super) id: &'static str,
    pub(super) severity: Severity,
    /// Business terms and groups, with blanks between.
    pub(super) terms: &'static str,
    pub(super) test: Test,
    /// Sentences in English and German; without them the kind of test has some.
    pub(super) says: Option<(&'static str, &'static str)>,
}

/// A rule that an invoice must keep.
pub(super) const fn fatal(id: &'static str, terms: &'static str, test: Test) -> Rule {
    Rule {
        id,
        severity: Severity::Fatal,
        terms,
        test,
        says: None,
    }
}

impl Rule {
    /// The official id for a VAT category.
    pub(super) fn id_of(&self, category: Option<&Category>) -> String {
        let letters = category.map_or("", |category| category.letters);
        self.id.replace('*', letters)
    }

    pub(super) const fn says(self, en: &'static str, de: &'static str) -> Self {
        Self {
            says: Some((en, de)),
            ..self
        }
    }
}

/// The values that disagree, for the sentence.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) found: String,
    pub(super) expected: String,
}

/// Nothing when the rule holds, else the values that disagree.
pub(super) type Verdict = Result<Option<Values>, Abort>;

/// What a rule asks. Paths are seen from the element of the context.
#[derive(Clone, Copy)]
pub(super) enum Test {
    /// Nothing is at the path.
    Absent(&'static str),
    /// Something is at the path, even if it is empty.
    Present(&'static str),
    /// The element at the path has more than white space; more than one abort.
    NotBlank(&'static str),
    /// An element at the path has more than white space.
    Words(&'static str),
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
    Is(Condition),
    /// The function says whether the rule holds and which values disagree.
    Judge(fn(&Subject<'_>) -> Verdict),
    /// Never broken in the official artefact.
    Always,
}

impl Test {
    /// The test of this name that asks something of a path.
    pub(super) fn of_path(name: &str, path: &'static str) -> Option<Self> {
        Some(match name {
            "Absent" => Self::Absent(path),
            "Present" => Self::Present(path),
            "NotBlank" => Self::NotBlank(path),
            "Words" => Self::Words(path),
            "AtMostOnce" => Self::AtMostOnce(path),
            "Once" => Self::Once(path),
            "Decimals" => Self::Decimals(path),
            "FirstDecimals" => Self::FirstDecimals(path),
            _ => return None,
        })
    }
}
