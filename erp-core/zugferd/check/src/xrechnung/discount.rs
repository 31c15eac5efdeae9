//! Cash discounts in the payment terms, in the form `#SKONTO#TAGE=14#PROZENT=2.00#BASISBETRAG=100.00#`.

use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::BLANKS;
use crate::invoice::node::Node;
use crate::invoice::values::normalize;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        discount_lines;
};

/// Every line that starts with `#` is a discount, and a line break follows the last.
fn discount_lines(subject: &Subject<'_>) -> Holds {
    let terms = subject.node.all(subject.node.syntax().payment_terms);
    let path = subject.node.syntax().payment_terms_text;
    let texts = terms.into_iter().filter_map(|terms| terms.first(path));
    let texts: Vec<_> = texts.map(Node::text).collect();
    let lines = texts.iter().flat_map(|text| text.split('\n'));
    let mut lines = lines.map(normalize).filter(|line| line.starts_with('#'));
    let Some(first) = lines.next() else {
        return Ok(true);
    };
    if !is_discount(&first) {
        return Ok(false);
    }
    let [text] = texts.as_slice() else {
        return Err(Abort::several(subject.node.syntax().payment_terms));
    };
    Ok(ends_with_line_break(text) && lines.all(|line| is_discount(&line)))
}

/// After the last `#…#` only white space with a line break may come before further text.
fn ends_with_line_break(text: &str) -> bool {
    let ends = text.split_inclusive(['\n', '\r']).scan(0, |start, line| {
        let offset = *start;
        *start += line.len();
        Some(hash_span(line).map(|end| offset + end))
    });
    let end = ends.flatten().last().unwrap_or(0);
    let rest = text.get(end..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start_matches(BLANKS).len();
    let blanks = rest.get(..blanks);
    blanks.is_some_and(|blanks| blanks.contains('\n'))
}

/// The end of the text from the first to the last `#` of a line, with something between.
fn hash_span(line: &str) -> Option<usize> {
    let (start, end) = (line.find('#')?, line.rfind('#')?);
    (end > start + 1).then_some(end + 1)
}

fn is_discount(line: &str) -> bool {
    let parts = || {
        let inner = line.strip_prefix("#SKONTO#TAGE=")?.strip_suffix('#')?;
        let mut parts = inner.split('#');
        let days = parts.next()?;
        let percent = parts.next()?.strip_prefix("PROZENT=")?;
        let basis = match parts.next() {
            Some(basis) => Some(basis.strip_prefix("BASISBETRAG=")?),
            None => None,
        };
        parts.next().is_none().then_some((days, percent, basis))
    };
    parts().is_some_and(|(days, percent, basis)| {
        let is_basis = |basis: &str| is_amount(basis.strip_prefix('-').unwrap_or(basis));
        is_number(days) && is_amount(percent) && basis.is_none_or(is_basis)
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_amount(text: &str) -> bool {
    let (whole, cents) = text.split_once('.').unwrap_or_default();
    is_number(whole) && cents.len() == 2 && is_number(cents)
}
