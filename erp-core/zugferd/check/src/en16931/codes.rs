//! The pattern of code lists, and the prefix of VAT identifiers.

use crate::abort::{Abort, shorten};
use crate::codes::{
    ALLOWANCE_REASONS, CATEGORIES, CHARGE_REASONS, CLASSIFICATIONS, COUNTRIES, CURRENCIES,
    DOCUMENT_TYPES, EAS, EXEMPTIONS, ISO_6523, MIME_TYPES, PAYMENT_MEANS, REFERENCE_TYPES,
    SUBJECTS, TAX_POINTS, UNITS,
};
use crate::context::Place::Anywhere;
use crate::context::{Context, Pattern};
use crate::rule::{Subject, Values, Verdict};
use crate::table::{Table, Tables, rules};

pub(super) const CONTEXTS: Pattern = &[
    Context::new(
        Anywhere(&["rsm:ExchangedDocument", "TypeCode"]),
        DOCUMENT_TYPE,
    ),
    Context::new(Anywhere(&["TaxTotalAmount"]), TAX_TOTAL).when(has_currency),
    Context::new(Anywhere(&["InvoiceCurrencyCode"]), INVOICE_CURRENCY),
    Context::new(Anywhere(&["TaxCurrencyCode"]), TAX_CURRENCY),
    Context::new(Anywhere(&["DueDateTypeCode"]), TAX_POINT),
    Context::new(Anywhere(&["ReferenceTypeCode"]), REFERENCE_TYPE),
    Context::new(Anywhere(&["SubjectCode"]), SUBJECT),
    Context::new(Anywhere(&["GlobalID"]), GLOBAL_ID).when(is_party_scheme),
    Context::new(Anywhere(&["ID"]), ID).when(is_registration_scheme),
    Context::new(Anywhere(&["ClassCode"]), CLASSIFICATION).when(has_list),
    Context::new(Anywhere(&["CountryID"]), COUNTRY),
    Context::new(Anywhere(&["OriginTradeCountry", "ID"]), ORIGIN),
    Context::new(
        Anywhere(&["SpecifiedTradeSettlementPaymentMeans", "TypeCode"]),
        PAYMENT,
    ),
    Context::new(
        Anywhere(&["CategoryTradeTax", "CategoryCode"]),
        ALLOWANCE_CATEGORY,
    ),
    Context::new(Anywhere(&["ApplicableTradeTax", "CategoryCode"]), CATEGORY),
    Context::new(
        Anywhere(&["SpecifiedTradeAllowanceCharge", "ReasonCode"]),
        ALLOWANCE_REASON,
    )
    .when(is_of_allowance),
    Context::new(
        Anywhere(&["SpecifiedTradeAllowanceCharge", "ReasonCode"]),
        CHARGE_REASON,
    )
    .when(is_of_charge),
    Context::new(
        Anywhere(&["SpecifiedTradeProduct", "GlobalID"]),
        ITEM_SCHEME,
    )
    .when(has_scheme),
    Context::new(Anywhere(&["ExemptionReasonCode"]), EXEMPTION),
    Context::new(Anywhere(&["BasisQuantity"]), UNIT).when(has_unit),
    Context::new(Anywhere(&["BilledQuantity"]), UNIT).when(has_unit),
    Context::new(Anywhere(&["AttachmentBinaryObject"]), MIME).when(has_mime_code),
    Context::new(
        Anywhere(&["URIUniversalCommunication", "URIID"]),
        ADDRESS_SCHEME,
    )
    .when(has_scheme),
    Context::new(
        Anywhere(&[
            "ApplicableHeaderTradeDelivery",
            "ShipToTradeParty",
            "GlobalID",
        ]),
        SHIP_TO_SCHEME,
    )
    .when(has_scheme),
];

const DOCUMENT_TYPE: Tables = &[rules! { fatal "BR-CL-01" "BT-3", Code(&DOCUMENT_TYPES); }];
const TAX_TOTAL: Tables = &[rules! { fatal "BR-CL-03", AttributeCode("currencyID", &CURRENCIES); }];
const INVOICE_CURRENCY: Tables = &[rules! { fatal "BR-CL-04" "BT-5", Code(&CURRENCIES); }];
const TAX_CURRENCY: Tables = &[rules! { fatal "BR-CL-05" "BT-6", Code(&CURRENCIES); }];
const TAX_POINT: Tables = &[rules! { fatal "BR-CL-06" "BT-8", Code(&TAX_POINTS); }];
const REFERENCE_TYPE: Tables =
    &[rules! { fatal "BR-CL-07" "BT-18-1 BT-128-1", Code(&REFERENCE_TYPES); }];
const SUBJECT: Tables = &[rules! { fatal "BR-CL-08" "BT-21", Code(&SUBJECTS); }];
const GLOBAL_ID: Tables = &[rules! { fatal "BR-CL-10", AttributeCode("schemeID", &ISO_6523); }];
const ID: Tables = &[rules! { fatal "BR-CL-11", AttributeCode("schemeID", &ISO_6523); }];
const CLASSIFICATION: Tables =
    &[rules! { fatal "BR-CL-13" "BT-158-1", AttributeCode("listID", &CLASSIFICATIONS); }];
const COUNTRY: Tables = &[rules! { fatal "BR-CL-14", Code(&COUNTRIES); }];
const ORIGIN: Tables = &[rules! { fatal "BR-CL-15" "BT-159", Code(&COUNTRIES); }];
const PAYMENT: Tables = &[rules! { fatal "BR-CL-16" "BT-81", Code(&PAYMENT_MEANS); }];
const ALLOWANCE_CATEGORY: Tables =
    &[rules! { fatal "BR-CL-17" "BT-95 BT-102", Code(&CATEGORIES); }];
const CATEGORY: Tables = &[rules! { fatal "BR-CL-18" "BT-118 BT-151", Code(&CATEGORIES); }];
const ALLOWANCE_REASON: Tables =
    &[rules! { fatal "BR-CL-19" "BT-98 BT-140", Code(&ALLOWANCE_REASONS); }];
const CHARGE_REASON: Tables =
    &[rules! { fatal "BR-CL-20" "BT-105 BT-145", Code(&CHARGE_REASONS); }];
const ITEM_SCHEME: Tables =
    &[rules! { fatal "BR-CL-21" "BT-157-1", AttributeCode("schemeID", &ISO_6523); }];
const EXEMPTION: Tables = &[rules! {
    fatal "BR-CL-22" "BT-121", Judge(exemption_is_known)
        => "{term}: `{found}` is not in the code list CEF VATEX."
        | "{term}: `{found}` steht nicht in der Codeliste CEF VATEX.";
}];
const UNIT: Tables =
    &[rules! { fatal "BR-CL-23" "BT-130 BT-150", AttributeCode("unitCode", &UNITS); }];
const MIME: Tables = &[rules! {
    fatal "BR-CL-24" "BT-125-1", Is(mime_code_is_known)
        => "{term} is not one of the six of EN 16931."
        | "{term} ist keiner der sechs von EN 16931.";
}];
const ADDRESS_SCHEME: Tables =
    &[rules! { fatal "BR-CL-25" "BT-34-1 BT-49-1", AttributeCode("schemeID", &EAS); }];
const SHIP_TO_SCHEME: Tables =
    &[rules! { fatal "BR-CL-26" "BT-71-1", AttributeCode("schemeID", &ISO_6523); }];

pub(super) const VAT_ID: Table = rules! {
    fatal "BR-CO-09" "BT-31 BT-63 BT-48", Is(vat_id_has_country)
        => "A VAT identifier does not start with a country code."
        | "Eine Umsatzsteuer-ID beginnt nicht mit einem Ländercode.";
};

type Condition = Result<bool, Abort>;

fn has_currency(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.attribute("currencyID").is_some())
}

fn has_scheme(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.attribute("schemeID").is_some())
}

fn has_list(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.attribute("listID").is_some())
}

fn has_unit(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.attribute("unitCode").is_some())
}

fn has_mime_code(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.attribute("mimeCode").is_some())
}

pub(crate) fn is_party_scheme(subject: &Subject<'_>) -> Condition {
    let node = subject.node;
    let is_elsewhere =
        node.is_inside("SpecifiedTradeProduct") || node.is_inside("ShipToTradeParty");
    Ok(has_scheme(subject)? && !is_elsewhere)
}

pub(crate) fn is_registration_scheme(subject: &Subject<'_>) -> Condition {
    Ok(has_scheme(subject)? && !subject.node.is_inside("SpecifiedTaxRegistration"))
}

fn is_of_allowance(subject: &Subject<'_>) -> Condition {
    subject
        .node
        .up()
        .map_or(Ok(false), |item| item.indicates(false))
}

fn is_of_charge(subject: &Subject<'_>) -> Condition {
    subject
        .node
        .up()
        .map_or(Ok(false), |item| item.indicates(true))
}

/// The only code list whose codes may be in lower case.
fn exemption_is_known(subject: &Subject<'_>) -> Verdict {
    let code = subject.node.text();
    let is_known = EXEMPTIONS.contains(&code.to_ascii_uppercase());
    Ok((!is_known).then(|| Values {
        found: shorten(&code),
        ..Values::default()
    }))
}

/// The text must be the code without white space around it.
fn mime_code_is_known(subject: &Subject<'_>) -> Condition {
    let code = subject.node.attribute("mimeCode").unwrap_or_default();
    Ok(MIME_TYPES.contains_exactly(code))
}

/// The first two characters, as they are; Greece may write `EL`.
fn vat_id_has_country(subject: &Subject<'_>) -> Condition {
    let id = subject.node.text();
    let country: String = id.chars().take(2).collect();
    Ok(country == "EL" || COUNTRIES.contains_exactly(&country))
}
