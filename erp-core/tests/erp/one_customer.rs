//! What a caller who acts for one customer can do, on the memory store.

use erp_core::erp::{ArticleQuery, Error, FoundCustomer, OrderQuery, Retry, SearchTerms};
use erp_core::internal::TokenHash;
use erp_core::internal::master::User;
use erp_core::internal::wire::{Record, view};
use erp_core::master::{Caller, Role};
use erp_core::request::{DocumentRequest, OfferChangeRequest, PositionRequest};
use erp_core::text::Text;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::common::{Demo, LINKS, block_on, demo, now, shop};

const OWN: &str = "10001";

/// Has another price list and language.
const OTHER: &str = "10002";

fn of(customer: &str) -> Caller {
    Caller {
        customer: Some(Text::new(customer).unwrap()),
        ..shop("SHOP1")
    }
}

fn positions() -> Value {
    json!([{"ArtNr": "P-1", "Menge": 1}])
}

fn problems<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<String> {
    match result {
        Err(Error::Invalid(problems)) => problems
            .as_slice()
            .iter()
            .map(|problem| format!("{} {}", problem.path, problem.code))
            .collect(),
        other => vec![format!("{other:?}")],
    }
}

/// The customer of a new order and of a new offer with this header.
fn customers(demo: &Demo, caller: &Caller, header: &Value) -> Result<(String, String), Error> {
    let door = demo.shop(caller);
    let body = json!({"GrundDaten": header, "Positionen": positions()});
    let order = block_on(door.create_order(&body))?;
    let offer = block_on(door.create_offer(&body))?;
    Ok((
        order.customer.to_string(),
        offer.customer.as_ref().unwrap().to_string(),
    ))
}

// rule: D-AUT-11
#[test]
fn a_customer_that_is_not_named_is_the_own_one() {
    let demo = demo();
    let own = (OWN.to_owned(), OWN.to_owned());
    for header in [
        json!(null),
        json!({}),
        json!({"KundNr": null}),
        json!({"KundNr": "  "}),
        json!({"KundNr": "10001   "}),
    ] {
        assert_eq!(
            customers(&demo, &of(OWN), &header).unwrap(),
            own,
            "{header}"
        );
    }
    let other = customers(&demo, &of(OWN), &json!({"KundNr": OTHER}));
    assert_eq!(problems(other), ["GrundDaten.KundNr unknown_customer"]);
    for (header, problem) in [
        (json!({"KundNr": 7}), "GrundDaten.KundNr wrong_type"),
        (json!(7), "GrundDaten wrong_type"),
    ] {
        let refused = customers(&demo, &of(OWN), &header);
        assert!(problems(refused).contains(&problem.to_owned()), "{header}");
    }
    let caller = of(OWN);
    let door = demo.shop(&caller);
    // A request that a program makes, too, is for the customer: there are no templates.
    let template = DocumentRequest::template().position("P-1", 1).unwrap();
    let offer = block_on(door.create_offer(&template)).unwrap();
    assert_eq!(offer.customer.as_deref(), Some(OWN));
    let conversion = json!({"GrundDaten": {"OffertNr": offer.number.as_str()}});
    let order = block_on(door.convert_offer(&conversion)).unwrap();
    assert_eq!(order.customer, OWN);
    let prices = |caller: &Caller, customer: Option<&str>| {
        let query = ArticleQuery {
            customer: customer.map(str::to_owned),
            ..ArticleQuery::default()
        };
        let article = block_on(demo.shop(caller).article("P-1", &query));
        article.map(|article| serde_json::to_string(&article.to_wire(&LINKS)).unwrap())
    };
    let [own, other] = [OWN, OTHER].map(|number| prices(&shop("SHOP1"), Some(number)).unwrap());
    assert_ne!(own, other);
    assert_eq!(prices(&of(OTHER), None).unwrap(), other);
    assert_eq!(prices(&of(OTHER), Some(OTHER)).unwrap(), other);
    let hidden = prices(&of(OTHER), Some(OWN));
    assert!(matches!(
        hidden,
        Err(Error::NotFound {
            what: "customer",
            ..
        })
    ));
}

// rule: D-AUT-11
#[test]
fn nothing_of_others_is_found_and_a_search_does_not_count_them() {
    let demo = demo();
    let other = shop("SHOP1");
    let body = json!({"Positionen": positions()});
    let template = block_on(demo.shop(&other).create_offer(&body)).unwrap();
    let order = demo.order(&json!({"GrundDaten": {"KundNr": OTHER}, "Positionen": positions()}));
    let caller = of(OWN);
    let door = demo.shop(&caller);
    let missing = |found: Result<(), Error>| assert!(matches!(found, Err(Error::NotFound { .. })));
    missing(block_on(door.offer(&template.number)).map(drop));
    missing(block_on(door.order(&order)).map(drop));
    missing(block_on(door.customer(OTHER)).map(drop));
    let addresses = block_on(demo.shop(&other).customer(OTHER)).unwrap();
    let address = addresses.value.contact.number.to_string();
    missing(block_on(door.address(&address)).map(drop));
    missing(block_on(door.change_address(&address, &json!({}))).map(drop));
    let listed = |caller: &Caller, customer: Option<&str>| {
        let query = OrderQuery {
            customer: customer.map(Into::into),
            limit: 10,
            ..OrderQuery::default()
        };
        let listed = block_on(demo.shop(caller).orders(&query));
        listed.map(|(page, count)| (page.orders.len(), count))
    };
    assert_eq!(listed(&other, None).unwrap(), (1, Some(1)));
    assert_eq!(listed(&caller, None).unwrap(), (0, Some(0)));
    missing(listed(&caller, Some(OTHER)).map(drop));
    // Without a criterion a shop finds several.
    let search =
        |caller: &Caller| block_on(demo.shop(caller).find_customer(&SearchTerms::default()));
    assert_eq!(search(&other).unwrap(), FoundCustomer::Several);
    assert_eq!(search(&caller).unwrap().one().unwrap().number, OWN);
}

/// A value for a field of the header of an order; times are in the past.
fn value(name: &str) -> Value {
    match name {
        "AuftBestellT" | "AuftLieferT" => json!("2026-05-30T10:00:00Z"),
        "KundNr" => json!(OWN),
        "WaehrAbk" => json!("CHF"),
        "StaoNr" | "KundBedTyp" | "VisPosNr" | "PosPreisBasis" => json!(1),
        "AuftLiefKost" | "Preis" | "GRabSatz" => json!(0),
        "Menge" => json!(12),
        "ArtNr" => json!("P-2"),
        "VPEinheit" => json!("KT12"),
        _ => json!("x"),
    }
}

// rule: D-AUT-13
#[test]
fn what_lowers_a_price_is_the_shops_to_set() {
    let demo = demo();
    let enough = json!({"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 1000});
    demo.import(&[json!({ "Bestand": enough })]).unwrap();
    let (caller, shop) = (of(OWN), shop("SHOP1"));
    let refused = |path: &str, body: &Value| {
        let order =
            |caller: &Caller| problems(block_on(demo.shop(caller).create_order(body)).map(drop));
        assert_eq!(order(&shop), ["Ok(())"], "{path}");
        match order(&caller).as_slice() {
            [one] if one == "Ok(())" => false,
            refusal => {
                assert_eq!(refusal, [format!("{path} shop_only")]);
                true
            }
        }
    };
    let fields = <erp_core::request::DocumentHeader as Record<view::Body>>::SCHEMA.fields;
    let header: Vec<&str> = fields
        .iter()
        .map(|field| field.wire)
        .filter(|name| {
            let body = json!({"GrundDaten": {"KundNr": OWN, *name: value(name)}, "Positionen": positions()});
            refused(&format!("GrundDaten.{name}"), &body)
        })
        .collect();
    let set_by_shops = [
        "AuftBestellT",
        "AuftLieferT",
        "KTNr",
        "KundBedTyp",
        "AuftLiefKost",
    ];
    assert_eq!(header, set_by_shops, "a new field needs a decision");
    let fields = <PositionRequest as Record<view::Body>>::SCHEMA.fields;
    let position: Vec<&str> = fields
        .iter()
        .map(|field| field.wire)
        .filter(|name| !name.is_empty())
        .filter(|name| {
            let position =
                json!({"ArtNr": "P-2", "Menge": 12, "VPEinheit": "KT12", *name: value(name)});
            let body = json!({"GrundDaten": {"KundNr": OWN}, "Positionen": [position]});
            refused(&format!("Positionen[0].{name}"), &body)
        })
        .collect();
    assert_eq!(
        position,
        ["PosBez", "Preis", "PosPreisBasis", "GRabSatz"],
        "a new field needs a decision"
    );
    let today = json!({"AuftBestellT": "2026-06-01", "AuftLieferT": "2026-06-03"});
    assert!(customers(&demo, &caller, &today).is_ok());
    for (name, day, is_far) in [
        ("AuftLieferT", "2027-06-02", false),
        ("AuftLieferT", "2027-06-03", true),
        ("AuftBestellT", "2027-06-02", false),
        ("AuftBestellT", "9999-12-31", true),
    ] {
        let body = json!({"GrundDaten": {name: day}, "Positionen": positions()});
        let offered = problems(block_on(demo.shop(&caller).create_offer(&body)).map(drop));
        let refused = [format!("GrundDaten.{name} shop_only")];
        assert_eq!(offered == refused, is_far, "{offered:?}");
    }

    let door = demo.shop(&caller);
    let offer = block_on(door.create_offer(&json!({"Positionen": positions()}))).unwrap();
    let change = |position: Value| {
        let body = json!({"Positionen": [position]});
        problems(block_on(door.change_offer(&offer.number, None, &body)).map(drop))
    };
    for position in [
        json!({"PosNr": 1, "Menge": 2, "GRabSatz": 99, "PosBez": "x"}),
        json!({"ArtNr": "P-1", "Menge": 2, "GRabSatz": 99, "PosBez": "x"}),
    ] {
        let expected = ["PosBez", "GRabSatz"].map(|name| format!("Positionen[0].{name} shop_only"));
        assert_eq!(change(position), expected);
    }
    assert_eq!(change(json!({"PosNr": 1, "Menge": 2})), ["Ok(())"]);
    // The shop gives a discount for a quantity: the customer takes this one or none.
    let discount = json!({"Positionen": [{"PosNr": 1, "Menge": 2, "GRabSatz": 100}]});
    block_on(
        demo.shop(&shop)
            .change_offer(&offer.number, None, &discount),
    )
    .unwrap();
    for quantity in [1, 3] {
        let other = change(json!({"PosNr": 1, "Menge": quantity}));
        assert_eq!(other, ["Positionen[0].Menge shop_only"]);
    }
    assert_eq!(change(json!({"PosNr": 1, "Menge": 2})), ["Ok(())"]);
    assert_eq!(change(json!({"ArtNr": "P-1", "Menge": 3})), ["Ok(())"]);
    let changed = block_on(door.offer(&offer.number)).unwrap().value;
    let positions = changed.offer.document.positions.iter();
    let discounts: Vec<_> = positions.map(|position| position.discount_rate).collect();
    assert_eq!(discounts, [100.into(), 0.into()]);
    assert_eq!(change(json!({"PosNr": 1, "Menge": 0})), ["Ok(())"]);
    let add = OfferChangeRequest::default().add_position(PositionRequest {
        discount_rate: Some(1.into()),
        ..PositionRequest::new("P-1", 1).unwrap()
    });
    let added = block_on(door.change_offer(&offer.number, None, &add));
    assert_eq!(
        problems(added.map(drop)),
        ["Positionen[0].GRabSatz shop_only"]
    );
}

// rule: D-AUT-13
#[test]
fn a_customer_orders_in_its_own_currency() {
    let demo = demo();
    let euros = json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "P-1", "Preis": [
        {"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 12.35, "Preisart": "N"},
        {"WaehrAbk": "EUR", "AbAnzahl": 1, "PreisList": 2, "Preisart": "N"}]}});
    demo.import(&[euros]).unwrap();
    let (caller, shop) = (of(OWN), shop("SHOP1"));
    let ordered = |caller: &Caller, header: Value| {
        let body = json!({"GrundDaten": header, "Positionen": positions()});
        let order = block_on(demo.shop(caller).create_order(&body));
        let order = order.map(|order| order.document.currency.to_string());
        let offer = block_on(demo.shop(caller).create_offer(&body));
        let offer = offer.map(|offer| offer.document.currency.to_string());
        let (order, offer) = (problems(order), problems(offer));
        assert_eq!(order, offer);
        order
    };
    let named = |currency: &str| json!({"KundNr": OWN, "WaehrAbk": currency});
    let refused = ["GrundDaten.WaehrAbk shop_only"];
    assert_eq!(ordered(&shop, named("EUR")), ["Ok(\"EUR\")"]);
    assert_eq!(ordered(&caller, named("CHF")), ["Ok(\"CHF\")"]);
    assert_eq!(ordered(&caller, named("EUR")), refused);
    // No list has prices in yen, which is not another problem.
    assert_eq!(ordered(&caller, named("JPY")), refused);
    assert_eq!(
        ordered(&caller, named("XXX")),
        ["GrundDaten.WaehrAbk unknown_currency"]
    );

    let contact = json!({"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Neu",
        "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3011"});
    let body = json!({"GrundDaten": {"WaehrAbk": "EUR", "FAKTZahlArt": "L"}, "Adressen": {"KontaktAdr": contact}});
    block_on(demo.shop(&shop).replace_customer(OWN, &body)).unwrap();
    assert_eq!(ordered(&caller, json!({})), ["Ok(\"EUR\")"]);
    assert_eq!(ordered(&caller, named("CHF")), refused);
    assert_eq!(ordered(&shop, json!({"KundNr": OWN})), ["Ok(\"CHF\")"]);
    let shown = |caller: &Caller, currency: Option<&str>, customer: Option<&str>| {
        let query = ArticleQuery {
            currency: currency.map(|currency| currency.parse().unwrap()),
            customer: customer.map(Into::into),
            ..ArticleQuery::default()
        };
        let article = block_on(demo.shop(caller).article("P-1", &query)).unwrap();
        article.currency().to_string()
    };
    assert_eq!(shown(&caller, None, None), "EUR");
    assert_eq!(shown(&caller, Some("CHF"), None), "CHF");
    assert_eq!(shown(&shop, None, Some(OWN)), "CHF");
}

// rule: D-AUT-13
#[test]
fn a_customer_changes_its_addresses_and_language_and_none_of_its_terms() {
    let demo = demo();
    let (caller, shop) = (of(OWN), shop("SHOP1"));
    let contact = json!({"AdrSprache": "fre", "AdrAdresse1": "Rue 1", "AdrAnrede": 0, "AdrFirma": "Neu",
        "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3011"});
    let body = |comment: &str, limit: i32| {
        json!({"GrundDaten": {"WaehrAbk": "EUR", "FAKTZahlArt": "L", "ZahlungsMethode": "R", "VBTyp": "GRATIS",
            "TVTyp": "VOLL", "AUFT_SPESEN": "0", "Kommentar": comment, "SteuerNummer": "1", "FirmenURL": "x",
            "KreditLimit": limit},
            "Adressen": {"KontaktAdr": contact, "LiefAdr": contact}})
    };
    let put = |caller: &Caller, body: &Value| {
        let outcome = block_on(demo.shop(caller).replace_customer(OWN, body)).unwrap();
        outcome.value
    };
    let before = put(&shop, &body("zahlt spät", 7));
    let seen = put(&caller, &body("zahlt gut", 999));
    assert_eq!(
        seen.details.comment, None,
        "what the shop says of it is not for the customer"
    );
    let read = block_on(demo.shop(&caller).customer(OWN)).unwrap();
    assert_eq!(read.value.details.comment, None);
    let after = block_on(demo.shop(&shop).customer(OWN)).unwrap().value;
    assert_eq!(after.details, before.details);
    let mut german = body("x", 0);
    german["GrundDaten"]["AdrSprache"] = json!("ita");
    let changed = put(&caller, &german);
    assert_eq!(changed.details.language.as_str(), "ita");
    assert_eq!(changed.delivery.len(), 1);
    // A page need not know the terms.
    for header in [json!(null), json!({"AdrSprache": "ita", "WaehrAbk": " "})] {
        let without = json!({"GrundDaten": header, "Adressen": {"KontaktAdr": contact}});
        let changed = put(&caller, &without);
        assert_eq!(changed.details.currency.as_str(), "EUR");
        let asked = problems(block_on(demo.shop(&shop).replace_customer(OWN, &without)));
        assert!(asked.contains(&"GrundDaten.FAKTZahlArt required".to_owned()) || header.is_null());
        assert_ne!(asked, [""; 0]);
    }
    let after = block_on(demo.shop(&shop).customer(OWN)).unwrap().value;
    assert_eq!(after.details.payment_type.as_deref(), Some("L"));
}

// rule: D-AUT-12
#[test]
fn an_idempotency_key_is_the_customers_own() {
    let demo = demo();
    let retry = Retry {
        key: "k",
        fingerprint: [1; 32],
    };
    let body = json!({"GrundDaten": {}, "Positionen": positions()});
    let order = |caller: &Caller, body: &Value| {
        let outcome = block_on(demo.shop(caller).retry(retry).create_order(body)).unwrap();
        (outcome.number.to_string(), outcome.replayed)
    };
    let named = json!({"GrundDaten": {"KundNr": OWN}, "Positionen": positions()});
    let (of_shop, _) = order(&shop("SHOP1"), &named);
    let (own, replayed) = order(&of(OWN), &body);
    assert!(!replayed && own != of_shop);
    assert_eq!(order(&of(OWN), &body), (own.clone(), true));
    let (other, replayed) = order(&of(OTHER), &body);
    assert!(!replayed && other != own);
}

// rule: D-AUT-12
#[test]
fn a_token_ends_when_its_customer_is_hidden_from_the_user_or_gone() {
    let demo = demo();
    let name = Text::new("anna").unwrap();
    let shop_value = Some(Text::new("SHOP1").unwrap());
    let user = User::new(name, "hash".to_owned(), Role::Admin, shop_value);
    let users = demo.office().users();
    block_on(users.add(&user)).unwrap();
    let until = now().checked_add(SignedDuration::from_hours(1)).unwrap();
    let hash = TokenHash::new([7; 32]);
    for unknown in ["99999", "", "a number that is far too long"] {
        let issued = block_on(users.issue_customer_token(&hash, &user, (unknown, None), until));
        assert!(matches!(
            issued,
            Err(Error::NotFound {
                what: "customer",
                ..
            })
        ));
    }
    block_on(users.issue_customer_token(&hash, &user, (OWN, None), until)).unwrap();
    let caller = || block_on(users.caller(&hash)).unwrap();
    let expected = Caller::of_customer(user.clone(), Text::new(OWN).unwrap());
    assert_eq!(expected.role, Role::Shop);
    assert_eq!(expected.signature(), "anna:10001");
    // From the store, and from the cache.
    assert_eq!(caller().as_ref(), Some(&expected));
    assert_eq!(caller().as_ref(), Some(&expected));
    let listed = block_on(users.tokens_of("anna")).unwrap();
    assert_eq!(listed[0].customer.as_deref(), Some(OWN));
    let mut company = crate::common::rows().remove(0);
    company["Firma"]["attributes"] = json!([{"PHKey": "RESTWEBSHOP", "Contents": ""}]);
    demo.import(&[company]).unwrap();
    assert_eq!(
        caller(),
        None,
        "the company selects addresses, and this one is nobody's"
    );
    let issued = block_on(users.issue_customer_token(&hash, &user, (OWN, None), until));
    assert!(matches!(
        issued,
        Err(Error::NotFound {
            what: "customer",
            ..
        })
    ));
    demo.import(&[crate::common::rows().remove(0)]).unwrap();
    assert_eq!(caller(), None, "a token that was refused stays refused");
    assert_eq!(block_on(users.tokens_of("anna")).unwrap(), []);
    block_on(users.issue_customer_token(&hash, &user, (OWN, None), until)).unwrap();
    assert!(caller().is_some());
    block_on(users.set_password("anna", "other")).unwrap();
    assert_eq!(caller(), None);
}
