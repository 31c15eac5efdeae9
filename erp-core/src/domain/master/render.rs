//! Converts customers to wire records.

use super::{Customer, CustomerAddress};
use crate::wire::{self, Link, Links};

impl Customer {
    // rule: R-RES-10
    /// The customer as the interface shows it, without its orders.
    #[must_use]
    pub fn to_wire(&self, links: &Links<'_>) -> wire::Customer {
        wire::Customer {
            status: i32::from(self.has_credit()),
            delivery_address: self.delivery_address().number,
            billing_address: self.billing_address().number,
            contact_address: self.contact.number,
            designation: self.designation.clone(),
            details: self.details.clone(),
            attributes: self.attributes.shown(),
            links: vec![
                links.to("GET", "kunden", "kunden", &self.number),
                links.query("adressen", "adressen", &[("debinr", &self.number)]),
            ],
            orders: None,
        }
    }

    // rule: R-END-66
    /// The addresses by kind as the interface shows them; the contact address for a kind without one.
    #[must_use]
    pub fn addresses_to_wire(&self, links: &Links<'_>) -> wire::AddressesOfCustomer {
        let contact = std::slice::from_ref(&self.contact);
        let show = |list: &[CustomerAddress]| {
            let list = if list.is_empty() { contact } else { list };
            list.iter().map(|address| address.to_wire(links)).collect()
        };
        wire::AddressesOfCustomer {
            contact: show(contact),
            delivery: show(&self.delivery),
            billing: show(&self.billing),
        }
    }

    // rule: R-END-73, R-END-75
    /// The customer as a search shows it: its keys with their six links, and the link to the customer.
    #[must_use]
    pub fn search_result_to_wire(&self, links: &Links<'_>) -> wire::AddressSearchResult {
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
        wire::AddressSearchResult {
            delivery_address: Some(self.delivery_address().number),
            billing_address: Some(self.billing_address().number),
            contact_address: Some(self.contact.number),
            customer_number: Some(self.number.clone()),
            links: Some(all),
        }
    }
}

impl CustomerAddress {
    // rule: R-END-68
    /// The address as a list shows it, with its number and links.
    #[must_use]
    pub fn to_wire(&self, links: &Links<'_>) -> wire::AddressRecord {
        let number = self.number.to_string();
        let link = |method| links.to(method, "adressen", "adressen", &number);
        wire::AddressRecord {
            number: Some(self.number),
            links: Some(vec![link("GET"), link("PATCH")]),
            ..wire::AddressRecord::from(&self.address)
        }
    }
}
