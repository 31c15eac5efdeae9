//! The order as `GET /www/auftrag/{AuftNr}` returns it (interface: "Order (Auftrag), response shape").

use super::OrderAddresses;
use super::record::wire_record;
use crate::values::text::Text;

wire_record! {
    /// `data` of an order.
    pub struct Order {
        /// Header of the order.
        header "GrundDaten": object(OrderHeader) required,
        /// The three addresses, copied when the order was made.
        addresses "Adressen": object(OrderAddresses) required,
        /// The positions, by their ordering number.
        positions "Positionen": list(Position) required,
        /// Tax recap, one entry per tax code.
        tax_recap "MWSTRekapitulation": list(TaxRecapEntry) required,
        /// Additional payment information.
        payments "Zahlung": list(Payment) required,
    }
}

wire_record! {
    // The customer number and the three amounts come from the examples and the decisions.
    /// `GrundDaten` of an order. Dates are sent under both spellings with the same value.
    pub struct OrderHeader {
        /// Order number.
        order_number "AuftNr": varchar(10) required,
        /// Customer number.
        customer_number "KundNr": char(8) required,
        /// Order description.
        description "AuftBez": varchar(80),
        /// Order number in the foreign system.
        foreign_number "AuftBestellNr": varchar(36),
        /// Order reference.
        reference "AuftBestellRef": varchar(60),
        /// Order date, RFC 3339 in UTC.
        ordered_at "AuftBestellT": date_time required,
        /// Order date, RFC 3339 in UTC; the same value as `AuftBestellT`.
        ordered_at_utc "AuftBestellTUTC": date_time required,
        /// Delivery date, RFC 3339 in UTC.
        delivery_at "AuftLieferT": date_time,
        /// Delivery date, RFC 3339 in UTC; the same value as `AuftLieferT`.
        delivery_at_utc "AuftLieferTUTC": date_time,
        /// Currency, ISO 4217.
        currency "WaehrAbk": char(4) required,
        /// Order comment.
        comment "AuftKomment": varchar(255),
        /// Customer payment condition.
        payment_condition "KundBedTyp": tinyint,
        /// Delivery costs.
        delivery_costs "AuftLiefKost": money required,
        /// Order location.
        location "StaoNr": int required,
        /// Status: N new, O open, A completed, P offer.
        status "AuftStatus": char(1) required,
        /// Net amount.
        net "AuftNetto": money required,
        /// Tax amount.
        tax "AuftWUST": money required,
        /// Gross amount: net amount plus tax amount.
        gross "AuftBrutto": money required,
    }
}

wire_record! {
    /// An entry of `Positionen` in orders and offers.
    pub struct Position {
        /// Position number, stable within the document.
        position_number "PosNr": int required,
        /// Ordering number.
        visible_number "VisPosNr": int required,
        /// Article number; absent in a cash rounding position.
        article_number "ArtNr": char(15),
        /// Position description.
        description "PosBez": varchar(2048),
        /// Ordered quantity in the base unit.
        quantity "PosAnzBest": float required,
        /// Price basis: how many base units the unit price is for.
        price_basis "PosPreisBasis": float required,
        /// Unit price.
        unit_price "PosPreisEinzel": float required,
        /// Total price after discount.
        total "PosPreisTotal": float required,
        /// Tax value of the position.
        tax "PosPreisWUSTBetrag": float required,
        /// Quantity in the packaging unit.
        packaging_quantity "VPEAnzBest": float,
        /// Unit price of the packaging unit.
        packaging_price "VPEPreisEinzel": float,
        /// Packaging unit.
        packaging_unit "VPEinheit": varchar(30),
        /// Tax rate in percent.
        tax_rate "WUSTSatz": float required,
        /// Discount rate in percent; absent in a cash rounding position.
        discount_rate "GRabSatz": float,
        /// Discount designation; declared float in the table, a number therefore.
        discount_designation "GRabBez": float,
    }
}

wire_record! {
    /// An entry of `MWSTRekapitulation`: what the positions of one tax code sum up to.
    pub struct TaxRecapEntry {
        /// Fixed section name for the tax recap.
        section "Abschnitt": text required,
        /// Currency, ISO 4217.
        currency "WaehrAbk": char(4) required,
        /// Tax value of the positions, summed per rate.
        tax "PosWUST": float required,
        /// Tax form figure for the input tax amount.
        input_tax_figure "PosVSTSZiffer": text,
        /// Tax rate in percent.
        rate "PosWUSTSatz": float required,
        /// Designation of the tax rate.
        designation "PosWUSTBez": text,
        /// Net amount of the positions, summed per rate.
        net "PosBetragNetto": float required,
        /// Tax form figure for the sales tax amount.
        sales_tax_figure "PosUSTSZiffer": text,
        /// Internal tax code of the business system.
        tax_code "PosWUSTCode": text required,
        /// Layout of the tax return: D German, C Swiss, X other.
        tax_class "PosWUSTKlasse": text required,
        /// Tax form figure for the turnover amount.
        turnover_figure "PosUSTUZiffer": text,
    }
}

wire_record! {
    /// An entry of `Zahlung`: additional payment information.
    pub struct Payment {
        /// Name, for example of a transaction id; `Dienstleister` and `TransID` are reserved for later assignment.
        name "Bezeichnung": varchar(255),
        /// Value, for example the transaction id.
        value "Wert": varchar(200),
        /// Unique assignment within the order.
        key "Key": varchar(12) required,
    }
}

wire_record! {
    /// `data` of the response to a created order or a converted offer.
    pub struct OrderNumberAnswer {
        /// Number of the order.
        order_number "AuftNr": varchar(10) required,
    }
}

impl From<&Text<10>> for OrderNumberAnswer {
    fn from(number: &Text<10>) -> Self {
        Self {
            order_number: Some(number.clone().into()),
        }
    }
}
