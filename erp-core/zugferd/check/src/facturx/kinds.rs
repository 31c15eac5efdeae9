//! The kinds of an element that a profile treats differently: tax registrations by scheme, allowances and charges,
//! referenced documents by type, reasons by code list, VAT totals by currency.

use crate::invoice::document::Document;
use crate::invoice::facts::Facts;
use crate::invoice::node::Node;
use crate::invoice::texts::Texts;

/// Tells the kinds of elements apart.
pub(super) struct Kinds<'a> {
    facts: &'a Facts,
    /// By the number of the header settlement, in the order of the document: its currencies, of invoice and accounting.
    settlements: Vec<(u32, [Texts<'static>; 2])>,
}

impl<'a> Kinds<'a> {
    pub(super) fn new(document: &Document<'a>) -> Self {
        let path = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement";
        let settlements = document.root.all(path).into_iter();
        let currencies = |settlement: Node<'a>| {
            let own = ["InvoiceCurrencyCode", "TaxCurrencyCode"].map(|code| settlement.texts(code));
            (settlement.element().index(), own)
        };
        Self {
            facts: document.facts,
            settlements: settlements.map(currencies).collect(),
        }
    }

    /// Whether the element is of this kind; `-` means none of the known kinds.
    pub(super) fn is(&self, element: Node<'_>, kind: Option<&str>) -> bool {
        match kind {
            None => true,
            Some("-") => {
                let mut known = known(element.element().local()).iter();
                !known.any(|kind| self.is_one(element, kind))
            }
            Some(kind) => self.is_one(element, kind),
        }
    }

    fn is_one(&self, element: Node<'_>, kind: &str) -> bool {
        match kind {
            "VA" | "FC" => {
                let mut ids = element.children("ID");
                ids.any(|id| id.attribute("schemeID") == Some(kind))
            }
            "true" | "false" => element.has_text("ChargeIndicator/udt:Indicator", kind),
            "916" | "50" | "130" => element.has_text("TypeCode", kind),
            "nolist" => element.attribute("listID").is_none(),
            "invoice" | "tax" => self.in_currency(element, kind),
            list => element.attribute("listID") == Some(list),
        }
    }

    /// Whether an amount is in the currency of the header settlement two levels above it, or for a line in one of
    /// the document.
    fn in_currency(&self, amount: Node<'_>, kind: &str) -> bool {
        let number = |above: Node<'_>| above.element().index();
        let above = amount.up().and_then(Node::up).map_or(0, number);
        let known = &self.settlements;
        let place = known.binary_search_by_key(&above, |(known, _)| *known);
        let own = place.ok().and_then(|place| known.get(place));
        amount.is_in_currency(match (own, kind) {
            (Some((_, [_, tax])), "tax") => tax,
            (Some((_, [invoice, _])), _) => invoice,
            (None, "tax") => &self.facts.tax_currencies,
            (None, _) => &self.facts.invoice_currencies,
        })
    }
}

fn known(name: &str) -> &'static [&'static str] {
    match name {
        "SpecifiedTaxRegistration" => &["VA", "FC"],
        "AdditionalReferencedDocument" => &["916", "50", "130"],
        "ReasonCode" => &["nolist", "5153"],
        "TaxTotalAmount" => &["invoice", "tax"],
        _ => &["false", "true"],
    }
}
