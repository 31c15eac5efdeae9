//! Tables of rules.

use super::report::Severity;
use super::rule::{Rule, Test};

/// Tables of rules that are judged one after the other.
pub(super) type Tables = &'static [Table];

/// A table of rules.
#[derive(Clone, Copy)]
pub(super) enum Table {
    /// As the macro `rules!` writes them: a line for each rule. As values they would take a browser three times as
    /// much, most of it addresses of their texts.
    Written {
        /// Severity, kind of the test, id, terms, path and the sentences, with tabs between: what is often the same is
        /// at the start, which compresses best.
        text: &'static str,
        /// The tests of lines without a kind, in their order.
        tests: &'static [Test],
    },
    /// Rules that a function made.
    Made(&'static [Rule]),
}

impl Table {
    /// Adds the rules to a list.
    pub(super) fn unpack(self, rules: &mut Vec<Rule>) {
        match self {
            Self::Made(made) => rules.extend_from_slice(made),
            Self::Written { text, tests } => {
                let mut tests = tests.iter().copied();
                rules.extend(text.lines().filter_map(|line| read(line, &mut tests)));
            }
        }
    }
}

fn read(line: &'static str, tests: &mut impl Iterator<Item = Test>) -> Option<Rule> {
    let mut fields = line.split('\t');
    let severity = match fields.next()? {
        "fatal" => Severity::Fatal,
        "warning" => Severity::Warning,
        _ => Severity::Information,
    };
    let kind = fields.next()?;
    let (id, terms, path) = (fields.next()?, fields.next()?, fields.next()?);
    let test = match kind {
        "" => tests.next()?,
        kind => Test::of_path(kind, path)?,
    };
    Some(Rule {
        id,
        severity,
        terms,
        test,
        says: fields.next().zip(fields.next()),
    })
}

/// A table of rules: `severity "id" "terms", Test(…);`, where terms may be left out, with
/// `=> "English" | "German"` where the rule has sentences of its own.
///
/// A test with a path goes into the text of the table, any other into its list of tests.
macro_rules! rules {
    (@ [$($text:tt)*] [$($tests:tt)*]) => {
        $crate::table::Table::Written { text: concat!($($text)*), tests: &[$($tests)*] }
    };
    (@ [$($text:tt)*] [$($tests:tt)*] $severity:ident $id:literal $($terms:literal)?,
        $test:ident($path:literal) $(=> $en:literal | $de:literal)?; $($rest:tt)*) => {
        $crate::table::rules!(@ [$($text)* stringify!($severity), "\t", stringify!($test), "\t", $id, "\t",
            $($terms,)? "\t", $path, $("\t", $en, "\t", $de,)? "\n",] [$($tests)*] $($rest)*)
    };
    (@ [$($text:tt)*] [$($tests:tt)*] $severity:ident $id:literal $($terms:literal)?,
        $test:ident $(($($argument:expr),+))? $(=> $en:literal | $de:literal)?; $($rest:tt)*) => {
        $crate::table::rules!(@ [$($text)* stringify!($severity), "\t\t", $id, "\t", $($terms,)? "\t",
            $("\t", $en, "\t", $de,)? "\n",]
            [$($tests)* $crate::rule::Test::$test $(($($argument),+))?,] $($rest)*)
    };
    ($($rules:tt)*) => { $crate::table::rules!(@ [] [] $($rules)*) };
}

pub(super) use rules;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_rules_are_read() {
        const TABLE: Table = rules! {
            fatal "A-1" "BT-1 BG-2", Absent("A/B");
            warning "A-2", NotBoth("A", "B") => "No." | "Nein.";
            information "A-3" "BT-3", Once("C") => "One." | "Eins.";
        };
        let mut rules = Vec::new();
        TABLE.unpack(&mut rules);
        let texts = rules.iter().map(|rule| (rule.id, rule.terms, rule.says));
        let expected = [
            ("A-1", "BT-1 BG-2", None),
            ("A-2", "", Some(("No.", "Nein."))),
            ("A-3", "BT-3", Some(("One.", "Eins."))),
        ];
        assert!(texts.eq(expected));
        let severities = rules.iter().map(|rule| rule.severity);
        assert!(severities.eq([Severity::Fatal, Severity::Warning, Severity::Information]));
        let tests: Vec<_> = rules.iter().map(|rule| rule.test).collect();
        let [
            Test::Absent("A/B"),
            Test::NotBoth("A", "B"),
            Test::Once("C"),
        ] = *tests
        else {
            panic!("other tests");
        };
    }
}
