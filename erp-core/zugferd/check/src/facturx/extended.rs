//! Rules of the profile EXTENDED: lines inside lines and product characteristics.

use super::values::is_filled;
use crate::engine::rule::Holds;
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::Abort;
use crate::invoice::document::Document;
use crate::invoice::double;
use crate::invoice::line_tree::{LINE, LINE_TOTAL, PARENT, STATUS};
use crate::invoice::node::Node;
use crate::invoice::texts::TextMap;
use crate::invoice::values::normalize;

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        one_value, known_parent, totals_of_groups,
        known_characteristic = |_, code| Ok(super::codes::contains("characteristics", &normalize(&code.text()))),
        status_of_child = |_, line| Ok(line.words(PARENT)?.is_empty() || is_filled(line, STATUS)),
        group_with_total = |_, line| Ok(line.has_text(STATUS, "GROUP") && line.has(LINE_TOTAL)),
        line_category_of_document = |_, document| document.up().map_or(Ok(false), line_vat);
};

/// Reported at every line when a group has not the sum of its lines.
pub(super) const GROUP_SUMS: &str = "BR-FXEXT-08";

fn one_value(_: &Document<'_>, item: Node<'_>) -> Holds {
    let measured = |measure: &Node<'_>| {
        measure
            .attribute("unitCode")
            .is_some_and(|unit| !unit.is_empty())
    };
    Ok(match item.has("Value") {
        true => !item.has("ValueMeasure"),
        false => item.all("ValueMeasure").iter().any(measured),
    })
}

fn known_parent(document: &Document<'_>, line: Node<'_>) -> Holds {
    let parent = line.words(PARENT)?;
    Ok(parent.is_empty() || document.line_tree().ids.contains(&parent))
}

/// Either all groups inside a group with a total have one, or none is there.
fn totals_of_groups(document: &Document<'_>, line: Node<'_>) -> Holds {
    let id = line.only("AssociatedDocumentLineDocument/LineID")?;
    let groups = &document.line_tree().groups;
    Ok(id.is_some_and(|id| {
        groups
            .get(&id.text())
            .is_none_or(|(groups, totals)| groups == totals)
    }))
}

/// Whether the total of every group is the sum of the totals of the lines and groups directly inside.
pub(super) fn group_sums(document: &Document<'_>) -> Holds {
    let total = |line: Node<'_>| {
        Ok::<_, Abort>(double::parse(&line.words(LINE_TOTAL)?).unwrap_or(f64::NAN))
    };
    let mut inside: TextMap<'static, f64> = TextMap::default();
    for line in document.anywhere(LINE) {
        if line.has_text(STATUS, "DETAIL") || line.has_text(STATUS, "GROUP") {
            let (parent, total) = (line.words(PARENT)?, total(line)?);
            inside.change(parent.into(), |sum| *sum = double::add(*sum, total));
        }
    }
    for line in document.anywhere(LINE) {
        if line.has_text(STATUS, "GROUP") && !line.words(LINE_TOTAL)?.is_empty() {
            let id = line.words("AssociatedDocumentLineDocument/LineID")?;
            let sum = inside.get(&id).copied().unwrap_or(0.0);
            if total(line)? != double::round_hundredfold(sum) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn line_vat(line: Node<'_>) -> Holds {
    const TAX: &str = "SpecifiedLineTradeSettlement/ApplicableTradeTax";
    Ok(line.has_text(
        "SpecifiedLineTradeSettlement/ApplicableTradeTax/TypeCode",
        "VAT",
    ) && line.has_vat_category(TAX)?)
}
