//! Rules of the VAT categories: the elements that they are for, what lines, allowances and charges of a category and its
//! breakdown have, and that what is used in the invoice has a breakdown.

pub(crate) mod amounts;

use amounts::{breakdown_of, tax_of};

use super::conditions::is_of_item;
use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::decimal::Decimal;
use crate::invoice::node::Node;

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        is_code, is_tax_of_category,
        is_code_of_vat = |subject| Ok(is_code(subject)? && subject.node.up().map_or(Ok(false), Node::is_vat)?),
        has_rate_of_zero,
        has_rate_not_below_zero = |subject| subject.node.any_double(subject.node.syntax().rate, |rate| rate >= 0.0),
        seller_is_identified = |subject| Ok(subject.facts.header_ids.identify_seller()),
        both_are_identified = |subject| Ok(subject.facts.ids.identify_both()),
        seller_is_identified_for_vat = |subject| Ok(subject.facts.ids.identify_seller_for_vat()),
        both_are_identified_for_vat = |subject| Ok(subject.facts.ids.identify_both_for_vat()),
        no_party_is_identified_for_vat = |subject| Ok(subject.facts.header_ids.identify_none_for_vat()),
        has_rate_above_zero = |subject| subject.node.any_double(subject.node.syntax().rate, |rate| rate > 0.0),
        has_exemption, supply_has_date, supply_has_country,
        has_no_exemption = |subject| has_exemption(subject).map(|has| !has),
        all_taxes_are_outside = |subject| Ok(!subject.facts.has_other_tax_than_o),
        all_allowances_are_outside = |subject| Ok(!subject.facts.has_other_allowance_than_o),
        // Every country and every category code of the document counts.
        split_payment_is_italian = |subject| {
            Ok(!(subject.facts.has_split_payment && subject.facts.has_country_other_than_italy))
        },
        split_payment_is_alone = |subject| {
            Ok(!(subject.facts.has_split_payment && subject.facts.has_standard_rate))
        },
        has_breakdown_S = |subject| Ok(subject.facts.uses("S").has_breakdown()),
        go_together_Z = |subject| Ok(subject.facts.uses("Z").go_together()),
        go_together_E = |subject| Ok(subject.facts.uses("E").go_together()),
        go_together_AE = |subject| Ok(subject.facts.uses("AE").go_together()),
        go_together_K = |subject| Ok(subject.facts.uses("K").go_together()),
        go_together_G = |subject| Ok(subject.facts.uses("G").go_together()),
        are_outside_O = |subject| Ok(subject.facts.uses("O").are_outside()),
        has_breakdown_L = |subject| Ok(subject.facts.uses("L").has_breakdown()),
        has_breakdown_M = |subject| Ok(subject.facts.uses("M").has_breakdown()),
        is_tax_of_allowance = |subject| Ok(is_tax_of_category(subject)? && is_of_item(subject, false)?),
        is_tax_of_charge = |subject| Ok(is_tax_of_category(subject)? && is_of_item(subject, true)?);
};

fn is_code(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.text() == subject.code())
}

fn is_tax_of_category(subject: &Subject<'_>) -> Holds {
    let tax = subject.node;
    Ok(tax.is_of_category(subject.code())? && tax.is_vat()?)
}

/// UBL reads a decimal.
fn has_rate_of_zero(subject: &Subject<'_>) -> Holds {
    let (node, syntax) = (subject.node, subject.node.syntax());
    if syntax.is_ubl {
        return Ok(node.decimal(syntax.rate)?.is_some_and(Decimal::is_zero));
    }
    node.any_double(syntax.rate, |rate| rate == 0.0)
}

fn has_exemption(subject: &Subject<'_>) -> Holds {
    let tax = tax_of(subject);
    let mut reasons = tax.syntax().exemption.into_iter();
    Ok(reasons.any(|reason| tax.has(reason)))
}

fn supply_has_date(subject: &Subject<'_>) -> Holds {
    const DELIVERY: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery/\
                            ActualDeliverySupplyChainEvent/OccurrenceDateTime/udt:DateTimeString";
    let tax = breakdown_of(subject);
    Ok(tax.root().has(DELIVERY)
        || tax.has("../BillingSpecifiedPeriod/StartDateTime")
        || tax.has("../BillingSpecifiedPeriod/EndDateTime"))
}

fn supply_has_country(subject: &Subject<'_>) -> Holds {
    const COUNTRY: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery/\
                  ShipToTradeParty/PostalTradeAddress/CountryID";
    Ok(subject.node.root().has(COUNTRY))
}
