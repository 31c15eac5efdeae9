//! The taxes of a UBL invoice, whose rules on VAT categories look at the whole document.

use super::abort::Abort;
use super::categories::category;
use super::document::ElementIndex;
use super::facts::TaxIds;
use super::node::Node;
use super::values::{any, normalize};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaxPlace {
    /// A VAT breakdown of the document.
    Breakdown,
    /// The item of a line.
    Line,
    /// An allowance or charge; of the document or of a line or price.
    Allowance { charge: bool, of_document: bool },
    /// Another place that UBL has for taxes.
    Other,
}

/// A tax with its category.
pub(crate) struct Tax {
    pub(crate) place: TaxPlace,
    /// A code that has rules of its own; `?` for any other, or none. Texts may be long.
    pub(crate) code: &'static str,
    /// Whether there is no white space around the code.
    pub(crate) is_exact: bool,
    pub(crate) is_vat: bool,
}

/// What cannot be read stops every rule that looks at it.
pub(crate) struct Taxes {
    all: Result<Vec<Tax>, Abort>,
    /// Whether the indicators of all allowances and charges are booleans, and of those of the document.
    indicators: [Result<(), Abort>; 2],
    ids: Result<TaxIds, Abort>,
}

impl Taxes {
    pub(super) fn gather(elements: &ElementIndex<'_>) -> Self {
        let mut indicators = [Ok(()), Ok(())];
        for item in elements.anywhere("cac:AllowanceCharge") {
            if let Err(abort) = item.indicates(true) {
                if is_of_document(item) {
                    indicators[1] = Err(abort.clone());
                }
                indicators[0] = Err(abort);
            }
        }
        Self {
            all: all(elements),
            indicators,
            ids: ids(elements),
        }
    }

    pub(crate) fn all(&self) -> Result<&[Tax], Abort> {
        self.all.as_deref().map_err(Abort::clone)
    }

    /// The taxes, if the indicators of all allowances and charges can be read, or of those of the document.
    pub(crate) fn of_allowances(&self, of_document: bool) -> Result<&[Tax], Abort> {
        let [anywhere, there] = &self.indicators;
        let indicators = if of_document { there } else { anywhere };
        indicators.clone().and_then(|()| self.all())
    }

    pub(crate) fn ids(&self) -> Result<TaxIds, Abort> {
        self.ids.clone()
    }
}

/// The codes that rules ask for: those with rules of their own, and split payment.
fn known(code: &str) -> &'static str {
    match category(code) {
        Some(category) => category.code,
        None if code == "B" => "B",
        None => "?",
    }
}

fn all(elements: &ElementIndex<'_>) -> Result<Vec<Tax>, Abort> {
    let mut all = Vec::new();
    let taxes = elements.anywhere("cac:TaxCategory");
    for node in taxes.chain(elements.anywhere("cac:ClassifiedTaxCategory")) {
        let text = node.only_text(node.syntax().category)?;
        let code = normalize(&text);
        all.push(Tax {
            place: place(node),
            is_exact: code == *text,
            code: known(&code),
            is_vat: node.is_vat()?,
        });
    }
    Ok(all)
}

/// Whether the element is directly in the document element.
fn is_of_document(node: Node<'_>) -> bool {
    node.up().is_some_and(|around| around.up().is_none())
}

fn place(tax: Node<'_>) -> TaxPlace {
    if tax.is("cac:ClassifiedTaxCategory") {
        return TaxPlace::Line;
    }
    let Some(around) = tax.up() else {
        return TaxPlace::Other;
    };
    if around.is("cac:AllowanceCharge") {
        let of_document = is_of_document(around);
        let charge = around.indicates(true);
        return charge.map_or(TaxPlace::Other, |charge| TaxPlace::Allowance {
            charge,
            of_document,
        });
    }
    let total = around.up().filter(|total| total.is("cac:TaxTotal"));
    match total {
        Some(total) if around.is("cac:TaxSubtotal") && is_of_document(total) => TaxPlace::Breakdown,
        _ => TaxPlace::Other,
    }
}

/// The tax number of the seller may be of any kind of tax.
fn ids(elements: &ElementIndex<'_>) -> Result<TaxIds, Abort> {
    let has = |path: &str| elements.anywhere(path).next().is_some();
    let has_vat = |path: &str| {
        any(elements.anywhere(path), |scheme| {
            Ok(scheme.has("cbc:CompanyID") && scheme.is_vat()?)
        })
    };
    Ok(TaxIds {
        seller_vat: has_vat("cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme")?,
        seller_tax_number: has(
            "cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID",
        ),
        representative_vat: has_vat("cac:TaxRepresentativeParty/cac:PartyTaxScheme")?,
        buyer_vat: has_vat("cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme")?,
        buyer_legal: has(
            "cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyID",
        ),
    })
}
