//! The main job of a shop on the memory store: read priced articles, create a customer, order, read the order.

use crate::common::{LINKS, admin, block_on, demo, shop};
use erp_core::Code;
use erp_core::Number;
use erp_core::document::{Order, OrderStatus};
use erp_core::erp::{ArticleQuery, Error, Outcome};
use erp_core::internal::CustomerOrders;
use erp_core::master::Reservation;
use erp_core::storage::{ChangeSet, Storage as _};
use serde_json::{Value, json};

fn codes(error: &Error) -> Vec<(String, Code)> {
    match error {
        Error::Invalid(problems) => problems
            .as_slice()
            .iter()
            .map(|problem| (problem.path.clone(), problem.code))
            .collect(),
        other => panic!("expected a refusal with problems, found {other:?}"),
    }
}

fn number(outcome: Result<Outcome<Order>, Error>) -> String {
    outcome.unwrap().number.to_string()
}

fn body(positions: Value) -> Value {
    json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": positions})
}

// rule: R-RES-01, R-RES-02, R-RES-03, R-RES-04, R-RES-06, R-TOT-03, R-END-05, R-END-02
#[test]
fn an_order_keeps_prices_addresses_and_totals() {
    let demo = demo();
    let order = body(json!([
        {"ArtNr": "P-1", "Menge": 3},
        {"ArtNr": "P-2", "Menge": 24, "VPEinheit": "KT12", "GRabSatz": 12.5},
        {"ArtNr": "P-3", "Menge": 2.5, "PosBez": "Käse, am Stück", "VisPosNr": 5},
    ]));
    let number = number(block_on(demo.shop(&shop("SHOP1")).create_order(&order)));
    let response = block_on(demo.shop(&admin()).order(&number)).unwrap().value;
    let response = serde_json::to_value(response.to_wire()).unwrap();

    let header = &response["GrundDaten"];
    // 3 × 12.35 = 37.05; 2 cartons × 10.00 = 20.00 − 2.50 = 17.50; 2.5 × 4.20 = 10.50
    assert_eq!(header["AuftNetto"].to_string(), "65.05");
    // 8.1 % of 54.55 = 4.42; 2.6 % of 10.50 = 0.27
    assert_eq!(header["AuftWUST"].to_string(), "4.69");
    assert_eq!(header["AuftBrutto"].to_string(), "69.74");
    assert_eq!(header["AuftStatus"], "N");
    assert_eq!(header["AuftBestellT"], header["AuftBestellTUTC"]);

    let positions = response["Positionen"].as_array().unwrap();
    let visible: Vec<_> = positions
        .iter()
        .map(|position| position["VisPosNr"].to_string())
        .collect();
    assert_eq!(visible, ["5", "10", "20"]);
    let carton = &positions[2];
    assert_eq!(carton["VPEAnzBest"].to_string(), "2");
    assert_eq!(carton["VPEPreisEinzel"].to_string(), "10");
    assert_eq!(carton["PosPreisEinzel"].to_string(), "0.833333");
    assert_eq!(carton["PosPreisTotal"].to_string(), "17.5");
    assert_eq!(positions[0]["PosBez"], "Käse, am Stück");
    assert_eq!(positions[1]["PosBez"], "Stanzwerkzeug");

    for name in ["KontaktAdr", "LiefAdr", "RechAdr"] {
        assert_eq!(response["Adressen"][name]["OrtName"], "Zürich", "{name}");
    }
    let recap: Vec<_> = response["MWSTRekapitulation"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            (
                entry["PosWUSTSatz"].to_string(),
                entry["PosBetragNetto"].to_string(),
                entry["PosWUST"].to_string(),
            )
        })
        .collect();
    assert_eq!(
        recap,
        [
            ("8.1".to_owned(), "54.55".to_owned(), "4.42".to_owned()),
            ("2.6".to_owned(), "10.5".to_owned(), "0.27".to_owned()),
        ]
    );
}

// rule: R-RES-16, R-STA-11
#[test]
fn an_order_reserves_stock_and_may_drive_it_below_zero() {
    let demo = demo();
    let caller = shop("SHOP1");
    let stock = || {
        let article =
            block_on(demo.shop(&caller).article("P-1", &ArticleQuery::default())).unwrap();
        serde_json::to_value(article.to_wire(&LINKS)).unwrap()["Bestand"][0]["LagerBestand"].clone()
    };
    assert_eq!(stock(), 10);
    let order = body(json!([{"ArtNr": "P-1", "Menge": 8}, {"ArtNr": "P-1", "Menge": 4.5}]));
    block_on(demo.shop(&caller).create_order(&order)).unwrap();
    assert_eq!(stock(), -3);
}

// rule: D-DOC-03
#[test]
fn orders_reserve_no_more_than_a_counter_holds() {
    let demo = demo();
    let caller = shop("SHOP1");
    let order = |positions| {
        let order = block_on(demo.shop(&caller).create_order(&body(positions)));
        order.map(drop)
    };
    let refused = |positions| {
        let refused = codes(&order(positions).unwrap_err());
        assert_eq!(refused, [("Positionen".to_owned(), Code::OutOfRange)]);
    };
    let most = json!({"ArtNr": "P-1", "Menge": 999_999_999});
    refused(json!([most, {"ArtNr": "P-1", "Menge": 1}]));
    assert_eq!(order(json!([most, {"ArtNr": "P-3", "Menge": 1}])), Ok(()));
    // As after the orders of years.
    let mut changes = ChangeSet::new();
    let before = i64::MAX - 999_999_999_000_000 - 1_500_000;
    changes.add(Reservation::counter("P-1", 1, None), before);
    block_on(demo.erp.store().commit(changes)).unwrap();
    refused(json!([{"ArtNr": "P-1", "Menge": 2}]));
    assert_eq!(order(json!([{"ArtNr": "P-1", "Menge": 1}])), Ok(()));
}

// rule: D-REQ-10, D-REQ-18, R-ART-02, R-TOT-01, R-TOT-03, R-END-33
#[test]
fn every_problem_of_an_order_is_reported_at_once() {
    let demo = demo();
    let order = body(json!([
        {"ArtNr": "NOPE", "Menge": 1},
        {"ArtNr": "P-2", "Menge": 13, "VPEinheit": "KT12"},
        {"ArtNr": "P-2", "Menge": 12, "VPEinheit": "PAL"},
        {"ArtNr": "HIDDEN", "Menge": 1},
        {"ArtNr": "P-1", "Menge": 0.5},
    ]));
    let error = block_on(demo.shop(&shop("SHOP1")).create_order(&order)).unwrap_err();
    assert_eq!(
        codes(&error),
        [
            ("Positionen[0].ArtNr".to_owned(), Code::UnknownArticle),
            ("Positionen[1].Menge".to_owned(), Code::NotAWholePackage),
            (
                "Positionen[2].VPEinheit".to_owned(),
                Code::UnknownPackagingUnit
            ),
            ("Positionen[3].ArtNr".to_owned(), Code::UnknownArticle),
            ("Positionen[4].ArtNr".to_owned(), Code::NoPrice),
        ]
    );
    // The back office can order what no shop sees, at its own price.
    let order = body(json!([{"ArtNr": "INTERN", "Menge": 1, "Preis": 1}]));
    let refused = block_on(demo.shop(&shop("SHOP1")).create_order(&order));
    assert_eq!(codes(&refused.unwrap_err())[0].1, Code::UnknownArticle);
    block_on(demo.shop(&admin()).create_order(&order)).unwrap();
}

// rule: D-REQ-10, D-REQ-18, R-END-33
#[test]
fn numbers_of_a_position_have_limits() {
    let demo = demo();
    let refused = |position: Value| {
        let order = body(json!([position]));
        let caller = shop("SHOP1");
        codes(&block_on(demo.shop(&caller).create_order(&order)).unwrap_err())
    };
    for (field, number, code) in [
        ("Menge", "0", Code::OutOfRange),
        ("Menge", "-1", Code::OutOfRange),
        ("Menge", "1000000000", Code::OutOfRange),
        ("Menge", "0.0000001", Code::TooPrecise),
        ("GRabSatz", "100.01", Code::OutOfRange),
        ("Preis", "-0.01", Code::OutOfRange),
    ] {
        let mut position = json!({"ArtNr": "P-1", "Menge": 1});
        position[field] = serde_json::from_str(number).unwrap();
        assert_eq!(
            refused(position),
            [(format!("Positionen[0].{field}"), code)]
        );
    }
    let missing = ["ArtNr", "Menge"].map(|name| (format!("Positionen[0].{name}"), Code::Required));
    assert_eq!(refused(json!({})), missing);
}

// rule: R-TOT-01, R-TOT-05, R-END-35
#[test]
fn a_foreign_currency_without_a_price_is_refused_and_an_own_price_is_taken() {
    let demo = demo();
    let caller = shop("SHOP1");
    let order = json!({"GrundDaten": {"KundNr": "10001", "WaehrAbk": "USD"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let error = block_on(demo.shop(&caller).create_order(&order)).unwrap_err();
    assert_eq!(
        codes(&error),
        [("Positionen[0].ArtNr".to_owned(), Code::NoPrice)]
    );
    let order = json!({"GrundDaten": {"KundNr": "10001", "WaehrAbk": "USD"}, "Positionen": [{"ArtNr": "P-1", "Menge": 2, "Preis": 1.255}]});
    let number = number(block_on(demo.shop(&caller).create_order(&order)));
    let response = block_on(demo.shop(&admin()).order(&number)).unwrap().value;
    assert_eq!(response.document.sums.net.to_string(), "2.51");
}

// rule: R-RES-15, R-ART-04
#[test]
fn prices_fall_back_list_by_list_and_are_never_merged() {
    let demo = demo();
    let caller = shop("SHOP1");
    let price = |customer: Option<&str>, article: &str| {
        let query = ArticleQuery {
            customer: customer.map(str::to_owned),
            ..ArticleQuery::default()
        };
        let article = block_on(demo.shop(&caller).article(article, &query)).unwrap();
        let prices = article.prices(None).map(|prices| prices.tiers.iter());
        let prices = prices.into_iter().flatten();
        let prices = prices.map(|tier| Number(tier.price).to_string());
        prices.collect::<Vec<_>>()
    };
    assert_eq!(price(None, "P-1"), ["12.35"]);
    // The dealer's list has one tier for P-1 and none for P-3.
    assert_eq!(price(Some("10002"), "P-1"), ["11", "10"]);
    assert_eq!(price(Some("10002"), "P-3"), ["4.2"]);
    assert!(price(None, "P-4").is_empty());
}

// rule: R-END-21
#[test]
fn the_language_of_the_customer_has_priority() {
    let demo = demo();
    let caller = shop("SHOP1");
    let description = |query: ArticleQuery| {
        block_on(demo.shop(&caller).article("P-1", &query))
            .unwrap()
            .description()
            .unwrap()
            .to_string()
    };
    let french = Some(erp_core::codes::Language::FRENCH);
    let english = Some(erp_core::codes::Language::ENGLISH);
    assert_eq!(description(ArticleQuery::default()), "Stanzwerkzeug");
    assert_eq!(
        description(ArticleQuery {
            language: french,
            ..Default::default()
        }),
        "Outil de découpe"
    );
    assert_eq!(
        description(ArticleQuery {
            language: english,
            ..Default::default()
        }),
        "Stanzwerkzeug"
    );
    let customer = Some("10002".to_owned());
    assert_eq!(
        description(ArticleQuery {
            language: english,
            customer,
            ..Default::default()
        }),
        "Outil de découpe"
    );
}

// rule: R-ART-01
#[test]
fn lists_show_what_the_caller_may_see_in_order() {
    let demo = demo();
    let list = |caller: &erp_core::master::Caller, sorts: &str| {
        let door = demo.shop(caller);
        let sorts = erp_core::article::parse_sorts(sorts).unwrap();
        let list = block_on(door.article_list(&ArticleQuery::default(), &sorts)).unwrap();
        let page = block_on(door.article_page(&list, 0..100)).unwrap();
        assert_eq!(page.len(), list.count());
        page.into_iter()
            .map(|article| article.number.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(list(&shop("SHOP1"), ""), ["P-3", "P-4", "P-2", "P-1"]);
    assert_eq!(list(&shop("SHOP2"), "-ArtNr"), ["P-4", "HIDDEN"]);
    assert_eq!(
        list(&admin(), "ArtNr"),
        ["HIDDEN", "INTERN", "P-1", "P-2", "P-3", "P-4"]
    );
}

// rule: D-IMP-05
#[test]
fn a_list_follows_master_data_at_once() {
    let demo = demo();
    let caller = shop("SHOP1");
    let count = || {
        let sorts = erp_core::article::parse_sorts("").unwrap();
        block_on(
            demo.shop(&caller)
                .article_list(&ArticleQuery::default(), &sorts),
        )
        .unwrap()
        .count()
    };
    assert_eq!(count(), 4);
    demo.import(&[json!({"Artikel": {"ArtNr": "P-9", "ArtBez": "Neu", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}})]).unwrap();
    assert_eq!(count(), 5);
    demo.import(&[json!({"Artikel": {"ArtNr": "P-9", "Loeschen": true}})])
        .unwrap();
    assert_eq!(count(), 4);
}

// rule: R-RES-10, R-END-11, R-END-15, R-END-61
#[test]
fn a_customer_is_stored_read_and_replaced() {
    let demo = demo();
    let caller = shop("SHOP1");
    let door = demo.shop(&caller);
    let address = json!({"AdrSprache": "fre", "AdrAdresse1": "Rue du Lac 1", "AdrAnrede": 2, "AdrName": "Müller-Zürn",
        "AdrVorname": "Zoë", "OrtLand": "CH", "OrtName": "Genève", "OrtPLZ": "1204"});
    let body = json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B", "ZahlungsMethode": "K, R", "KreditLimit": 500},
        "Adressen": {"KontaktAdr": address, "LiefAdr": address}});
    let number = block_on(door.create_customer(&body))
        .unwrap()
        .number
        .clone();
    assert_eq!(number.as_str(), "10003", "after the imported customers");
    let read = |wanted: CustomerOrders| {
        let found = block_on(door.customer_with_orders(&number, wanted)).unwrap();
        let orders = found.orders.iter().map(|order| order.to_wire(&LINKS));
        let mut response = found.customer.to_wire(&LINKS);
        response.orders = (wanted.last > 0).then(|| orders.collect());
        serde_json::to_value(response).unwrap()
    };
    let response = read(CustomerOrders::default());
    assert_eq!(response["status"], 1);
    assert_eq!(response["AdrSprache"], "fre");
    assert_eq!(response["ZahlungsMethode"], "K,R");
    assert_eq!(response["KundBez"], "Zoë Müller-Zürn");
    assert_ne!(response["KundLief"], response["KundKontakt"]);
    assert_eq!(response["KundRech"], response["KundKontakt"]);
    assert!(response.get("Auftrag").is_none());

    let body = json!({"GrundDaten": {"WaehrAbk": "EUR", "FAKTZahlArt": "L"}, "Adressen": {"KontaktAdr": address}});
    let replaced = block_on(door.replace_customer(&number, &body))
        .unwrap()
        .value;
    let replaced = serde_json::to_value(replaced.to_wire(&LINKS)).unwrap();
    assert_eq!(
        (&replaced["status"], &replaced["WaehrAbk"]),
        (&json!(0), &json!("EUR"))
    );
    assert_eq!(replaced["KundLief"], response["KundKontakt"]);
    assert!(replaced.get("ZahlungsMethode").is_none());

    for _ in 0..3 {
        let order = json!({"GrundDaten": {"KundNr": number.as_str(), "WaehrAbk": "CHF"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
        block_on(door.create_order(&order)).unwrap();
    }
    let listed = |last, status| {
        let response = read(CustomerOrders { last, status });
        response["Auftrag"]
            .as_array()
            .unwrap()
            .iter()
            .map(|order| order["AuftNr"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(2, None), ["100003", "100002"]);
    assert_eq!(
        listed(9, Some(erp_core::document::OrderStatus::New)).len(),
        3
    );
    assert_eq!(
        listed(9, Some(erp_core::document::OrderStatus::Completed)).len(),
        0
    );
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

#[test]
fn importing_the_same_rows_twice_changes_nothing() {
    let demo = demo();
    let report = demo.import(&crate::common::rows()).unwrap();
    assert_eq!((report.added, report.changed, report.removed), (0, 0, 0));
    assert!(report.unchanged > 10);
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

#[test]
fn a_batch_with_a_bad_row_changes_nothing() {
    let demo = demo();
    let error = demo.import(&[
        json!({"ArtikelText": {"ArtNr": "P-1", "AdrSprache": "eng", "ArtBez": "Punch"}}),
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-1", "WaehrAbk": "CHF", "AbAnzahl": 5, "PreisList": 1, "Preisart": "N"}}),
        json!({"Bestand": {"ArtNr": "NOPE", "LagerOrt": "A", "StaoNr": 1, "LagerBestand": 1}}),
    ]).unwrap_err();
    assert_eq!(
        codes(&error),
        [
            ("line 2: AbAnzahl".to_owned(), Code::Contradiction),
            ("line 3: ArtNr".to_owned(), Code::UnknownArticle),
        ]
    );
    let caller = shop("SHOP1");
    let query = ArticleQuery {
        language: Some(erp_core::codes::Language::ENGLISH),
        ..Default::default()
    };
    let article = block_on(demo.shop(&caller).article("P-1", &query)).unwrap();
    assert_eq!(article.description(), Some("Stanzwerkzeug"));
}

// rule: D-REQ-10, D-REQ-18
#[test]
fn broken_fields_and_broken_rules_are_listed_together() {
    let demo = demo();
    let caller = shop("SHOP1");
    let positions = json!([
        {"ArtNr": "NOPE", "Menge": 1},
        {"ArtNr": "P-1", "Menge": "x"},
        {"ArtNr": "P-2", "Menge": 13, "VPEinheit": "KT12"},
    ]);
    let error = block_on(demo.shop(&caller).create_order(&body(positions.clone()))).unwrap_err();
    let expected = [
        ("Positionen[1].Menge".to_owned(), Code::WrongType),
        ("Positionen[0].ArtNr".to_owned(), Code::UnknownArticle),
        ("Positionen[2].Menge".to_owned(), Code::NotAWholePackage),
    ];
    assert_eq!(codes(&error), expected);
    let error = block_on(
        demo.shop(&caller)
            .create_offer(&json!({"Positionen": positions})),
    )
    .unwrap_err();
    assert_eq!(codes(&error), expected);
    let unknown = json!({"GrundDaten": {"KundNr": "99999"}, "Positionen": [{"ArtNr": "P-1"}]});
    let error = block_on(demo.shop(&caller).create_order(&unknown)).unwrap_err();
    assert_eq!(
        codes(&error),
        [
            ("Positionen[0].Menge".to_owned(), Code::Required),
            ("GrundDaten.KundNr".to_owned(), Code::UnknownCustomer),
        ]
    );
}

// rule: D-REQ-09
#[test]
fn an_import_refuses_an_unknown_time_zone() {
    let demo = demo();
    let mut company = crate::common::rows().remove(0);
    company["Firma"]["Zeitzone"] = json!("Europe/Atlantis");
    let error = demo.import(&[company]).unwrap_err();
    assert_eq!(
        codes(&error),
        [("line 1: Zeitzone".to_owned(), Code::UnknownValue)]
    );
    assert_eq!(erp_core::master::Company::default().time_zone, "UTC");
}

#[test]
fn without_a_time_zone_database_the_message_says_how_to_get_one() {
    use erp_core::erp::Settings;
    let refused = |settings: Settings| {
        let demo = crate::common::Demo {
            erp: erp_core::Erp::new(erp_core::storage::MemoryStore::new(), settings),
        };
        let mut company = crate::common::rows().remove(0);
        company["Firma"]["Zeitzone"] = json!("Europe/Berlin");
        match demo.import(&[company]).unwrap_err() {
            Error::Invalid(problems) => problems.as_slice()[0].message.english(),
            other => panic!("{other:?}"),
        }
    };
    let message = refused(Settings {
        time_zones: |name| (name == "UTC").then_some(jiff::tz::TimeZone::UTC),
        ..Settings::default()
    });
    assert!(
        message.contains("`Europe/Berlin` cannot be looked up"),
        "{message}"
    );
    assert!(message.contains("no time zone database"), "{message}");
    assert!(message.contains("`settings.time_zones`"), "{message}");
    // If there is a time zone database, the row is reported as wrong.
    let message = refused(Settings {
        time_zones: |name| (name == "Europe/London").then_some(jiff::tz::TimeZone::UTC),
        ..Settings::default()
    });
    assert_eq!(message, "there is no time zone `Europe/Berlin`");
}

#[cfg(feature = "towns-ch-li")]
#[test]
fn towns_are_checked_by_default_when_they_are_compiled_in() {
    let demo = demo();
    let number = demo.customer(&json!({
        "GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": {"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0,
            "AdrFirma": "A", "OrtLand": "CH", "OrtName": "zuerich", "OrtPLZ": "8001"}},
    }));
    let stored = block_on(demo.office().customer(&number)).unwrap().value;
    assert_eq!(stored.contact.address.town, "Zürich");
}

// rule: D-DOC-09, R-RES-11, R-STA-02
#[test]
fn a_customer_is_read_with_all_its_orders_page_by_page() {
    let demo = demo();
    let caller = shop("SHOP1");
    let door = demo.shop(&caller);
    let order = body(json!([{"ArtNr": "P-1", "Menge": 1}]));
    let mut placed: Vec<String> = (0..205).map(|_| demo.order(&order)).collect();
    placed.reverse();
    let orders = CustomerOrders {
        last: 2_147_483_647,
        status: None,
    };
    let all_pages = |orders| -> Vec<String> {
        let mut found = block_on(door.customer_with_orders("10001", orders)).unwrap();
        while !found.rest.is_done() {
            let page = block_on(door.next_orders(&mut found.rest)).unwrap();
            found.orders.extend(page);
        }
        let numbers = found.orders.iter().map(|order| order.number.to_string());
        numbers.collect()
    };
    assert_eq!(all_pages(orders), placed);
    for number in placed.iter().step_by(50) {
        block_on(demo.office().set_order_status(number, OrderStatus::Open)).unwrap();
    }
    let listed = |last: usize, status: Option<OrderStatus>| -> Vec<String> {
        all_pages(CustomerOrders { last, status })
    };
    for last in [1, 99, 100, 101, 200, 204, 205, 206] {
        assert_eq!(listed(last, None), placed[..last.min(205)], "{last}");
    }
    let open: Vec<String> = placed.iter().step_by(50).cloned().collect();
    assert_eq!(listed(1_000, Some(OrderStatus::Open)), open);
    assert_eq!(listed(2, Some(OrderStatus::Open)), open[..2]);
    assert_eq!(listed(1_000, Some(OrderStatus::Completed)), [""; 0]);
    let found = block_on(door.customer_with_orders("10001", orders)).unwrap();
    assert_eq!(found.orders.len(), 100);
    let mut rest = found.rest;
    assert_eq!(block_on(door.next_orders(&mut rest)).unwrap().len(), 100);
    assert!(!rest.is_done());
    assert_eq!(block_on(door.next_orders(&mut rest)).unwrap().len(), 5);
    assert!(rest.is_done());
    assert_eq!(block_on(door.next_orders(&mut rest)).unwrap().len(), 0);
}
