//! Bodies of `POST /www/auftrag` and `PUT /www/auftrag` (interface: "Endpoints").

use super::AddressesBody;
use super::record::wire_record;

wire_record! {
    /// Body of `POST /www/auftrag`.
    pub struct OrderBody {
        /// Header of the order.
        header "GrundDaten": object(OrderBodyHeader) required,
        /// Addresses for this order only, instead of the customer's.
        addresses "Adressen": object(AddressesBody),
        /// The positions.
        positions "Positionen": list(PositionBody) required,
        /// Additional payment information.
        payments "Zahlung": list(PaymentBody),
    }
}

wire_record! {
    // rule: R-END-31
    /// `GrundDaten` of a new order.
    pub struct OrderBodyHeader {
        /// Customer number; required.
        customer_number "KundNr": char(8) required,
        /// Order number in the foreign system.
        foreign_number "AuftBestellNr": varchar(36),
        /// Order description.
        description "AuftBez": varchar(80),
        /// Order reference.
        reference "AuftBestellRef": varchar(60),
        /// Order date, RFC 3339.
        ordered_at "AuftBestellT": date_time,
        /// Delivery date, RFC 3339.
        delivery_at "AuftLieferT": date_time,
        /// Currency, ISO 4217; default: the leading currency.
        currency "WaehrAbk": char(4),
        /// Order comment.
        comment "AuftKomment": varchar(255),
        /// Cost bearer.
        cost_bearer "KTNr": char(6),
        /// Order location.
        location "StaoNr": int,
        /// Customer payment condition.
        payment_condition "KundBedTyp": tinyint,
        /// Delivery costs.
        delivery_costs "AuftLiefKost": money,
    }
}

wire_record! {
    // rule: R-END-34
    /// An entry of `Positionen` in a new order.
    pub struct PositionBody {
        /// Article number; required.
        article_number "ArtNr": char(15) required,
        /// Quantity in the base unit; required.
        quantity "Menge": float required,
        /// Position description; default: the article's.
        description "PosBez": varchar(2048),
        /// Unit price; default: determined by the business system.
        price "Preis": float,
        /// Packaging unit.
        packaging_unit "VPEinheit": varchar(30),
        /// Discount rate in percent.
        discount_rate "GRabSatz": float,
        /// Ordering number; default: 10, 20, 30 and so on.
        visible_number "VisPosNr": int,
    }
}

wire_record! {
    /// An entry of `Zahlung` in a new order. When the value is a payment method, the name is `payment_method`.
    pub struct PaymentBody {
        /// Name, for example of a transaction id.
        name "Bezeichnung": varchar(255),
        /// Value, for example the transaction id.
        value "Wert": varchar(200),
    }
}

wire_record! {
    /// Body of `PUT /www/auftrag`: makes an order of an offer.
    pub struct ConversionBody {
        /// Which offer, for which customer.
        header "GrundDaten": object(ConversionBodyHeader) required,
        /// Additional payment information.
        payments "Zahlung": list(PaymentBody),
    }
}

wire_record! {
    /// `GrundDaten` of a conversion.
    pub struct ConversionBodyHeader {
        /// Customer number; required.
        customer_number "KundNr": char(8) required,
        /// Offer number; required.
        offer_number "OffertNr": varchar(10) required,
    }
}
