//! The list of invoices and the orders to invoice, against all that was made.

use std::collections::BTreeSet;

use erp_core::Erp;
use erp_core::document::{Invoice, InvoiceKind, OrderStatus};
use erp_core::erp::{Error, InvoiceQuery, OrderQuery, Settings};
use erp_core::storage::{ChangeSet, Key, MemoryStore, Space, Storage};
use jiff::{Timestamp, ToSpan as _};
use proptest::prelude::*;
use serde_json::json;

use super::common::{Demo, block_on, import_rows, now, rows, shop};
use super::invoices::{body, company, customer, invoicing, stored};
use super::overtaken::Overtaken;

const CUSTOMERS: [&str; 2] = ["20001", "20003"];

/// What happens to an order: it is completed, invoiced, its invoice canceled, on a day of this month.
#[derive(Clone, Copy, Debug)]
enum Step {
    Complete,
    Invoice,
    Cancel,
}

fn order<S: Storage>(erp: &Erp<S>, customer: &str) -> String {
    let body = body(customer, &json!([{"ArtNr": "P-1", "Menge": 1}]));
    let caller = shop("SHOP1");
    let made = block_on(erp.shop(&caller, now()).create_order(&body)).unwrap();
    made.number.to_string()
}

fn findings<S: Storage>(erp: &Erp<S>) -> Vec<String> {
    let found = block_on(erp.upkeep(now()).check()).unwrap().findings;
    found.into_iter().map(|finding| finding.message).collect()
}

fn complete<S: Storage>(erp: &Erp<S>, order: &str) {
    let office = erp.office(now());
    block_on(office.set_order_status(order, OrderStatus::Completed)).unwrap();
}

/// All numbers of the list, page by page.
fn listed(demo: &Demo, query: &InvoiceQuery) -> Vec<String> {
    let mut query = query.clone();
    let mut numbers = Vec::new();
    loop {
        let page = block_on(demo.office().invoices(&query)).unwrap();
        numbers.extend(page.invoices.iter().map(|one| one.number.to_string()));
        query.offset += query.limit;
        if !page.has_next {
            return numbers;
        }
        assert_eq!(page.invoices.len(), query.limit);
    }
}

/// All orders to invoice, page by page.
fn to_invoice<S: Storage>(erp: &Erp<S>) -> Vec<String> {
    let mut query = OrderQuery {
        to_invoice: true,
        limit: 2,
        ..OrderQuery::default()
    };
    let mut numbers = Vec::new();
    loop {
        let page = block_on(erp.office(now()).orders(&query)).unwrap();
        numbers.extend(page.orders.iter().map(|order| order.number.to_string()));
        query.after = page.next;
        if page.next.is_none() {
            let count = block_on(erp.office(now()).count_to_invoice()).unwrap();
            assert_eq!(numbers.len(), count);
            return numbers;
        }
    }
}

fn check_list(demo: &Demo, made: &[Invoice], orders: &[String]) {
    let days = [None, Some(now().to_zoned(jiff::tz::TimeZone::UTC).date())];
    let orders = orders.iter().map(|order| Some(order.as_str()));
    for order in orders.chain([None, Some("7"), Some("x")]) {
        for customer in [None, Some(CUSTOMERS[0]), Some("none")] {
            for (from, to) in [(days[0], days[1]), (days[1], days[0]), (days[1], days[1])] {
                let query = InvoiceQuery {
                    customer: customer.map(Into::into),
                    order: order.map(Into::into),
                    from,
                    to,
                    offset: 0,
                    limit: 2,
                };
                let mut wanted: Vec<&Invoice> = made
                    .iter()
                    .filter(|one| order.is_none_or(|order| one.order == order))
                    .filter(|one| customer.is_none_or(|customer| one.customer == customer))
                    .filter(|one| from.is_none_or(|from| from <= one.date))
                    .filter(|one| to.is_none_or(|to| one.date <= to))
                    .collect();
                wanted.sort_by_key(|one| (one.date, one.number.parse::<u64>().unwrap()));
                let wanted = wanted.iter().rev().map(|one| one.number.to_string());
                assert_eq!(
                    listed(demo, &query),
                    wanted.collect::<Vec<_>>(),
                    "{query:?}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    // rule: D-INV-14
    #[test]
    fn the_list_and_the_orders_to_invoice_are_those_of_all_that_happened(
        steps in prop::collection::vec((0..6_usize, prop_oneof![Just(Step::Complete), Just(Step::Invoice), Just(Step::Cancel)], -1..2_i64), 0..20),
    ) {
        let demo = invoicing("N");
        let orders: Vec<String> = (0..6).map(|at| order(&demo.erp, CUSTOMERS[at % 2])).collect();
        let mut made: Vec<Invoice> = Vec::new();
        let mut to_be = BTreeSet::new();
        let mut completed = BTreeSet::new();
        for (at, step, days) in steps {
            let number = &orders[at];
            let clock: Timestamp = now() + (24 * days).hours();
            let office = demo.erp.office(clock);
            let invoice = made.iter().find(|one| one.order == number.as_str() && one.kind == InvoiceKind::Invoice);
            let new = match (step, invoice) {
                (Step::Complete, invoice) => {
                    complete(&demo.erp, number);
                    let is_first = completed.insert(number.clone());
                    if is_first && invoice.is_none() && !made.is_empty() {
                        to_be.insert(number.clone());
                    }
                    continue;
                }
                (Step::Invoice, _) => block_on(office.make_invoice(number)).unwrap(),
                (Step::Cancel, Some(invoice)) => block_on(office.make_credit_note(&invoice.number)).unwrap(),
                (Step::Cancel, None) => continue,
            };
            to_be.remove(number);
            if made.iter().all(|one| one.number != new.number) {
                made.push(stored(&demo, &new.number).0);
            }
        }
        check_list(&demo, &made, &orders[..2]);
        prop_assert_eq!(to_invoice(&demo.erp), to_be.into_iter().rev().collect::<Vec<_>>());
        prop_assert_eq!(findings(&demo.erp), Vec::<String>::new());
    }
}

// rule: D-INV-14
#[test]
fn an_invoice_in_the_list_is_the_one_that_is_shown() {
    let demo = invoicing("N");
    let number = order(&demo.erp, "20001");
    block_on(demo.office().make_invoice(&number)).unwrap();
    block_on(demo.office().make_credit_note("1")).unwrap();
    let query = InvoiceQuery {
        limit: 5,
        ..InvoiceQuery::default()
    };
    let page = block_on(demo.office().invoices(&query)).unwrap();
    let shown = serde_json::to_value(&page.invoices).unwrap();
    for (entry, (invoice, _)) in page
        .invoices
        .iter()
        .zip([stored(&demo, "2"), stored(&demo, "1")])
    {
        assert_eq!(
            (&entry.number, entry.date, entry.due_on),
            (&invoice.number, invoice.date, invoice.due_on)
        );
        assert_eq!(
            (&entry.name, entry.gross.0, entry.payable.0),
            (&invoice.buyer.name, invoice.gross, invoice.payable)
        );
    }
    let note = (
        &shown[0]["RechTyp"],
        &shown[0]["RechZuNr"],
        &shown[0]["GutschriftNr"],
    );
    assert_eq!(note, (&json!("381"), &json!("1"), &json!(null)));
    let canceled = (
        &shown[1]["RechTyp"],
        &shown[1]["RechZuNr"],
        &shown[1]["GutschriftNr"],
    );
    assert_eq!(canceled, (&json!("380"), &json!(null), &json!("2")));
    let none = InvoiceQuery::default();
    assert_eq!(
        block_on(demo.office().invoices(&none)).unwrap().invoices,
        []
    );
}

#[test]
fn the_check_sees_a_missing_key_of_an_invoice_and_one_of_an_order_that_is_none_to_invoice() {
    let demo = invoicing("N");
    let invoiced = order(&demo.erp, "20001");
    block_on(demo.office().make_invoice(&invoiced)).unwrap();
    let date = stored(&demo, "1").0.date.to_string();
    let key = |customer: &str, number| {
        Key::of(Space::InvoiceOfCustomer)
            .text(customer)
            .text(&date)
            .number(number)
    };
    let mut changes = ChangeSet::new();
    changes.delete(key("", 1));
    changes.put(key("20001", 2), vec![57, 1]);
    let order = Key::of(Space::OrderToInvoice).number(invoiced.parse().unwrap());
    changes.put(order, vec![58, 1]);
    block_on(demo.erp.store().commit(changes)).unwrap();
    assert_eq!(
        findings(&demo.erp),
        [
            "no order of this number is completed and without an invoice",
            "no invoice has this customer, day and number",
            "an invoice is missing in a list"
        ]
    );
}

/// A company that two servers serve, with one invoice and an order.
fn two_servers() -> (Overtaken, Erp<Overtaken>, String) {
    let store = Overtaken::default();
    let erp = store.erp();
    for rows in [rows(), vec![company("N"), customer("20001", "", "")]] {
        block_on(erp.office(now()).import(&import_rows(&rows))).unwrap();
    }
    block_on(erp.office(now()).make_invoice(&order(&erp, "20001"))).unwrap();
    let number = order(&erp, "20001");
    (store, erp, number)
}

// rule: D-INV-14
#[test]
fn an_order_that_is_completed_and_invoiced_at_the_same_time_is_not_to_invoice() {
    let (store, erp, number) = two_servers();
    let invoiced = number.clone();
    store.overtaken_after_read(Space::InvoiceNumbers, move |rival| {
        block_on(rival.office(now()).make_invoice(&invoiced)).unwrap();
    });
    complete(&erp, &number);
    assert!(store.was_overtaken());
    assert_eq!(to_invoice(&erp), [""; 0]);
    let (store, erp, number) = two_servers();
    let completed = number.clone();
    store.overtaken_after_read(Space::InvoiceNumbers, move |rival| {
        complete(rival, &completed)
    });
    block_on(erp.office(now()).make_invoice(&number)).unwrap();
    assert!(store.was_overtaken());
    assert_eq!(to_invoice(&erp), [""; 0]);
    let third = order(&erp, "20001");
    complete(&erp, &third);
    assert_eq!(to_invoice(&erp), [third]);
    assert_eq!(findings(&erp), [""; 0]);
}

// rule: D-INV-14
#[test]
fn a_company_with_a_first_number_has_orders_to_invoice_before_its_first_invoice() {
    let demo = invoicing("N");
    demo.import(&[customer("20001", "", "")]).unwrap();
    let before = order(&demo.erp, "20001");
    complete(&demo.erp, &before);
    assert_eq!(to_invoice(&demo.erp), [""; 0]);
    let mut numbered = company("N");
    numbered["Firma"]["RechNrAb"] = 20_260_001.into();
    demo.import(&[numbered]).unwrap();
    let after = order(&demo.erp, "20001");
    complete(&demo.erp, &after);
    assert_eq!(to_invoice(&demo.erp), [after]);
    assert_eq!(findings(&demo.erp), [""; 0]);
}

// rule: D-WRK-02
#[test]
fn a_list_reads_a_bounded_number_of_keys() {
    let settings = Settings {
        scan_entries: 3,
        ..Settings::default()
    };
    let demo = Demo {
        erp: Erp::new(MemoryStore::new(), settings),
    };
    demo.import(&rows()).unwrap();
    demo.import(&[company("N"), customer("20001", "", "")])
        .unwrap();
    for _ in 0..4 {
        block_on(demo.office().make_invoice(&order(&demo.erp, "20001"))).unwrap();
    }
    let of = |offset, limit| {
        let query = InvoiceQuery {
            offset,
            limit,
            ..InvoiceQuery::default()
        };
        block_on(demo.office().invoices(&query)).map(|page| page.invoices.len())
    };
    assert_eq!(of(0, 2), Ok(2));
    assert_eq!(of(1, 1), Ok(1));
    assert_eq!(of(3, 1), Err(Error::TooBroad { limit: 3 }));
}
