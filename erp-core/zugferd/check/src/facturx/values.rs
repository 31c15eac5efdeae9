//! Values of elements as the rules of the profiles read them.

use std::cmp::Ordering;

use crate::engine::Holds;
use crate::invoice::abort::Abort;
use crate::invoice::decimal::{BLANKS, Decimal};
use crate::invoice::double;
use crate::invoice::node::Node;
use crate::invoice::values::any;

/// Whether an element at the path has a text, be it white space.
pub(super) fn is_filled(node: Node<'_>, path: &str) -> bool {
    node.all(path).iter().any(|node| !node.text().is_empty())
}

pub(super) fn decimal(node: Node<'_>) -> Result<Decimal, Abort> {
    Decimal::parse(&node.text())
}

/// How a text compares with a number in the official tool: minus zero is below zero.
fn compare(text: Node<'_>, number: f64) -> Result<Option<Ordering>, Abort> {
    let value = text.double()?;
    let ordering = value.partial_cmp(&number);
    Ok(ordering.map(|ordering| ordering.then(value.total_cmp(&number))))
}

pub(super) fn any_same(nodes: &[Node<'_>], number: f64) -> Holds {
    any(nodes, |node| {
        Ok(compare(*node, number)?.is_some_and(Ordering::is_eq))
    })
}

/// Whether one of the texts compares like this with the whole number zero: `-0` is zero, `-0.0` is below it.
pub(super) fn any_to_zero(nodes: &[Node<'_>], passes: impl Fn(Ordering) -> bool) -> Holds {
    any(nodes, |node| {
        if node.text().trim_matches(BLANKS).parse() == Ok(0_i64) {
            return Ok(passes(Ordering::Equal));
        }
        Ok(compare(*node, 0.0)?.is_some_and(&passes))
    })
}

/// Whether one of the texts is the sum of the amounts, in doubles and rounded to cents.
pub(super) fn any_sum(nodes: &[Node<'_>], amounts: &[Node<'_>]) -> Holds {
    match amounts {
        [] => any_to_zero(nodes, Ordering::is_eq),
        amounts => any_same(nodes, sum_in_cents(amounts)?),
    }
}

pub(super) fn double_sum(nodes: &[Node<'_>]) -> Result<f64, Abort> {
    let mut numbers = nodes.iter().map(|node| node.double());
    // Not from zero: the sum of minus zero is minus zero.
    let first = numbers.next().unwrap_or(Ok(0.0))?;
    numbers.try_fold(first, |sum, number| Ok(double::add(sum, number?)))
}

pub(super) fn sum_in_cents(nodes: &[Node<'_>]) -> Result<f64, Abort> {
    Ok(double::round_to_cents(double_sum(nodes)?))
}

pub(super) fn exact_sum(nodes: &[Node<'_>]) -> Result<Decimal, Abort> {
    let mut nodes = nodes.iter();
    nodes.try_fold(Decimal::ZERO, |sum, node| sum.plus(decimal(*node)?))
}

/// The sum in decimals, rounded to cents.
pub(super) fn decimal_sum(nodes: &[Node<'_>]) -> Result<Decimal, Abort> {
    Ok(exact_sum(nodes)?.round(2))
}

/// Whether two amounts differ by at most one cent per added amount.
pub(super) fn is_near(one: Decimal, two: Decimal, amounts: usize) -> Holds {
    let slack = Decimal::new(i128::try_from(amounts).unwrap_or(i128::MAX), 2);
    Ok(one.minus(two)?.abs().compare(slack)?.is_le())
}
