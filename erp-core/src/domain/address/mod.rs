//! Addresses: validated values, changes, and conversion to wire records.

mod change;
mod render;
mod salutation;

use serde::{Deserialize, Serialize};

use crate::values::codes::{Country, Language};
use crate::values::json::AsJson;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::members::{Members, read_body};
use crate::wire::{AddressBody, Reading};

pub use change::AddressChange;
pub use salutation::Salutation;

// rule: R-RES-18
/// An address (interface: "Address record (input)"). [`Address::parse`] ensures that it has a company or a last name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// Language (`AdrSprache`).
    pub language: Language,
    /// Salutation (`AdrAnrede`).
    pub salutation: Salutation,
    /// Company name (`AdrFirma`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<Text<36>>,
    /// Company name addition (`AdrFirma2`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company_addition: Option<Text<36>>,
    /// First name (`AdrVorname`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_name: Option<Text<36>>,
    /// Last name (`AdrName`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<Text<36>>,
    /// Street and number (`AdrAdresse1`).
    pub street: Text<60>,
    /// Addition to the street (`AdrAdresse2`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub street_addition: Option<Text<60>>,
    /// Country (`OrtLand`).
    pub country: Country,
    /// Postal code (`OrtPLZ`).
    pub postal_code: Text<10>,
    /// Town (`OrtName`).
    pub town: Text<48>,
    /// E-mail address (`EmailAdress`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Text<255>>,
    /// Mobile number (`AdrTelex`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mobile: Option<Text<28>>,
    /// Direct phone (`AdrTf1`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<Text<28>>,
    /// Central phone (`AdrTf2`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub central_phone: Option<Text<28>>,
    /// Fax (`AdrFax`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fax: Option<Text<28>>,
    /// Whether to check the town against the postal code, if the client specified it (`AdrCheck`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<bool>,
}

impl Address {
    /// Parses an address.
    ///
    /// # Errors
    /// Every problem of the address.
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        let body = &*body.as_json();
        read_body(body, how, |body, problems| {
            Self::check(body, &Path::ROOT, problems)
        })
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

    /// Whether to check the town against the postal code: as the client specified, otherwise only for Swiss addresses.
    #[must_use]
    pub fn wants_check(&self) -> bool {
        self.check.unwrap_or(self.country == Country::CH)
    }

    /// Validates a wire record; every problem is reported below `path`.
    pub(crate) fn check(
        body: &AddressBody,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut members = Members::new(path, problems);
        let language = members.language("AdrSprache", body.language.as_ref());
        let language = members.required("AdrSprache", language);
        let salutation = Salutation::check(body.salutation, &mut members);
        let salutation = members.required("AdrAnrede", salutation);
        let company = members.name("AdrFirma", body.company.as_ref());
        let last_name = members.name("AdrName", body.last_name.as_ref());
        members.one_of(
            ["AdrFirma", "AdrName"],
            company.is_some() || last_name.is_some(),
        );
        let street = members.name("AdrAdresse1", body.street.as_ref());
        let street = members.required("AdrAdresse1", street);
        let country = members.country("OrtLand", body.country.as_ref());
        let country = members.required("OrtLand", country);
        let postal_code = members.key("OrtPLZ", body.postal_code.as_ref());
        let postal_code = members.required("OrtPLZ", postal_code);
        let town = members.name("OrtName", body.town.as_ref());
        let town = members.required("OrtName", town);
        let company_addition = members.name("AdrFirma2", body.company_addition.as_ref());
        let first_name = members.name("AdrVorname", body.first_name.as_ref());
        let street_addition = members.name("AdrAdresse2", body.street_addition.as_ref());
        let email = members.name("EmailAdress", body.email.as_ref());
        let mobile = members.name("AdrTelex", body.mobile.as_ref());
        let phone = members.name("AdrTf1", body.phone.as_ref());
        let central_phone = members.name("AdrTf2", body.central_phone.as_ref());
        let fax = members.name("AdrFax", body.fax.as_ref());
        let check = check_wanted(body.check, &mut members);
        Some(Self {
            language: language?,
            salutation: salutation?,
            company,
            company_addition,
            first_name,
            last_name,
            street: street?,
            street_addition,
            country: country?,
            postal_code: postal_code?,
            town: town?,
            email,
            mobile,
            phone,
            central_phone,
            fax,
            check,
        })
    }
}

fn check_wanted(value: Option<i32>, members: &mut Members<'_, '_>) -> Option<bool> {
    match value? {
        0 => Some(false),
        1 => Some(true),
        other => {
            let message = format!("`{other}` is neither 0 nor 1");
            members.refuse("AdrCheck", Code::UnknownValue, message);
            None
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;

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
