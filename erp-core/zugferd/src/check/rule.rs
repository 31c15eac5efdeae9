//! The tables of rules.

use super::abort::Abort;
use super::codes::CodeList;
use super::facts::Facts;
use super::node::Node;
use super::report::Severity;

/// The rules of one standard, in one release.
pub(super) struct RuleSet {
    /// The name with the release, as it is reported.
    pub(super) name: &'static str,
    pub(super) patterns: &'static [Pattern],
}

/// Tables of rules that are judged one after the other.
pub(super) type Tables = &'static [&'static [Rule]];

/// Contexts in the order of the official artefact: the first that matches an element takes it.
pub(super) type Pattern = &'static [Context];

/// Whether something holds for a subject.
pub(super) type Condition = fn(&Subject<'_>) -> Result<bool, Abort>;

/// Which elements some rules are judged at.
pub(super) struct Context {
    pub(super) place: Place,
    /// What else must hold for the element; an error counts as no.
    pub(super) when: Option<Condition>,
    /// The VAT category, for rules that exist for each.
    pub(super) category: Option<&'static Category>,
    pub(super) rules: Tables,
}

impl Context {
    pub(super) const fn new(place: Place, rules: Tables) -> Self {
        Self {
            place,
            when: None,
            category: None,
            rules,
        }
    }

    pub(super) const fn when(self, when: Condition) -> Self {
        Self {
            when: Some(when),
            ..self
        }
    }

    pub(super) const fn of(self, category: &'static Category) -> Self {
        Self {
            category: Some(category),
            ..self
        }
    }
}

/// Where an element is. Names as in paths.
pub(super) enum Place {
    /// The path from the document element.
    Path(&'static [&'static str]),
    /// The end of the path, anywhere.
    Anywhere(&'static [&'static str]),
    /// One of these paths from the document element.
    Paths(&'static [&'static [&'static str]]),
    /// Any element of `ram` whose name ends like this.
    Suffix(&'static str),
    /// Any element of any namespace whose name ends like this.
    AnySuffix(&'static str),
}

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

/// A rule that an invoice should keep.
pub(super) const fn warning(id: &'static str, terms: &'static str, test: Test) -> Rule {
    Rule {
        severity: Severity::Warning,
        ..fatal(id, terms, test)
    }
}

/// A rule that informs.
pub(super) const fn information(id: &'static str, terms: &'static str, test: Test) -> Rule {
    Rule {
        severity: Severity::Information,
        ..fatal(id, terms, test)
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

/// A table of rules: `severity "id" "terms", Test(…);`, where terms may be left out, with
/// `=> "English" | "German"` where the rule has sentences of its own.
macro_rules! rules {
    ($($severity:ident $id:literal $($terms:literal)?, $test:ident $(($($argument:expr),+))?
        $(=> $en:literal | $de:literal)?;)*) => {
        &[$($crate::check::rule::$severity(
            $id,
            concat!($($terms)?),
            $crate::check::rule::Test::$test $(($($argument),+))?,
        )$(.says($en, $de))?),*]
    };
}

pub(super) use rules;
