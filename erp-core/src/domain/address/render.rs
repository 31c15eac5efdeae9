//! Converts addresses to wire records.

use smol_str::SmolStr;

use super::{Address, Salutation};
use crate::wire::{AddressRecord, OrderAddress};

/// The form in the address endpoints, without number and links.
impl From<&Address> for AddressRecord {
    fn from(address: &Address) -> Self {
        Self {
            number: None,
            salutation_text: address.salutation_text().map(SmolStr::new_static),
            address: address.clone(),
            links: None,
        }
    }
}

/// The form in orders and offers, without number. Address lines are not cut, even if they are longer than the 36
/// characters declared there.
impl From<&Address> for OrderAddress {
    fn from(address: &Address) -> Self {
        Self {
            number: None,
            country_iso: address.country,
            address: address.clone(),
        }
    }
}

impl Address {
    /// The salutation in the language of the address. A person (no company) with the salutation General has none.
    #[must_use]
    pub fn salutation_text(&self) -> Option<&'static str> {
        let fits = self.salutation != Salutation::General || self.company.is_some();
        fits.then(|| self.salutation.text(self.language))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::wire::Reading;

    fn full() -> Value {
        json!({
            "AdrSprache": "ger", "EmailAdress": "a@example.com", "AdrAdresse1": "s".repeat(60),
            "AdrAdresse2": "Hof", "AdrAnrede": 2, "AdrFax": "1", "AdrFirma": "Muster AG",
            "AdrFirma2": "Einkauf", "AdrVorname": "Eva", "AdrName": "Müller", "AdrTelex": "2",
            "AdrTf1": "3", "AdrTf2": "4", "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"
        })
    }

    fn address(body: &Value) -> Address {
        Address::parse(body, Reading::default()).unwrap()
    }

    // rule: R-RES-19
    #[test]
    fn what_was_sent_is_answered() {
        let mut expected = full();
        expected["AdrAnredeText"] = json!("Frau");
        let rendered = serde_json::to_value(AddressRecord::from(&address(&full()))).unwrap();
        assert_eq!(rendered, expected);
    }

    // rule: R-RES-05
    #[test]
    fn orders_show_the_country_twice_and_cut_nothing() {
        let mut expected = full();
        for name in ["AdrSprache", "AdrAnrede"] {
            expected.as_object_mut().unwrap().remove(name);
        }
        expected["ISOLandA2"] = json!("CH");
        let rendered = serde_json::to_value(OrderAddress::from(&address(&full()))).unwrap();
        assert_eq!(rendered, expected);
    }

    // rule: R-RES-19
    #[test]
    fn a_person_in_general_has_no_salutation_text() {
        let mut body = full();
        body["AdrAnrede"] = json!(0);
        assert_eq!(address(&body).salutation_text(), Some("Firma"));
        body["AdrFirma"] = Value::Null;
        assert_eq!(address(&body).salutation_text(), None);
    }
}
