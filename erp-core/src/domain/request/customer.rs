//! Request bodies of customers.

use std::borrow::Cow;

use erp_derive::{Record, Word, skip_serializing_none};
use serde::{Deserialize, Serialize};

use super::{AddressesRequest, AsRequest, written};
use crate::domain::address::Address;
use crate::values::codes::{Currency, Language};
use crate::values::json::{AsJson, Json};
use crate::values::problem::{Code, Path, Problems};
use crate::values::sentence::Sentence;
use crate::values::text::{IntoText, Text};
use crate::wire::record::read_record;
use crate::wire::value::read_parsed;
use crate::wire::{Field, Kind, Reading, Scope, Value};

// rule: R-END-60
/// `GrundDaten` of a customer to be stored.
///
/// It is what a shop may set on a customer, and the industry, which only the back office sets.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Body = "CustomerBodyHeader", Row, Response)]
#[record(bare(currency, language))]
pub struct CustomerDetails {
    /// Customer currency, ISO 4217.
    #[wire("WaehrAbk", required(Body, Row))]
    pub currency: Currency,
    /// Language, ISO 639-2/B; default: that of the contact address.
    #[wire("AdrSprache", Body: string, Response: string, default = reader.language())]
    pub language: Language,
    /// Industry id; only the back office sets it.
    #[wire("BrancheID", not(Body))]
    pub industry: Option<Text<12>>,
    /// Payment type: L direct debit, B cash or credit card, others.
    #[wire("FAKTZahlArt", name, char(1), required(Body), not(Response))]
    pub payment_type: Option<Text<1>>,
    /// Payment methods, comma separated: K credit card (outside the business system), R invoice (via the business system).
    #[wire("ZahlungsMethode", default)]
    pub payment_methods: Vec<PaymentMethod>,
    /// Shipping condition type, client-specific codes.
    #[wire("VBTyp", key)]
    pub shipping_condition: Option<Text<12>>,
    /// Transport insurance type.
    #[wire("TVTyp", key, not(Response))]
    pub transport_insurance: Option<Text<12>>,
    /// Expense calculation value.
    #[wire("AUFT_SPESEN", name, not(Response))]
    pub expense_calculation: Option<Text<32>>,
    /// Comment on the customer.
    #[wire("Kommentar")]
    pub comment: Option<Text<255>>,
    /// Tax number.
    #[wire("SteuerNummer", name, not(Response))]
    pub tax_number: Option<Text<20>>,
    /// Web address of the company.
    #[wire("FirmenURL", name, not(Response))]
    pub website: Option<Text<20>>,
    /// Credit limit in whole units of the currency; 0 is blocked and the default.
    #[wire("KreditLimit", natural, default, not(Response))]
    pub credit_limit: i32,
}

// rule: R-END-12, R-END-61
/// A customer to be stored: the body of `POST /www/kunden` and `PUT /www/kunden/{DebiNr}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerRequest {
    /// What is not an address (`GrundDaten`).
    pub details: CustomerDetails,
    /// Contact address (`KontaktAdr`).
    pub contact: Address,
    /// Delivery address (`LiefAdr`).
    pub delivery: Option<Address>,
    /// Billing address (`RechAdr`).
    pub billing: Option<Address>,
}

/// Body of `POST /www/kunden` and `PUT /www/kunden/{DebiNr}`.
#[derive(Default, Record)]
#[record(Body = "CustomerBody")]
pub(crate) struct CustomerBody {
    /// Header of the customer.
    #[wire("GrundDaten", section, required)]
    header: Option<CustomerDetails>,
    /// Addresses; the contact address is required.
    #[wire("Adressen", section(Customer), required, default)]
    addresses: AddressesRequest,
}

/// A payment method of a customer.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Word,
)]
#[serde(rename_all = "snake_case")]
#[word(any_case)]
pub enum PaymentMethod {
    /// `K`: credit card, payment outside the business system.
    #[word("K")]
    CreditCard,
    /// `R`: invoice, payment via the business system.
    #[word("R")]
    Invoice,
}

impl PaymentMethod {
    /// Parses a comma-separated list; blanks and letter case are ignored, duplicates dropped.
    ///
    /// # Errors
    /// When an entry is neither `K` nor `R`.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, Sentence> {
        let mut methods = Vec::new();
        for entry in text
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
        {
            let method = Self::parse(entry).ok_or_else(|| {
                let shown: String = entry.chars().take(12).collect();
                sentence!("unknown_value.payment_method", word = shown)
            })?;
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        Ok(methods)
    }

    /// Writes a list as on the wire, for example `K,R`.
    #[must_use]
    pub fn render_list(methods: &[Self]) -> String {
        let letters: Vec<_> = methods.iter().map(|method| method.as_str()).collect();
        letters.join(",")
    }
}

impl Value for Vec<PaymentMethod> {
    const KIND: Kind = Kind::Text;

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let parse = PaymentMethod::parse_list;
        read_parsed(value, field, scope, Code::UnknownValue, parse)
    }

    fn to_wire(&self, _: &Field) -> Option<impl Serialize> {
        (!self.is_empty()).then(|| PaymentMethod::render_list(self))
    }
}

impl CustomerDetails {
    /// Details with what every customer has; the others are fields.
    pub fn new(currency: Currency, language: Language) -> Self {
        Self::bare(currency, language)
    }
}

impl CustomerRequest {
    /// A customer in the language of its contact address. `payment_type` is L direct debit, B cash or credit card, or
    /// another letter.
    pub fn new(
        currency: Currency,
        payment_type: impl IntoText<1>,
        contact: Address,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut details = CustomerDetails::new(currency, contact.language);
        details.payment_type = Some(problems.text("FAKTZahlArt", payment_type));
        problems.and(Ok(Self {
            details,
            contact,
            delivery: None,
            billing: None,
        }))
    }

    /// Reads a body.
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        Self::read(&body.as_json(), how, |_, _| {})
    }

    /// Reads a body, with a check of the addresses that can be read.
    pub(crate) fn read(
        body: &Json,
        how: Reading,
        check: impl FnOnce(&mut AddressesRequest, &mut Problems),
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut scope = Scope::new(how, &Path::ROOT, &mut problems);
        let contact = body
            .get("Adressen")
            .and_then(|addresses| addresses.get("KontaktAdr"));
        scope.language = language_of(contact);
        let read: Option<CustomerBody> = read_record(body, &mut scope);
        let CustomerBody {
            header,
            mut addresses,
        } = read.unwrap_or_default();
        check(&mut addresses, &mut problems);
        let customer = header
            .zip(addresses.contact)
            .map(|(details, contact)| Self {
                details,
                contact,
                delivery: addresses.delivery,
                billing: addresses.billing,
            });
        problems.or_else_value(customer)
    }
}

impl AsRequest<Self> for CustomerRequest {
    fn as_request(&self) -> Cow<'_, Json> {
        let body = CustomerBody {
            header: Some(self.details.clone()),
            addresses: AddressesRequest {
                contact: Some(self.contact.clone()),
                delivery: self.delivery.clone(),
                billing: self.billing.clone(),
            },
        };
        written(&body)
    }
}

/// The language of an address that is not read yet. One that cannot be read is a problem of the address.
pub(crate) fn language_of(address: Option<&Json>) -> Language {
    let language = address.and_then(|address| address.get("AdrSprache")?.as_str());
    language
        .and_then(|language| Language::parse(language).ok())
        .unwrap_or(Language::GERMAN)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(body: &Value) -> Result<CustomerRequest, Vec<(String, Code)>> {
        CustomerRequest::parse(body, Reading::default()).map_err(|problems| {
            problems
                .into_vec()
                .into_iter()
                .map(|problem| (problem.path, problem.code))
                .collect()
        })
    }

    fn minimal() -> Value {
        json!({
            "GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
            "Adressen": {"KontaktAdr": {
                "AdrSprache": "fre", "AdrAnrede": 1, "AdrName": "Favre", "AdrAdresse1": "Rue 1",
                "OrtLand": "CH", "OrtPLZ": "1003", "OrtName": "Lausanne"
            }},
        })
    }

    // rule: R-END-12
    #[test]
    fn the_minimal_body_of_the_interface_is_enough() {
        let customer = parse(&minimal()).unwrap();
        assert_eq!(customer.details.language, Language::FRENCH);
        assert_eq!(customer.details.currency, Currency::CHF);
        assert_eq!(customer.details.payment_type.as_deref(), Some("B"));
        assert_eq!(
            (
                customer.details.credit_limit,
                customer.details.payment_methods.len()
            ),
            (0, 0)
        );
        assert_eq!(customer.contact.last_name.as_deref(), Some("Favre"));
        assert_eq!((customer.delivery, customer.billing), (None, None));
    }

    // rule: R-END-60
    #[test]
    fn every_member_of_a_customer_arrives() {
        let mut body = minimal();
        body["GrundDaten"] = json!({
            "AdrSprache": "ger", "WaehrAbk": "EUR", "FAKTZahlArt": "L", "ZahlungsMethode": "K, R,K",
            "AUFT_SPESEN": "S", "VBTyp": "POST", "TVTyp": "T", "Kommentar": "gut",
            "SteuerNummer": "CHE-1", "FirmenURL": "x.example", "KreditLimit": 5000,
        });
        body["Adressen"]["LiefAdr"] = body["Adressen"]["KontaktAdr"].clone();
        let customer = parse(&body).unwrap();
        assert_eq!(
            (customer.details.language, customer.details.currency),
            (Language::GERMAN, Currency::EUR)
        );
        let methods = [PaymentMethod::CreditCard, PaymentMethod::Invoice];
        assert_eq!(customer.details.payment_methods, methods);
        assert_eq!(PaymentMethod::render_list(&methods), "K,R");
        assert_eq!(customer.details.expense_calculation.as_deref(), Some("S"));
        assert_eq!(customer.details.shipping_condition.as_deref(), Some("POST"));
        assert_eq!(customer.details.transport_insurance.as_deref(), Some("T"));
        assert_eq!(customer.details.comment.as_deref(), Some("gut"));
        assert_eq!(customer.details.tax_number.as_deref(), Some("CHE-1"));
        assert_eq!(customer.details.website.as_deref(), Some("x.example"));
        assert_eq!(customer.details.credit_limit, 5000);
        assert_eq!(customer.delivery, Some(customer.contact));
    }

    #[test]
    fn what_is_missing_or_wrong_is_told_together() {
        let required = |path: &str| (path.to_owned(), Code::Required);
        assert_eq!(
            parse(&json!({})).unwrap_err(),
            [
                required("GrundDaten.WaehrAbk"),
                required("GrundDaten.FAKTZahlArt"),
                required("Adressen.KontaktAdr"),
            ]
        );
        let mut body = minimal();
        body["GrundDaten"] = json!({
            "AdrSprache": "deu", "WaehrAbk": "HRK", "FAKTZahlArt": "B", "ZahlungsMethode": "K,X",
            "KreditLimit": -1,
        });
        assert_eq!(
            parse(&body).unwrap_err(),
            [
                ("GrundDaten.WaehrAbk".to_owned(), Code::UnknownCurrency),
                ("GrundDaten.AdrSprache".to_owned(), Code::UnknownLanguage),
                ("GrundDaten.ZahlungsMethode".to_owned(), Code::UnknownValue),
                ("GrundDaten.KreditLimit".to_owned(), Code::OutOfRange),
            ]
        );
    }
}
