//! Request bodies of new orders and offers, and of conversions of offers.

use std::borrow::Cow;

use erp_derive::Record;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rust_decimal::Decimal;

use super::{AddressesRequest, AsRequest, currency_of, customer_of, written};
use crate::values::codes::Currency;
use crate::values::json::{AsJson, Json};
use crate::values::limits::PAYMENTS_PER_DOCUMENT;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::{IntoText, Text};
use crate::values::time::DocumentTime;
use crate::wire::record::Entry;
use crate::wire::view::{Body, Offer};
use crate::wire::{Reading, Record};

// rule: R-END-01, R-END-42
/// Body of `POST /www/auftrag`, or of `POST /www/offerte`, which has no prices, costs and payments of its own.
///
/// Of a body with problems it has the parts without one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Body = "OrderBody", Offer = "OfferBody")]
pub struct DocumentRequest {
    /// The header.
    #[wire("GrundDaten", section, required(Body), default)]
    pub header: DocumentHeader,
    /// Addresses for this document only, instead of the customer's.
    #[wire("Adressen", section(Body), default)]
    pub addresses: AddressesRequest,
    /// The positions.
    #[wire("Positionen", entries, required)]
    pub(crate) positions: Vec<Entry<PositionRequest>>,
    /// Additional payment information.
    #[wire("Zahlung", list, only(Body), most = PAYMENTS_PER_DOCUMENT)]
    pub payments: Vec<PaymentRequest>,
}

// rule: R-END-31
/// `GrundDaten` of a new order or offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Body = "OrderBodyHeader", Offer = "OfferBodyHeader")]
pub struct DocumentHeader {
    /// Customer number; an offer without one is a template.
    #[wire("KundNr", key, char(8), required(Body))]
    pub customer: Option<Text<8>>,
    /// Order number in the foreign system.
    #[wire("AuftBestellNr", name)]
    pub foreign_number: Option<Text<36>>,
    /// Description.
    #[wire("AuftBez")]
    pub description: Option<Text<80>>,
    /// Order reference.
    #[wire("AuftBestellRef", name)]
    pub reference: Option<Text<60>>,
    /// Order date, RFC 3339; default: now.
    #[wire("AuftBestellT")]
    pub ordered_at: Option<DocumentTime>,
    /// Delivery date, RFC 3339.
    #[wire("AuftLieferT")]
    pub delivery_at: Option<DocumentTime>,
    /// Currency, ISO 4217; default: the leading currency.
    #[wire("WaehrAbk")]
    pub currency: Option<Currency>,
    /// Comment.
    #[wire("AuftKomment")]
    pub comment: Option<Text<255>>,
    /// Cost bearer.
    #[wire("KTNr", key, char(6), only(Body), shop_only)]
    pub cost_bearer: Option<Text<6>>,
    /// Order location; default: the company's.
    #[wire("StaoNr", only(Body))]
    pub location: Option<i32>,
    /// Customer payment condition.
    #[wire("KundBedTyp", only(Body), shop_only)]
    pub payment_condition: Option<u8>,
    /// Delivery costs.
    #[wire("AuftLiefKost", amount, money, only(Body), shop_only)]
    pub delivery_costs: Option<Decimal>,
}

// rule: R-END-33, R-END-34, R-END-44
/// An entry of `Positionen` in a new order or offer.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(
    Body = "PositionBody",
    Offer = "OfferPositionBody",
    bare(article, quantity)
)]
pub struct PositionRequest {
    /// Article number.
    #[wire("ArtNr", key, char(15), required)]
    pub article: Text<15>,
    /// Quantity in the base unit.
    #[wire("Menge", quantity, required, default = Decimal::ONE)]
    pub quantity: Decimal,
    /// Position description; default: the article's.
    #[wire("PosBez", shop_only)]
    pub description: Option<Text<2048>>,
    /// Unit price; default: determined by the business system.
    #[wire("Preis", amount, only(Body), shop_only)]
    pub price: Option<Decimal>,
    /// How many base units or packages the sent price is for; default: as the list price of this quantity, else as the
    /// article. Without a price it does not count. A package position that was read is sent back with its `VPEPreisEinzel` as `Preis`
    /// and a basis of 1.
    #[wire("PosPreisBasis", quantity, only(Body), shop_only)]
    pub price_basis: Option<Decimal>,
    /// Packaging unit.
    #[wire("VPEinheit", key)]
    pub unit: Option<Text<30>>,
    /// Discount rate in percent.
    #[wire("GRabSatz", percent, shop_only)]
    pub discount_rate: Option<Decimal>,
    /// Ordering number; default: 10, 20, 30 and so on.
    #[wire("VisPosNr")]
    pub visible_number: Option<i32>,
}

impl PositionRequest {
    /// A position with the price of the business system. `quantity` is in the base unit of the article.
    pub fn new(article: impl IntoText<15>, quantity: impl Into<Decimal>) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let article = problems.text("ArtNr", article);
        problems.and(Ok(Self::bare(article, quantity.into())))
    }
}

/// An entry of `Zahlung` in a new order. When the value is a payment method, the name is `payment_method`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Body = "PaymentBody")]
pub struct PaymentRequest {
    /// Name, for example of a transaction id.
    #[wire("Bezeichnung")]
    pub name: Option<Text<255>>,
    /// Value, for example the transaction id.
    #[wire("Wert")]
    pub value: Option<Text<200>>,
}

/// Body of `PUT /www/auftrag`: makes an order of an offer.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(Body = "ConversionBody")]
pub struct ConversionRequest {
    /// Which offer, for which customer.
    #[wire("GrundDaten", section, required)]
    pub header: ConversionHeader,
    /// Additional payment information.
    #[wire("Zahlung", list, most = PAYMENTS_PER_DOCUMENT)]
    pub payments: Vec<PaymentRequest>,
}

/// `GrundDaten` of a conversion.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(Body = "ConversionBodyHeader")]
pub struct ConversionHeader {
    /// Customer number.
    #[wire("KundNr", key, char(8), required)]
    pub customer: Text<8>,
    /// Offer number.
    #[wire("OffertNr", key, required)]
    pub offer: Text<10>,
}

impl DocumentRequest {
    /// Reads the body of an order: what of it can be read, and every problem. `zone` is the company's time zone, for
    /// dates without a time.
    #[must_use]
    pub fn of_order(body: &impl AsJson, how: Reading, zone: &TimeZone) -> (Self, Problems) {
        Self::of::<Body>(body, how, zone)
    }

    /// Reads the body of an offer in the same way.
    #[must_use]
    pub fn of_offer(body: &impl AsJson, how: Reading, zone: &TimeZone) -> (Self, Problems) {
        Self::of::<Offer>(body, how, zone)
    }

    /// Reads the part of an order or offer body that determines its totals, before a customer is known: every problem of
    /// the currency, the delivery costs and the positions, and wrong types and lengths of all else.
    #[must_use]
    pub fn of_basket(body: &impl AsJson, how: Reading) -> (Self, Problems) {
        let (basket, mut problems) = Self::of::<Body>(body, how, &TimeZone::UTC);
        problems.retain(|problem| {
            let counts = [
                "GrundDaten.WaehrAbk",
                "GrundDaten.AuftLiefKost",
                "Positionen",
            ];
            let of_form = [
                Code::WrongType,
                Code::TooLong,
                Code::TooMany,
                Code::UnknownMember,
            ];
            counts.iter().any(|path| problem.path.starts_with(path))
                || of_form.contains(&problem.code)
        });
        (basket, problems)
    }

    fn of<V>(body: &impl AsJson, how: Reading, zone: &TimeZone) -> (Self, Problems)
    where
        Self: Record<V>,
    {
        let body = &*body.as_json();
        let (read, problems) = Self::read_parts(body, how, zone);
        let mut read = read.unwrap_or_default();
        // Padding beyond the length of the field is a problem, but names the customer all the same.
        read.header.customer = customer_of(body);
        read.header.currency = currency_of(body);
        (read, problems)
    }
}

/// Requests that a program makes. The length of a text is checked when it is made, all else as in a body.
impl DocumentRequest {
    /// An order of a customer, still without positions.
    pub fn order(customer: impl IntoText<8>) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut request = Self::template();
        request.header.customer = Some(problems.text("KundNr", customer));
        problems.and(Ok(request))
    }

    /// An offer to a customer, still without positions. An offer has no prices, costs and payments of its own.
    pub fn offer(customer: impl IntoText<8>) -> Result<Self, Problems> {
        Self::order(customer)
    }

    /// An offer without a customer, which can be given to one later.
    pub fn template() -> Self {
        Self::default()
    }

    /// Adds a position with the price of the business system. `quantity` is in the base unit of the article.
    pub fn position(
        self,
        article: impl IntoText<15>,
        quantity: impl Into<Decimal>,
    ) -> Result<Self, Problems> {
        Ok(self.with_position(PositionRequest::new(article, quantity)?))
    }

    /// Adds a position with a price, packaging unit, discount or description of its own.
    #[must_use]
    pub fn with_position(mut self, position: PositionRequest) -> Self {
        let position = Entry::next(&self.positions, position);
        self.positions.push(position);
        self
    }

    /// The positions.
    pub fn positions(&self) -> impl Iterator<Item = &PositionRequest> {
        self.positions.iter().map(|entry| &entry.value)
    }

    /// Sets the comment.
    pub fn comment(mut self, comment: impl IntoText<255>) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        self.header.comment = Some(problems.text("AuftKomment", comment));
        problems.and(Ok(self))
    }

    /// Adds payment information.
    pub fn payment(
        mut self,
        name: impl IntoText<255>,
        value: impl IntoText<200>,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        self.payments.push(PaymentRequest {
            name: Some(problems.text("Bezeichnung", name)),
            value: Some(problems.text("Wert", value)),
        });
        problems.and(Ok(self))
    }

    /// Refuses what only the shop itself may set: prices, terms, and a day in the past or far ahead, whose tax rates may be
    /// lower.
    pub(crate) fn refuse_shop_only(&self, now: Timestamp, problems: &mut Problems) {
        // A day without a time begins at midnight.
        let past = -SignedDuration::from_hours(24);
        let ahead = SignedDuration::from_hours(366 * 24);
        let is_far = |time: Option<DocumentTime>| {
            let from_now = time.map(|time| time.timestamp().duration_since(now));
            from_now.is_some_and(|from_now| from_now < past || from_now > ahead)
        };
        let (header, path) = (&self.header, Path::ROOT.member("GrundDaten"));
        let times = [
            ("AuftBestellT", header.ordered_at),
            ("AuftLieferT", header.delivery_at),
        ];
        for (name, _) in times.into_iter().filter(|(_, time)| is_far(*time)) {
            let message = sentence!("shop_only.day");
            problems.add_limit(&path.member(name), Code::ShopOnly, 366, message);
        }
        header.refuse_shop_only(&path, problems);
        let list = Path::ROOT.member("Positionen");
        for entry in &self.positions {
            entry
                .value
                .refuse_shop_only(&list.index(entry.at), problems);
        }
    }

    /// Refuses another currency than this one of the customer, who orders itself. Prices in it are not judged.
    pub(crate) fn refuse_other_currency(&mut self, own: Currency, problems: &mut Problems) {
        if self.header.currency.take_if(|sent| *sent != own).is_some() {
            let message = sentence!("shop_only.currency", own);
            problems.add("GrundDaten.WaehrAbk", Code::ShopOnly, message);
        }
    }
}

impl AsRequest<Self> for DocumentRequest {
    fn as_request(&self) -> Cow<'_, Json> {
        written(self)
    }
}

impl AsRequest<Self> for ConversionRequest {
    fn as_request(&self) -> Cow<'_, Json> {
        written(self)
    }
}

impl ConversionRequest {
    /// The order of an offer.
    pub fn new(customer: impl IntoText<8>, offer: impl IntoText<10>) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let header = ConversionHeader {
            customer: problems.text("KundNr", customer),
            offer: problems.text("OffertNr", offer),
        };
        problems.and(Ok(Self {
            header,
            payments: Vec::new(),
        }))
    }

    /// Reads a body.
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        Self::read(body, how)
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
        assert_eq!(order.header.customer.as_deref(), Some("10001"));
        let [
            Entry {
                at: 0,
                value: position,
                ..
            },
        ] = order.positions.as_slice()
        else {
            panic!("{:?}", order.positions);
        };
        assert_eq!(position.article, "A-1");
        assert_eq!(position.quantity, Decimal::from(2));
        assert_eq!(order.addresses, AddressesRequest::default());
        assert!(order.payments.is_empty());
        assert_eq!(order.header.currency, None);
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
                "ArtNr": "A-1            ", "Menge": 24.5, "PosBez": "Stift", "Preis": 1.25, "PosPreisBasis": 100,
                "VPEinheit": "KARTON", "GRabSatz": 5, "VisPosNr": 20
            }],
            "Zahlung": [{"Bezeichnung": "payment_method", "Wert": "Karte"}, {"Bezeichnung": ""}],
        });
        let order = parse(&body).unwrap();
        let time = |text: &str| Some(text.parse().unwrap());
        assert_eq!(order.header.customer.as_deref(), Some("10001"));
        assert_eq!(order.header.foreign_number.as_deref(), Some("F-1"));
        assert_eq!(order.header.description.as_deref(), Some("Büro"));
        assert_eq!(order.header.reference.as_deref(), Some("R"));
        assert_eq!(order.header.ordered_at, time("2026-03-31T08:00:00Z"));
        assert_eq!(order.header.delivery_at, time("2026-04-01T23:00:00Z"));
        assert_eq!(order.header.currency, Some(Currency::EUR));
        assert_eq!(order.header.comment.as_deref(), Some("bitte klingeln"));
        assert_eq!(order.header.cost_bearer.as_deref(), Some("KT1"));
        assert_eq!(
            (order.header.location, order.header.payment_condition),
            (Some(3), Some(30))
        );
        assert_eq!(order.header.delivery_costs, Some(Decimal::new(95, 1)));
        let expected = PositionRequest {
            article: Text::new("A-1").unwrap(),
            quantity: Decimal::new(245, 1),
            description: Some(Text::new("Stift").unwrap()),
            price: Some(Decimal::new(125, 2)),
            price_basis: Some(Decimal::ONE_HUNDRED),
            unit: Some(Text::new("KARTON").unwrap()),
            discount_rate: Some(Decimal::from(5)),
            visible_number: Some(20),
        };
        assert!(order.positions().eq([&expected]));
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
            assert_eq!((read.header.customer, read.header.currency), (None, None));
            assert_eq!(read.positions.len(), 1);
            assert!(read.positions[0].is_complete);
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
        let [position @ Entry { at: 1, .. }] = read.positions.as_slice() else {
            panic!("{:?}", read.positions);
        };
        assert_eq!(position.value.article, "A");
        assert!(!position.is_complete);
        // The price of an offer's position is ignored, so it cannot be a problem.
        let body = json!({"Positionen": [{"ArtNr": "A", "Menge": 3, "Preis": "x"}]});
        let (how, zone) = (Reading::default(), TimeZone::UTC);
        let (order, _) = DocumentRequest::of_order(&body, how, &zone);
        let (offer, problems) = DocumentRequest::of_offer(&body, how, &zone);
        assert!(!order.positions[0].is_complete);
        assert!(offer.positions[0].is_complete && problems.is_empty());
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
        assert_eq!(
            (read.header.customer.as_str(), read.header.offer.as_str()),
            ("1", "7")
        );
        assert_eq!(
            parse(json!({"GrundDaten": {"OffertNr": ""}})).unwrap_err(),
            [
                ("GrundDaten.KundNr".to_owned(), Code::Required),
                ("GrundDaten.OffertNr".to_owned(), Code::Required),
            ]
        );
    }

    #[test]
    fn a_basket_needs_positions_only() {
        let body = json!({
            "GrundDaten": {"WaehrAbk": "EUR", "AuftLiefKost": 9.9},
            "Positionen": [{"ArtNr": "A", "Menge": 2}]
        });
        let (basket, problems) = DocumentRequest::of_basket(&body, Reading::default());
        assert_eq!(problems, Problems::new());
        assert_eq!(basket.header.currency, Some(Currency::EUR));
        assert_eq!(basket.header.delivery_costs, Some(Decimal::new(99, 1)));
        assert_eq!(basket.positions.len(), 1);
    }

    #[test]
    fn every_problem_of_a_basket_is_told() {
        let body = json!({
            "GrundDaten": {"WaehrAbk": "XXX", "AuftLiefKost": -1, "AuftBez": 3, "AuftBestellT": "x"},
            "Positionen": [{"Menge": 0}]
        });
        let (_, problems) = DocumentRequest::of_basket(&body, Reading::default());
        let expected = [
            ("GrundDaten.AuftBez", Code::WrongType),
            ("GrundDaten.WaehrAbk", Code::UnknownCurrency),
            ("GrundDaten.AuftLiefKost", Code::OutOfRange),
            ("Positionen[0].ArtNr", Code::Required),
            ("Positionen[0].Menge", Code::OutOfRange),
        ];
        assert_eq!(
            places(problems),
            expected.map(|(path, code)| (path.to_owned(), code))
        );
    }
}
