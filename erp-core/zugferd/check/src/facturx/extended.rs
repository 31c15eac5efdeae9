//! Rules of the profile EXTENDED: lines inside lines and product characteristics.

use super::values::is_filled;
use crate::engine::{Functions, Holds, functions};
use crate::invoice::document::Document;
use crate::invoice::line_tree::{LINE_TOTAL, PARENT, STATUS};
use crate::invoice::node::Node;
use crate::invoice::values::normalize;

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        one_value, known_parent, totals_of_groups,
        groups_add_up = |document, _| document.line_tree().groups_add_up.clone(),
        known_characteristic = |_, code| Ok(super::codes::contains("characteristics", &normalize(&code.text()))),
        status_of_child = |_, line| Ok(line.words(PARENT)?.is_empty() || is_filled(line, STATUS)),
        group_with_total = |_, line| Ok(line.has_text(STATUS, "GROUP") && line.has(LINE_TOTAL)),
        line_category_of_document = |_, document| document.up().map_or(Ok(false), line_vat);
};

fn one_value(_: &Document<'_>, item: Node<'_>) -> Holds {
    let has_value = item.has("Value");
    let mut measures = item.children("ValueMeasure");
    Ok(if has_value {
        measures.next().is_none()
    } else {
        measures.any(|it| it.has_value("unitCode"))
    })
}

fn known_parent(document: &Document<'_>, line: Node<'_>) -> Holds {
    let parent = line.words(PARENT)?;
    Ok(parent.is_empty() || document.line_tree().ids.contains(&parent))
}

/// Either all groups inside a group with a total have one, or none is there.
fn totals_of_groups(document: &Document<'_>, line: Node<'_>) -> Holds {
    let Some(id) = line.only("AssociatedDocumentLineDocument/LineID")? else {
        return Ok(false);
    };
    let inside = document.line_tree().groups.get(&id.text());
    Ok(inside.is_none_or(|(groups, totals)| groups == totals))
}

fn line_vat(line: Node<'_>) -> Holds {
    const TAX: &str = "SpecifiedLineTradeSettlement/ApplicableTradeTax";
    let has_vat = line.has_text(&format!("{TAX}/TypeCode"), "VAT");
    Ok(has_vat && line.has_vat_category(TAX)?)
}
