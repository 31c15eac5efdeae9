//! Limits on what one request reads and writes, and that it yields to other requests. Reads, writes and yields are
//! counted; no test measures time.

use std::pin::pin;
use std::task::{Context as TaskContext, Poll, Waker};

use erp_core::Erp;
use erp_core::article::{parse_sorts, search_words};
use erp_core::codes::Language;
use erp_core::document::OrderStatus;
use erp_core::erp::{
    ArticleFilter, ArticleQuery, Error, FoundCustomer, Retry, SearchField, SearchTerms, Settings,
    Shop,
};
use erp_core::internal::master::User;
use erp_core::internal::record::encode;
use erp_core::internal::{Actor, AuditQuery, CustomerOrders, StoredResponse, TokenHash};
use erp_core::master::Role;
use erp_core::storage::{ChangeSet, Key, Scan, Space, Storage as _, Write};
use erp_core::text::Text;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::common::{admin, block_on, rows, shop};
use super::counting::{Counting, Counts, company, import};

/// Polls a future until it is ready, and counts how often it yields.
fn counted<T>(future: impl Future<Output = T>) -> (T, usize) {
    let mut future = pin!(future);
    let mut context = TaskContext::from_waker(Waker::noop());
    let mut yields = 0;
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return (value, yields),
            Poll::Pending => yields += 1,
        }
    }
}

/// The result of a future, and the most entries that it read without a yield.
fn largest_slice<T>(erp: &Erp<Counting>, future: impl Future<Output = T>) -> (T, usize) {
    let mut future = pin!(future);
    let mut context = TaskContext::from_waker(Waker::noop());
    let mut largest = 0;
    erp.store().take();
    loop {
        let polled = future.as_mut().poll(&mut context);
        largest = largest.max(erp.store().take().entries);
        if let Poll::Ready(value) = polled {
            return (value, largest);
        }
    }
}

fn now() -> Timestamp {
    "2026-06-01T10:00:00Z".parse().unwrap()
}

/// Customers numbered from 20000; the language and town of each depend on its position.
fn customers(
    erp: &Erp<Counting>,
    count: usize,
    of: impl Fn(usize) -> (&'static str, &'static str),
) {
    let customer = |place: usize| {
        let (language, town) = of(place);
        json!({"Kunde": {"KundNr": (20_000 + place).to_string(), "WaehrAbk": "CHF", "KontaktAdr": {
            "AdrSprache": language, "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": format!("Kunde {place}"),
            "OrtLand": "CH", "OrtName": town, "OrtPLZ": "8001"}}})
    };
    let rows: Vec<Value> = (0..count).map(customer).collect();
    import(erp, &rows);
    erp.store().take();
}

fn terms(criteria: &[(&str, &str)]) -> SearchTerms {
    let mut terms = SearchTerms::default();
    for (name, text) in criteria {
        let field = SearchField::ALL.iter().find(|field| field.name == *name);
        terms.add(*field.unwrap(), text);
    }
    terms
}

/// The result of a search (the customer's number, or the count), and its yields.
fn search(
    erp: &Erp<Counting>,
    criteria: &[(&str, &str)],
) -> (Result<Result<String, u64>, Error>, usize) {
    let caller = admin();
    let door = erp.shop(&caller, now());
    let terms = terms(criteria);
    let (found, yields) = counted(door.find_customer(&terms));
    let count = |found: FoundCustomer| match found {
        FoundCustomer::One(found) => Ok(found.number.to_string()),
        FoundCustomer::None => Err(0),
        FoundCustomer::Several => Err(2),
    };
    (found.map(count), yields)
}

/// No address matches all three, but each of them matches hundreds.
const NOWHERE: [(&str, &str); 3] = [
    ("OrtLand", "CH"),
    ("AdrSprache", "ger"),
    ("OrtName", "Bern"),
];

fn every_second(place: usize) -> (&'static str, &'static str) {
    if place.is_multiple_of(2) {
        ("ger", "Basel")
    } else {
        ("fre", "Bern")
    }
}

#[test]
fn a_search_skips_entries_that_are_not_in_all_lists() {
    let erp = company(50_000);
    // The first half is in one list, the second half in the other.
    customers(&erp, 1_000, |place| {
        if place < 500 {
            ("ger", "Bern")
        } else {
            ("fre", "Basel")
        }
    });
    assert_eq!(
        search(&erp, &[("OrtName", "Bern"), ("AdrSprache", "fre")]).0,
        Ok(Err(0))
    );
    let entries = erp.store().take().entries;
    assert!(entries < 100, "{entries} entries were read");
    // To compare a short list with a long one, only a few entries of the long list are read per entry of the short one.
    assert_eq!(
        search(&erp, &[("AdrFirma", "Kunde 700"), ("OrtLand", "CH")]).0,
        Ok(Ok("20700".to_owned()))
    );
    let entries = erp.store().take().entries;
    assert!(entries < 50, "{entries} entries were read");
    // Two matches are enough to know that there are several.
    assert_eq!(search(&erp, &[("OrtLand", "CH")]).0, Ok(Err(2)));
    assert_eq!(search(&erp, &[]).0, Ok(Err(2)));
    let entries = erp.store().take().entries;
    assert!(entries < 60, "{entries} entries were read");
}

#[test]
fn lists_that_alternate_are_compared_to_their_end() {
    let erp = company(50_000);
    customers(&erp, 1_000, every_second);
    assert_eq!(search(&erp, &NOWHERE).0, Ok(Err(0)));
    // The last of all customers is the only match.
    import(
        &erp,
        &[
            json!({"Kunde": {"KundNr": "30000", "WaehrAbk": "CHF", "KontaktAdr": {
        "AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Letzte", "OrtLand": "CH",
        "OrtName": "Bern", "OrtPLZ": "8001"}}}),
        ],
    );
    assert_eq!(search(&erp, &NOWHERE).0, Ok(Ok("30000".to_owned())));
}

#[test]
fn a_search_yields_to_other_requests() {
    let erp = company(50_000);
    customers(&erp, 1_000, every_second);
    let (found, yields) = search(&erp, &NOWHERE);
    assert_eq!(found, Ok(Err(0)));
    let entries = erp.store().take().entries;
    assert!(
        entries >= 1_000,
        "the case costs something: {entries} entries"
    );
    assert!(
        yields >= entries / 400,
        "{yields} yields in {entries} entries"
    );
}

// rule: D-WRK-02
#[test]
fn a_search_that_is_too_broad_is_refused() {
    let erp = company(300);
    customers(&erp, 1_000, every_second);
    let limit = 300;
    assert_eq!(search(&erp, &NOWHERE).0, Err(Error::TooBroad { limit }));
    let entries = erp.store().take().entries;
    assert!(entries < 2 * limit, "{entries} entries were read");
    let narrow = [
        ("AdrFirma", "Kunde 7"),
        ("OrtName", "Bern"),
        ("OrtLand", "CH"),
    ];
    assert_eq!(
        search(&erp, &narrow).0,
        Ok(Ok("20007".to_owned())),
        "one more criterion helps"
    );
}

/// Orders of customer 10001; the oldest one is completed, the others are open.
fn orders(erp: &Erp<Counting>, count: usize) {
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    let place = || block_on(door.create_order(&body)).unwrap();
    let oldest = place().number.to_string();
    block_on(
        erp.office(now())
            .set_order_status(&oldest, OrderStatus::Completed),
    )
    .unwrap();
    (1..count).for_each(|_| drop(place()));
    erp.store().take();
}

fn listed(
    erp: &Erp<Counting>,
    last: usize,
    status: Option<OrderStatus>,
) -> (Result<usize, Error>, usize) {
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    counted(count_orders(door, CustomerOrders { last, status }))
}

/// The number of orders that customer 10001 lists on all pages.
async fn count_orders(door: Shop<'_, Counting>, orders: CustomerOrders) -> Result<usize, Error> {
    let mut found = door.customer_with_orders("10001", orders).await?;
    let mut count = found.orders.len();
    while !found.rest.is_done() {
        count += door.next_orders(&mut found.rest).await?.len();
    }
    Ok(count)
}

// rule: D-WRK-02
#[test]
fn orders_of_a_rare_status_are_looked_for_in_pages() {
    let erp = company(50_000);
    orders(&erp, 600);
    let (found, yields) = listed(&erp, 1, Some(OrderStatus::Completed));
    assert_eq!(found, Ok(1));
    let scans = erp.store().take().scans;
    assert!(scans <= 600 / 100, "{scans} pages");
    assert!(yields >= 2, "{yields} yields");
    assert_eq!(listed(&erp, 1, None).0, Ok(1));
    let Counts { scans, entries, .. } = erp.store().take();
    assert!(
        scans == 1 && entries < 10,
        "{entries} entries for the newest order"
    );
}

// rule: D-WRK-02
#[test]
fn a_status_that_is_too_rare_is_refused_and_a_long_list_is_not() {
    let erp = company(300);
    orders(&erp, 600);
    let limit = 300;
    assert_eq!(
        listed(&erp, 1, Some(OrderStatus::Completed)).0,
        Err(Error::TooBroad { limit })
    );
    let entries = erp.store().take().entries;
    assert!(entries < 2 * limit + 100, "{entries} entries were read");
    assert_eq!(
        listed(&erp, 500, Some(OrderStatus::New)).0,
        Ok(500),
        "reads of listed entries do not count"
    );
    assert_eq!(listed(&erp, 1_000, None).0, Ok(600));
}

#[test]
fn no_request_reads_many_entries_without_a_yield() {
    // The entries of one call, and the counters of master data or of reservations.
    const MOST: usize = 400 + 100;
    let erp = company(50_000);
    customers(&erp, 2_000, every_second);
    orders(&erp, 1_000);
    articles(&erp, 1_000);
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    for criteria in [
        &NOWHERE[..],
        &[("AdrSprache", "fre"), ("OrtName", "Basel")],
        &[("OrtLand", "CH")],
    ] {
        let terms = terms(criteria);
        let (found, slice) = largest_slice(&erp, door.find_customer(&terms));
        assert!(found.is_ok() && slice <= MOST, "{criteria:?}: {slice}");
    }
    for (last, status) in [
        (1, Some(OrderStatus::Completed)),
        (1_000, Some(OrderStatus::New)),
        (1_000, None),
    ] {
        let orders = CustomerOrders { last, status };
        let (customer, slice) = largest_slice(&erp, count_orders(door, orders));
        assert!(customer.is_ok() && slice <= MOST, "{last}: {slice}");
    }
    let query = ArticleQuery::default();
    for sorts in ["", "-ArtGruppe,ArtBez", "GeaendertAmUTC"] {
        // Entries that were read before are not read again.
        import(
            &erp,
            &[json!({"Artikel": {"ArtNr": "X-0000", "ArtBez": sorts}})],
        );
        let sorts = parse_sorts(sorts).unwrap();
        let (list, slice) = largest_slice(&erp, door.article_list(&query, &sorts));
        assert!(slice <= MOST, "{sorts:?}: {slice}");
        let list = list.unwrap();
        let (page, slice) = largest_slice(&erp, door.article_page(&list, 0..list.count()));
        assert!(
            page.unwrap().len() > 900 && slice <= MOST,
            "{sorts:?}: {slice}"
        );
    }
    import(
        &erp,
        &[json!({"Artikel": {"ArtNr": "X-0000", "ArtBez": "Neu"}})],
    );
    let positions = (1..1_000).map(|at| json!({"ArtNr": format!("X-{at:04}"), "Menge": 1}));
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": positions.collect::<Vec<_>>()});
    let (order, slice) = largest_slice(&erp, door.create_order(&body));
    assert!(order.is_ok() && slice <= MOST, "an order: {slice}");
}

#[test]
fn no_command_reads_many_entries_without_a_yield() {
    // The entries of one call, a slice of single reads, and the user.
    const MOST: usize = 400 + 100 + 1;
    let erp = company(50_000);
    let user = User::new(Text::new("anna").unwrap(), "x".to_owned(), Role::Shop, None);
    let actor = Actor {
        at: now(),
        user: None,
        request: "r".into(),
        trace: None,
        operation: "user add".into(),
    };
    block_on(erp.office(now()).users().add(&user)).unwrap();
    for at in 0..1_000_u16 {
        let mut bytes = [0; 32];
        bytes[..2].copy_from_slice(&at.to_be_bytes());
        let until = now() + SignedDuration::from_hours(1);
        let hash = TokenHash::new(bytes);
        let issued = erp
            .office(now())
            .actor(&actor)
            .users()
            .issue_token(&hash, &user, until);
        block_on(issued).unwrap();
    }
    let (tokens, slice) = largest_slice(&erp, erp.office(now()).users().tokens_of("anna"));
    assert!(tokens.unwrap().len() == 1_000 && slice <= MOST, "{slice}");
    let query = AuditQuery {
        limit: 5_000,
        ..AuditQuery::default()
    };
    let (page, slice) = largest_slice(&erp, erp.office(now()).audit_trail(&query));
    assert!(
        page.unwrap().entries.len() >= 1_000 && slice <= MOST,
        "{slice}"
    );
    let (revoked, slice) = largest_slice(&erp, erp.office(now()).users().revoke_tokens_of("anna"));
    assert!(revoked.unwrap() == 1_000 && slice <= MOST, "{slice}");
}

fn articles(erp: &Erp<Counting>, count: usize) {
    let article = |place: usize| {
        json!({"Artikel": {"ArtNr": format!("X-{place:04}"), "ArtBez": format!("Teil {}", place % 7),
            "ArtGruppe": format!("G{}", place % 5), "Texte": [{"AdrSprache": "fre", "ArtBez": format!("Pièce {}", place % 3)}],
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": if place.is_multiple_of(2) { "*" } else { "SHOP1" }}]}})
    };
    let price = |place: usize| {
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": format!("X-{place:04}"), "Preis": [
            {"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": place + 1, "Preisart": "N"}]}})
    };
    let rows: Vec<Value> = (0..count)
        .map(article)
        .chain((0..count).map(price))
        .collect();
    import(erp, &rows);
    erp.store().take();
}

/// The sorted numbers of a list, and the yields needed to sort it.
fn sorted(erp: &Erp<Counting>, sorts: &str, language: Option<Language>) -> (Vec<String>, usize) {
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    let query = ArticleQuery {
        language,
        ..ArticleQuery::default()
    };
    let sorts = parse_sorts(sorts).unwrap();
    let (list, yields) = counted(door.article_list(&query, &sorts));
    let list = list.unwrap();
    let page = block_on(door.article_page(&list, 0..list.count())).unwrap();
    let numbers = page.iter().map(|article| article.number.to_string());
    (numbers.collect(), yields)
}

#[test]
fn sorting_articles_differently_reads_no_article_again() {
    let erp = company(50_000);
    articles(&erp, 600);
    let (_, yields) = sorted(&erp, "", None);
    assert!(yields >= 6, "{yields} yields");
    let first = erp.store().take().entries;
    assert!(first >= 600, "{first} entries");
    let members = erp_core::article::SORTABLE;
    for (at, member) in members.iter().enumerate() {
        for other in members.iter().skip(at + 1) {
            sorted(&erp, &format!("-{member},{other}"), None);
        }
    }
    let Counts { scans, entries, .. } = erp.store().take();
    let lists = members.len() * (members.len() - 1) / 2;
    // Only the counters of master data.
    assert_eq!(scans, 0);
    assert!(entries <= lists * 8, "{entries} entries in {lists} lists");
}

#[test]
fn articles_are_sorted_as_requested() {
    let erp = company(50_000);
    articles(&erp, 40);
    let place = |number: &String| number.trim_start_matches("X-").parse::<usize>();
    let group = |number: &String| place(number).map_or(9, |place| place % 5);
    let (numbers, _) = sorted(&erp, "-ArtGruppe,-ArtNr", None);
    let mut expected = numbers.clone();
    let own = |number: &&String| number.starts_with("X-");
    expected.retain(|number| own(&number));
    expected.sort_by(|a, b| (group(b), b).cmp(&(group(a), a)));
    let listed: Vec<String> = numbers.into_iter().filter(|number| own(&number)).collect();
    assert_eq!(listed.len(), 40);
    assert_eq!(listed, expected);
    // The other language has other descriptions; articles without a description in a language sort by the company's
    // own.
    let (german, _) = sorted(&erp, "ArtBez", None);
    let (french, _) = sorted(&erp, "ArtBez", Some(Language::parse("fre").unwrap()));
    let (japanese, _) = sorted(&erp, "ArtBez", Some(Language::parse("jpn").unwrap()));
    assert_ne!(german, french);
    assert_eq!(german, japanese);
    // A new article is sorted in at once.
    import(
        &erp,
        &[
            json!({"Artikel": {"ArtNr": "NEW", "ArtBez": "AAA", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}),
        ],
    );
    assert_eq!(sorted(&erp, "ArtBez", None).0[0], "NEW");
}

#[test]
fn concurrent_requests_share_one_read_of_the_articles() {
    let erp = company(50_000);
    articles(&erp, 600);
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    let query = ArticleQuery::default();
    let sorts = parse_sorts("").unwrap();
    let mut lists: Vec<_> = (0..10)
        .map(|_| Some(Box::pin(door.article_list(&query, &sorts))))
        .collect();
    let mut task = TaskContext::from_waker(Waker::noop());
    while lists.iter().any(Option::is_some) {
        for slot in &mut lists {
            if let Some(list) = slot
                && let Poll::Ready(list) = list.as_mut().poll(&mut task)
            {
                assert_eq!(list.unwrap().count(), 604);
                *slot = None;
            }
        }
    }
    let entries = erp.store().take().entries;
    assert!(entries < 2 * 600, "{entries} entries");
}

// rule: D-WRK-02
#[test]
fn a_list_that_takes_longer_than_a_request_may_is_made_by_several() {
    // Without a cache, numbers, texts and the ranks of three fields are each read from the store.
    let settings = Settings {
        article_cache_bytes: 0,
        ..Settings::default()
    };
    let erp = Erp::new(Counting::default(), settings);
    import(&erp, &rows());
    articles(&erp, 2_000);
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    let query = ArticleQuery::default();
    // Two lists are asked for in turn.
    let sorts = ["-ArtGruppe", "-ArtKlasse"].map(|sorts| parse_sorts(sorts).unwrap());
    let filter = ArticleFilter {
        group: None,
        words: search_words("Teil").unwrap(),
    };
    let mut task = TaskContext::from_waker(Waker::noop());
    let (mut requests, mut entries) = (0, 0);
    let list = loop {
        requests += 1;
        assert!(requests < 20, "it never ends");
        let mut list = pin!(door.article_search(&query, &sorts[requests % 2], &filter));
        let mut calls = 0;
        let polled = loop {
            if let Poll::Ready(list) = list.as_mut().poll(&mut task) {
                break Some(list);
            }
            let counts = erp.store().take();
            calls += counts.calls();
            entries += counts.entries;
            if calls > 8 {
                break None;
            }
        };
        if let Some(list) = polled {
            break list.unwrap();
        }
    };
    assert!(requests > 4, "{requests} requests");
    assert_eq!(list.count(), 2_000);
    assert!(entries < 5 * 2_050, "{entries} entries");
}

/// The bytes that a change set stores in a space.
fn stored(changes: &ChangeSet, space: Space) -> usize {
    let writes = changes.writes.iter();
    writes
        .filter_map(|write| match write {
            Write::Put { key, value } if key.space() == space as u8 => Some(value.len()),
            _ => None,
        })
        .sum()
}

#[test]
fn the_stored_response_to_a_change_is_small_compared_with_the_record() {
    let erp = company(50_000);
    articles(&erp, 200);
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    let positions: Vec<Value> = (0..1_000)
        .map(|at| json!({"ArtNr": format!("X-{:04}", at % 200), "Menge": at + 1}))
        .collect();
    let body = json!({"GrundDaten": {"AuftBestellNr": "B-1"}, "Positionen": positions});
    let offer = block_on(door.create_offer(&body)).unwrap().number.clone();
    let change = |key: &str, quantity: usize| {
        let retry = Some(Retry {
            key,
            fingerprint: [u8::try_from(quantity).unwrap(); 32],
        });
        let body = json!({"Positionen": [{"PosNr": 1, "Menge": quantity}]});
        block_on(door.retry(retry).change_offer(&offer, None, &body)).unwrap()
    };
    erp.store().commits();
    let first = change("a", 2);
    let commits = erp.store().commits();
    let [commit] = &commits[..] else {
        panic!("{} commits", commits.len())
    };
    let (record, kept) = (
        stored(commit, Space::Offer),
        stored(commit, Space::Idempotency),
    );
    assert!(
        record > 70_000 && kept > 0,
        "{record} bytes of the record, {kept} of the response"
    );
    assert!(
        kept < 34_000 && kept * 2 < record,
        "{record} bytes of the record, {kept} of the response"
    );
    assert_eq!((first.written, first.replayed), (commit.bytes(), false));
    // The replay is the first response, byte for byte, even if the offer or the company has changed since.
    change("b", 3);
    import(
        &erp,
        &[
            json!({"Firma": {"FirmaBez": "Anders AG", "WaehrAbk": "CHF", "AdrSprache": "fre", "OrtLand": "CH",
        "Zeitzone": "UTC", "Preisart": "B", "WUSTCode": "CH26", "StaoNr": 1}}),
        ],
    );
    erp.store().commits();
    let again = change("a", 2);
    assert!(again.replayed);
    assert_eq!(again.written, 0);
    assert_eq!(
        serde_json::to_string(&again.value).unwrap(),
        serde_json::to_string(&first.value).unwrap()
    );
    assert_eq!(erp.store().commits(), []);
    assert_eq!(block_on(erp.upkeep(now()).check()).unwrap().findings, []);
}

// rule: R-LIM-04
#[test]
fn an_outcome_reports_what_was_written() {
    let erp = company(50_000);
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    erp.store().commits();
    let outcome = block_on(door.create_order(&body)).unwrap();
    let bytes: usize = erp.store().commits().iter().map(ChangeSet::bytes).sum();
    assert!(bytes > 100);
    assert_eq!(outcome.written, bytes);
}

/// Stores responses under the keys `0`, `1`, ... that all expire at the same time.
fn keep_answers(erp: &Erp<Counting>, count: usize, expires_at: Timestamp) {
    for answers in (0..count).collect::<Vec<_>>().chunks(500) {
        let mut changes = ChangeSet::new();
        for number in answers {
            let key = Key::of(Space::Idempotency)
                .text("shop")
                .text(&number.to_string());
            let expiry = Key::of(Space::IdempotencyExpiry)
                .signed(expires_at.as_second())
                .bytes(key.as_bytes());
            changes.put(expiry, vec![Space::IdempotencyExpiry as u8, 1]);
            let answer = StoredResponse {
                fingerprint: [0; 32],
                answer: "{}".to_owned(),
                customer: None,
                expires_at,
                unchanged: None,
            };
            changes.put(key, encode(&answer).unwrap());
        }
        block_on(erp.store().commit(changes)).unwrap();
    }
    erp.store().commits();
}

#[test]
fn one_round_removes_every_expired_response() {
    let erp = company(50_000);
    let later = now() + SignedDuration::from_hours(24);
    // Number 0 was used again after it expired; the entry with its old expiry time remains.
    keep_answers(&erp, 6_000, now());
    keep_answers(&erp, 1, later);
    erp.store().take();
    let (removed, yields) = counted(
        erp.upkeep(now() + SignedDuration::from_secs(1))
            .remove_expired_responses(),
    );
    assert_eq!(removed.unwrap(), 5_999);
    let commits = erp.store().commits().len();
    let Counts { gets, scans, .. } = erp.store().take();
    assert!(commits <= 60, "{commits} commits");
    assert!(gets <= 60 && scans <= 61, "{gets} gets, {scans} scans");
    assert!(yields >= 60, "{yields} yields");
    assert_eq!(
        block_on(erp.upkeep(now()).check()).unwrap().records["kept answers"],
        1
    );
    let rows = Scan::prefix(&Key::of(Space::IdempotencyExpiry));
    assert_eq!(block_on(erp.store().scan(rows)).unwrap().entries.len(), 1);
    assert_eq!(
        block_on(
            erp.upkeep(later + SignedDuration::from_secs(1))
                .remove_expired_responses()
        )
        .unwrap(),
        1
    );
}

#[test]
fn one_round_removes_every_expired_token() {
    let erp = company(50_000);
    let user = User::new(
        Text::new("shop").unwrap(),
        "hash".to_owned(),
        Role::Shop,
        None,
    );
    block_on(erp.office(now()).users().add(&user)).unwrap();
    let token = |number: u32| {
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_be_bytes());
        TokenHash::new(hash)
    };
    let hour = SignedDuration::from_hours(1);
    for number in 0..2_501 {
        let lives = if number == 0 { hour * 2 } else { hour };
        block_on(
            erp.office(now())
                .users()
                .issue_token(&token(number), &user, now() + lives),
        )
        .unwrap();
    }
    erp.store().commits();
    erp.store().take();
    let soon = now() + hour + SignedDuration::from_secs(1);
    let (removed, yields) = counted(erp.upkeep(soon).remove_expired_tokens());
    assert_eq!(removed.unwrap(), 2_500);
    let commits = erp.store().commits().len();
    let gets = erp.store().take().gets;
    assert!(commits <= 3 && gets <= 3, "{commits} commits, {gets} gets");
    assert!(yields >= 3, "{yields} yields");
    assert_eq!(block_on(erp.upkeep(now()).check()).unwrap().findings, []);
    assert!(
        block_on(erp.office(soon).users().caller(&token(0)))
            .unwrap()
            .is_some()
    );
    assert!(
        block_on(erp.office(now()).users().caller(&token(1)))
            .unwrap()
            .is_none()
    );
}
