//! The customer as `GET /www/kunden/{DebiNr}` returns it (interface: "Customer (Kunden), response shape").

use super::record::wire_record;
use super::{Attribute, Link};
use crate::values::text::Text;

wire_record! {
    /// `data` of a customer.
    pub struct Customer {
        /// Credit: 1 when the credit limit is greater than 0, otherwise 0.
        status: int required,
        /// Customer currency, ISO 4217.
        currency "WaehrAbk": char(4) required,
        /// Industry id.
        industry "BrancheID": varchar(12),
        /// Customer language, ISO 639-2/B.
        language "AdrSprache": text required,
        /// Delivery address key.
        delivery_address "KundLief": int required,
        /// Billing address key.
        billing_address "KundRech": int required,
        /// Contact address key.
        contact_address "KundKontakt": int required,
        /// Shipping condition type.
        shipping_condition "VBTyp": varchar(12),
        /// Payment methods, comma separated: K credit card (outside the business system), R invoice (via the business system).
        payment_methods "ZahlungsMethode": text,
        /// Customer designation.
        designation "KundBez": varchar(24),
        /// Comment on the customer.
        comment "Kommentar": varchar(255),
        /// Attributes of the customer.
        attributes: list(Attribute),
        /// Linked resources.
        links: list(Link) required,
        /// Orders of the customer, newest first.
        orders "Auftrag": list(CustomerOrder),
    }
}

wire_record! {
    /// An entry of `Auftrag` of a customer.
    pub struct CustomerOrder {
        /// Status: N new, O open in processing, A completed.
        plan_status "PlanStatus": char(1) required,
        /// Capture date, RFC 3339 in UTC.
        captured_at "AuftErf": date_time required,
        /// Capture date; the same value as `AuftErf`.
        captured_at_utc "AuftErfUTC": date_time required,
        /// Order number.
        order_number "AuftNr": varchar(10) required,
        /// Linked resources.
        links: list(Link) required,
    }
}

wire_record! {
    /// `data` of the response to a stored customer.
    pub struct CustomerNumberAnswer {
        /// Number of the customer.
        customer_number "DebiNr": text required,
    }
}

impl From<&Text<8>> for CustomerNumberAnswer {
    fn from(number: &Text<8>) -> Self {
        Self {
            customer_number: Some(number.clone().into()),
        }
    }
}
