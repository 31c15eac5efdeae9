//! Bodies of `POST /www/offerte` and `PATCH /www/offerte` (interface: "Endpoints").

use super::AddressesBody;
use super::record::wire_record;

wire_record! {
    /// Body of `POST /www/offerte`.
    pub struct OfferBody {
        /// Header of the offer.
        header "GrundDaten": object(OfferBodyHeader),
        /// Addresses for this offer only, instead of the customer's.
        addresses "Adressen": object(AddressesBody),
        /// The positions.
        positions "Positionen": list(OfferPositionBody) required,
    }
}

wire_record! {
    /// `GrundDaten` of a new offer.
    pub struct OfferBodyHeader {
        /// Customer number; without one the offer is a template.
        customer_number "KundNr": char(8),
        /// Order number in the foreign system.
        foreign_number "AuftBestellNr": varchar(36),
        /// Description.
        description "AuftBez": varchar(80),
        /// Order reference.
        reference "AuftBestellRef": varchar(60),
        /// Order date, RFC 3339.
        ordered_at "AuftBestellT": date_time,
        /// Delivery date, RFC 3339.
        delivery_at "AuftLieferT": date_time,
        /// Comment.
        comment "AuftKomment": varchar(255),
        /// Currency, ISO 4217; default: the leading currency.
        currency "WaehrAbk": char(4),
    }
}

wire_record! {
    /// An entry of `Positionen` in a new offer; its price is always the business system's.
    pub struct OfferPositionBody {
        /// Article number; required.
        article_number "ArtNr": char(15) required,
        /// Quantity in the base unit; required.
        quantity "Menge": float required,
        /// Packaging unit.
        packaging_unit "VPEinheit": varchar(30),
        /// Discount rate in percent.
        discount_rate "GRabSatz": float,
        /// Position description; default: the article's.
        description "PosBez": varchar(2048),
        /// Ordering number; default: 10, 20, 30 and so on.
        visible_number "VisPosNr": int,
    }
}

wire_record! {
    /// Body of `PATCH /www/offerte`.
    pub struct OfferChangeBody {
        /// The customer a template is given to.
        header "GrundDaten": object(OfferChangeBodyHeader),
        /// Changed, new and deleted positions.
        positions "Positionen": list(PositionChangeBody),
        /// Addresses that replace those of the offer; each must be complete.
        addresses "Adressen": object(AddressesBody),
    }
}

wire_record! {
    /// `GrundDaten` of an offer change.
    pub struct OfferChangeBodyHeader {
        /// Customer number; converts a template offer to this customer.
        customer_number "KundNr": char(8),
    }
}

wire_record! {
    /// An entry of `Positionen` in an offer change.
    pub struct PositionChangeBody {
        /// Position number; without one the entry is a new position.
        position_number "PosNr": int,
        /// Article number; required for a new position.
        article_number "ArtNr": char(15),
        /// Position description.
        description "PosBez": varchar(2048),
        /// Quantity in the base unit; 0 deletes the position. Required.
        quantity "Menge": float required,
        /// Discount rate in percent.
        discount_rate "GRabSatz": float,
    }
}
