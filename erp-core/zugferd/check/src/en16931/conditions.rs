//! Conditions of business rules that are more than presence, also those on single amounts, codes, periods and the payee.

use crate::codes;
use crate::engine::{Functions, Holds, Subject, Values, Verdict, functions};
use crate::invoice::abort::{Abort, shorten};
use crate::invoice::node::Node;
use crate::invoice::values::{any, is_blank, normalize};

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        gross_price, tax_has_cents, accounting_tax_has_cents,
        is_party_scheme, is_registration_scheme, vat_id_has_country,
        is_of_allowance = |subject| is_of_item(subject, false),
        is_of_charge = |subject| is_of_item(subject, true),
        short_card_number,
        accounting_currency, issue_date, representative_vat_id, breakdown_rate,
        transfer_account = |subject| Ok(subject.node.is_filled("IBANID")? || subject.node.is_filled("ProprietaryID")?),
        // Of the allowance or charge around the indicator.
        allowance_has_category = |subject| subject.node.has_vat_category("../CategoryTradeTax"),
        line_has_category = |subject| subject.node.has_vat_category("SpecifiedLineTradeSettlement/ApplicableTradeTax"),
        // Looks at the whole document.
        tax_points_exclude = |subject| Ok(!(subject.facts.has_tax_point_date && subject.facts.has_tax_point_code)),
        is_in_invoice_currency = |subject| Ok(subject.node.is_in_currency(&subject.facts.invoice_currencies)),
        has_line = |subject| Ok(subject.facts.has_line),
        has_breakdown = |subject| Ok(subject.facts.has_breakdown),
        seller_scheme = |subject| first_address_has_scheme(subject.node, "SellerTradeParty"),
        buyer_scheme = |subject| first_address_has_scheme(subject.node, "BuyerTradeParty"),
        period_is_in_order = |subject| subject.node.is_period_in_order(),
        breakdown_is_vat = |subject| Ok(subject.node.is_vat()? && subject.node.has("CategoryCode")),
        // Compared as double.
        net_price = |subject| subject.node.any_double(subject.node.syntax().net_price, |price| price >= 0.0),
        // The text must be the code without white space around it.
        mime_code_is_known = |subject| Ok(codes::has("mime", subject.node.attribute("mimeCode").unwrap_or_default())),
        classification_scheme = |subject| has_part(subject.node, "ClassCode", "@listID"),
        item_id_scheme = |subject| has_part(subject.node, "SpecifiedTradeProduct/GlobalID", "@schemeID"),
        delivery_country = |subject| has_part(subject.node, "ShipToTradeParty/PostalTradeAddress", "CountryID"),
        // Of the allowance or charge (in CII that around the indicator), also on lines.
        has_reason = |subject| Ok(subject.node.syntax().reasons.iter().any(|reason| subject.node.has(reason))),
        payee_differs = |subject| payee_differs(subject.node, subject.node.syntax().seller_of_payee);
    Judge:
        exemption_is_known;
};

/// One of several prices is enough.
fn gross_price(subject: &Subject<'_>) -> Holds {
    let price = subject.node.syntax().gross_price;
    let is_positive = subject.node.any_double(price, |price| price >= 0.0)?;
    Ok(is_positive || !subject.node.has(price))
}

/// One good total is enough, and so is one in another currency.
fn tax_has_cents(subject: &Subject<'_>) -> Holds {
    let currencies = &subject.facts.invoice_currencies;
    let totals = subject.node.all("TaxTotalAmount");
    let is_good = |total: &Node<'_>| Ok(!total.is_in_currency(currencies) || total.has_cents()?);
    Ok(totals.is_empty() || any(&totals, is_good)?)
}

/// One good total in the accounting currency is needed where there is one.
fn accounting_tax_has_cents(subject: &Subject<'_>) -> Holds {
    let currencies = &subject.facts.tax_currencies;
    let totals = subject.node.all("TaxTotalAmount");
    let is_good = |total: &Node<'_>| Ok(total.is_in_currency(currencies) && total.has_cents()?);
    Ok(totals.is_empty() || currencies.is_empty() || any(&totals, is_good)?)
}

pub(crate) fn is_party_scheme(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    let elsewhere = ["SpecifiedTradeProduct", "ShipToTradeParty"];
    let is_elsewhere = elsewhere.iter().any(|name| node.is_inside(name));
    Ok(node.attribute("schemeID").is_some() && !is_elsewhere)
}

pub(crate) fn is_registration_scheme(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    Ok(node.attribute("schemeID").is_some() && !node.is_inside("SpecifiedTaxRegistration"))
}

/// The only code list whose codes may be in lower case.
fn exemption_is_known(subject: &Subject<'_>) -> Verdict {
    let code = subject.node.text();
    let is_known =
        codes::list("exemptions").is_some_and(|list| list.contains(&code.to_ascii_uppercase()));
    Ok((!is_known).then(|| Values::found(shorten(&code))))
}

/// The first two characters, as they are; Greece may write `EL`.
fn vat_id_has_country(subject: &Subject<'_>) -> Holds {
    let id = subject.node.text();
    let country: String = id.chars().take(2).collect();
    Ok(country == "EL" || codes::has("countries", &country))
}

fn short_card_number(subject: &Subject<'_>) -> Holds {
    let number = subject.node.only_text(subject.node.syntax().card_number)?;
    Ok(normalize(&number).chars().count() <= 10)
}

/// Whether what is at the path, if anything, has this part with more than white space.
fn has_part(node: Node<'_>, path: &str, part: &str) -> Holds {
    Ok(!node.has(path) || node.is_filled(&format!("{path}/{part}"))?)
}

/// In CII equal currencies break the rule too.
fn accounting_currency(subject: &Subject<'_>) -> Holds {
    let (facts, syntax) = (subject.facts, subject.node.syntax());
    let currencies = &facts.tax_currencies;
    let totals = subject.node.all(syntax.tax_totals);
    let has_total = totals.iter().any(|total| total.is_in_currency(currencies));
    let may_be_equal = !syntax.currencies_differ;
    Ok(currencies.is_empty()
        || (has_total && (may_be_equal || currencies.is_disjoint(&facts.invoice_currencies))))
}

fn issue_date(subject: &Subject<'_>) -> Holds {
    let path = "rsm:ExchangedDocument/IssueDateTime/udt:DateTimeString";
    let mut dates = subject.node.all(path);
    dates.retain(|date| date.attribute("format") == Some("102"));
    only_is_filled(&dates, "IssueDateTime/udt:DateTimeString")
}

/// Whether there is one element, and it has more than white space; several cannot be judged.
fn only_is_filled(nodes: &[Node<'_>], path: &str) -> Holds {
    match nodes {
        [] => Ok(false),
        [node] => Ok(!is_blank(&node.text())),
        _ => Err(Abort::several(path)),
    }
}

/// Only the first electronic address of a party counts, and it may have one scheme only.
fn first_address_has_scheme(root: Node<'_>, party: &str) -> Holds {
    const ADDRESS: &str = "URIUniversalCommunication";
    let agreements = root.all("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement");
    let parties = agreements.iter().flat_map(|agreement| agreement.all(party));
    let addresses: Vec<_> = parties.filter_map(|party| party.first(ADDRESS)).collect();
    let addressed = addresses.iter();
    let ids = addressed.flat_map(|address| address.all("URIID/@schemeID"));
    let schemes: Vec<_> = ids.filter_map(|id| id.attribute("schemeID")).collect();
    match schemes.as_slice() {
        [] => Ok(addresses.is_empty()),
        [scheme] => Ok(!is_blank(scheme)),
        _ => Err(Abort::several("URIID/@schemeID")),
    }
}

fn representative_vat_id(subject: &Subject<'_>) -> Holds {
    let mut ids = subject.node.all("SpecifiedTaxRegistration/ID");
    ids.retain(|id| id.attribute("schemeID") == Some("VA"));
    only_is_filled(&ids, "SpecifiedTaxRegistration/ID")
}

fn breakdown_rate(subject: &Subject<'_>) -> Holds {
    let tax = subject.node;
    let has_rate = tax.has("RateApplicablePercent") || tax.has_text("CategoryCode", "O");
    Ok(tax.is_vat()? && has_rate)
}

/// Whether the payee has a name, and nothing in common with the sellers at the path.
pub(crate) fn payee_differs(payee: Node<'_>, sellers: &str) -> Holds {
    let names = payee.syntax().payee;
    let sellers = payee.all(sellers);
    let shares = |path: &&str| {
        let own = payee.texts(path);
        let mut others = sellers.iter().flat_map(|seller| seller.all(path));
        others.any(|other| own.contains(&other.text()))
    };
    let has_name = names.first().is_some_and(|name| payee.has(name));
    Ok(has_name && !names.iter().any(shares))
}

/// Whether the item around the subject is an allowance or a charge.
pub(super) fn is_of_item(subject: &Subject<'_>, charge: bool) -> Holds {
    let item = subject.node.up();
    item.map_or(Ok(false), |item| item.indicates(charge))
}
