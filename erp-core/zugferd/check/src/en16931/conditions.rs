//! Conditions of business rules that are more than presence, and the rules on periods and the payee.

use super::sums::{INVOICE_CURRENCY, TAX_CURRENCY};
use crate::abort::Abort;
use crate::node::Node;
use crate::rule::Subject;
use crate::table::{Table, rules};
use crate::values::{is_blank, normalize};

type Condition = Result<bool, Abort>;

pub(super) const LINE_PERIOD: Table = rules! {
    fatal "BR-30" "BT-134 BT-135", Is(period_is_in_order)
        => "{BT-135} is before {BT-134}."
        | "{BT-135} liegt vor {BT-134}.";
    fatal "BR-CO-20" "BG-26 BT-134 BT-135", Is(period_has_date)
        => "{BG-26} has neither a start nor an end."
        | "{BG-26} hat weder Beginn noch Ende.";
};

pub(super) const PERIOD: Table = rules! {
    fatal "BR-29" "BT-73 BT-74", Is(period_is_in_order)
        => "{BT-74} is before {BT-73}, or one of them is not in the format 102."
        | "{BT-74} liegt vor {BT-73}, oder eines davon ist nicht im Format 102.";
    fatal "BR-CO-19" "BG-14 BT-73 BT-74", Is(period_has_date)
        => "{BG-14} has neither a start nor an end."
        | "{BG-14} hat weder Beginn noch Ende.";
};

pub(super) const PAYEE: Table = rules! {
    fatal "BR-17" "BT-59 BG-10 BG-4", Is(payee_differs)
        => "{BG-10} has no name or is the seller: name, identifier or legal registration are the same."
        | "{BG-10} hat keinen Namen oder ist der Verkäufer: Name, Kennung oder Registernummer sind gleich.";
};

pub(super) fn classification_scheme(subject: &Subject<'_>) -> Condition {
    let node = subject.node;
    Ok(node.is_filled("ClassCode/@listID")? || !node.has("ClassCode"))
}

pub(super) fn item_id_scheme(subject: &Subject<'_>) -> Condition {
    let node = subject.node;
    let has_scheme = node.is_filled("SpecifiedTradeProduct/GlobalID/@schemeID")?;
    Ok(has_scheme || !node.has("SpecifiedTradeProduct/GlobalID"))
}

pub(super) fn short_card_number(subject: &Subject<'_>) -> Condition {
    let number = subject.node.only_text("ID")?;
    Ok(normalize(&number).chars().count() <= 10)
}

pub(super) fn transfer_account(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.is_filled("IBANID")? || subject.node.is_filled("ProprietaryID")?)
}

pub(super) fn some_account(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.has("IBANID") || subject.node.has("ProprietaryID"))
}

pub(super) fn delivery_country(subject: &Subject<'_>) -> Condition {
    let address = "ShipToTradeParty/PostalTradeAddress";
    let country = "ShipToTradeParty/PostalTradeAddress/CountryID";
    Ok(!subject.node.has(address) || subject.node.is_filled(country)?)
}

/// Of the allowance or charge around the indicator.
pub(super) fn allowance_has_category(subject: &Subject<'_>) -> Condition {
    subject.node.has_vat_category("../CategoryTradeTax")
}

pub(super) fn line_has_category(subject: &Subject<'_>) -> Condition {
    subject
        .node
        .has_vat_category("SpecifiedLineTradeSettlement/ApplicableTradeTax")
}

/// Of the allowance or charge around the indicator, also on lines.
pub(super) fn has_reason(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.has("../Reason") || subject.node.has("../ReasonCode"))
}

/// Equal currencies break the rule too.
pub(super) fn accounting_currency(subject: &Subject<'_>) -> Condition {
    let root = subject.node.root();
    let currencies = root.texts(TAX_CURRENCY);
    let totals = subject.node.all("TaxTotalAmount");
    let mut totals = totals
        .iter()
        .filter_map(|total| total.attribute("currencyID"));
    let has_total = totals.any(|currency| currencies.contains(currency));
    Ok(currencies.is_empty()
        || (has_total && currencies.is_disjoint(&root.texts(INVOICE_CURRENCY))))
}

pub(super) fn issue_date(subject: &Subject<'_>) -> Condition {
    let dates = subject
        .node
        .all("rsm:ExchangedDocument/IssueDateTime/udt:DateTimeString");
    let mut dates = dates
        .iter()
        .filter(|date| date.attribute("format") == Some("102"));
    let first = dates.next();
    if dates.next().is_some() {
        return Err(Abort::several("IssueDateTime/udt:DateTimeString"));
    }
    Ok(first.is_some_and(|date| !is_blank(&date.text())))
}

pub(super) fn has_line(subject: &Subject<'_>) -> Condition {
    Ok(subject.facts.has_line)
}

pub(super) fn has_breakdown(subject: &Subject<'_>) -> Condition {
    Ok(subject.facts.has_breakdown)
}

pub(super) fn seller_scheme(subject: &Subject<'_>) -> Condition {
    first_address_has_scheme(subject.node, "SellerTradeParty")
}

pub(super) fn buyer_scheme(subject: &Subject<'_>) -> Condition {
    first_address_has_scheme(subject.node, "BuyerTradeParty")
}

/// Only the first electronic address of a party counts, and it may have one scheme only.
fn first_address_has_scheme(root: Node<'_>, party: &str) -> Condition {
    const ADDRESS: &str = "URIUniversalCommunication";
    let agreements = root.all("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement");
    let parties = agreements.iter().flat_map(|agreement| agreement.all(party));
    let addresses: Vec<_> = parties.filter_map(|party| party.first(ADDRESS)).collect();
    let ids = addresses
        .iter()
        .flat_map(|address| address.all("URIID/@schemeID"));
    let schemes: Vec<_> = ids.filter_map(|id| id.attribute("schemeID")).collect();
    match schemes.as_slice() {
        [] => Ok(addresses.is_empty()),
        [scheme] => Ok(!is_blank(scheme)),
        _ => Err(Abort::several("URIID/@schemeID")),
    }
}

fn period_is_in_order(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.is_period_in_order())
}

fn period_has_date(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.has("StartDateTime") || subject.node.has("EndDateTime"))
}

pub(super) fn characteristic(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.has("Description") && subject.node.has("Value"))
}

fn payee_differs(subject: &Subject<'_>) -> Condition {
    let payee = subject.node;
    let seller = "../../ApplicableHeaderTradeAgreement/SellerTradeParty";
    let sellers = payee.all(seller);
    let shares = |path: &str| {
        let own = payee.texts(path);
        let mut others = sellers.iter().flat_map(|seller| seller.all(path));
        others.any(|other| own.contains(&other.text()))
    };
    let is_seller = ["Name", "ID", "SpecifiedLegalOrganization/ID"]
        .into_iter()
        .any(shares);
    Ok(payee.has("Name") && !is_seller)
}

pub(super) fn seller_identifier(subject: &Subject<'_>) -> Condition {
    let seller = subject.node;
    let ids = seller.all("SpecifiedTaxRegistration/ID");
    Ok(seller.has("ID")
        || seller.has("GlobalID")
        || seller.has("SpecifiedLegalOrganization/ID")
        || ids.iter().any(|id| id.attribute("schemeID") == Some("VA")))
}

pub(super) fn representative_vat_id(subject: &Subject<'_>) -> Condition {
    let ids = subject.node.all("SpecifiedTaxRegistration/ID");
    let mut ids = ids
        .iter()
        .filter(|id| id.attribute("schemeID") == Some("VA"));
    let first = ids.next();
    if ids.next().is_some() {
        return Err(Abort::several("SpecifiedTaxRegistration/ID"));
    }
    Ok(first.is_some_and(|id| !is_blank(&id.text())))
}

pub(super) fn breakdown_is_vat(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.is_vat()? && subject.node.has("CategoryCode"))
}

pub(super) fn breakdown_rate(subject: &Subject<'_>) -> Condition {
    let tax = subject.node;
    let has_rate = tax.has("RateApplicablePercent") || tax.has_text("CategoryCode", "O");
    Ok(tax.is_vat()? && has_rate)
}

/// Looks at the whole document.
pub(super) fn tax_points_exclude(subject: &Subject<'_>) -> Condition {
    let facts = subject.facts;
    Ok(!(facts.has_tax_point_date && facts.has_tax_point_code))
}
