//! Request bodies of customers.

use serde::{Deserialize, Serialize};

use super::AddressesRequest;
use crate::domain::address::Address;
use crate::values::codes::{Currency, Language};
use crate::values::json::AsJson;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::members::{Members, read_body};
use crate::wire::{AddressesBody, CustomerBody, CustomerBodyHeader, Reading};

// rule: R-END-12, R-END-60, R-END-61
/// The body of `POST /www/kunden` and `PUT /www/kunden/{DebiNr}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerRequest {
    /// Language; that of the contact address when none is sent (`AdrSprache`).
    pub language: Language,
    /// Currency (`WaehrAbk`).
    pub currency: Currency,
    /// Payment type: L direct debit, B cash or credit card, others (`FAKTZahlArt`).
    pub payment_type: Text<1>,
    /// Payment methods, each once (`ZahlungsMethode`).
    pub payment_methods: Vec<PaymentMethod>,
    /// Expense calculation value (`AUFT_SPESEN`).
    pub expense_calculation: Option<Text<32>>,
    /// Shipping condition type (`VBTyp`).
    pub shipping_condition: Option<Text<12>>,
    /// Transport insurance type (`TVTyp`).
    pub transport_insurance: Option<Text<12>>,
    /// Comment (`Kommentar`).
    pub comment: Option<Text<255>>,
    /// Tax number (`SteuerNummer`).
    pub tax_number: Option<Text<20>>,
    /// Web address of the company (`FirmenURL`).
    pub website: Option<Text<20>>,
    /// Credit limit in whole units of the currency, 0 or more; 0 is blocked (`KreditLimit`).
    pub credit_limit: i32,
    /// Contact address (`KontaktAdr`).
    pub contact: Address,
    /// Delivery address (`LiefAdr`).
    pub delivery: Option<Address>,
    /// Billing address (`RechAdr`).
    pub billing: Option<Address>,
}

/// A payment method of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentMethod {
    /// `K`: credit card, payment outside the business system.
    CreditCard,
    /// `R`: invoice, payment via the business system.
    Invoice,
}

impl PaymentMethod {
    /// The letter in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CreditCard => "K",
            Self::Invoice => "R",
        }
    }

    /// Parses a comma-separated list; blanks and letter case are ignored, duplicates dropped.
    ///
    /// # Errors
    /// When an entry is neither `K` nor `R`.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, String> {
        let mut methods = Vec::new();
        for entry in text
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
        {
            let method = match entry {
                "K" | "k" => Self::CreditCard,
                "R" | "r" => Self::Invoice,
                other => {
                    let shown: String = other.chars().take(12).collect();
                    return Err(format!(
                        "`{shown}` is no payment method; known are `K` and `R`"
                    ));
                }
            };
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

impl CustomerRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// Every problem of the body.
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        Self::parse_with(body, how, |_, _| {})
    }

    /// Like [`CustomerRequest::parse`], with a check of the addresses that can be read.
    pub(crate) fn parse_with(
        body: &impl AsJson,
        how: Reading,
        check: impl FnOnce(&mut AddressesRequest, &mut Problems),
    ) -> Result<Self, Problems> {
        let body = &*body.as_json();
        read_body(body, how, |body: &CustomerBody, problems| {
            let path = Path::ROOT.member("Adressen");
            let sent = AddressesBody::from(body.addresses.clone().unwrap_or_default());
            let addresses = AddressesRequest::check(Some(&sent), problems);
            Members::new(&path, problems).required("KontaktAdr", sent.contact);
            let no_header = CustomerBodyHeader::default();
            let header = body.header.as_ref().unwrap_or(&no_header);
            Self::check_header(header, addresses, check, problems)
        })
    }

    fn check_header(
        body: &CustomerBodyHeader,
        mut addresses: AddressesRequest,
        check: impl FnOnce(&mut AddressesRequest, &mut Problems),
        problems: &mut Problems,
    ) -> Option<Self> {
        let path = Path::ROOT.member("GrundDaten");
        let mut members = Members::new(&path, problems);
        let language = members.language("AdrSprache", body.language.as_ref());
        let currency = members.currency("WaehrAbk", body.currency.as_ref());
        let currency = members.required("WaehrAbk", currency);
        let payment_type = members.name("FAKTZahlArt", body.payment_type.as_ref());
        let payment_type = members.required("FAKTZahlArt", payment_type);
        let methods = members.parsed(
            "ZahlungsMethode",
            body.payment_methods.as_ref(),
            Code::UnknownValue,
            PaymentMethod::parse_list,
        );
        let expense_calculation = members.name("AUFT_SPESEN", body.expense_calculation.as_ref());
        let shipping_condition = members.key("VBTyp", body.shipping_condition.as_ref());
        let transport_insurance = members.key("TVTyp", body.transport_insurance.as_ref());
        let comment = members.text("Kommentar", body.comment.as_ref());
        let tax_number = members.name("SteuerNummer", body.tax_number.as_ref());
        let website = members.name("FirmenURL", body.website.as_ref());
        let credit_limit = body.credit_limit.unwrap_or(0);
        if credit_limit < 0 {
            members.refuse(
                "KreditLimit",
                Code::OutOfRange,
                "the number must be 0 or more",
            );
        }
        check(&mut addresses, problems);
        let AddressesRequest {
            contact,
            delivery,
            billing,
        } = addresses;
        let contact = contact?;
        Some(Self {
            language: language.unwrap_or(contact.language),
            currency: currency?,
            payment_type: payment_type?,
            payment_methods: methods.unwrap_or_default(),
            expense_calculation,
            shipping_condition,
            transport_insurance,
            comment,
            tax_number,
            website,
            credit_limit,
            contact,
            delivery,
            billing,
        })
    }
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
        assert_eq!(customer.language, Language::FRENCH);
        assert_eq!(customer.currency, Currency::CHF);
        assert_eq!(customer.payment_type, "B");
        assert_eq!(
            (customer.credit_limit, customer.payment_methods.len()),
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
            (customer.language, customer.currency),
            (Language::GERMAN, Currency::EUR)
        );
        let methods = [PaymentMethod::CreditCard, PaymentMethod::Invoice];
        assert_eq!(customer.payment_methods, methods);
        assert_eq!(PaymentMethod::render_list(&methods), "K,R");
        assert_eq!(customer.expense_calculation.as_deref(), Some("S"));
        assert_eq!(customer.shipping_condition.as_deref(), Some("POST"));
        assert_eq!(customer.transport_insurance.as_deref(), Some("T"));
        assert_eq!(customer.comment.as_deref(), Some("gut"));
        assert_eq!(customer.tax_number.as_deref(), Some("CHE-1"));
        assert_eq!(customer.website.as_deref(), Some("x.example"));
        assert_eq!(customer.credit_limit, 5000);
        assert_eq!(customer.delivery, Some(customer.contact));
    }

    #[test]
    fn what_is_missing_or_wrong_is_told_together() {
        let required = |path: &str| (path.to_owned(), Code::Required);
        assert_eq!(
            parse(&json!({})).unwrap_err(),
            [
                required("Adressen.KontaktAdr"),
                required("GrundDaten.WaehrAbk"),
                required("GrundDaten.FAKTZahlArt"),
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
                ("GrundDaten.AdrSprache".to_owned(), Code::UnknownLanguage),
                ("GrundDaten.WaehrAbk".to_owned(), Code::UnknownCurrency),
                ("GrundDaten.ZahlungsMethode".to_owned(), Code::UnknownValue),
                ("GrundDaten.KreditLimit".to_owned(), Code::OutOfRange),
            ]
        );
    }
}
