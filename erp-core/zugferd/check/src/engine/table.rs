//! Reads lists of rules.
//!
//! ```text
//! # a comment
//! !name other-name | English | German           sentences of conditions
//! /rsm:CrossIndustryInvoice/rsm:ExchangedDocument when condition
//!  fatal BR-65 BT-158 condition | English | German
//!  warning CII-SR-035 Absent DescriptionCode
//! ---                                            a new pattern
//! ```
//!
//! A line without a blank before it is a context: which elements the rules below it are for. `/A/B` is a path from the
//! document (there may be several), `A/B` the end of a path, `*ID` the end of a name in the namespace `ram`, `*:*ID` in
//! any. `of S` is the VAT category of the context, whose letters replace `*` in ids; `of S,Z` are several, each of which
//! has the rules. A test may follow after `when`. In UBL the step `cac:*Line` is `cac:InvoiceLine` or `cac:CreditNoteLine`.
//!
//! A rule has its severity (fatal when it is left out), its id, business terms, a test and sentences. A test is a kind of
//! [`Test`] with its path, or the name of a condition. Without sentences the rule has those of its condition or its kind.

use super::context::{Context, ContextPlace};
use super::rule::{Rule, Says, Test};
use crate::invoice::categories::category;
use crate::report::Severity;

/// Conditions by the names that lists of rules call them by.
pub(crate) type Functions = &'static [(&'static str, Test)];

/// The conditions of a module: `Kind: name, name = closure;` for each kind of [`Test`] that takes a function.
macro_rules! functions {
    (@ $name:ident) => { $name };
    (@ $name:ident $function:expr) => { $function };
    ($($kind:ident: $($name:ident $(= $function:expr)?),+;)*) => {
        &[$($((
            stringify!($name),
            $crate::engine::rule::Test::$kind($crate::engine::table::functions!(@ $name $($function)?)),
        )),+),*]
    };
}

pub(crate) use functions;

/// The patterns of a list: contexts in the order of the official artefact.
pub(crate) fn read(
    text: &'static str,
    functions: &[Functions],
    others: &[&'static str],
) -> Vec<Vec<Context>> {
    let reader = TableReader {
        text,
        functions,
        others,
    };
    let mut patterns: Vec<Vec<Context>> = vec![Vec::new()];
    for (number, line) in text.lines().enumerate() {
        match line.as_bytes().first() {
            Some(b' ') => {
                let pattern = patterns.last_mut().map_or(&mut [][..], Vec::as_mut_slice);
                let last = pattern.last().map(|context| context.line);
                let contexts = pattern.iter_mut().rev();
                let contexts = contexts.take_while(|context| Some(context.line) == last);
                if let Some(rule) = reader.rule(line.trim_start()) {
                    contexts.for_each(|context| context.rules.push(rule.clone()));
                }
            }
            Some(b'-') => patterns.push(Vec::new()),
            None | Some(b'#' | b'!') => {}
            Some(_) => {
                if let Some(pattern) = patterns.last_mut() {
                    pattern.extend(reader.contexts(line, number));
                }
            }
        }
    }
    patterns
}

struct TableReader<'f> {
    text: &'static str,
    functions: &'f [Functions],
    /// Lists with sentences.
    others: &'f [&'static str],
}

impl TableReader<'_> {
    /// A kind of test with its path, or a function by its name.
    fn test(&self, text: &'static str) -> Option<Test> {
        let (kind, argument) = text.split_once(' ').unwrap_or((text, ""));
        Test::of_kind(kind, argument).or_else(|| {
            let mut functions = self.functions.iter().copied().flatten();
            let (_, test) = functions.find(|(name, _)| *name == kind)?;
            Some(*test)
        })
    }

    fn contexts(&self, line: &'static str, number: usize) -> Vec<Context> {
        let (line, when) = match line.split_once(" when ") {
            Some((line, when)) => (line, Some(when)),
            None => (line, None),
        };
        let mut words = line.split(' ');
        let mut place = ContextPlace::Paths(Vec::new());
        let mut categories = vec![None];
        while let Some(word) = words.next() {
            match word {
                "of" => {
                    let codes = words.next().unwrap_or_default().split(',');
                    categories = codes.map(category).collect();
                }
                path => place.add(path),
            }
        }
        // A condition that is not known never holds.
        let when = when.map(|when| self.test(when).unwrap_or(Test::Is(|_| Ok(false))));
        let contexts = categories.into_iter().map(|category| Context {
            place: place.clone(),
            when,
            category,
            line: number,
            rules: Vec::new(),
        });
        contexts.collect()
    }

    fn rule(&self, line: &'static str) -> Option<Rule> {
        let (asks, says) = match line.split_once(" | ") {
            Some((asks, says)) => (asks, Some(says.split_once(" | ")?)),
            None => (line, None),
        };
        let (severity, rest) = match asks.split_once(' ')? {
            ("fatal", rest) => (Severity::Fatal, rest),
            ("warning", rest) => (Severity::Warning, rest),
            ("information", rest) => (Severity::Information, rest),
            _ => (Severity::Fatal, asks),
        };
        let (id, rest) = rest.split_once(' ')?;
        let mut test = rest;
        while test.starts_with("BT-") || test.starts_with("BG-") {
            (_, test) = test.split_once(' ')?;
        }
        let terms = rest.strip_suffix(test)?.trim_end();
        let kind = test.split(' ').next()?;
        Some(Rule {
            id,
            number: None,
            severity,
            terms,
            test: self.test(test)?,
            says: says.or_else(|| self.sentences(kind, id)),
        })
    }

    /// The sentences of a condition, or those that another list has for the rule.
    fn sentences(&self, name: &str, id: &str) -> Option<Says> {
        if Test::of_kind(name, "").is_some() && !matches!(name, "Any" | "All") {
            return None;
        }
        let lists = std::iter::once(self.text).chain(self.others.iter().copied());
        let lines = lists.flat_map(str::lines);
        let mut said = lines.filter_map(|line| line.split_once(" | "));
        let of_condition = |about: &str| {
            let names = about.strip_prefix('!');
            names.is_some_and(|names| names.split(' ').any(|one| one == name))
        };
        let of_rule = |about: &str| about.starts_with(' ') && about.split(' ').nth(2) == Some(id);
        let (_, says) = said.find(|(about, _)| of_condition(about) || of_rule(about))?;
        says.split_once(" | ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(_: &crate::engine::rule::Subject<'_>) -> crate::engine::rule::Holds {
        Ok(true)
    }

    #[test]
    fn rules_are_read() {
        const FUNCTIONS: Functions = functions! { Is: holds, other = |_| Ok(true); };
        const LIST: &str = "!holds third | It. | Es.\n# Comment\nA/B of AE when holds\n fatal A-1 BT-1 BG-2 Absent A/B\n \
            warning A-2 NotBoth A B | No. | Nein.\n---\n/C /D/E\n A-3 BT-3 holds\n A-4 other | One. | Eins.\n \
            A-5 unknown\n information A-6 Code @x currencies";
        let patterns = read(LIST, &[FUNCTIONS], &[]);
        let rules: Vec<_> = patterns
            .iter()
            .flatten()
            .flat_map(|one| &one.rules)
            .collect();
        let texts = rules.iter().map(|rule| (rule.id, rule.terms, rule.says));
        let expected = [
            ("A-1", "BT-1 BG-2", None),
            ("A-2", "", Some(("No.", "Nein."))),
            ("A-3", "BT-3", Some(("It.", "Es."))),
            ("A-4", "", Some(("One.", "Eins."))),
            ("A-6", "", None),
        ];
        assert!(texts.eq(expected));
        let severities = rules.iter().map(|rule| rule.severity);
        assert!(severities.eq([
            Severity::Fatal,
            Severity::Warning,
            Severity::Fatal,
            Severity::Fatal,
            Severity::Information,
        ]));
        let tests: Vec<_> = rules.iter().map(|rule| rule.test).collect();
        let [
            Test::Absent("A/B"),
            Test::NotBoth("A", "B"),
            Test::Is(_),
            Test::Is(_),
            Test::AttributeCode("x", _),
        ] = *tests
        else {
            panic!("other tests");
        };
        let [[first], [second]] = [&*patterns[0], &*patterns[1]] else {
            panic!("other contexts");
        };
        assert!(first.when.is_some() && second.when.is_none());
        assert_eq!(first.category.map(|category| category.code), Some("AE"));
        assert!(matches!(&first.place, ContextPlace::Anywhere(paths) if *paths == [["A", "B"]]));
        assert!(
            matches!(&second.place, ContextPlace::Paths(paths) if *paths == [vec!["C"], vec!["D", "E"]])
        );
    }
}
