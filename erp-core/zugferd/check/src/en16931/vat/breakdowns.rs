//! What the breakdown of a VAT category has: taxable amount, tax amount, reason of exemption.

use super::amounts::{breakdown_of, tax_of};
use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        has_exemption, supply_has_date, supply_has_country,
        has_no_exemption = |subject| has_exemption(subject).map(|has| !has),
        all_taxes_are_outside = |subject| Ok(!subject.facts.has_other_tax_than_o),
        all_allowances_are_outside = |subject| Ok(!subject.facts.has_other_allowance_than_o);
};

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
