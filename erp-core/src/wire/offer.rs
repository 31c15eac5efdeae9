//! The offer as `GET`, `POST` and `PATCH /www/offerte` return it (interface: "Offer (Offerte),
//! response shape").

use super::record::wire_record;
use super::{OrderAddresses, Payment, Position, TaxRecapEntry};

wire_record! {
    /// `data` of an offer.
    pub struct Offer {
        /// Offer number.
        offer_number "OffertNr": varchar(10) required,
        /// Header of the offer.
        header "GrundDaten": object(OfferHeader) required,
        /// The three addresses, copied when the offer was made.
        addresses "Adressen": object(OrderAddresses) required,
        /// The positions, by their ordering number.
        positions "Positionen": list(Position) required,
        /// Tax recap, one entry per tax code.
        tax_recap "MWSTRekapitulation": list(TaxRecapEntry) required,
        /// Additional payment information; only in the response to GET.
        payments "Zahlung": list(Payment),
    }
}

wire_record! {
    /// `GrundDaten` of an offer. Dates are sent under both spellings with the same value.
    pub struct OfferHeader {
        /// Order location.
        location "StaoNr": int required,
        /// Customer number.
        customer_number "KundNr": char(8),
        /// Comment.
        comment "AuftKomment": varchar(255),
        /// Whether this is a template: `true` not assigned to a customer, `false` assigned.
        template "Template": bool required,
        /// Payment condition text in the language of the contact.
        payment_condition_text "KundBedBez": varchar(255),
        /// Customer payment condition.
        payment_condition "KundBedTyp": tinyint,
        /// Order day, RFC 3339 in UTC.
        ordered_at_utc "AuftBestellTUTC": date_time required,
        /// Delivery date, RFC 3339 in UTC.
        delivery_at_utc "AuftLieferTUTC": date_time,
        /// Delivery costs.
        delivery_costs "AuftLiefKost": money required,
        /// Status: N new, O open, A completed, P offer.
        status "AuftStatus": char(1) required,
        /// Order reference.
        reference "AuftBestellRef": varchar(60),
        /// Currency, ISO 4217.
        currency "WaehrAbk": char(4) required,
        /// Tax amount.
        tax "AuftWUST": money required,
        /// Gross amount: net amount plus tax amount.
        gross "AuftBrutto": money required,
        /// Net amount.
        net "AuftNetto": money required,
        /// Number of the order the offer became.
        order_number "AuftNr": varchar(10),
        /// Description.
        description "AuftBez": varchar(80),
        /// Order number in the foreign system.
        foreign_number "AuftBestellNr": varchar(36),
        /// Order day; the same value as `AuftBestellTUTC`.
        ordered_at "AuftBestellT": date_time required,
        /// Delivery date; the same value as `AuftLieferTUTC`.
        delivery_at "AuftLieferT": date_time,
    }
}
