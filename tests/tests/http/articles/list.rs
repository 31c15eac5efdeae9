//! `GET /www/artikel`: pages, links, sorting, fields, search.

use erp_tests::exchange::Exchange;
use erp_tests::server::{SHOP1, Server};
use serde_json::Value;

use super::{VISIBLE, articles, list, numbers};

fn link(response: &Exchange, relation: &str) -> Option<String> {
    let links = response.json()["links"].as_array().expect("links").clone();
    let found = links.iter().find(|link| link["rel"] == relation)?;
    assert_eq!(found["type"], "GET");
    Some(found["href"].as_str().unwrap().to_owned())
}

// rule: R-END-18, R-LIM-06
#[test]
fn the_streamed_list_is_the_paged_one() {
    let server = Server::shared();
    let whole = articles(&list(&server, "?sorts=-ArtGruppe,%2BArtBez").expect(200));
    let mut paged = Vec::new();
    for offset in (0..71).step_by(10) {
        let page = list(
            &server,
            &format!("?sorts=-ArtGruppe,%2BArtBez&limit=10&offset={offset}"),
        )
        .expect(200);
        assert_eq!(page.json()["count"], 71);
        paged.extend(articles(&page));
    }
    assert_eq!(paged, whole);
    let rest = list(&server, "?offset=70&fields=ArtNr").expect(200);
    assert_eq!(articles(&rest).len(), 1);
}

// rule: R-END-18, R-END-22
#[test]
fn following_next_visits_everything_once_and_prev_walks_back() {
    let server = Server::shared();
    let query = "?limit=7&sorts=-ArtNr&fields=ArtNr&adrsprache=fre&debinr=10007&waehrabk=EUR";
    let mut response = list(&server, query).expect(200);
    let mut pages = vec![numbers(&response)];
    assert_eq!(link(&response, "prev"), None);
    while let Some(next) = link(&response, "next") {
        check_links(&server, &response);
        response = server.read(&next).expect(200);
        pages.push(numbers(&response));
    }
    let visited = pages.concat();
    let whole = numbers(&list(&server, "?sorts=-ArtNr").expect(200));
    assert_eq!((visited, pages.len()), (whole, 11));
    for page in pages.iter().rev().skip(1) {
        let prev = link(&response, "prev").expect("a page before");
        response = server.read(&prev).expect(200);
        assert_eq!(&numbers(&response), page);
    }
    assert_eq!(link(&response, "prev"), None);
    let start = server.read(&link(&response, "start").unwrap()).expect(200);
    assert_eq!(&numbers(&start), &pages[0]);
}

/// Checks that the `Link` header has the same relations, and that every link repeats the query.
fn check_links(server: &Server, response: &Exchange) {
    let links = response.json()["links"].as_array().unwrap().clone();
    let header: Vec<String> = links
        .iter()
        .map(|link| {
            format!(
                "<{}>; rel=\"{}\"",
                link["href"].as_str().unwrap(),
                link["rel"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(response.header("link"), Some(header.join(", ").as_str()));
    for link in &links {
        let href = reqwest::Url::parse(link["href"].as_str().unwrap()).expect("an address");
        assert_eq!(href.socket_addrs(|| None).unwrap(), [server.address()]);
        let query: Vec<(String, String)> = href.query_pairs().into_owned().collect();
        for (name, value) in [
            ("limit", "7"),
            ("sorts", "-ArtNr"),
            ("fields", "ArtNr"),
            ("adrsprache", "fre"),
            ("debinr", "10007"),
            ("waehrabk", "EUR"),
        ] {
            assert!(
                query.contains(&(name.to_owned(), value.to_owned())),
                "{name} in {href}"
            );
        }
    }
}

// rule: R-END-19
#[test]
fn the_list_is_restricted_to_the_named_fields() {
    let server = Server::shared();
    let restricted = articles(&list(&server, "?fields=ArtNr,%20ArtBez,HatVPE&limit=5").expect(200));
    for article in &restricted {
        let members: Vec<&str> = article
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(members, ["ArtBez", "ArtNr", "HatVPE"]);
    }
    assert_eq!(restricted.len(), 5);
    let all = articles(&list(&server, "?fields=&limit=5").expect(200));
    assert!(
        all.iter()
            .all(|article| article.get("links").is_some() && article.get("WUSTSatz").is_some())
    );
}

// rule: D-REQ-05
#[test]
fn links_stay_within_their_maximum_length() {
    let server = Server::shared();
    let fields = "VerarbeitungsArt,".repeat(30);
    let unknown = "x".repeat(3_000);
    let query = format!(
        "limit=1&offset=1&nobody={unknown}&fields={}",
        &fields[..509]
    );
    let page = server.read(&format!("/www/artikel?{query}"));
    let page = page.expect(200).json();
    let links = page["links"].as_array().unwrap();
    assert_eq!(links.len(), 3);
    for link in links {
        let href = link["href"].as_str().unwrap();
        assert!(
            href.len() <= 2_048 && href.contains("VerarbeitungsArt"),
            "{href}"
        );
        assert!(!href.contains("nobody"), "{href}");
    }
    let long = server.get(&format!("/www/artikel?fields={}", "ArtNr,".repeat(100)));
    long.by(SHOP1).send().refused(400, "malformed");
}

// rule: D-CTR-15
#[test]
fn words_and_groups_narrow_the_list() {
    let server = Server::start();
    let found = |query: &str| {
        let response = list(&server, &format!("?fields=ArtNr&{query}"));
        let mut found = numbers(&response.expect(200));
        found.sort_unstable();
        found
    };
    assert_eq!(found("suche=kafee%20bohnen"), ["LM-3001"]);
    assert_eq!(found("suche=coffee%20beans&adrsprache=eng"), ["LM-3001"]);
    let everything = found("suche=%20").len();
    assert_eq!(everything, VISIBLE);

    let response = list(
        &server,
        "?limit=3&gruppen=J&suche=papier&artgruppe=HAUSHALT",
    )
    .expect(200);
    let groups = response.json()["gruppen"].clone();
    assert_eq!(groups[0]["ArtGruppe"], "BUERO");
    let household = groups.as_array().unwrap().iter();
    let household = household
        .clone()
        .find(|group| group["ArtGruppe"] == "HAUSHALT");
    assert_eq!(response.json()["count"], household.unwrap()["Anzahl"]);
    assert!(
        numbers(&response)
            .iter()
            .all(|number| number.starts_with("HH-"))
    );
    let all = list(&server, "?limit=1&gruppen=J").expect(200).json()["gruppen"].clone();
    let sum = |groups: &Value| -> u64 {
        let counts = groups.as_array().unwrap().iter();
        counts.map(|group| group["Anzahl"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&all), VISIBLE as u64);
    // A list without a limit is streamed.
    let streamed = list(&server, "?gruppen=J").expect(200).json();
    assert_eq!(streamed["gruppen"], all);
    let searched = list(&server, "?gruppen=J&suche=papier&artgruppe=HAUSHALT");
    assert_eq!(searched.expect(200).json()["gruppen"], groups);
    assert_eq!(found("artgruppe=NOPE").len(), 0);
    assert!(
        list(&server, "?limit=1")
            .expect(200)
            .json()
            .get("gruppen")
            .is_none()
    );
    // The pages of results sorted by relevance are parts of one list.
    let whole = numbers(&list(&server, "?fields=ArtNr&suche=papier").expect(200));
    let pages = (0..whole.len()).flat_map(|offset| {
        let page = format!("?fields=ArtNr&suche=papier&limit=1&offset={offset}");
        numbers(&list(&server, &page).expect(200))
    });
    assert_eq!(pages.collect::<Vec<_>>(), whole);
    // The links repeat the search.
    let next = list(&server, "?limit=1&suche=papier").expect(200);
    assert!(link(&next, "next").unwrap().contains("suche=papier"));
    for wrong in [
        "gruppen=X".to_owned(),
        format!("suche={}", "x".repeat(101)),
        format!("suche={}", "x+".repeat(21)),
    ] {
        assert_eq!(list(&server, &format!("?{wrong}")).status, 400, "{wrong}");
    }
    let most = format!("?suche={}", "x+".repeat(20));
    let _ = list(&server, &most).expect(200);
}
