//! Addresses in the forms of orders and offers, and of the address endpoints (interface: "Address
//! record").

use erp_derive::Record;
use smol_str::SmolStr;

use crate::domain::address::Address;
use crate::domain::document::DocumentAddress;
use crate::domain::master::{Customer, CustomerAddress};
use crate::values::codes::Country;
use crate::values::text::Text;
use crate::wire::{Link, Links};

/// `Adressen` of an order or offer: always all three, also when they are identical.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(Response)]
pub struct OrderAddresses {
    /// Contact address.
    #[wire("KontaktAdr", object)]
    pub contact: Option<OrderAddress>,
    /// Delivery address.
    #[wire("LiefAdr", object)]
    pub delivery: Option<OrderAddress>,
    /// Billing address.
    #[wire("RechAdr", object)]
    pub billing: Option<OrderAddress>,
}

/// An address in orders and offers (table "response, in orders and offers"). Its address lines are longer than declared
/// when they were sent so (up to 60 characters).
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(Response)]
#[record(first("AdrNr AdrFirma AdrFirma2 AdrVorname AdrName AdrAdresse1 AdrAdresse2"))]
#[record(first("AdrTelex AdrTf1 AdrTf2 AdrFax OrtName OrtPLZ OrtLand ISOLandA2"))]
pub struct OrderAddress {
    /// Address number.
    #[wire("AdrNr")]
    pub number: Option<i32>,
    /// The address.
    #[wire(group(Copied))]
    pub address: Address,
    /// Country, ISO 3166-1 alpha-2; the same value as `OrtLand`.
    #[wire("ISOLandA2", required)]
    pub country_iso: Country,
}

/// An address of the address endpoints (table "response of the address endpoints").
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
#[record(first("AdrNr AdrSprache EmailAdress AdrAdresse1 AdrAdresse2 AdrAnrede AdrAnredeText"))]
pub struct AddressRecord {
    /// Address number; in lists.
    #[wire("AdrNr")]
    pub number: Option<i32>,
    /// The address.
    #[wire(group)]
    pub address: Address,
    /// Salutation text in the language of the address.
    #[wire("AdrAnredeText")]
    pub salutation_text: Option<SmolStr>,
    /// Linked resources; in lists.
    #[wire("links")]
    pub links: Option<Vec<Link>>,
}

/// `data` of `GET /www/adressen?debinr=`: the addresses of a customer by their use.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct AddressesOfCustomer {
    /// Contact addresses.
    #[wire("KundKontakt", list, required)]
    pub contact: Vec<AddressRecord>,
    /// Delivery addresses.
    #[wire("KundLief", list, required)]
    pub delivery: Vec<AddressRecord>,
    /// Billing addresses.
    #[wire("KundRech", list, required)]
    pub billing: Vec<AddressRecord>,
}

/// `data` of `GET /www/adressensuche`: the one customer that was found.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct AddressSearchResult {
    /// Delivery address key.
    #[wire("KundLief")]
    pub delivery_address: Option<i32>,
    /// Billing address key.
    #[wire("KundRech")]
    pub billing_address: Option<i32>,
    /// Contact address key.
    #[wire("KundKontakt")]
    pub contact_address: Option<i32>,
    /// Customer number.
    #[wire("DebiNr", string)]
    pub customer_number: Option<Text<8>>,
    /// Links to the addresses and the customer.
    #[wire("links")]
    pub links: Option<Vec<Link>>,
}

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
// rule: R-RES-05
impl From<&DocumentAddress> for OrderAddress {
    fn from(copy: &DocumentAddress) -> Self {
        Self {
            number: copy.number,
            country_iso: copy.address.country,
            address: copy.address.clone(),
        }
    }
}

impl CustomerAddress {
    // rule: R-END-68
    /// The address as a list shows it, with its number and links.
    pub fn to_wire(&self, links: &Links<'_>) -> AddressRecord {
        let number = self.number.to_string();
        let link = |method| links.to(method, "adressen", "adressen", &number);
        AddressRecord {
            number: Some(self.number),
            links: Some(vec![link("GET"), link("PATCH")]),
            ..AddressRecord::from(&self.address)
        }
    }
}

impl Customer {
    // rule: R-END-66
    /// The addresses by kind as the interface shows them; the contact address for a kind without one.
    pub fn addresses_to_wire(&self, links: &Links<'_>) -> AddressesOfCustomer {
        let contact = std::slice::from_ref(&self.contact);
        let show = |list: &[CustomerAddress]| {
            let list = if list.is_empty() { contact } else { list };
            list.iter().map(|address| address.to_wire(links)).collect()
        };
        AddressesOfCustomer {
            contact: show(contact),
            delivery: show(&self.delivery),
            billing: show(&self.billing),
        }
    }

    // rule: R-END-73, R-END-75
    /// The customer as a search shows it: its keys with their six links, and the link to the customer.
    pub fn search_result_to_wire(&self, links: &Links<'_>) -> AddressSearchResult {
        let addresses = [
            ("adressen KundRech", self.billing_address().number),
            ("adressen KundKontakt", self.contact.number),
            ("adressen KundLief", self.delivery_address().number),
        ];
        let of_addresses = addresses.into_iter().flat_map(|(relation, number)| {
            ["GET", "PATCH"]
                .map(|method| links.to(method, relation, "adressen", &number.to_string()))
        });
        let all: Vec<Link> = of_addresses
            .chain([links.to("GET", "kunden", "kunden", &self.number)])
            .collect();
        AddressSearchResult {
            delivery_address: Some(self.delivery_address().number),
            billing_address: Some(self.billing_address().number),
            contact_address: Some(self.contact.number),
            customer_number: Some(self.number.clone()),
            links: Some(all),
        }
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
        let copy = DocumentAddress {
            number: None,
            address: address(&full()),
        };
        let rendered = serde_json::to_value(OrderAddress::from(&copy)).unwrap();
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
