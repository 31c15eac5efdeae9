//! Requests made in Rust obey the rules of bodies: a value is accepted if and only if its JSON is, with the same result or
//! the same problems.

use std::error::Error as _;
use std::fmt::Debug;

use erp_core::Error;
use erp_core::address::{Address, Salutation};
use erp_core::codes::{Country, Currency, Language};
use erp_core::erp::Outcome;
use erp_core::internal::json::Digits;
use erp_core::json::{Json, Object};
use erp_core::master::Caller;
use erp_core::request::{
    AddressesRequest, ConversionRequest, CustomerRequest, DocumentHeader, DocumentRequest,
    OfferChangeRequest, PaymentMethod, PaymentRequest, PositionChange, PositionRequest,
};
use erp_core::rust_decimal::Decimal;
use erp_core::text::Text;
use erp_core::time::DocumentTime;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::{Demo, block_on, demo, shop};

/// Good texts first, also for an empty field.
const NAMES: [Option<&str>; 7] = [
    None,
    Some("Rüti"),
    Some(" x "),
    Some("x "),
    Some(" "),
    Some("a\u{200b}b"),
    Some("a\u{202e}b"),
];
const REQUIRED: [Option<&str>; 5] = [
    Some("8001"),
    Some("Rüti"),
    None,
    Some("  "),
    Some("\u{200b}"),
];
const NUMBERS: [Option<&str>; 8] = [
    None,
    Some("12"),
    Some("0"),
    Some("2.5"),
    Some("-1"),
    Some("0.0000001"),
    Some("1000000000"),
    Some("100.5"),
];
const TIMES: [Option<&str>; 3] = [
    None,
    Some("2026-06-05T10:00:00Z"),
    Some("2026-06-05T10:00:00.75Z"),
];

/// Makes values and their JSON of the same random choices.
struct Maker(std::vec::IntoIter<u8>);

impl Maker {
    /// Mostly one of the first two.
    fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        let choice = usize::from(self.0.next().unwrap_or(0));
        let good = among.len().min(2);
        among[choice % if choice < 250 { good } else { among.len() }].clone()
    }

    fn some_text<const MAX: usize>(
        &mut self,
        object: &mut Object,
        name: &str,
        among: &[Option<&str>],
    ) -> Option<Text<MAX>> {
        let text = self.pick(among)?;
        object.insert(name.to_owned(), Json::from(text));
        Some(Text::new(text).unwrap())
    }

    fn text<const MAX: usize>(&mut self, object: &mut Object, name: &str) -> Option<Text<MAX>> {
        self.some_text(object, name, &NAMES)
    }

    fn required<const MAX: usize>(
        &mut self,
        object: &mut Object,
        name: &str,
        among: &[Option<&str>],
    ) -> Text<MAX> {
        let text = self.some_text(object, name, among);
        text.unwrap_or_default()
    }

    fn decimal(&mut self, object: &mut Object, name: &str) -> Option<Decimal> {
        let digits = self.pick(&NUMBERS)?;
        let number = Json::Number(Digits::parse(digits).unwrap());
        object.insert(name.to_owned(), number);
        Some(digits.parse().unwrap())
    }

    fn quantity(&mut self, object: &mut Object) -> Decimal {
        let read = self.decimal(object, "Menge");
        read.unwrap_or_else(|| {
            object.insert("Menge".to_owned(), Json::from(1));
            Decimal::ONE
        })
    }

    fn whole<T: TryFrom<i64>>(
        &mut self,
        object: &mut Object,
        name: &str,
        among: &[Option<i64>],
    ) -> Option<T> {
        let number = self.pick(among)?;
        object.insert(name.to_owned(), Json::from(number));
        T::try_from(number).ok()
    }

    fn time(&mut self, object: &mut Object, name: &str) -> Option<DocumentTime> {
        let time = self.pick(&TIMES)?;
        object.insert(name.to_owned(), Json::from(time));
        Some(time.parse().unwrap())
    }

    fn list<T>(
        &mut self,
        object: &mut Object,
        name: &str,
        make: impl Fn(&mut Self, &mut Object) -> T,
    ) -> Vec<T> {
        let mut entries = Vec::new();
        let count = self.pick(&[1, 2, 0]);
        let values = (0..count).map(|_| {
            let mut entry = Object::new();
            let value = make(self, &mut entry);
            entries.push(Json::Object(entry));
            value
        });
        let values = values.collect();
        object.insert(name.to_owned(), Json::Array(entries));
        values
    }

    fn address(&mut self) -> (Address, Json) {
        let mut json = Object::new();
        let on = &mut json;
        let (language, country) = (
            self.pick(&[Language::GERMAN, Language::FRENCH]),
            self.pick(&[Country::CH, Country::DE]),
        );
        let salutation = self.pick(&[Salutation::General, Salutation::Miss]);
        on.insert("AdrSprache".to_owned(), Json::from(language.as_str()));
        on.insert("OrtLand".to_owned(), Json::from(country.as_str()));
        on.insert(
            "AdrAnrede".to_owned(),
            Json::from(i64::from(salutation.number())),
        );
        let mut address = Address::company("", "", country, "", "").unwrap();
        address.language = language;
        address.salutation = salutation;
        address.street = self.required(on, "AdrAdresse1", &REQUIRED);
        address.postal_code = self.required(on, "OrtPLZ", &REQUIRED);
        address.town = self.required(on, "OrtName", &REQUIRED);
        address.company = self.some_text(on, "AdrFirma", &REQUIRED);
        address.last_name = self.text(on, "AdrName");
        address.email = self.text(on, "EmailAdress");
        address.street_addition = self.text(on, "AdrAdresse2");
        address.fax = self.text(on, "AdrFax");
        address.company_addition = self.text(on, "AdrFirma2");
        address.first_name = self.text(on, "AdrVorname");
        address.mobile = self.text(on, "AdrTelex");
        address.phone = self.text(on, "AdrTf1");
        address.central_phone = self.text(on, "AdrTf2");
        let check: Option<i32> = self.whole(on, "AdrCheck", &[None, Some(0), Some(1)]);
        address.check = check.map(|check| check == 1);
        (address, Json::Object(json))
    }

    fn some_address(&mut self, object: &mut Object, name: &str) -> Option<Address> {
        self.pick(&[true, false]).then(|| {
            let (address, json) = self.address();
            object.insert(name.to_owned(), json);
            address
        })
    }

    fn addresses(&mut self, body: &mut Object) -> AddressesRequest {
        let mut object = Object::new();
        let addresses = AddressesRequest {
            contact: self.some_address(&mut object, "KontaktAdr"),
            delivery: self.some_address(&mut object, "LiefAdr"),
            billing: self.some_address(&mut object, "RechAdr"),
        };
        body.insert("Adressen".to_owned(), Json::Object(object));
        addresses
    }

    fn customer(&mut self) -> (CustomerRequest, Json) {
        let (mut header, mut addresses) = (Object::new(), Object::new());
        let (contact, json) = self.address();
        addresses.insert("KontaktAdr".to_owned(), json);
        let on = &mut header;
        let currency = self.pick(&[Currency::CHF, Currency::EUR]);
        on.insert("WaehrAbk".to_owned(), Json::from(currency.as_str()));
        let paid = self.required(on, "FAKTZahlArt", &[Some("B"), Some("L"), None, Some(" ")]);
        let mut customer = CustomerRequest::new(currency, paid, contact).unwrap();
        let details = &mut customer.details;
        if self.pick(&[true, false]) {
            details.language = Language::ITALIAN;
            on.insert("AdrSprache".to_owned(), Json::from("ita"));
        }
        // Only the back office sets it, and a body cannot.
        details.industry = self.text(on, "BrancheID");
        if self.pick(&[true, false]) {
            details.payment_methods = vec![PaymentMethod::Invoice, PaymentMethod::CreditCard];
            on.insert("ZahlungsMethode".to_owned(), Json::from("R,K"));
        }
        details.shipping_condition = self.text(on, "VBTyp");
        details.transport_insurance = self.text(on, "TVTyp");
        details.expense_calculation = self.text(on, "AUFT_SPESEN");
        details.comment = self.text(on, "Kommentar");
        details.tax_number = self.text(on, "SteuerNummer");
        details.website = self.text(on, "FirmenURL");
        let limit = self.whole(on, "KreditLimit", &[None, Some(5000), Some(-1)]);
        details.credit_limit = limit.unwrap_or_default();
        customer.delivery = self.some_address(&mut addresses, "LiefAdr");
        customer.billing = self.some_address(&mut addresses, "RechAdr");
        (
            customer,
            body([("GrundDaten", header), ("Adressen", addresses)]),
        )
    }

    fn position(&mut self, on: &mut Object) -> PositionRequest {
        let article = [Some("P-1"), Some("P-3"), Some("P-1 "), Some("NO"), None];
        let article = self.required(on, "ArtNr", &article);
        let quantity = self.quantity(on);
        let unit = [None, None, Some("KT12"), Some("KT12 "), Some(" ")];
        PositionRequest {
            description: self.text(on, "PosBez"),
            price: self.decimal(on, "Preis"),
            price_basis: self.decimal(on, "PosPreisBasis"),
            unit: self.some_text(on, "VPEinheit", &unit),
            discount_rate: self.decimal(on, "GRabSatz"),
            visible_number: self.whole(on, "VisPosNr", &[None, Some(10), Some(-5)]),
            ..PositionRequest::new(article, quantity).unwrap()
        }
    }

    fn payment(&mut self, on: &mut Object) -> PaymentRequest {
        PaymentRequest {
            name: self.text(on, "Bezeichnung"),
            value: self.text(on, "Wert"),
        }
    }

    fn document(&mut self) -> (DocumentRequest, Json) {
        let (mut document, mut header) = (Object::new(), Object::new());
        let on = &mut header;
        let customer = [
            Some("10001"),
            Some("10002"),
            Some("10001 "),
            Some("1"),
            None,
        ];
        let currency = self.pick(&[None, Some(Currency::CHF), Some(Currency::EUR)]);
        if let Some(currency) = currency {
            on.insert("WaehrAbk".to_owned(), Json::from(currency.as_str()));
        }
        let mut request = DocumentRequest::template();
        request.header = DocumentHeader {
            customer: self.some_text(on, "KundNr", &customer),
            foreign_number: self.text(on, "AuftBestellNr"),
            description: self.text(on, "AuftBez"),
            reference: self.text(on, "AuftBestellRef"),
            ordered_at: self.time(on, "AuftBestellT"),
            delivery_at: self.time(on, "AuftLieferT"),
            currency,
            comment: self.text(on, "AuftKomment"),
            cost_bearer: self.text(on, "KTNr"),
            location: self.whole(on, "StaoNr", &[None, Some(1), Some(7)]),
            payment_condition: self.whole(on, "KundBedTyp", &[None, Some(4)]),
            delivery_costs: self.decimal(on, "AuftLiefKost"),
        };
        request.addresses = self.addresses(&mut document);
        request.payments = self.list(&mut document, "Zahlung", Self::payment);
        let positions = self.list(&mut document, "Positionen", Self::position);
        let request = positions
            .into_iter()
            .fold(request, DocumentRequest::with_position);
        document.insert("GrundDaten".to_owned(), Json::Object(header));
        (request, Json::Object(document))
    }

    fn change(&mut self, on: &mut Object) -> PositionChange {
        if self.pick(&[true, false]) {
            return PositionChange::Add(self.position(on));
        }
        let numbers = [Some(1), Some(2), Some(9)];
        let position = self.whole(on, "PosNr", &numbers).unwrap();
        if self.pick(&[false, false, true]) {
            on.insert("Menge".to_owned(), Json::from(0));
            return PositionChange::Delete { position };
        }
        let article = [None, None, Some("P-1"), Some(" ")];
        PositionChange::Change {
            position,
            quantity: self.quantity(on),
            article: self.some_text(on, "ArtNr", &article),
            unit: self.some_text(on, "VPEinheit", &[None, None, Some("KT12")]),
            description: self.text(on, "PosBez"),
            discount_rate: self.decimal(on, "GRabSatz"),
        }
    }

    fn offer_change(&mut self) -> (OfferChangeRequest, Json) {
        let (mut change, mut header) = (Object::new(), Object::new());
        let customer = [
            None,
            Some("10001"),
            Some("10001 "),
            Some("10002"),
            Some("1"),
        ];
        let mut request = OfferChangeRequest::default();
        request.customer = self.some_text(&mut header, "KundNr", &customer);
        request.addresses = self.addresses(&mut change);
        let changes = self.list(&mut change, "Positionen", Self::change);
        let request = changes
            .into_iter()
            .fold(request, OfferChangeRequest::change);
        change.insert("GrundDaten".to_owned(), Json::Object(header));
        (request, Json::Object(change))
    }

    fn conversion(&mut self, offer: &str) -> (ConversionRequest, Json) {
        let (mut conversion, mut header) = (Object::new(), Object::new());
        let customer = [
            Some("10001"),
            Some("10001 "),
            Some("10002"),
            Some("1"),
            None,
        ];
        let customer = self.required(&mut header, "KundNr", &customer);
        let offer = [Some(offer), Some(offer), Some("99"), Some(" "), None];
        let offer = self.required(&mut header, "OffertNr", &offer);
        let mut request = ConversionRequest::new(customer, offer).unwrap();
        request.payments = self.list(&mut conversion, "Zahlung", Self::payment);
        conversion.insert("GrundDaten".to_owned(), Json::Object(header));
        (request, Json::Object(conversion))
    }
}

fn body<const N: usize>(parts: [(&str, Object); N]) -> Json {
    let parts = parts.map(|(name, part)| (name.to_owned(), Json::Object(part)));
    Json::Object(Object::from(parts))
}

fn callers() -> [Caller; 2] {
    let customer = Some(Text::new("10001").unwrap());
    let own = Caller {
        customer,
        ..shop("SHOP1")
    };
    [shop("SHOP1"), own]
}

/// Compares what comes of a value in one store and of its JSON in another; whether it is accepted.
#[track_caller]
fn same<T: PartialEq + Debug>(
    of_value: Result<Outcome<T>, Error>,
    of_json: Result<Outcome<T>, Error>,
) -> bool {
    let [of_value, of_json] = [of_value, of_json].map(|made| made.map(|made| made.value));
    assert_eq!(of_value, of_json);
    of_value.is_ok()
}

/// Makes requests of random choices with both kinds of callers.
fn each(choices: Vec<u8>, check: impl Fn(&mut Maker, &Demo, &Demo, &Caller)) {
    for caller in callers() {
        let maker = &mut Maker(choices.clone().into_iter());
        check(maker, &demo(), &demo(), &caller);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    // rule: D-REQ-10
    #[test]
    fn a_customer_is_accepted_as_its_json_is(choices in vec(any::<u8>(), 150)) {
        each(choices, |maker, one, other, caller| {
            let (value, json) = maker.customer();
            let (one, other) = (one.shop(caller), other.shop(caller));
            same(block_on(one.create_customer(&value)), block_on(other.create_customer(&json)));
            let (value, json) = maker.customer();
            let replaced = block_on(one.replace_customer("10001", &value));
            same(replaced, block_on(other.replace_customer("10001", &json)));
        });
    }

    // rule: D-REQ-10
    #[test]
    fn a_document_is_accepted_as_its_json_is(choices in vec(any::<u8>(), 150)) {
        each(choices, |maker, one, other, caller| {
            let (value, json) = maker.document();
            let (one, other) = (one.shop(caller), other.shop(caller));
            same(block_on(one.create_order(&value)), block_on(other.create_order(&json)));
            same(block_on(one.create_offer(&value)), block_on(other.create_offer(&json)));
        });
    }

    // rule: D-REQ-10
    #[test]
    fn a_change_and_a_conversion_are_accepted_as_their_json_is(choices in vec(any::<u8>(), 150)) {
        each(choices, |maker, one, other, caller| {
            let (one, other) = (one.shop(caller), other.shop(caller));
            let offer = DocumentRequest::offer("10001").unwrap();
            let offer = offer.position("P-1", 2).unwrap().position("P-3", 1).unwrap();
            let number = block_on(one.create_offer(&offer)).unwrap().value.number.clone();
            block_on(other.create_offer(&offer)).unwrap();
            let (value, json) = maker.offer_change();
            let changed = block_on(one.change_offer(&number, None, &value));
            same(changed, block_on(other.change_offer(&number, None, &json)));
            let (value, json) = maker.conversion(&number);
            same(block_on(one.convert_offer(&value)), block_on(other.convert_offer(&json)));
        });
    }
}

// rule: D-REQ-10
#[test]
fn a_customer_without_name_street_and_town_is_refused() {
    let demo = demo();
    let nobody = Address::company("", "", Country::CH, "", "").unwrap();
    let customer = CustomerRequest::new(Currency::CHF, "", nobody).unwrap();
    let caller = shop("SHOP1");
    let refused = block_on(demo.shop(&caller).create_customer(&customer)).unwrap_err();
    let contact = "Adressen.KontaktAdr";
    let required = "this member is required (required)";
    let expected = format!(
        "the request breaks rules:\n\
         GrundDaten.FAKTZahlArt: {required}\n\
         {contact}.AdrAdresse1: {required}\n\
         {contact}.OrtName: {required}\n\
         {contact}.OrtPLZ: {required}\n\
         {contact}.AdrFirma: `AdrFirma` or `AdrName` is required (required)"
    );
    assert_eq!(refused.to_string(), expected);
    let source = refused.source().unwrap().to_string();
    assert_eq!(expected.split_once('\n').unwrap().1, source);
}

// rule: D-REQ-10
#[test]
fn what_an_offer_ignores_in_json_it_cannot_carry_as_a_value() {
    let demo = demo();
    let mut offer = DocumentRequest::offer("10001").unwrap();
    offer = offer.position("P-1", 1).unwrap();
    let plain = block_on(demo.shop(&shop("SHOP1")).create_offer(&offer)).unwrap();
    offer.header.cost_bearer = Some("KT".parse().unwrap());
    offer.header.location = Some(7);
    offer.header.payment_condition = Some(9);
    offer.header.delivery_costs = Some(Decimal::ONE);
    let offer = offer.payment("", "x").unwrap();
    let made = block_on(demo.shop(&shop("SHOP1")).create_offer(&offer)).unwrap();
    assert_eq!(made.value.document, plain.value.document);
}
