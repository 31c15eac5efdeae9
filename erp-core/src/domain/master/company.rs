//! The company: settings maintained in the back office.

use std::collections::BTreeMap;

use erp_derive::{Record, skip_serializing_none};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Attributes, Iban, Logo, PriceListType, QrIban, TaxCodeId};
use crate::domain::totals::PriceKind;
use crate::values::codes::{Country, Currency, Language};
use crate::values::json::Json;
use crate::values::problem::Problems;
use crate::values::text::{IntoText, Text};
use crate::wire::record::read_records;
use crate::wire::view::Row;
use crate::wire::write::List;
use crate::wire::{self, Field, Kind, Scope, Value};

/// Company settings (`Firma`). There is exactly one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "CompanyRow")]
pub struct Company {
    /// Name of the company.
    #[wire("FirmaBez", required)]
    pub name: Text<255>,
    /// Leading currency, ISO 4217: the default for every `WaehrAbk`.
    #[wire("WaehrAbk", default = Currency::CHF)]
    pub currency: Currency,
    /// Language of texts without one, ISO 639-2/B.
    #[wire("AdrSprache", default = Language::GERMAN)]
    pub language: Language,
    /// Home country, ISO 3166-1 alpha-2.
    #[wire("OrtLand", default = Country::CH)]
    pub country: Country,
    /// IANA name of the time zone of dates without a time.
    #[wire("Zeitzone", varchar(64), default = SmolStr::new_static("UTC"))]
    pub time_zone: SmolStr,
    /// Kind of a document when no price list was hit: N net, B gross.
    #[wire("Preisart", default = PriceKind::Net)]
    pub price_kind: PriceKind,
    /// Price list type that is searched after the customer's.
    #[wire("RESTPreisliste", key)]
    pub price_list: Option<PriceListType>,
    /// Tax code of articles without one.
    #[wire("WUSTCode", key)]
    pub tax_code: Option<TaxCodeId>,
    /// Tax code of delivery costs in a document that has no positions to take it from.
    #[wire("LiefKostWUSTCode", key)]
    pub delivery_tax_code: Option<TaxCodeId>,
    /// Default location.
    #[wire("StaoNr", default = 1)]
    pub location: i32,
    /// Backorders: J more may be ordered than is available, N not.
    #[wire("Rueckstand", yes_no, char(1), default = true)]
    pub backorders: bool,
    /// First number of invoices and credit notes; one above the last number counts from then on. Default: the setting
    /// `first_invoice_number`.
    #[wire("RechNrAb", positive)]
    pub first_invoice: Option<i32>,
    /// Payment conditions.
    #[wire("Zahlungsbedingungen", default)]
    pub payment_conditions: BTreeMap<u8, PaymentCondition>,
    /// Attributes of the company, for example the switches of the events.
    #[wire("attributes", default)]
    pub attributes: Attributes,
    /// What its invoices say of it.
    #[wire(group)]
    #[serde(flatten)]
    pub issuer: Issuer,
}

/// What the invoices of a company say of it: the seller of EN 16931.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row)]
pub struct Issuer {
    /// Street and number.
    #[wire("AdrAdresse1", name)]
    pub street: Option<Text<60>>,
    /// Addition to the street.
    #[wire("AdrAdresse2", name)]
    pub street_addition: Option<Text<60>>,
    /// Postal code.
    #[wire("OrtPLZ", key)]
    pub postal_code: Option<Text<10>>,
    /// Town.
    #[wire("OrtName", name)]
    pub town: Option<Text<48>>,
    /// VAT identifier with the country in front, for example `CHE-123.456.788 MWST` or `DE123456789`.
    #[wire("UStIdNr", name)]
    pub vat_id: Option<Text<24>>,
    /// Tax number of the tax office, where the company has no VAT identifier.
    #[wire("SteuerNummer", name)]
    pub tax_number: Option<Text<20>>,
    /// Entry in the commercial register.
    #[wire("RegisterNr", name)]
    pub register_entry: Option<Text<60>>,
    /// Person or office to ask about an invoice.
    #[wire("KontaktName", name)]
    pub contact_name: Option<Text<80>>,
    /// Phone of the contact.
    #[wire("AdrTf1", name)]
    pub phone: Option<Text<28>>,
    /// E-mail address of the contact.
    #[wire("EmailAdress", name)]
    pub email: Option<Text<255>>,
    /// Account that invoices are paid to. A QR-IBAN here takes QR-bills only.
    #[wire("IBAN")]
    pub iban: Option<Iban>,
    /// Account of Swiss QR-bills, whose payments have a QR reference. Default: `IBAN`, with a creditor reference.
    #[wire("QRIBAN")]
    pub qr_iban: Option<QrIban>,
    /// Bank of the account.
    #[wire("BIC", key)]
    pub bic: Option<Text<11>>,
    /// Days from the invoice until it is due.
    #[wire("ZahlFrist", natural)]
    pub days_until_due: Option<i32>,
    /// Logo of the invoices: a PNG or JPEG file of at most 100,000 bytes and 1,200 pixels each way, in Base64.
    #[wire("Logo")]
    pub logo: Option<Logo>,
}

/// A payment condition (`Zahlungsbedingungen`).
#[derive(Clone, Record)]
#[record(Row = "PaymentConditionRow")]
struct PaymentConditionRow {
    /// Payment condition.
    #[wire("KundBedTyp", required)]
    number: u8,
    #[wire(group)]
    condition: PaymentCondition,
}

impl Value for BTreeMap<u8, PaymentCondition> {
    const KIND: Kind = Kind::List(<PaymentConditionRow as wire::Record<Row>>::SCHEMA);

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let rows = read_records::<PaymentConditionRow, Row>(value, field, scope)?;
        let conditions = rows.into_iter();
        let conditions = conditions.map(|row| (row.value.number, row.value.condition));
        Some(conditions.collect())
    }

    fn to_wire(&self, _: &Field) -> Option<impl Serialize> {
        let row = |(number, condition): (&u8, &PaymentCondition)| PaymentConditionRow {
            number: *number,
            condition: condition.clone(),
        };
        List::<_, Row>::new(self.iter().map(row).collect::<Vec<_>>())
    }
}

/// What a payment condition says.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row)]
pub struct PaymentCondition {
    /// Text per language.
    #[wire("Text", texts)]
    pub texts: BTreeMap<Language, Text<255>>,
    /// Days from the invoice until it is due.
    #[wire("ZahlFrist", natural)]
    pub days_until_due: Option<i32>,
    /// Whether an order with it is paid already: J or N.
    #[wire("Bezahlt", yes_no, char(1), default)]
    pub is_paid: bool,
}

impl Default for Company {
    /// Used before any company record is imported: a Swiss company without price list and tax codes.
    fn default() -> Self {
        Self {
            name: Text::default(),
            currency: Currency::CHF,
            language: Language::GERMAN,
            country: Country::CH,
            time_zone: SmolStr::new_static("UTC"),
            price_kind: PriceKind::Net,
            price_list: None,
            tax_code: None,
            delivery_tax_code: None,
            location: 1,
            backorders: true,
            first_invoice: None,
            payment_conditions: BTreeMap::new(),
            attributes: Attributes::default(),
            issuer: Issuer::default(),
        }
    }
}

impl Company {
    /// A company with what every one has. The other settings are fields: net prices, German texts, the time zone `UTC`, and more may be
    /// ordered than is in stock.
    pub fn new(
        name: impl IntoText<255>,
        currency: Currency,
        country: Country,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let company = Self {
            name: problems.text("FirmaBez", name),
            currency,
            country,
            ..Self::default()
        };
        problems.and(Ok(company))
    }

    /// Sets the time zone of its days by its IANA name.
    #[must_use]
    pub fn time_zone(mut self, name: &str) -> Self {
        self.time_zone = name.into();
        self
    }

    /// Sets the price list of customers without one of their own.
    pub fn price_list(mut self, list: impl IntoText<12>) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        self.price_list = Some(problems.text("RESTPreisliste", list));
        problems.and(Ok(self))
    }

    /// Sets the tax code of articles without one of their own.
    pub fn tax_code(mut self, code: impl IntoText<12>) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        self.tax_code = Some(problems.text("WUSTCode", code));
        problems.and(Ok(self))
    }

    /// Whether an event is enabled: an attribute with its name exists, and its content is not empty, `0` or `N`.
    pub fn sends_event(&self, name: &str) -> bool {
        self.attributes
            .get(name)
            .is_some_and(|value| !matches!(value.trim(), "" | "0" | "N" | "n"))
    }

    /// The text of a payment condition.
    pub fn payment_text(&self, condition: Option<u8>, language: Language) -> Option<&Text<255>> {
        let condition = self.payment_conditions.get(&condition?)?;
        self.translation(&condition.texts, language)
    }

    /// The text in this language, otherwise in the company's, otherwise any.
    pub fn translation<'a, T>(
        &self,
        texts: &'a BTreeMap<Language, T>,
        language: Language,
    ) -> Option<&'a T> {
        texts
            .get(&language)
            .or_else(|| texts.get(&self.language))
            .or_else(|| texts.values().next())
    }
}
