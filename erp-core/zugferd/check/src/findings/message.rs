//! The sentences of findings, in English and German.

use super::terms;
use crate::engine::{Rule, Subject, Test, Values};
use crate::invoice::abort::{Abort, Reason, shorten};
use crate::invoice::categories::Category;
use crate::language::Language;

/// The sentences for a rule that is broken.
pub(crate) fn broken(rule: &Rule, subject: &Subject<'_>, values: &Values) -> (String, String) {
    let (en, de) = rule.says.unwrap_or_else(|| by_kind(&rule.test));
    (
        fill(en, rule, subject, values, Language::English),
        fill(de, rule, subject, values, Language::German),
    )
}

/// The sentences of a kind of test. The other kinds have sentences at their rules.
const fn by_kind(test: &Test) -> (&'static str, &'static str) {
    match test {
        Test::Absent(_) | Test::Nowhere(_) => (
            "`{path}` is not used here.",
            "`{path}` wird hier nicht verwendet.",
        ),
        Test::Present(_) => ("{term} is missing.", "{term} fehlt."),
        Test::NotBlank(_) | Test::Words(_) => {
            ("{term} is missing or empty.", "{term} fehlt oder ist leer.")
        }
        Test::AtMostOnce(_) => (
            "`{path}` is given {found} times, at most one is allowed.",
            "`{path}` kommt {found}-mal vor, erlaubt ist höchstens einmal.",
        ),
        Test::Once(_) => (
            "`{path}` is given {found} times, exactly one is needed.",
            "`{path}` kommt {found}-mal vor, verlangt ist genau einmal.",
        ),
        Test::Decimals(_) | Test::FirstDecimals(_) => (
            "{term} is `{found}`, at most two decimal places are allowed.",
            "{term} ist `{found}`, erlaubt sind höchstens zwei Nachkommastellen.",
        ),
        Test::Code(_) | Test::AttributeCode(..) => (
            "{term}: `{found}` is not in the code list {list}.",
            "{term}: `{found}` steht nicht in der Codeliste {list}.",
        ),
        _ => ("", ""),
    }
}

/// Replaces the names in braces.
fn fill(
    template: &str,
    rule: &Rule,
    subject: &Subject<'_>,
    values: &Values,
    language: Language,
) -> String {
    let mut sentence = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        sentence.push_str(before);
        match name {
            "found" => sentence.push_str(value(&values.found)),
            "expected" => sentence.push_str(value(&values.expected)),
            "path" => {
                let path = rule.test.path().unwrap_or_default();
                sentence.push_str(&path.replace("*Line", line(subject)));
            }
            "list" => sentence.push_str(list(&rule.test)),
            "element" => sentence.push_str(&shorten(subject.node.element().local())),
            "term" => push_term(&mut sentence, main_term(rule, subject), subject, language),
            "group" => {
                let group = rule.terms.split(' ').next();
                push_term(&mut sentence, group, subject, language);
            }
            "category" => sentence.push_str(&category(subject, language)),
            term => push_term(&mut sentence, Some(term), subject, language),
        }
        rest = after;
    }
    sentence.push_str(rest);
    sentence
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
const fn value(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
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
fn push_term(sentence: &mut String, term: Option<&str>, subject: &Subject<'_>, language: Language) {
    let Some(term) = term else {
        sentence.push_str(&format!("`{}`", shorten(subject.node.element().local())));
        return;
    };
    match terms::find(term) {
        Some((en, de)) => sentence.push_str(&format!("{} ({term})", language.choose(en, de))),
        None => sentence.push_str(term),
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
