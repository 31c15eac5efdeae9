//! `GET /www/artikel?seit=`: only what has changed.

use std::collections::BTreeMap;

use erp_core::internal::history_key;
use erp_core::storage::{ChangeSet, Storage as _};
use erp_tests::exchange::Exchange;
use erp_tests::orders::placed;
use erp_tests::server::{ADMIN, Login, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

use super::{VISIBLE, articles, list, numbers};

fn stand(response: &Exchange) -> String {
    response.json()["stand"]
        .as_str()
        .expect("a mark")
        .to_owned()
}

fn removed(response: &Exchange) -> Vec<String> {
    let removed = response.json()["entfernt"].clone();
    serde_json::from_value(removed).expect("a list of numbers")
}

fn since(server: &Server, mark: &str, login: Login) -> Exchange {
    let path = format!("/www/artikel?seit={mark}");
    server.get(&path).by(login).send().expect(200)
}

/// The next page of a response.
fn next(server: &Server, response: &Exchange) -> Option<Exchange> {
    let links = response.json()["links"].as_array().expect("links").clone();
    let next = links.iter().find(|link| link["rel"] == "next")?;
    Some(server.read(next["href"].as_str().unwrap()).expect(200))
}

fn selected(number: &str, selection: &str) -> String {
    json!({"Artikel": {"ArtNr": number, "ArtBez": "Neu",
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": selection}]}})
    .to_string()
}

fn stock(number: &str, quantity: u32) -> String {
    json!({"Bestand": {"ArtNr": number, "LagerOrt": "Halle", "StaoNr": 1, "LagerBestand": quantity}})
        .to_string()
}

// rule: D-ANS-16
#[test]
fn a_shop_reads_what_has_changed_and_a_restart_makes_no_difference() {
    let server = Server::start();
    let whole = since(&server, "", SHOP1);
    let body = whole.json();
    let members: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["count", "data", "entfernt", "links", "stand"]);
    assert_eq!(
        (&body["count"], articles(&whole).len()),
        (&json!(VISIBLE), VISIBLE)
    );
    let plain = articles(&list(&server, "?sorts=%2BArtNr").expect(200));
    assert_eq!(articles(&whole), plain);
    let nothing = since(&server, &stand(&whole), SHOP1);
    let body = json!({"count": 0, "data": [], "links": nothing.json()["links"], "entfernt": [], "stand": stand(&whole)});
    assert_eq!(nothing.json(), body);
    let other = stand(&since(&server, "", SHOP2));
    let order = json!({"GrundDaten": {"KundNr": "10007"}, "Positionen": [{"ArtNr": "LM-3001", "Menge": 1}]});
    let _ = placed(&server, &order);
    let server = server.restart(&[]);
    server.import(&format!(
        "{}\n{}\n",
        selected("NEU-1", "SHOP1"),
        selected("NEU-2", "SHOP2")
    ));
    let changed = since(&server, &stand(&whole), SHOP1);
    assert_eq!(
        (numbers(&changed), removed(&changed)),
        (vec!["LM-3001".to_owned(), "NEU-1".to_owned()], vec![])
    );
    let now = list(&server, "?sorts=%2BArtNr").expect(200);
    let now = articles(&now)
        .into_iter()
        .filter(|article| ["LM-3001", "NEU-1"].contains(&article["ArtNr"].as_str().unwrap()));
    assert_eq!(articles(&changed), now.collect::<Vec<_>>());
    // The articles change places.
    server.import(&format!(
        "{}\n{}\n",
        selected("NEU-1", "SHOP2"),
        selected("NEU-2", "SHOP1")
    ));
    let changed = since(&server, &stand(&changed), SHOP1);
    assert_eq!(
        (numbers(&changed), removed(&changed)),
        (vec!["NEU-2".to_owned()], vec!["NEU-1".to_owned()])
    );
    let changed = since(&server, &other, SHOP2);
    assert_eq!(
        removed(&changed),
        Vec::<String>::new(),
        "it has not seen NEU-2 at its mark"
    );
    assert!(
        numbers(&changed).contains(&"NEU-1".to_owned())
            && !numbers(&changed).contains(&"NEU-2".to_owned())
    );
}

// rule: D-ANS-16
#[test]
fn pages_are_those_of_one_mark_while_articles_change() {
    let server = Server::start();
    let first = list(&server, "?seit=&limit=30&fields=ArtNr").expect(200);
    let mark = stand(&first);
    server.import(&format!(
        "{}\n{}\n{}\n",
        json!({"Artikel": {"ArtNr": numbers(&first)[0], "Loeschen": true}}),
        selected("AA-1", "SHOP1"),
        stock("LM-3001", 3)
    ));
    let mut known = numbers(&first);
    let mut page = first;
    while let Some(following) = next(&server, &page) {
        assert_eq!(
            (stand(&following), &following.json()["count"]),
            (mark.clone(), &json!(VISIBLE))
        );
        known.extend(numbers(&following));
        page = following;
    }
    assert_eq!(known.len(), VISIBLE);
    let first = list(&server, &format!("?seit={mark}&limit=1&fields=ArtNr")).expect(200);
    assert_eq!(
        (numbers(&first), removed(&first)),
        (vec!["AA-1".to_owned()], vec![known[0].clone()])
    );
    server.import(&format!(
        "{}\n{}\n",
        selected("AA-0", "SHOP1"),
        stock("LM-3001", 4)
    ));
    let second = next(&server, &first).expect("a second page");
    assert_eq!(
        (numbers(&second), stand(&second)),
        (vec!["LM-3001".to_owned()], stand(&first))
    );
    assert!(next(&server, &second).is_none());
    let last = since(&server, &stand(&first), SHOP1);
    assert_eq!(numbers(&last), ["AA-0", "LM-3001"]);
}

// rule: D-ANS-14, D-ANS-16
#[test]
fn a_mark_that_tells_nothing_is_refused() {
    let server = Server::start();
    let mark = stand(&since(&server, "", SHOP1));
    for (query, parameter) in [
        ("seit=gestern", "seit"),
        ("seit=&stand=x", "stand"),
        ("seit=&limit=2&offset=2", "stand"),
        (&format!("seit={mark}&offset=2"), "stand"),
        ("seit=&sorts=-ArtNr", "sorts"),
        ("seit=&suche=tee", "suche"),
        ("seit=&artgruppe=X", "artgruppe"),
        ("seit=&gruppen=J", "gruppen"),
        ("seit=&seit=", "seit"),
    ] {
        let refused = list(&server, &format!("?{query}"));
        refused.refused(400, "malformed");
        assert_eq!(refused.json()["info"]["parameter"], parameter, "{query}");
    }
    let expired = |query: &str, login| {
        let path = format!("/www/artikel?seit={mark}{query}");
        server
            .get(&path)
            .by(login)
            .send()
            .refused(410, "stand_expired");
    };
    expired("", SHOP2);
    expired("", ADMIN);
    expired("&debinr=10007", SHOP1);
    expired("&waehrabk=EUR", SHOP1);
    expired("&adrsprache=fre", SHOP1);
    let page = list(&server, &format!("?seit=&stand={mark}&limit=5&offset=70")).expect(200);
    assert_eq!(numbers(&page).len(), 1);
    let body = json!({"Contents": "1"});
    let changed = server.put("/admin/attributes/VERWENDUNG").by(ADMIN);
    let _ = changed.json(&body).send().expect(200);
    expired("", SHOP1);
    let mark = stand(&since(&server, "", SHOP1));
    since(&server, &mark, SHOP1);
    let mut changes = ChangeSet::new();
    changes.delete(history_key());
    server.wait(server.erp().store().commit(changes)).unwrap();
    list(&server, &format!("?seit={mark}")).refused(410, "stand_expired");
}

/// Several shops follow while orders and imports arrive; each has what a full read returns.
// rule: D-ANS-15, D-ANS-16
#[test]
fn shops_that_follow_have_the_list_of_a_full_read() {
    let server = Server::start();
    let follow = |login: Login, rounds: usize| {
        let mut copy: BTreeMap<String, Value> = BTreeMap::new();
        let mut mark = String::new();
        for _ in 0..rounds {
            let response = since(&server, &mark, login);
            if !mark.is_empty() {
                removed(&response)
                    .iter()
                    .for_each(|number| drop(copy.remove(number)));
            }
            let read = articles(&response).into_iter();
            copy.extend(
                read.map(|article| (article["ArtNr"].as_str().unwrap().to_owned(), article)),
            );
            mark = stand(&response);
        }
        (copy, mark)
    };
    let work = |seed: usize| {
        for round in 0..10 {
            let number = format!("F-{}", (seed + round) % 4);
            let selection = ["SHOP1", "SHOP2", "*", ""][(seed * 7 + round) % 4];
            server.import(&format!(
                "{}\n{}\n",
                selected(&number, selection),
                stock(&number, 9)
            ));
            let order = json!({"GrundDaten": {"KundNr": "10007"}, "Positionen": [{"ArtNr": "LM-3001", "Menge": 1}]});
            let _ = placed(&server, &order);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3).map(|seed| scope.spawn(move || work(seed))).collect();
        let clients: Vec<_> = [SHOP1, SHOP2, ADMIN]
            .map(|login| (login, scope.spawn(move || follow(login, 12))))
            .into();
        workers
            .into_iter()
            .for_each(|worker| worker.join().unwrap());
        for (login, client) in clients {
            let (mut copy, mark) = client.join().unwrap();
            let last = since(&server, &mark, login);
            removed(&last)
                .iter()
                .for_each(|number| drop(copy.remove(number)));
            copy.extend(
                articles(&last)
                    .into_iter()
                    .map(|article| (article["ArtNr"].as_str().unwrap().to_owned(), article)),
            );
            let full = server.get("/www/artikel").by(login).send().expect(200);
            let full = articles(&full)
                .into_iter()
                .map(|article| (article["ArtNr"].as_str().unwrap().to_owned(), article));
            assert_eq!(copy, full.collect::<BTreeMap<_, _>>(), "{login:?}");
        }
    });
}
