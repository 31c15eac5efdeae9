//! Addresses: validated values, changes, and conversion to wire records.

mod change;
mod salutation;

use erp_derive::{Record, skip_serializing_none};
use serde::{Deserialize, Serialize};

use crate::values::codes::{Country, Language};
use crate::values::json::AsJson;
use crate::values::problem::Problems;
use crate::values::text::Text;
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
    /// Every text that does not fit its field.
    pub fn company(
        name: &str,
        street: &str,
        country: Country,
        postal_code: &str,
        town: &str,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut address = Self::blank(country);
        address.company = Some(problems.text("AdrFirma", name));
        address.street = problems.text("AdrAdresse1", street);
        address.postal_code = problems.text("OrtPLZ", postal_code);
        address.town = problems.text("OrtName", town);
        problems.and(Ok(address))
    }

    /// The address of a person; as [`Address::company`].
    ///
    /// # Errors
    /// Every text that does not fit its field.
    pub fn person(
        last_name: &str,
        street: &str,
        country: Country,
        postal_code: &str,
        town: &str,
    ) -> Result<Self, Problems> {
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
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        <Self as Record<Body>>::read(body, how)
    }

    /// Whom the address names: the company, or first and last name.
    pub fn addressee(&self) -> String {
        match (&self.company, &self.first_name, &self.last_name) {
            (Some(company), ..) => company.to_string(),
            (None, Some(first), Some(last)) => format!("{first} {last}"),
            (None, first, last) => first.iter().chain(last).map(ToString::to_string).collect(),
        }
    }

    /// The salutation in the language of the address. A person (no company) with the salutation General has none.
    pub fn salutation_text(&self) -> Option<&'static str> {
        let fits = self.salutation != Salutation::General || self.company.is_some();
        fits.then(|| self.salutation.text(self.language))
    }

    /// Whether to check the town against the postal code: as the client specified, otherwise only for Swiss addresses.
    pub fn wants_check(&self) -> bool {
        self.check.unwrap_or(self.country == Country::CH)
    }
}

#[cfg(test)]
pub(crate) mod tests;
