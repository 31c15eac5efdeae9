//! The kinds of an element that a profile treats differently: tax registrations by scheme, allowances and charges,
//! referenced documents by type, reasons by code list, VAT totals by currency.

use crate::invoice::node::Node;
use crate::invoice::texts::Texts;

/// Tells the kinds of elements apart.
#[derive(Default)]
pub(super) struct Kinds<'a> {
    /// By the number of the header settlement, in the order of the document.
    settlements: Vec<(u32, Currencies<'a>)>,
    /// Of all header settlements.
    document: Currencies<'a>,
}

/// The currencies that a header settlement names.
#[derive(Default)]
struct Currencies<'a> {
    invoice: Texts<'a>,
    tax: Texts<'a>,
}

impl<'a> Currencies<'a> {
    fn of(&self, kind: &str) -> &Texts<'a> {
        if kind == "tax" {
            &self.tax
        } else {
            &self.invoice
        }
    }

    fn add(&mut self, settlement: Node<'a>) {
        for code in settlement.all("InvoiceCurrencyCode") {
            self.invoice.insert(code.text());
        }
        for code in settlement.all("TaxCurrencyCode") {
            self.tax.insert(code.text());
        }
    }
}

impl<'a> Kinds<'a> {
    pub(super) fn new(root: Node<'a>) -> Self {
        let mut kinds = Self::default();
        let path = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement";
        for settlement in root.all(path) {
            kinds.document.add(settlement);
            let mut own = Currencies::default();
            own.add(settlement);
            kinds.settlements.push((settlement.element().index(), own));
        }
        kinds
    }

    /// Whether the element is of this kind; `-` means none of the known kinds.
    pub(super) fn is(&self, element: Node<'_>, kind: Option<&str>) -> bool {
        match kind {
            None => true,
            Some("-") => !known(element.element().local())
                .iter()
                .any(|kind| self.is_one(element, kind)),
            Some(kind) => self.is_one(element, kind),
        }
    }

    fn is_one(&self, element: Node<'_>, kind: &str) -> bool {
        match kind {
            "VA" | "FC" => element
                .all("ID")
                .iter()
                .any(|id| id.attribute("schemeID") == Some(kind)),
            "true" | "false" => element.has_text("ChargeIndicator/udt:Indicator", kind),
            "916" | "50" | "130" => element.has_text("TypeCode", kind),
            "nolist" => element.attribute("listID").is_none(),
            "invoice" | "tax" => self.in_currency(element, kind),
            list => element.attribute("listID") == Some(list),
        }
    }

    fn of_settlement(&self, number: u32) -> Option<&Currencies<'a>> {
        let place = self
            .settlements
            .binary_search_by_key(&number, |(known, _)| *known);
        self.settlements
            .get(place.ok()?)
            .map(|(_, currencies)| currencies)
    }

    /// Whether an amount is in the currency of the header settlement two levels above it, or for a line in one of
    /// the document.
    fn in_currency(&self, amount: Node<'_>, kind: &str) -> bool {
        let above = amount.up().and_then(Node::up);
        let settlement = above.and_then(|above| self.of_settlement(above.element().index()));
        let currencies = settlement.unwrap_or(&self.document).of(kind);
        amount
            .attribute("currencyID")
            .is_some_and(|currency| currencies.contains(currency))
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
