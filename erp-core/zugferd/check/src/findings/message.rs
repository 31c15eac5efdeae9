//! The sentences of findings, in English and German.

use super::terms;
use crate::engine::{Rule, Says, Subject, Test, Values};
use crate::invoice::abort::{Abort, Reason, shorten};
use crate::invoice::categories::Category;
use crate::language::Language;

/// What `sentences.txt` says, in English and German.
pub(crate) fn says(key: &str) -> Says {
    let mut rows = include_str!("sentences.txt").lines();
    let row = rows.find_map(|row| row.strip_prefix(key)?.strip_prefix(" | "));
    row.and_then(|row| row.split_once(" | "))
        .unwrap_or_default()
}

/// Replaces the names in braces.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut sentence = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        sentence.push_str(before);
        sentence.push_str(&value(name));
        rest = after;
    }
    sentence + rest
}

/// The sentences for a rule that is broken.
pub(crate) fn broken(rule: &Rule, subject: &Subject<'_>, values: &Values) -> (String, String) {
    let (en, de) = rule.says.unwrap_or_else(|| says(kind(&rule.test)));
    let fill = |template, language| {
        fill(template, |name| match name {
            "found" => value(&values.found),
            "expected" => value(&values.expected),
            "path" => {
                let path = rule.test.path().unwrap_or_default();
                path.replace("*Line", line(subject))
            }
            "list" => list(&rule.test).to_owned(),
            "element" => shorten(subject.node.element().local()),
            "term" => term(main_term(rule, subject), subject, language),
            "group" => term(rule.terms.split(' ').next(), subject, language),
            "category" => category(subject, language),
            name => term(Some(name), subject, language),
        })
    };
    (fill(en, Language::English), fill(de, Language::German))
}

/// The sentences of a kind of test. The other kinds have sentences at their rules.
const fn kind(test: &Test) -> &'static str {
    match test {
        Test::Absent(_) | Test::Nowhere(_) => "absent",
        Test::Present(_) => "present",
        Test::NotBlank(_) | Test::Words(_) => "filled",
        Test::AtMostOnce(_) => "at_most_once",
        Test::Once(_) => "once",
        Test::Decimals(_) | Test::FirstDecimals(_) => "decimals",
        Test::Code(_) | Test::AttributeCode(..) => "code",
        _ => "",
    }
}

/// What a line is called in the document.
fn line(subject: &Subject<'_>) -> &'static str {
    if subject.node.root().is_credit_note() {
        "CreditNoteLine"
    } else {
        "InvoiceLine"
    }
}

/// A value, or a dash if it is empty.
fn value(text: &str) -> String {
    if text.is_empty() { "–" } else { text }.to_owned()
}

/// The first business term, or else the group; for a code in any element, the term of the element.
fn main_term(rule: &Rule, subject: &Subject<'_>) -> Option<&'static str> {
    let terms = match (rule.terms, rule.test) {
        ("", Test::Code(_)) => terms::of_element(subject.node, None),
        (terms, _) => terms,
    };
    let first = terms.split_whitespace().find(|term| term.starts_with("BT"));
    first.or_else(|| terms.split_whitespace().next())
}

/// The name of a business term with its number, or the name of the element.
fn term(term: Option<&str>, subject: &Subject<'_>, language: Language) -> String {
    let Some(term) = term else {
        return format!("`{}`", shorten(subject.node.element().local()));
    };
    match terms::find(term) {
        Some((en, de)) => format!("{} ({term})", language.choose(en, de)),
        None => term.to_owned(),
    }
}

fn category(subject: &Subject<'_>, language: Language) -> String {
    let named = |category: &Category| {
        let name = language.choose(category.en, category.de);
        format!("{} ({name})", category.code)
    };
    subject.category.map_or_else(String::new, named)
}

const fn list(test: &Test) -> &'static str {
    match test {
        Test::Code(list) | Test::AttributeCode(_, list) => list.name,
        _ => "",
    }
}

/// The sentences for a rule of this id that cannot be judged.
pub(crate) fn undecided(id: &str, abort: &Abort) -> (String, String) {
    let (en, de) = match abort.reason() {
        Reason::NotANumber => ("is not a number", "ist keine Zahl"),
        Reason::NotADate => ("is not a date", "ist kein Datum"),
        Reason::NotABoolean => (
            "is neither `true` nor `false`",
            "ist weder `true` noch `false`",
        ),
        Reason::Several => ("is given more than once", "kommt mehrfach vor"),
        Reason::Missing => ("is missing", "fehlt"),
        Reason::TooLarge => ("has too many digits", "hat zu viele Stellen"),
    };
    let about = abort.about();
    (
        format!("The rule {id} cannot be judged: `{about}` {en}."),
        format!("Die Regel {id} lässt sich nicht prüfen: `{about}` {de}."),
    )
}

/// The sentences for a guideline whose rules are not here, and those that judged.
pub(crate) fn unknown_guideline(guideline: &str, rules: &[&str]) -> (String, String) {
    let (guideline, rules) = (shorten(guideline), rules.join(", "));
    (
        format!("The rules of the guideline `{guideline}` are not here: only {rules} judged it."),
        format!("Die Regeln von `{guideline}` fehlen hier: geprüft wurde nur nach {rules}."),
    )
}

/// The sentences for a document that needs too much work, or takes too long.
pub(crate) fn exhausted(limit: u64) -> (String, String) {
    (
        format!("The check needs more than {limit} steps, or too much time, and was stopped."),
        format!(
            "Die Prüfung braucht mehr als {limit} Schritte oder zu viel Zeit und wurde abgebrochen."
        ),
    )
}
