//! The customer as `GET /www/kunden/{DebiNr}` returns it (interface: "Customer (Kunden), response shape").

use erp_derive::Record;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use crate::domain::master;
use crate::domain::request::CustomerDetails;
use crate::values::text::Text;
use crate::values::time::DocumentTime;
use crate::wire::{Attribute, Link, Links};

/// `data` of a customer. Only `status` and `links` are there of one that was forgotten.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
#[record(first("status WaehrAbk BrancheID AdrSprache KundLief KundRech KundKontakt"))]
#[record(first("VBTyp ZahlungsMethode KundBez"))]
pub struct Customer {
    /// Credit: 1 when the credit limit is greater than 0, otherwise 0.
    #[wire("status", one_zero, int, required)]
    pub has_credit: bool,
    /// Delivery address key.
    #[wire("KundLief")]
    pub delivery_address: i32,
    /// Billing address key.
    #[wire("KundRech")]
    pub billing_address: i32,
    /// Contact address key.
    #[wire("KundKontakt")]
    pub contact_address: i32,
    /// Customer designation.
    #[wire("KundBez", default)]
    pub designation: Text<24>,
    /// What a shop may set, and the industry.
    #[wire(group)]
    pub details: CustomerDetails,
    /// Payment condition of its orders, unless an order names another one.
    #[wire("KundBedTyp")]
    pub payment_condition: Option<u8>,
    /// Payment condition text in the language of the contact; only in the response to GET.
    #[wire("KundBedBez")]
    pub payment_condition_text: Option<Text<255>>,
    /// Today's tax rate of the customer in percent, in place of those of articles; only with a tax code of its own, and
    /// only in the response to GET.
    #[wire("WUSTSatz")]
    pub tax_rate: Option<Decimal>,
    /// Attributes of the customer.
    #[wire("attributes")]
    pub attributes: Option<Vec<Attribute>>,
    /// Linked resources.
    #[wire("links", required)]
    pub links: Vec<Link>,
    /// Orders of the customer, newest first.
    #[wire("Auftrag", list)]
    pub orders: Option<Vec<CustomerOrder>>,
}

/// `data` of a customer that was forgotten.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct ForgottenCustomer {
    /// 0: no credit.
    #[wire("status", one_zero, int, required)]
    pub has_credit: bool,
    /// Linked resources.
    #[wire("links", required)]
    pub links: Vec<Link>,
}

/// An entry of `Auftrag` of a customer.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct CustomerOrder {
    /// Status: N new, O open in processing, A completed, S canceled.
    #[wire("PlanStatus", char(1), required, words("N O A S"))]
    pub plan_status: SmolStr,
    /// Capture date, RFC 3339 in UTC.
    #[wire("AuftErf", required)]
    pub captured_at: DocumentTime,
    /// Capture date; the same value as `AuftErf`.
    #[wire("AuftErfUTC", required)]
    pub captured_at_utc: DocumentTime,
    /// Order number.
    #[wire("AuftNr", required)]
    pub order_number: Text<10>,
    /// Linked resources.
    #[wire("links", required)]
    pub links: Vec<Link>,
}

/// `data` of the response to a stored customer.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct CustomerNumberAnswer {
    /// Number of the customer.
    #[wire("DebiNr", string, required)]
    pub customer_number: Text<8>,
}

impl From<&Text<8>> for CustomerNumberAnswer {
    fn from(number: &Text<8>) -> Self {
        Self {
            customer_number: number.clone(),
        }
    }
}

impl master::Customer {
    // rule: R-RES-10
    /// The customer as the interface shows it, without its orders.
    pub fn to_wire(&self, links: &Links<'_>) -> Customer {
        Customer {
            has_credit: self.has_credit(),
            delivery_address: self.delivery_address().number,
            billing_address: self.billing_address().number,
            contact_address: self.contact.number,
            designation: self.designation.clone(),
            details: self.details.clone(),
            payment_condition: self.payment_condition,
            payment_condition_text: None,
            tax_rate: None,
            attributes: self.attributes.shown(),
            links: links_of(&self.number, links),
            orders: None,
        }
    }
}

impl master::ForgottenCustomer {
    /// What the interface shows of a customer that was forgotten.
    pub fn to_wire(&self, links: &Links<'_>) -> ForgottenCustomer {
        ForgottenCustomer {
            has_credit: false,
            links: links_of(&self.number, links),
        }
    }
}

fn links_of(number: &str, links: &Links<'_>) -> Vec<Link> {
    vec![
        links.to("GET", "kunden", "kunden", number),
        links.query("adressen", "adressen", &[("debinr", number)]),
    ]
}
