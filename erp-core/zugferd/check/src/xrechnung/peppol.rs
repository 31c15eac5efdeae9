//! The rules taken from Peppol BIS Billing.

use super::{Condition, lines};
use crate::abort::Abort;
use crate::context::{Context, Pattern, Place};
use crate::decimal::Decimal;
use crate::node::Node;
use crate::rule::Subject;
use crate::table::{Table, rules};
use crate::texts::Texts;
use crate::values::is_blank;

const SETTLEMENT: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement";

pub(super) const CONTEXTS: Pattern = &[
    Context::new(
        Place::Anywhere(&["rsm:ExchangedDocumentContext"]),
        &[PROCESS],
    ),
    Context::new(
        Place::Anywhere(&["ApplicableHeaderTradeSettlement"]),
        &[CURRENCIES],
    ),
    Context::new(Place::Anywhere(&["BuyerTradeParty"]), &[BUYER]),
    Context::new(Place::Anywhere(&["SellerTradeParty"]), &[SELLER]),
    Context::new(
        Place::Anywhere(&["SpecifiedTradeAllowanceCharge"]),
        &[NO_BASIS],
    )
    .when(lacks_basis),
    Context::new(
        Place::Anywhere(&["SpecifiedTradeAllowanceCharge"]),
        &[NO_PERCENT],
    )
    .when(lacks_percent),
    Context::new(
        Place::Anywhere(&["SpecifiedTradeAllowanceCharge"]),
        &[ALLOWANCE],
    ),
    Context::new(
        Place::Anywhere(&["AppliedTradeAllowanceCharge"]),
        &[PRICE_ALLOWANCE],
    ),
    Context::new(
        Place::Anywhere(&["SpecifiedTradeSettlementPaymentMeans"]),
        &[DIRECT_DEBIT],
    )
    .when(is_direct_debit),
    Context::new(Place::Anywhere(LINE_START), &[lines::START]).when(lines::invoice_starts),
    Context::new(Place::Anywhere(LINE_END), &[lines::END]).when(lines::invoice_ends),
    Context::new(
        Place::Anywhere(&["IncludedSupplyChainTradeLineItem"]),
        &[lines::LINE],
    ),
    Context::new(
        Place::Anywhere(&["NetPriceProductTradePrice"]),
        &[lines::PRICE],
    ),
    Context::new(
        Place::Anywhere(&["GrossPriceProductTradePrice"]),
        &[lines::PRICE],
    ),
    Context::new(
        Place::Anywhere(&["NetPriceProductTradePrice", "BasisQuantity"]),
        &[lines::BASIS],
    )
    .when(lines::has_unit),
    Context::new(
        Place::Anywhere(&["GrossPriceProductTradePrice", "BasisQuantity"]),
        &[lines::BASIS],
    )
    .when(lines::has_unit),
];

const LINE_START: &[&str] = &[
    "rsm:SupplyChainTradeTransaction",
    "IncludedSupplyChainTradeLineItem",
    "SpecifiedLineTradeSettlement",
    "BillingSpecifiedPeriod",
    "StartDateTime",
];
const LINE_END: &[&str] = &[
    "rsm:SupplyChainTradeTransaction",
    "IncludedSupplyChainTradeLineItem",
    "SpecifiedLineTradeSettlement",
    "BillingSpecifiedPeriod",
    "EndDateTime",
];

pub(super) const EMPTY: Pattern =
    &[Context::new(Place::AnySuffix(""), &[NOT_EMPTY]).when(is_empty)];

pub(super) const PRICES: Pattern = &[Context::new(
    Place::Anywhere(&[
        "rsm:SupplyChainTradeTransaction",
        "IncludedSupplyChainTradeLineItem",
        "SpecifiedLineTradeAgreement",
        "GrossPriceProductTradePrice",
    ]),
    &[lines::GROSS_PRICE],
)];

const PROCESS: Table = rules! {
    fatal "PEPPOL-EN16931-R001" "BT-23", Present("BusinessProcessSpecifiedDocumentContextParameter/ID");
};

const CURRENCIES: Table = rules! {
    fatal "PEPPOL-EN16931-R005" "BT-6 BT-5", Is(currencies_differ)
        => "{BT-6} is the same as {BT-5}."
        | "{BT-6} ist dieselbe wie {BT-5}.";
    fatal "PEPPOL-EN16931-R053" "BT-110", Is(one_vat_total)
        => "{term} is given more than once in the currency of the invoice."
        | "{term} kommt in der Rechnungswährung mehrfach vor.";
    fatal "PEPPOL-EN16931-R054" "BT-111 BT-6", Is(one_accounting_total)
        => "There must be one VAT total in another currency than that of the invoice if {BT-6} is given, and none otherwise."
        | "Genau ein Umsatzsteuerbetrag in anderer als der Rechnungswährung ist nötig, wenn {BT-6} angegeben ist, sonst keiner.";
    fatal "PEPPOL-EN16931-R055" "BT-110 BT-111", Is(same_sign)
        => "{BT-110} and {BT-111} must both be negative or both not."
        | "{BT-110} und {BT-111} müssen beide negativ sein oder beide nicht.";
};

const BUYER: Table = rules! {
    fatal "PEPPOL-EN16931-R010" "BT-49", Present("URIUniversalCommunication/URIID");
};

const SELLER: Table = rules! {
    fatal "PEPPOL-EN16931-R020" "BT-34", Present("URIUniversalCommunication/URIID");
};

const NO_BASIS: Table = rules! {
    fatal "PEPPOL-EN16931-R041" "BT-93 BT-100 BT-137 BT-142", Is(never)
        => "A percentage of an allowance or charge needs the amount that it is of."
        | "Ein Prozentsatz eines Nachlasses oder Zuschlags braucht den Betrag, auf den er sich bezieht.";
};

const NO_PERCENT: Table = rules! {
    fatal "PEPPOL-EN16931-R042" "BT-94 BT-101 BT-138 BT-143", Is(never)
        => "A base amount of an allowance or charge needs its percentage."
        | "Ein Grundbetrag eines Nachlasses oder Zuschlags braucht den Prozentsatz.";
};

const ALLOWANCE: Table = rules! {
    fatal "PEPPOL-EN16931-R040" "BT-92 BT-99 BT-136 BT-141", Is(is_percentage)
        => "The amount of an allowance or charge must be its base amount times its percentage."
        | "Der Betrag eines Nachlasses oder Zuschlags muss Grundbetrag mal Prozentsatz sein.";
    fatal "PEPPOL-EN16931-R043-1" "", Is(has_indicator)
        => "`ChargeIndicator` must be `true` or `false`."
        | "`ChargeIndicator` muss `true` oder `false` sein.";
};

const PRICE_ALLOWANCE: Table = rules! {
    fatal "PEPPOL-EN16931-R043-2" "BT-147", Is(has_indicator)
        => "`ChargeIndicator` must be `true` or `false`."
        | "`ChargeIndicator` muss `true` oder `false` sein.";
};

const DIRECT_DEBIT: Table = rules! {
    fatal "PEPPOL-EN16931-R061" "BT-89", Present("../SpecifiedTradePaymentTerms/DirectDebitMandateID");
};

const NOT_EMPTY: Table = rules! {
    fatal "PEPPOL-EN16931-R008" "", Is(never)
        => "The element is empty."
        | "Das Element ist leer.";
};

/// For contexts that are wrong as such.
fn never(_: &Subject<'_>) -> Condition {
    Ok(false)
}

/// The name of the delivery counts as written, with its prefix.
fn is_empty(subject: &Subject<'_>) -> Condition {
    let element = subject.node.element();
    let is_delivery = element.local() == "ApplicableHeaderTradeDelivery"
        && subject.node.starts_as("<ram:ApplicableHeaderTradeDelivery");
    Ok(!is_delivery && element.children().next().is_none() && is_blank(&subject.node.text()))
}

fn lacks_basis(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.has("CalculationPercent") && !subject.node.has("BasisAmount"))
}

fn lacks_percent(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.has("CalculationPercent") && subject.node.has("BasisAmount"))
}

fn is_direct_debit(subject: &Subject<'_>) -> Condition {
    Ok(matches!(
        subject.node.words("TypeCode")?.as_str(),
        "49" | "59"
    ))
}

fn currencies_differ(subject: &Subject<'_>) -> Condition {
    let node = subject.node;
    Ok(!node.has("TaxCurrencyCode")
        || node.words("TaxCurrencyCode")? != node.words("InvoiceCurrencyCode")?)
}

/// The VAT totals of a settlement.
fn vat_totals(settlement: Node<'_>) -> Vec<Node<'_>> {
    settlement.all("SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount")
}

/// The currency codes that the header of the invoice has under this name.
fn currencies<'a>(node: Node<'a>, name: &str) -> Texts<'a> {
    node.root().texts(&format!("{SETTLEMENT}/{name}"))
}

fn one_vat_total(subject: &Subject<'_>) -> Condition {
    let codes = currencies(subject.node, "InvoiceCurrencyCode");
    let totals = vat_totals(subject.node);
    let own = totals.iter().filter(|total| total.is_in_currency(&codes));
    Ok(own.count() <= 1)
}

fn one_accounting_total(subject: &Subject<'_>) -> Condition {
    let codes = currencies(subject.node, "InvoiceCurrencyCode");
    let is_other = |total: &Node<'_>| {
        let currency = total.attribute("currencyID");
        currency.is_some_and(|currency| codes.iter().any(|code| code != currency))
    };
    let others = vat_totals(subject.node)
        .into_iter()
        .filter(is_other)
        .count();
    Ok(others == usize::from(subject.node.has("TaxCurrencyCode")))
}

fn same_sign(subject: &Subject<'_>) -> Condition {
    let invoice = currencies(subject.node, "InvoiceCurrencyCode");
    let accounting = currencies(subject.node, "TaxCurrencyCode");
    let totals = vat_totals(subject.node);
    let amounts = |codes: &Texts<'_>| -> Result<Vec<f64>, Abort> {
        let totals = totals.iter().filter(|total| total.is_in_currency(codes));
        totals.map(|total| total.double()).collect()
    };
    if accounting.is_empty() || !totals.iter().any(|total| total.is_in_currency(&invoice)) {
        return Ok(true);
    }
    let (invoice, accounting) = (amounts(&invoice)?, amounts(&accounting)?);
    let both = |test: fn(&f64) -> bool| invoice.iter().any(test) && accounting.iter().any(test);
    Ok(both(|amount| *amount < 0.0) || both(|amount| *amount >= 0.0))
}

fn is_percentage(subject: &Subject<'_>) -> Condition {
    let node = subject.node;
    let (true, true) = (node.has("CalculationPercent"), node.has("BasisAmount")) else {
        return Ok(true);
    };
    let amount = node.decimal("ActualAmount")?.unwrap_or(Decimal::ZERO);
    let (Some(basis), Some(percent)) = (
        node.decimal("BasisAmount")?,
        node.decimal("CalculationPercent")?,
    ) else {
        return Ok(true);
    };
    let expected = basis.times(percent.percent())?;
    let difference = amount.minus(expected)?.abs();
    Ok(difference.compare(lines::slack(subject.facts))?.is_le())
}

fn has_indicator(subject: &Subject<'_>) -> Condition {
    let indicator = subject.node.words("ChargeIndicator/udt:Indicator")?;
    Ok(matches!(indicator.as_str(), "true" | "false"))
}
