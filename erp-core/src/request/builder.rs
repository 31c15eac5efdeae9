//! Bodies built in Rust. A builder makes the same record that JSON is read into, so its values are checked by the same
//! rules and problems name the same fields.

use std::borrow::Cow;

use jiff::Timestamp;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use crate::Number;
use crate::time::format_instant;
use crate::wire::json::{AsJson, Json};
use crate::wire::{
    AddressBody, AddressesBody, CustomerBody, OfferBody, OfferPositionBody, OrderBody, PaymentBody,
    PositionBody,
};

/// A new order, built field by field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderBuilder(OrderBody);

/// A new offer, built field by field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfferBuilder(OfferBody);

/// A customer, built field by field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomerBuilder(CustomerBody);

/// Methods that set a text of the header.
macro_rules! header_texts {
    ($($(#[doc = $doc:literal])+ $name:ident),+ $(,)?) => {
        $(
            $(#[doc = $doc])+
            #[must_use]
            pub fn $name(mut self, value: impl Into<SmolStr>) -> Self {
                self.0.header.get_or_insert_default().$name = Some(value.into());
                self
            }
        )+
    };
}

/// Methods that orders and offers share.
macro_rules! document_methods {
    () => {
        header_texts! {
            /// Order number in the foreign system (`AuftBestellNr`).
            foreign_number,
            /// Description (`AuftBez`).
            description,
            /// Order reference (`AuftBestellRef`).
            reference,
            /// Comment (`AuftKomment`).
            comment,
            /// Currency; without one the leading currency (`WaehrAbk`).
            currency,
        }

        /// Order date (`AuftBestellT`).
        #[must_use]
        pub fn ordered_at(mut self, time: Timestamp) -> Self {
            self.0.header.get_or_insert_default().ordered_at = Some(format_instant(time).into());
            self
        }

        /// Delivery date (`AuftLieferT`).
        #[must_use]
        pub fn delivery_at(mut self, time: Timestamp) -> Self {
            self.0.header.get_or_insert_default().delivery_at = Some(format_instant(time).into());
            self
        }

        /// Addresses for this document only, instead of the customer's (`Adressen`).
        #[must_use]
        pub fn addresses(mut self, addresses: AddressesBody) -> Self {
            self.0.addresses = Some(addresses);
            self
        }
    };
}

impl OrderBuilder {
    pub(super) fn new(customer: impl Into<SmolStr>) -> Self {
        let mut order = Self::default();
        order.0.header.get_or_insert_default().customer_number = Some(customer.into());
        order
    }

    document_methods!();

    header_texts! {
        /// Cost bearer (`KTNr`).
        cost_bearer,
    }

    /// Delivery costs (`AuftLiefKost`).
    #[must_use]
    pub fn delivery_costs(mut self, costs: impl Into<Decimal>) -> Self {
        self.0.header.get_or_insert_default().delivery_costs = Some(Number(costs.into()));
        self
    }

    /// Adds a position with the price of the business system.
    #[must_use]
    pub fn position(self, article: impl Into<SmolStr>, quantity: impl Into<Decimal>) -> Self {
        self.with_position(PositionBody {
            article_number: Some(article.into()),
            quantity: Some(Number(quantity.into())),
            ..PositionBody::default()
        })
    }

    /// Adds a position with a price, packaging unit, discount or description of its own.
    #[must_use]
    pub fn with_position(mut self, position: PositionBody) -> Self {
        self.0.positions.get_or_insert_default().push(position);
        self
    }

    /// Adds payment information (`Zahlung`).
    #[must_use]
    pub fn payment(mut self, name: impl Into<SmolStr>, value: impl Into<SmolStr>) -> Self {
        self.0.payments.get_or_insert_default().push(PaymentBody {
            name: Some(name.into()),
            value: Some(value.into()),
        });
        self
    }
}

impl OfferBuilder {
    document_methods!();

    header_texts! {
        /// Customer number; without one the offer is a template (`KundNr`).
        customer_number,
    }

    /// Adds a position.
    #[must_use]
    pub fn position(self, article: impl Into<SmolStr>, quantity: impl Into<Decimal>) -> Self {
        self.with_position(OfferPositionBody {
            article_number: Some(article.into()),
            quantity: Some(Number(quantity.into())),
            ..OfferPositionBody::default()
        })
    }

    /// Adds a position with a packaging unit, discount or description of its own.
    #[must_use]
    pub fn with_position(mut self, position: OfferPositionBody) -> Self {
        self.0.positions.get_or_insert_default().push(position);
        self
    }
}

impl CustomerBuilder {
    pub(super) fn new(
        currency: impl Into<SmolStr>,
        payment_type: impl Into<SmolStr>,
        contact: AddressBody,
    ) -> Self {
        let mut customer = Self::default();
        let header = customer.0.header.get_or_insert_default();
        header.currency = Some(currency.into());
        header.payment_type = Some(payment_type.into());
        customer.0.addresses.get_or_insert_default().contact = Some(contact);
        customer
    }

    header_texts! {
        /// Language; without one that of the contact address (`AdrSprache`).
        language,
        /// Payment methods, comma separated: `K`, `R` (`ZahlungsMethode`).
        payment_methods,
        /// Shipping condition type (`VBTyp`).
        shipping_condition,
        /// Transport insurance type (`TVTyp`).
        transport_insurance,
        /// Comment (`Kommentar`).
        comment,
        /// Tax number (`SteuerNummer`).
        tax_number,
        /// Web address of the company (`FirmenURL`).
        website,
    }

    /// Credit limit in whole units of the currency (`KreditLimit`).
    #[must_use]
    pub fn credit_limit(mut self, limit: i32) -> Self {
        self.0.header.get_or_insert_default().credit_limit = Some(limit);
        self
    }

    /// Delivery address (`LiefAdr`).
    #[must_use]
    pub fn delivery(mut self, address: AddressBody) -> Self {
        self.0.addresses.get_or_insert_default().delivery = Some(address);
        self
    }

    /// Billing address (`RechAdr`).
    #[must_use]
    pub fn billing(mut self, address: AddressBody) -> Self {
        self.0.addresses.get_or_insert_default().billing = Some(address);
        self
    }
}

macro_rules! as_record {
    ($($builder:ident),+) => {
        $(
            impl AsJson for $builder {
                fn as_json(&self) -> Cow<'_, Json> {
                    self.0.as_json()
                }
            }
        )+
    };
}

as_record!(OrderBuilder, OfferBuilder, CustomerBuilder);

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::problem::Code;
    use crate::request::{CustomerRequest, OfferRequest, OrderRequest};
    use crate::wire::Reading;

    const STRICT: Reading = Reading { strict: true };

    fn address() -> AddressBody {
        AddressBody {
            language: Some("ger".into()),
            salutation: Some(0),
            company: Some("Käufer AG".into()),
            street: Some("Weg 1".into()),
            country: Some("CH".into()),
            postal_code: Some("8001".into()),
            town: Some("Zürich".into()),
            ..AddressBody::default()
        }
    }

    #[test]
    fn a_built_order_is_the_order_of_its_json() {
        let time: Timestamp = "2026-03-31T10:00:00Z".parse().unwrap();
        let built = OrderRequest::builder("10001")
            .foreign_number("F-1")
            .currency("EUR")
            .ordered_at(time)
            .delivery_costs(Decimal::new(950, 2))
            .position("A-1", 2)
            .with_position(PositionBody {
                article_number: Some("B".into()),
                quantity: Some(Number(Decimal::new(1_234_567, 6))),
                price: Some(Number(Decimal::new(125, 2))),
                ..PositionBody::default()
            })
            .payment("payment_method", "K");
        let json = json!({
            "GrundDaten": {"KundNr": "10001", "AuftBestellNr": "F-1", "WaehrAbk": "EUR",
                "AuftBestellT": "2026-03-31T10:00:00Z", "AuftLiefKost": 9.5},
            "Positionen": [{"ArtNr": "A-1", "Menge": 2}, {"ArtNr": "B", "Menge": 1.234567, "Preis": 1.25}],
            "Zahlung": [{"Bezeichnung": "payment_method", "Wert": "K"}],
        });
        let read = |body: Json| OrderRequest::parse(&body, STRICT, &TimeZone::UTC).unwrap();
        assert_eq!(read(built.as_json().into_owned()), read(json.into()));
    }

    #[test]
    fn what_is_wrong_with_a_built_body_has_the_path_of_its_json() {
        let built = OrderRequest::builder(" ")
            .comment("x".repeat(256))
            .position("A", -1);
        let problems = OrderRequest::parse(&built, STRICT, &TimeZone::UTC).unwrap_err();
        let found: Vec<_> = problems
            .as_slice()
            .iter()
            .map(|of| (of.path.as_str(), of.code))
            .collect();
        let expected = [
            ("GrundDaten.AuftKomment", Code::TooLong),
            ("GrundDaten.KundNr", Code::Required),
            ("Positionen[0].Menge", Code::OutOfRange),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn offers_and_customers_are_built_alike() {
        let template = OfferRequest::builder().position("A", 1);
        let template = OfferRequest::parse(&template, STRICT, &TimeZone::UTC).unwrap();
        assert_eq!((template.customer, template.positions.len()), (None, 1));
        let customer = CustomerRequest::builder("CHF", "B", address())
            .payment_methods("K,R")
            .credit_limit(500)
            .billing(address());
        let customer = CustomerRequest::parse(&customer, STRICT).unwrap();
        assert_eq!(customer.billing, Some(customer.contact));
        assert_eq!(
            (customer.credit_limit, customer.payment_methods.len()),
            (500, 2)
        );
    }
}
