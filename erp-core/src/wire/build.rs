//! Bodies built in Rust, field by field. Their values are checked by the same rules as those of a JSON body, and problems
//! name the same fields.

use jiff::Timestamp;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::{
    AddressBody, AddressesBody, CustomerBody, OfferBody, OfferPositionBody, OrderBody, PaymentBody,
    PositionBody,
};
use crate::values::number::Number;
use crate::values::time::format_instant;

/// Methods that set a text of the header.
macro_rules! header_texts {
    ($($(#[doc = $doc:literal])+ $name:ident),+ $(,)?) => {
        $(
            $(#[doc = $doc])+
            #[must_use]
            pub fn $name(mut self, value: impl Into<SmolStr>) -> Self {
                self.header.get_or_insert_default().$name = Some(value.into());
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
            self.header.get_or_insert_default().ordered_at = Some(format_instant(time));
            self
        }

        /// Delivery date (`AuftLieferT`).
        #[must_use]
        pub fn delivery_at(mut self, time: Timestamp) -> Self {
            self.header.get_or_insert_default().delivery_at = Some(format_instant(time));
            self
        }

        /// Addresses for this document only, instead of the customer's (`Adressen`).
        #[must_use]
        pub fn addresses(mut self, addresses: AddressesBody) -> Self {
            self.addresses = Some(addresses);
            self
        }
    };
}

impl OrderBody {
    /// A new order of a customer, still without positions.
    #[must_use]
    pub fn of(customer: impl Into<SmolStr>) -> Self {
        let mut order = Self::default();
        order.header.get_or_insert_default().customer_number = Some(customer.into());
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
        self.header.get_or_insert_default().delivery_costs = Some(Number(costs.into()));
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
        self.positions.get_or_insert_default().push(position);
        self
    }

    /// Adds payment information (`Zahlung`).
    #[must_use]
    pub fn payment(mut self, name: impl Into<SmolStr>, value: impl Into<SmolStr>) -> Self {
        self.payments.get_or_insert_default().push(PaymentBody {
            name: Some(name.into()),
            value: Some(value.into()),
        });
        self
    }
}

impl OfferBody {
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
        self.positions.get_or_insert_default().push(position);
        self
    }
}

impl CustomerBody {
    /// A customer. `payment_type` is L direct debit, B cash or credit card, or another letter (`FAKTZahlArt`).
    #[must_use]
    pub fn of(
        currency: impl Into<SmolStr>,
        payment_type: impl Into<SmolStr>,
        contact: AddressBody,
    ) -> Self {
        let mut customer = Self::default();
        let header = customer.header.get_or_insert_default();
        header.currency = Some(currency.into());
        header.payment_type = Some(payment_type.into());
        customer.addresses.get_or_insert_default().contact = Some(contact);
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
        self.header.get_or_insert_default().credit_limit = Some(limit);
        self
    }

    /// Delivery address (`LiefAdr`).
    #[must_use]
    pub fn delivery(mut self, address: AddressBody) -> Self {
        self.addresses.get_or_insert_default().delivery = Some(address);
        self
    }

    /// Billing address (`RechAdr`).
    #[must_use]
    pub fn billing(mut self, address: AddressBody) -> Self {
        self.addresses.get_or_insert_default().billing = Some(address);
        self
    }
}
