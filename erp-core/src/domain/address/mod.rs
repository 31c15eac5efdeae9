//! Addresses: validated values, changes, and conversion to wire records.

mod change;
mod salutation;

use erp_derive::{Record, skip_serializing_none};
use serde::{Deserialize, Serialize};

use crate::values::codes::{Country, Language};
use crate::values::json::AsJson;
use crate::values::problem::Problems;
use crate::values::text::{Text, TextError};
use crate::wire::view::Body;
use crate::wire::{Reading, Record};

pub use change::AddressChange;
pub use salutation::Salutation;

// rule: R-RES-18
/// An address in the body of an order, offer or customer (table "input").
///
/// One that was read has a company or a last name. It is declared here alone: stored customers, orders and offers,
/// their rows and the responses have it as a group.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(
    Body = "AddressBody",
    Patch = "AddressPatchBody",
    Row,
    Response,
    Copied
)]
#[record(one_of("AdrFirma", "AdrName"), exact, bare(language, country))]
pub struct Address {
    /// Language, ISO 639-2/B.
    #[wire("AdrSprache", required, string, Patch: char(3), Response: varchar(4), not(Copied))]
    pub language: Language,
    /// E-mail address.
    #[wire("EmailAdress", name)]
    pub email: Option<Text<255>>,
    /// Street and number.
    #[wire("AdrAdresse1", name, required, Copied: varchar(36))]
    pub street: Text<60>,
    /// Addition to the street.
    #[wire("AdrAdresse2", name, Copied: varchar(36))]
    pub street_addition: Option<Text<60>>,
    /// Salutation: 0 company or general, 1 mister, 2 miss.
    #[wire("AdrAnrede", salutation, required, not(Copied))]
    pub salutation: Salutation,
    /// Fax.
    #[wire("AdrFax", name)]
    pub fax: Option<Text<28>>,
    /// Company name; a body has this or `AdrName`.
    #[wire("AdrFirma", name)]
    pub company: Option<Text<36>>,
    /// Company name addition.
    #[wire("AdrFirma2", name)]
    pub company_addition: Option<Text<36>>,
    /// First name.
    #[wire("AdrVorname", name)]
    pub first_name: Option<Text<36>>,
    /// Last name; a body has this or `AdrFirma`.
    #[wire("AdrName", name)]
    pub last_name: Option<Text<36>>,
    /// Mobile number.
    #[wire("AdrTelex", name)]
    pub mobile: Option<Text<28>>,
    /// Direct phone.
    #[wire("AdrTf1", name)]
    pub phone: Option<Text<28>>,
    /// Central phone.
    #[wire("AdrTf2", name)]
    pub central_phone: Option<Text<28>>,
    /// Country, ISO 3166-1 alpha-2.
    #[wire("OrtLand", required)]
    pub country: Country,
    /// Town.
    #[wire("OrtName", name, required)]
    pub town: Text<48>,
    /// Postal code.
    #[wire("OrtPLZ", key, required)]
    pub postal_code: Text<10>,
    /// Whether the town is checked against the postal code: 1 yes, 0 no; default 1 for Swiss addresses, else 0.
    #[wire("AdrCheck", one_zero, int, not(Patch, Response, Copied))]
    pub check: Option<bool>,
}

impl Address {
    /// The address of a company, in the first language of its country as far as invoices are concerned: German, French,
    /// Italian, else English. Other members are fields.
    ///
    /// # Errors
    /// When a text is longer than its field.
    pub fn company(
        name: &str,
        street: &str,
        country: Country,
        postal_code: &str,
        town: &str,
    ) -> Result<Self, TextError> {
        let mut address = Self::blank(country);
        address.company = Some(name.parse()?);
        address.street = street.parse()?;
        address.postal_code = postal_code.parse()?;
        address.town = town.parse()?;
        Ok(address)
    }

    /// The address of a person; as [`Address::company`].
    ///
    /// # Errors
    /// When a text is longer than its field.
    pub fn person(
        last_name: &str,
        street: &str,
        country: Country,
        postal_code: &str,
        town: &str,
    ) -> Result<Self, TextError> {
        let mut address = Self::company(last_name, street, country, postal_code, town)?;
        address.last_name = address.company.take();
        Ok(address)
    }

    fn blank(country: Country) -> Self {
        let language = match country.as_str() {
            "CH" | "LI" | "DE" | "AT" => Language::GERMAN,
            "FR" => Language::FRENCH,
            "IT" => Language::ITALIAN,
            _ => Language::ENGLISH,
        };
        Self::bare(language, country)
    }

    /// Parses an address.
    ///
    /// # Errors
    /// Every problem of the address.
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        <Self as Record<Body>>::read(body, how)
    }

    /// Whom the address names: the company, or first and last name.
    #[must_use]
    pub fn addressee(&self) -> String {
        match (&self.company, &self.first_name, &self.last_name) {
            (Some(company), ..) => company.to_string(),
            (None, Some(first), Some(last)) => format!("{first} {last}"),
            (None, first, last) => first.iter().chain(last).map(ToString::to_string).collect(),
        }
    }

    /// The salutation in the language of the address. A person (no company) with the salutation General has none.
    #[must_use]
    pub fn salutation_text(&self) -> Option<&'static str> {
        let fits = self.salutation != Salutation::General || self.company.is_some();
        fits.then(|| self.salutation.text(self.language))
    }

    /// Whether to check the town against the postal code: as the client specified, otherwise only for Swiss addresses.
    #[must_use]
    pub fn wants_check(&self) -> bool {
        self.check.unwrap_or(self.country == Country::CH)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::values::problem::Code;

    pub(crate) fn body() -> Value {
        json!({
            "AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": "Muster AG", "AdrAdresse1": "Weg 1",
            "OrtLand": "CH", "OrtPLZ": "8001 ", "OrtName": "Zürich"
        })
    }

    fn parse(body: &Value) -> Result<Address, Vec<(String, Code)>> {
        Address::parse(body, Reading::default()).map_err(|problems| {
            problems
                .into_vec()
                .into_iter()
                .map(|problem| (problem.path, problem.code))
                .collect()
        })
    }

    #[test]
    fn the_required_members_make_an_address() {
        let address = parse(&body()).unwrap();
        assert_eq!(address.language, Language::GERMAN);
        assert_eq!(address.salutation, Salutation::General);
        assert_eq!(address.company.as_deref(), Some("Muster AG"));
        assert_eq!(address.postal_code, "8001");
        assert_eq!(address.town, "Zürich");
        assert_eq!(
            (address.last_name, address.email, address.check),
            (None, None, None)
        );
    }

    #[test]
    fn a_stored_address_reads_back() {
        let mut body = body();
        body["EmailAdress"] = json!("a@example.com");
        body["AdrCheck"] = json!(1);
        let address = parse(&body).unwrap();
        let stored = serde_json::to_value(&address).unwrap();
        assert_eq!(stored["postal_code"], "8001");
        assert_eq!(stored.get("fax"), None);
        assert_eq!(serde_json::from_value::<Address>(stored).unwrap(), address);
    }

    // rule: R-RES-18
    #[test]
    fn the_town_is_checked_by_default_in_switzerland_only() {
        for (country, check, expected) in [
            ("CH", None, true),
            ("DE", None, false),
            ("CH", Some(0), false),
            ("DE", Some(1), true),
        ] {
            let mut body = body();
            body["OrtLand"] = json!(country);
            body["AdrCheck"] = json!(check);
            assert_eq!(
                parse(&body).unwrap().wants_check(),
                expected,
                "{country} {check:?}"
            );
        }
    }

    // rule: D-REQ-06, D-REQ-13, R-RES-18
    #[test]
    fn each_required_member_is_missed_when_absent_empty_or_blank() {
        for name in [
            "AdrSprache",
            "AdrFirma",
            "AdrAdresse1",
            "OrtLand",
            "OrtPLZ",
            "OrtName",
        ] {
            for value in [Value::Null, json!(""), json!("  ")] {
                let mut body = body();
                body[name] = value;
                assert_eq!(
                    parse(&body).unwrap_err(),
                    [(name.to_owned(), Code::Required)]
                );
            }
        }
        let mut body = body();
        body["AdrAnrede"] = Value::Null;
        assert_eq!(
            parse(&body).unwrap_err(),
            [("AdrAnrede".to_owned(), Code::Required)]
        );
    }

    // rule: R-RES-18
    #[test]
    fn a_last_name_stands_for_a_company() {
        let mut body = body();
        body["AdrFirma"] = json!("");
        body["AdrName"] = json!("Müller");
        assert_eq!(parse(&body).unwrap().company, None);
        // An unreadable last name is one problem and not also a missing company.
        body["AdrName"] = json!(5);
        assert_eq!(
            parse(&body).unwrap_err(),
            [("AdrName".to_owned(), Code::WrongType)]
        );
    }

    #[test]
    fn unknown_values_are_refused_by_name() {
        for (name, value, code) in [
            ("AdrSprache", json!("deu"), Code::UnknownLanguage),
            ("OrtLand", json!("SUI"), Code::UnknownCountry),
            ("AdrAnrede", json!(3), Code::UnknownValue),
            ("AdrCheck", json!(2), Code::UnknownValue),
        ] {
            let mut body = body();
            body[name] = value;
            assert_eq!(parse(&body).unwrap_err(), [(name.to_owned(), code)]);
        }
    }
}
