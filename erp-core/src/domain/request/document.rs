//! Request bodies of new orders and offers, and of conversions of offers.

use jiff::tz::TimeZone;
use rust_decimal::Decimal;

use super::{AddressesRequest, PositionRequest, currency_of, customer_of};
use crate::values::codes::Currency;
use crate::values::json::AsJson;
use crate::values::limits::PAYMENTS_PER_DOCUMENT;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::values::time::DocumentTime;
use crate::wire::members::{Members, Range, read_body, read_partial};
use crate::wire::{
    ConversionBody, OfferBody, OfferPositionBody, OrderBody, OrderBodyHeader, PaymentBody,
    PositionBody, Reading,
};

// rule: R-END-01, R-END-42
/// The body of `POST /www/auftrag` or of `POST /www/offerte`, which has no prices, costs and payments of its own. Of a
/// body with problems it has the parts without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentRequest {
    /// Customer number; without one an offer is a template (`KundNr`).
    pub customer: Option<Text<8>>,
    /// Order number in the foreign system (`AuftBestellNr`).
    pub foreign_number: Option<Text<36>>,
    /// Description (`AuftBez`).
    pub description: Option<Text<80>>,
    /// Order reference (`AuftBestellRef`).
    pub reference: Option<Text<60>>,
    /// Order date (`AuftBestellT`).
    pub ordered_at: Option<DocumentTime>,
    /// Delivery date (`AuftLieferT`).
    pub delivery_at: Option<DocumentTime>,
    /// Currency; without one the leading currency (`WaehrAbk`).
    pub currency: Option<Currency>,
    /// Comment (`AuftKomment`).
    pub comment: Option<Text<255>>,
    /// Cost bearer (`KTNr`).
    pub cost_bearer: Option<Text<6>>,
    /// Order location (`StaoNr`).
    pub location: Option<i32>,
    /// Customer payment condition (`KundBedTyp`).
    pub payment_condition: Option<u8>,
    /// Delivery costs, 0 or more (`AuftLiefKost`).
    pub delivery_costs: Option<Decimal>,
    /// Addresses for this document only (`Adressen`).
    pub addresses: AddressesRequest,
    /// The positions with their index in the body (`Positionen`).
    pub positions: Vec<(usize, PositionRequest)>,
    /// Additional payment information (`Zahlung`).
    pub payments: Vec<PaymentRequest>,
}

/// An entry of `Zahlung`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentRequest {
    /// Name (`Bezeichnung`).
    pub name: Option<Text<255>>,
    /// Value (`Wert`).
    pub value: Option<Text<200>>,
}

/// The body of `PUT /www/auftrag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionRequest {
    /// Customer number (`KundNr`).
    pub customer: Text<8>,
    /// Offer number (`OffertNr`).
    pub offer: Text<10>,
    /// Additional payment information (`Zahlung`).
    pub payments: Vec<PaymentRequest>,
}

impl DocumentRequest {
    /// Reads the body of an order: what of it can be read, and every problem. `zone` is the company's time zone, for
    /// dates without a time.
    #[must_use]
    pub fn of_order(body: &impl AsJson, how: Reading, zone: &TimeZone) -> (Self, Problems) {
        let json = &*body.as_json();
        read_partial(json, how, |body: &OrderBody, problems| Self {
            customer: customer_of(json),
            currency: currency_of(json),
            ..Self::check(body, true, zone, problems)
        })
    }

    /// Reads the body of an offer in the same way.
    #[must_use]
    pub fn of_offer(body: &impl AsJson, how: Reading, zone: &TimeZone) -> (Self, Problems) {
        let json = &*body.as_json();
        read_partial(json, how, |body: &OfferBody, problems| Self {
            customer: customer_of(json),
            currency: currency_of(json),
            ..Self::check(&as_order(body), false, zone, problems)
        })
    }

    fn check(
        body: &OrderBody,
        needs_customer: bool,
        zone: &TimeZone,
        problems: &mut Problems,
    ) -> Self {
        let no_header = OrderBodyHeader::default();
        let header = body.header.as_ref().unwrap_or(&no_header);
        let path = Path::ROOT.member("GrundDaten");
        let mut members = Members::new(&path, problems);
        let customer: Option<Text<8>> = members.key("KundNr", header.customer_number.as_ref());
        if needs_customer {
            members.required("KundNr", customer);
        }
        let request = Self {
            foreign_number: members.name("AuftBestellNr", header.foreign_number.as_ref()),
            description: members.text("AuftBez", header.description.as_ref()),
            reference: members.name("AuftBestellRef", header.reference.as_ref()),
            ordered_at: members.instant("AuftBestellT", header.ordered_at.as_ref(), zone),
            delivery_at: members.instant("AuftLieferT", header.delivery_at.as_ref(), zone),
            currency: members.currency("WaehrAbk", header.currency.as_ref()),
            comment: members.text("AuftKomment", header.comment.as_ref()),
            cost_bearer: members.key("KTNr", header.cost_bearer.as_ref()),
            location: header.location,
            payment_condition: header.payment_condition,
            delivery_costs: members.decimal("AuftLiefKost", header.delivery_costs, Range::AMOUNT),
            ..Self::default()
        };
        Self {
            addresses: AddressesRequest::check(body.addresses.as_ref(), problems),
            positions: PositionRequest::check_all(body.positions.as_ref(), problems),
            payments: PaymentRequest::check_all(body.payments.as_deref(), problems),
            ..request
        }
    }
}

/// The body of an offer as that of an order without prices.
fn as_order(body: &OfferBody) -> OrderBody {
    let header = body.header.clone().unwrap_or_default();
    let position = |position: OfferPositionBody| PositionBody {
        article_number: position.article_number,
        quantity: position.quantity,
        description: position.description,
        price: None,
        packaging_unit: position.packaging_unit,
        discount_rate: position.discount_rate,
        visible_number: position.visible_number,
    };
    let positions = body.positions.clone();
    OrderBody {
        header: Some(OrderBodyHeader {
            customer_number: header.customer_number,
            foreign_number: header.foreign_number,
            description: header.description,
            reference: header.reference,
            ordered_at: header.ordered_at,
            delivery_at: header.delivery_at,
            currency: header.currency,
            comment: header.comment,
            ..OrderBodyHeader::default()
        }),
        addresses: body.addresses.clone(),
        positions: positions.map(|list| list.into_iter().map(position).collect()),
        payments: None,
    }
}

impl PaymentRequest {
    fn check_all(bodies: Option<&[PaymentBody]>, problems: &mut Problems) -> Vec<Self> {
        let path = Path::ROOT.member("Zahlung");
        let bodies = bodies.unwrap_or_default();
        if bodies.len() > PAYMENTS_PER_DOCUMENT {
            let found = bodies.len();
            let message = format!("{found} entries, at most {PAYMENTS_PER_DOCUMENT} are allowed");
            problems.add_limit(&path, Code::TooMany, PAYMENTS_PER_DOCUMENT as u64, message);
            return Vec::new();
        }
        let check = |(at, body): (usize, &PaymentBody)| {
            let path = path.index(at);
            let mut members = Members::new(&path, problems);
            Self {
                name: members.text("Bezeichnung", body.name.as_ref()),
                value: members.text("Wert", body.value.as_ref()),
            }
        };
        bodies.iter().enumerate().map(check).collect()
    }
}

impl ConversionRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// Every problem of the body.
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        let body = &*body.as_json();
        read_body(body, how, |body: &ConversionBody, problems| {
            let header = body.header.clone().unwrap_or_default();
            let path = Path::ROOT.member("GrundDaten");
            let mut members = Members::new(&path, problems);
            let customer = members.key("KundNr", header.customer_number.as_ref());
            let customer = members.required("KundNr", customer);
            let offer = members.key("OffertNr", header.offer_number.as_ref());
            let offer = members.required("OffertNr", offer);
            let payments = PaymentRequest::check_all(body.payments.as_deref(), problems);
            Some(Self {
                customer: customer?,
                offer: offer?,
                payments,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(body: &Value) -> Result<DocumentRequest, Vec<(String, Code)>> {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let (order, problems) = DocumentRequest::of_order(body, Reading::default(), &zone);
        problems.or_else_value(Some(order)).map_err(places)
    }

    fn places(problems: Problems) -> Vec<(String, Code)> {
        problems
            .into_vec()
            .into_iter()
            .map(|problem| (problem.path, problem.code))
            .collect()
    }

    fn order() -> Value {
        json!({
            "GrundDaten": {"KundNr": "10001"},
            "Positionen": [{"ArtNr": "A-1", "Menge": 2}],
        })
    }

    // rule: R-END-01, R-END-31
    #[test]
    fn the_smallest_order_is_read() {
        let order = parse(&order()).unwrap();
        assert_eq!(order.customer.as_deref(), Some("10001"));
        let [(0, position)] = order.positions.as_slice() else {
            panic!("{:?}", order.positions);
        };
        assert_eq!(position.article, "A-1");
        assert_eq!(position.quantity, Decimal::from(2));
        assert_eq!(order.addresses, AddressesRequest::default());
        assert!(order.payments.is_empty());
        assert_eq!(order.currency, None);
    }

    // rule: R-END-01, R-END-31, R-END-34
    #[test]
    fn every_member_of_an_order_arrives() {
        let body = json!({
            "GrundDaten": {
                "KundNr": "10001   ", "AuftBestellNr": "F-1", "AuftBez": "Büro", "AuftBestellRef": "R",
                "AuftBestellT": "2026-03-31T10:00:00+02:00", "AuftLieferT": "2026-04-02",
                "WaehrAbk": "eur ", "AuftKomment": "bitte klingeln", "KTNr": "KT1", "StaoNr": 3,
                "KundBedTyp": 30, "AuftLiefKost": 9.50
            },
            "Positionen": [{
                "ArtNr": "A-1            ", "Menge": 24.5, "PosBez": "Stift", "Preis": 1.25,
                "VPEinheit": "KARTON", "GRabSatz": 5, "VisPosNr": 20
            }],
            "Zahlung": [{"Bezeichnung": "payment_method", "Wert": "Karte"}, {"Bezeichnung": ""}],
        });
        let order = parse(&body).unwrap();
        let time = |text: &str| Some(text.parse().unwrap());
        assert_eq!(order.customer.as_deref(), Some("10001"));
        assert_eq!(order.foreign_number.as_deref(), Some("F-1"));
        assert_eq!(order.description.as_deref(), Some("Büro"));
        assert_eq!(order.reference.as_deref(), Some("R"));
        assert_eq!(order.ordered_at, time("2026-03-31T08:00:00Z"));
        assert_eq!(order.delivery_at, time("2026-04-01T23:00:00Z"));
        assert_eq!(order.currency, Some(Currency::EUR));
        assert_eq!(order.comment.as_deref(), Some("bitte klingeln"));
        assert_eq!(order.cost_bearer.as_deref(), Some("KT1"));
        assert_eq!(
            (order.location, order.payment_condition),
            (Some(3), Some(30))
        );
        assert_eq!(order.delivery_costs, Some(Decimal::new(95, 1)));
        let expected = PositionRequest {
            article: Text::new("A-1").unwrap(),
            quantity: Decimal::new(245, 1),
            description: Some(Text::new("Stift").unwrap()),
            price: Some(Decimal::new(125, 2)),
            unit: Some(Text::new("KARTON").unwrap()),
            discount_rate: Some(Decimal::from(5)),
            visible_number: Some(20),
            is_complete: true,
        };
        assert_eq!(order.positions, [(0, expected)]);
        assert_eq!(order.payments[0].value.as_deref(), Some("Karte"));
        assert_eq!(order.payments[1], PaymentRequest::default());
    }

    // rule: D-REQ-10, D-REQ-18
    #[test]
    fn every_problem_is_told_at_once_and_once() {
        let body = json!({
            "GrundDaten": {
                "KundNr": "  ", "AuftBez": "x".repeat(81), "AuftBestellT": "31.3.2026",
                "WaehrAbk": "XXX", "StaoNr": "1", "KundBedTyp": 256, "AuftLiefKost": -1
            },
            "Adressen": {"LiefAdr": {"AdrAnrede": 3}},
            "Positionen": [
                {"ArtNr": 7, "Menge": "2"},
                {"Menge": 0, "GRabSatz": 101, "Preis": -1},
                4,
                {"ArtNr": "A", "Menge": 0.0000001},
            ],
        });
        let mut expected = vec![
            ("Adressen.LiefAdr.AdrAdresse1", Code::Required),
            ("Adressen.LiefAdr.AdrAnrede", Code::UnknownValue),
            ("Adressen.LiefAdr.AdrFirma", Code::Required),
            ("Adressen.LiefAdr.AdrSprache", Code::Required),
            ("Adressen.LiefAdr.OrtLand", Code::Required),
            ("Adressen.LiefAdr.OrtName", Code::Required),
            ("Adressen.LiefAdr.OrtPLZ", Code::Required),
            ("GrundDaten.AuftBestellT", Code::Malformed),
            ("GrundDaten.AuftBez", Code::TooLong),
            ("GrundDaten.AuftLiefKost", Code::OutOfRange),
            ("GrundDaten.KundBedTyp", Code::OutOfRange),
            ("GrundDaten.KundNr", Code::Required),
            ("GrundDaten.StaoNr", Code::WrongType),
            ("GrundDaten.WaehrAbk", Code::UnknownCurrency),
            ("Positionen[0].ArtNr", Code::WrongType),
            ("Positionen[0].Menge", Code::WrongType),
            ("Positionen[1].ArtNr", Code::Required),
            ("Positionen[1].GRabSatz", Code::OutOfRange),
            ("Positionen[1].Menge", Code::OutOfRange),
            ("Positionen[1].Preis", Code::OutOfRange),
            ("Positionen[2]", Code::WrongType),
            ("Positionen[3].Menge", Code::TooPrecise),
        ];
        let mut found = parse(&body).unwrap_err();
        found.sort();
        expected.sort();
        let found: Vec<_> = found
            .iter()
            .map(|(path, code)| (path.as_str(), *code))
            .collect();
        assert_eq!(found, expected);
    }

    // rule: R-END-01, R-END-33
    #[test]
    fn an_order_needs_a_customer_and_positions() {
        let both = [
            ("GrundDaten.KundNr".to_owned(), Code::Required),
            ("Positionen".to_owned(), Code::Required),
        ];
        assert_eq!(parse(&json!({})).unwrap_err(), both);
        assert_eq!(
            parse(&json!({"GrundDaten": null, "Positionen": []})).unwrap_err(),
            both
        );
        assert_eq!(
            parse(&json!({"GrundDaten": 1, "Positionen": "x"})).unwrap_err(),
            [
                ("GrundDaten".to_owned(), Code::WrongType),
                ("Positionen".to_owned(), Code::WrongType),
            ]
        );
        assert_eq!(
            parse(&json!([])).unwrap_err(),
            [(String::new(), Code::WrongType)]
        );
    }

    // rule: R-END-08
    #[test]
    fn lists_are_bounded() {
        let mut body = order();
        let position = body["Positionen"][0].clone();
        body["Positionen"] = json!(vec![position.clone(); 1_000]);
        body["Zahlung"] = json!(vec![json!({}); 100]);
        assert!(parse(&body).is_ok());
        body["Positionen"] = json!(vec![position; 1_001]);
        body["Zahlung"] = json!(vec![json!({}); 101]);
        assert_eq!(
            parse(&body).unwrap_err(),
            [
                ("Positionen".to_owned(), Code::TooMany),
                ("Zahlung".to_owned(), Code::TooMany),
            ]
        );
    }

    // rule: D-REQ-04
    #[test]
    fn unknown_members_count_only_in_strict_mode() {
        let mut body = order();
        body["Positionen"][0]["Nope"] = json!(1);
        assert!(parse(&body).is_ok());
        let (_, refused) =
            DocumentRequest::of_order(&body, Reading { strict: true }, &TimeZone::UTC);
        let expected = ("Positionen[0].Nope".to_owned(), Code::UnknownMember);
        assert_eq!(places(refused), [expected]);
    }

    fn read(body: &Value) -> DocumentRequest {
        DocumentRequest::of_order(body, Reading::default(), &TimeZone::UTC).0
    }

    #[test]
    fn a_broken_header_hides_no_positions() {
        for header in [json!({"KundNr": 7, "WaehrAbk": "XXX"}), json!(7)] {
            let read =
                read(&json!({"GrundDaten": header, "Positionen": [{"ArtNr": "A", "Menge": 2}]}));
            assert_eq!((read.customer, read.currency), (None, None));
            assert_eq!(read.positions.len(), 1);
            assert!(read.positions[0].1.is_complete);
        }
        for nothing in [json!({}), json!(7)] {
            assert_eq!(read(&nothing), DocumentRequest::default());
        }
    }

    // rule: D-REQ-10, D-CTR-03
    #[test]
    fn a_broken_entry_keeps_its_article_and_place() {
        let read = read(&json!({"Positionen": [
            7,
            {"ArtNr": "A", "Menge": "x", "Preis": -1},
            {"Menge": 1},
        ]}));
        let [(1, position)] = read.positions.as_slice() else {
            panic!("{:?}", read.positions);
        };
        assert_eq!(position.article, "A");
        assert!(!position.is_complete);
        // The price of an offer's position is ignored, so it cannot be a problem.
        let body = json!({"Positionen": [{"ArtNr": "A", "Menge": 3, "Preis": "x"}]});
        let (how, zone) = (Reading::default(), TimeZone::UTC);
        let (order, _) = DocumentRequest::of_order(&body, how, &zone);
        let (offer, problems) = DocumentRequest::of_offer(&body, how, &zone);
        assert!(!order.positions[0].1.is_complete);
        assert!(offer.positions[0].1.is_complete && problems.is_empty());
    }

    #[test]
    fn an_address_with_a_problem_is_not_read() {
        let whole = crate::domain::address::tests::body();
        let mut broken = whole.clone();
        broken["AdrFax"] = json!("x".repeat(29));
        let read = read(&json!({"Adressen": {"LiefAdr": broken, "RechAdr": whole}}));
        assert_eq!(read.addresses.delivery, None);
        assert!(read.addresses.billing.is_some());
    }

    // rule: D-LIM-02
    #[test]
    fn too_many_positions_are_not_looked_at() {
        let entry = json!({"ArtNr": "A", "Menge": 1});
        let of = |count| read(&json!({"Positionen": vec![entry.clone(); count]})).positions;
        assert_eq!(of(1_000).len(), 1_000);
        assert_eq!(of(1_001).len(), 0);
    }

    // rule: R-END-37
    #[test]
    fn a_conversion_names_customer_and_offer() {
        let parse = |body| ConversionRequest::parse(&body, Reading::default()).map_err(places);
        let read = parse(json!({"GrundDaten": {"KundNr": "1", "OffertNr": "7"}})).unwrap();
        assert_eq!((read.customer.as_str(), read.offer.as_str()), ("1", "7"));
        assert_eq!(
            parse(json!({"GrundDaten": {"OffertNr": ""}})).unwrap_err(),
            [
                ("GrundDaten.KundNr".to_owned(), Code::Required),
                ("GrundDaten.OffertNr".to_owned(), Code::Required),
            ]
        );
    }
}
