//! One value of every stored type with every member set, and one with the required members only.

mod invoices;

use std::fmt::Debug;
use std::str::FromStr;

use erp_core::address::{Address, Salutation};
use erp_core::codes::{Country, Currency, Language};
use erp_core::document::{
    Document, DocumentAddress, DocumentAddresses, FoundPrice, Offer, OfferStatus, Order,
    OrderStatus, Package, Payment, Position, TaxRecap, Terms,
};
use erp_core::erp::{Event, EventId, EventKind, Method};
use erp_core::internal::master::{Token, User};
use erp_core::internal::media::ArticleMedia;
use erp_core::internal::{
    AttemptOutcome, AuditEntry, Delivery, DeliveryAttempt, DeliveryState, EventTarget,
    StoredResponse,
};
use erp_core::master::{
    Article, ArticlePrices, ArticleStock, Attribute, Attributes, Company, Customer,
    CustomerAddress, Declaration, Iban, Issuer, LeitwegId, Logo, PackagingUnit, PaymentCondition,
    PriceTier, QrIban, Reservation, Role, StockEntry, TaxCategory, TaxClass, TaxCode, TaxRate,
};
use erp_core::media::{BodyHash, Image, Media, MediaText};
use erp_core::request::{CustomerDetails, PaymentMethod};
use erp_core::text::Text;
use erp_core::totals::{PriceKind, Sums};
use jiff::Timestamp;
use rust_decimal::Decimal;

pub use invoices::{invoice, small_invoice};

pub fn text<const MAX: usize>(text: &str) -> Text<MAX> {
    Text::new(text).unwrap()
}

pub fn some<const MAX: usize>(words: &str) -> Option<Text<MAX>> {
    Some(text(words))
}

pub fn of<T: FromStr<Err: Debug>>(literal: &str) -> T {
    literal.parse().unwrap()
}

pub fn some_of<T: FromStr<Err: Debug>>(literal: &str) -> Option<T> {
    Some(of(literal))
}

pub fn attributes() -> Attributes {
    let attribute = |key, contents| Attribute {
        key: text(key),
        contents: text(contents),
    };
    Attributes::new(vec![
        attribute("RESTWEBSHOP", "SHOP1,*"),
        attribute("MARKE", "Größe €"),
    ])
}

pub fn address() -> Address {
    Address {
        language: Language::FRENCH,
        salutation: Salutation::Miss,
        company: some("Atelier Œuvre SA"),
        company_addition: some("Succursale"),
        first_name: some("Zoë"),
        last_name: some("Müller-Größ"),
        street: text("Rue du Lac 1"),
        street_addition: some("2e étage"),
        country: Country::CH,
        postal_code: text("1204"),
        town: text("Genève"),
        email: some("zoe@example.ch"),
        mobile: some("+41 79 000 00 01"),
        phone: some("+41 22 000 00 02"),
        central_phone: some("+41 22 000 00 03"),
        fax: some("+41 22 000 00 04"),
        check: Some(false),
    }
}

pub fn small_address() -> Address {
    Address {
        language: Language::GERMAN,
        salutation: Salutation::General,
        company: None,
        company_addition: None,
        first_name: None,
        last_name: some("Meier"),
        street: text("Weg 1"),
        street_addition: None,
        country: Country::parse("DE").unwrap(),
        postal_code: text("10115"),
        town: text("Berlin"),
        email: None,
        mobile: None,
        phone: None,
        central_phone: None,
        fax: None,
        check: None,
    }
}

pub fn company() -> Company {
    let condition = PaymentCondition {
        texts: [
            (Language::GERMAN, text("30 Tage netto")),
            (Language::FRENCH, text("30 jours net")),
        ]
        .into(),
        days_until_due: Some(30),
        is_paid: true,
    };
    Company {
        name: text("Muster & Söhne AG"),
        currency: Currency::EUR,
        language: Language::ITALIAN,
        country: Country::LI,
        time_zone: "Europe/Vaduz".into(),
        price_kind: PriceKind::Gross,
        price_list: some("STANDARD"),
        tax_code: some("CH-NORMAL"),
        delivery_tax_code: some("CH-REDUZ"),
        location: 7,
        backorders: false,
        first_invoice: Some(2_026_001),
        payment_conditions: [(2, condition)].into(),
        attributes: attributes(),
        issuer: issuer(),
    }
}

/// A grey pixel as PNG.
const GREY: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";

fn issuer() -> Issuer {
    Issuer {
        street: some("Städtle 1"),
        street_addition: some("3. Stock"),
        postal_code: some("9490"),
        town: some("Vaduz"),
        vat_id: some("CHE-123.456.788 MWST"),
        tax_number: some("12/345"),
        register_entry: some("FL-0002.123.456-7"),
        contact_name: some("Frau Größ"),
        phone: some("+423 000 00 01"),
        email: some("rechnung@example.li"),
        iban: Iban::parse("LI21 0881 0000 2324 013A A").ok(),
        qr_iban: QrIban::parse("LI04 3080 0000 2324 013A A").ok(),
        bic: some("LILALI2XXXX"),
        days_until_due: Some(30),
        logo: Some(Logo::parse(GREY).unwrap()),
    }
}

pub fn user() -> User {
    User {
        name: text("shop1"),
        password_hash: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA".to_owned(),
        role: Role::Shop,
        shop: some("SHOP1"),
        generation: 2,
    }
}

pub fn token() -> Token {
    Token {
        user: text("shop1"),
        customer: some("10001"),
        issued_at: of("2026-06-01T10:00:00.123456789Z"),
        expires_at: of("2026-06-01T11:00:00.123456789Z"),
    }
}

pub fn customer_address(number: i32) -> CustomerAddress {
    CustomerAddress {
        number,
        address: address(),
        attributes: attributes(),
    }
}

pub fn customer() -> Customer {
    Customer {
        number: text("10007"),
        designation: text("Atelier Œuvre"),
        details: CustomerDetails {
            currency: Currency::CHF,
            language: Language::FRENCH,
            payment_type: some("B"),
            payment_methods: vec![PaymentMethod::CreditCard, PaymentMethod::Invoice],
            industry: some("KUNST"),
            shipping_condition: some("CAMION"),
            transport_insurance: some("STANDARD"),
            expense_calculation: some("PORTO"),
            comment: some("Anlieferung nur vor 10 Uhr"),
            tax_number: some("CHE-000.000.107"),
            website: some("https://example.ch"),
            credit_limit: 8000,
        },
        price_list: some("HANDEL"),
        cost_bearer: some("100200"),
        tax_code: some("CH-EXPORT"),
        payment_condition: Some(2),
        vat_id: some("CHE-000.000.107 TVA"),
        leitweg_id: LeitwegId::parse("04011000-1234512345-06").ok(),
        attributes: attributes(),
        contact: customer_address(1),
        delivery: vec![customer_address(2), customer_address(3)],
        billing: vec![customer_address(4)],
    }
}

pub fn small_customer() -> Customer {
    Customer {
        number: text("10008"),
        designation: text("Meier"),
        details: CustomerDetails::new(Currency::EUR, Language::GERMAN),
        price_list: None,
        cost_bearer: None,
        tax_code: None,
        payment_condition: None,
        vat_id: None,
        leitweg_id: None,
        attributes: Attributes::default(),
        contact: CustomerAddress {
            number: 9,
            address: small_address(),
            attributes: Attributes::default(),
        },
        delivery: Vec::new(),
        billing: Vec::new(),
    }
}

pub fn article() -> Article {
    let unit = PackagingUnit {
        code: text("KARTON"),
        ean: some("2100001001001"),
        names: [
            (Language::GERMAN, text("Karton")),
            (Language::FRENCH, text("carton")),
        ]
        .into(),
        weight_factor: some_of("5"),
        weight: some_of("13.25"),
        content_weight: some_of("12.5"),
        factor: of("5"),
    };
    let declaration = Declaration {
        number: 3,
        language: Language::FRENCH,
        designation: some("Café torréfié"),
        designation_addition: some("Torréfié en Suisse"),
        short_designation: some("Café"),
        country: Some(Country::parse("CO").unwrap()),
    };
    Article {
        number: text("LM-3001"),
        stock_managed: true,
        status: 1,
        unit: some("Pack"),
        colour: some("#1040c0"),
        tax_code: some("CH-REDUZ"),
        group: some("LEBENSMITTEL"),
        class: some("KAFFEE"),
        procurement: some("F"),
        processing: some("C"),
        weight: some_of("0.505"),
        price_basis: some_of("100"),
        texts: [
            (Language::GERMAN, text("Röstkaffee 500 g")),
            (Language::FRENCH, text("Café torréfié 500 g")),
        ]
        .into(),
        attributes: attributes(),
        units: vec![unit],
        declarations: vec![declaration],
        changed_at: of("2026-03-31T12:00:00Z"),
    }
}

pub fn small_article() -> Article {
    Article {
        number: text("X"),
        stock_managed: false,
        status: -1,
        unit: None,
        colour: None,
        tax_code: None,
        group: None,
        class: None,
        procurement: None,
        processing: None,
        weight: None,
        price_basis: None,
        texts: [].into(),
        attributes: Attributes::default(),
        units: Vec::new(),
        declarations: Vec::new(),
        changed_at: Timestamp::UNIX_EPOCH,
    }
}

pub fn prices() -> ArticlePrices {
    let tier = |from: &str| PriceTier {
        from: of(from),
        until: some_of("49.999999"),
        price: of("0.8333"),
        basis: some_of("100"),
        range: some("LADEN"),
        changed_at: of("2026-03-31T12:00:00Z"),
    };
    let mut prices = ArticlePrices::default();
    prices
        .put(some("KARTON"), Currency::CHF, PriceKind::Net, tier("1"))
        .unwrap();
    prices
        .put(some("KARTON"), Currency::CHF, PriceKind::Net, tier("50"))
        .unwrap();
    prices
        .put(some("KARTON"), Currency::EUR, PriceKind::Gross, tier("0"))
        .unwrap();
    prices
}

pub fn small_prices() -> ArticlePrices {
    let tier = PriceTier {
        from: of("1"),
        until: None,
        price: of("12.35"),
        basis: None,
        range: None,
        changed_at: Timestamp::UNIX_EPOCH,
    };
    let mut prices = ArticlePrices::default();
    prices
        .put(None, Currency::CHF, PriceKind::Net, tier)
        .unwrap();
    prices
}

pub fn stock() -> ArticleStock {
    let entry = StockEntry {
        place: text("Hochregal Süd 12"),
        location: 2,
        quantity: of("-3.5"),
        unit: some("KARTON"),
        range: some("HOCHREGAL"),
        released: true,
    };
    ArticleStock {
        entries: vec![entry],
    }
}

pub fn small_stock() -> ArticleStock {
    let entry = StockEntry {
        place: text("A"),
        location: 1,
        quantity: Decimal::ZERO,
        unit: None,
        range: None,
        released: false,
    };
    ArticleStock {
        entries: vec![entry],
    }
}

pub fn tax_code() -> TaxCode {
    let rate = TaxRate {
        valid_from: of("2018-01-01"),
        valid_until: some_of("2023-12-31"),
        rate: of("7.7"),
        turnover_figure: some("302"),
        sales_tax_figure: some("303"),
        input_tax_figure: some("400"),
    };
    TaxCode {
        id: text("CH-NORMAL"),
        class: TaxClass::Swiss,
        names: [
            (Language::GERMAN, text("MWST Normalsatz")),
            (Language::FRENCH, text("TVA taux normal")),
        ]
        .into(),
        rates: vec![rate],
        category: Some(TaxCategory::Exempt),
        exemption_reasons: [(Language::GERMAN, text("Ausgenommen"))].into(),
        exemption_code: some("VATEX-EU-132"),
    }
}

pub fn small_tax_code() -> TaxCode {
    let rate = TaxRate {
        valid_from: of("2024-01-01"),
        valid_until: None,
        rate: of("8.1"),
        turnover_figure: None,
        sales_tax_figure: None,
        input_tax_figure: None,
    };
    TaxCode {
        id: text("X"),
        class: TaxClass::Other,
        names: [].into(),
        rates: vec![rate],
        category: None,
        exemption_reasons: [].into(),
        exemption_code: None,
    }
}

pub fn position() -> Position {
    Position {
        number: 2,
        visible_number: 20,
        article: text("LM-3001"),
        description: some("Kaffee für die Küche"),
        quantity: of("36"),
        price: FoundPrice {
            amount: of("1000"),
            basis: of("100"),
            kind: Some(PriceKind::Gross),
        },
        price_basis: of("1"),
        unit_price: of("0.833333"),
        discount_rate: of("12.5"),
        total: of("26.25"),
        net: of("25.58"),
        tax: of("0.67"),
        tax_code: text("CH-REDUZ"),
        tax_rate: of("2.6"),
        package: Some(Package {
            unit: text("KARTON"),
            quantity: of("3"),
            price: of("10"),
        }),
        article_text: true,
        promised: Some(of("2")),
    }
}

pub fn small_position() -> Position {
    Position {
        description: None,
        price: FoundPrice {
            kind: None,
            ..position().price
        },
        package: None,
        article_text: false,
        promised: None,
        ..position()
    }
}

pub fn recap() -> TaxRecap {
    TaxRecap {
        code: text("CH-REDUZ"),
        rate: of("2.6"),
        class: TaxClass::Swiss,
        name: some("MWST reduzierter Satz"),
        net: of("35.48"),
        tax: of("0.92"),
        turnover_figure: some("312"),
        sales_tax_figure: some("313"),
        input_tax_figure: some("400"),
    }
}

pub fn document() -> Document {
    let own = Some(DocumentAddress {
        number: Some(4),
        address: address(),
    });
    Document {
        description: some("Bestellung für das Büro"),
        foreign_number: some("SHOP-4711"),
        reference: some("Frau Größ"),
        ordered_at: of("2026-06-01T08:00:00Z"),
        delivery_at: some_of("2026-06-03T00:00:00Z"),
        currency: Currency::CHF,
        comment: some("Bitte klingeln"),
        cost_bearer: some("100200"),
        location: 2,
        payment_condition: Some(2),
        delivery_costs: of("9.90"),
        kind: PriceKind::Gross,
        created_at: of("2026-06-01T08:00:00.5Z"),
        addresses: DocumentAddresses {
            contact: own.clone(),
            delivery: own.clone(),
            billing: own,
        },
        positions: vec![position()],
        next_position: 3,
        recap: vec![recap()],
        sums: Sums {
            net: of("35.48"),
            tax: of("0.92"),
            gross: of("36.40"),
            cash_rounding: of("-0.02"),
        },
        payments: vec![Payment {
            key: text("1"),
            name: some("payment_method"),
            value: some("R"),
        }],
    }
}

pub fn order() -> Order {
    Order {
        number: text("1000001"),
        customer: text("10007"),
        status: OrderStatus::Open,
        created_by: text("shop1"),
        by_customer: true,
        document: document(),
        reservations: vec![Reservation {
            article: text("LM-3001"),
            location: 2,
            unit: some("KARTON"),
            quantity: of("3"),
        }],
        note: some("ruft zurück\nam Montag"),
        invoice: some("16"),
        credit_note: some("17"),
    }
}

pub fn small_order() -> Order {
    let small_recap = TaxRecap {
        name: None,
        turnover_figure: None,
        sales_tax_figure: None,
        input_tax_figure: None,
        ..recap()
    };
    let address = Some(DocumentAddress {
        number: None,
        address: small_address(),
    });
    let addresses = DocumentAddresses {
        contact: address.clone(),
        delivery: address.clone(),
        billing: address,
    };
    let document = Document {
        description: None,
        foreign_number: None,
        reference: None,
        delivery_at: None,
        comment: None,
        cost_bearer: None,
        payment_condition: None,
        addresses,
        positions: vec![small_position()],
        recap: vec![small_recap],
        payments: Vec::new(),
        ..document()
    };
    Order {
        status: OrderStatus::New,
        document,
        reservations: Vec::new(),
        note: None,
        invoice: None,
        credit_note: None,
        ..order()
    }
}

pub fn offer() -> Offer {
    Offer {
        number: text("500001"),
        customer: some("10007"),
        status: OfferStatus::Ordered(text("1000001")),
        created_by: text("shop1"),
        terms: Terms {
            price_list: some("HANDEL"),
            cost_bearer: some("100200"),
            tax_code: some("CH-EXPORT"),
            currency: Currency::EUR,
        },
        document: document(),
    }
}

/// A template without an address.
pub fn small_offer() -> Offer {
    let document = Document {
        addresses: DocumentAddresses::default(),
        ..small_order().document
    };
    Offer {
        customer: None,
        status: OfferStatus::Offered,
        terms: Terms {
            price_list: None,
            cost_bearer: None,
            tax_code: None,
            currency: Currency::CHF,
        },
        document,
        ..offer()
    }
}

pub fn stored_response() -> StoredResponse {
    let fingerprint = std::array::from_fn(|at| 255 - u8::try_from(at).unwrap());
    StoredResponse {
        fingerprint,
        answer: r#"{"AuftNr":"1000001","AuftBez":"B\u00fcro"}"#.to_owned(),
        customer: Some(text("10007")),
        expires_at: of("2026-06-02T08:00:00.123456789Z"),
        unchanged: Some(41),
    }
}

pub fn event() -> Event {
    Event {
        kind: EventKind::Order,
        at: of("2026-06-01T08:00:00.5Z"),
        number: "1000001".to_owned(),
        articles: vec![text("P-1"), text("P-2")],
        method: Method::Put,
        user: "shop1".to_owned(),
        status: Some(OrderStatus::Canceled),
    }
}

pub fn small_event() -> Event {
    Event {
        kind: EventKind::Customer,
        at: Timestamp::UNIX_EPOCH,
        number: "1".to_owned(),
        articles: Vec::new(),
        method: Method::Post,
        user: "a".to_owned(),
        status: None,
    }
}

pub fn audit_entry() -> AuditEntry {
    AuditEntry {
        user: Some("shop1".into()),
        operation: "PUT /www/kunden/{DebiNr}".into(),
        trace: Some("4bf92f3577b34da6a3ce929d0e0e4736".into()),
        changed: vec!["Kunde 10007".to_owned(), "Adresse 17".to_owned()],
        removed: vec!["Token shop1".to_owned()],
        has_differences: true,
    }
}

pub fn event_target() -> EventTarget {
    EventTarget {
        id: 3,
        url: "https://shop.example.ch/hook?q=ä".to_owned(),
        secret: "whsec_c2VjcmV0".to_owned(),
        kinds: vec![EventKind::Order, EventKind::Customer],
        enabled: true,
        created_at: of("2026-06-01T08:00:00Z"),
    }
}

pub fn small_event_target() -> EventTarget {
    EventTarget {
        kinds: Vec::new(),
        enabled: false,
        ..event_target()
    }
}

/// A delivery with one attempt of every outcome.
pub fn delivery() -> Delivery {
    let attempt = |outcome| DeliveryAttempt {
        at: of("2026-06-01T08:00:00Z"),
        outcome,
        duration_ms: 10_000,
    };
    let outcomes = [
        AttemptOutcome::Status(503),
        AttemptOutcome::AddressRefused,
        AttemptOutcome::NoConnection,
        AttemptOutcome::Broken,
        AttemptOutcome::TimedOut,
    ];
    Delivery {
        event: EventId {
            revision: 17,
            index: 1,
        },
        target: 3,
        attempts: outcomes.map(attempt).to_vec(),
        failures: 5,
        state: DeliveryState::Waiting,
        next_attempt_at: some_of("2026-06-01T13:00:10Z"),
    }
}

pub fn small_delivery(state: DeliveryState) -> Delivery {
    let mut small = delivery();
    small.attempts.clear();
    Delivery {
        state,
        next_attempt_at: None,
        ..small
    }
}

pub fn media() -> Media {
    Media {
        key: 2_147_483_647,
        article: text("BU-1001"),
        usage: some("WEB"),
        language: Some(of("ger")),
        country: Some(of("CH")),
        group: some("BUERO"),
        file_name: some("Größe «A4».png"),
        comment: some("nur für Łódź"),
        image: Some(Image {
            format: text("PNG"),
            hash: BodyHash::new(std::array::from_fn(|at| u8::try_from(at * 8).unwrap())),
            length: 68_719_476_736,
        }),
        text: Some(MediaText {
            format: text("html"),
            text: text("<p>Größe\n5 €</p>"),
        }),
        changed_at: of("2026-06-01T08:00:00.5Z"),
    }
}

pub fn small_media() -> Media {
    Media {
        key: 1,
        article: text("1"),
        usage: None,
        language: None,
        country: None,
        group: None,
        file_name: None,
        comment: None,
        image: None,
        text: None,
        changed_at: Timestamp::UNIX_EPOCH,
    }
}

pub fn article_media() -> ArticleMedia {
    ArticleMedia {
        keys: [1, 200, 70_000, 2_147_483_647].into(),
    }
}
