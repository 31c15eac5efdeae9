//! The number of calls to the store per operation, with master data in the cache. Every call is a round trip to a
//! database.

use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::{Error, Retry, Settings, Shop};
use erp_core::internal::CustomerOrders;
use erp_core::master::Caller;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::common::{block_on, import_rows, rows, shop};
use super::counting::Counting;

fn now() -> Timestamp {
    "2026-06-01T10:00:00Z".parse().unwrap()
}

/// A company with its master data in the cache.
struct Company {
    erp: Erp<Counting>,
    caller: Caller,
}

impl Company {
    fn new() -> Self {
        let erp = Erp::new(Counting::default(), Settings::default());
        let rows = import_rows(&rows());
        block_on(erp.office(now()).import(&rows)).unwrap();
        let company = Self {
            erp,
            caller: shop("SHOP1"),
        };
        company.order();
        company
    }

    fn shop(&self) -> Shop<'_, Counting> {
        self.erp.shop(&self.caller, now())
    }

    /// The number of calls of an operation that succeeds.
    fn calls<T>(&self, operation: impl Future<Output = Result<T, Error>>) -> (usize, T) {
        self.erp.store().take();
        let result = block_on(operation).unwrap();
        (self.erp.store().take().calls(), result)
    }

    fn order(&self) -> String {
        let placed = block_on(self.shop().create_order(&order())).unwrap();
        placed.number.to_string()
    }

    fn offer(&self) -> String {
        let made = block_on(self.shop().create_offer(&order())).unwrap();
        made.number.to_string()
    }
}

fn order() -> Value {
    json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 2}]})
}

fn conversion(offer: &str) -> Value {
    json!({"GrundDaten": {"KundNr": "10001", "OffertNr": offer}})
}

fn customer() -> Value {
    json!({
        "GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": {"AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": "Neu AG",
            "AdrAdresse1": "Weg 1", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"}},
    })
}

/// Runs a check with and without an idempotency key: the key must cost no additional call.
fn with_and_without_key(check: impl Fn(&Company, Shop<'_, Counting>)) {
    let company = Company::new();
    check(&company, company.shop());
    let retry = Retry {
        key: "k",
        fingerprint: [7; 32],
    };
    check(&company, company.shop().retry(retry));
}

#[test]
fn placing_an_order_reads_once_draws_a_number_and_commits() {
    with_and_without_key(|company, door| {
        let (calls, _) = company.calls(door.create_order(&order()));
        assert_eq!(calls, 3);
    });
}

#[test]
fn articles_that_are_not_cached_cost_one_call() {
    let company = Company::new();
    let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-2", "Menge": 12, "VPEinheit": "KT12"}]});
    let (calls, _) = company.calls(company.shop().create_order(&body));
    assert_eq!(calls, 4);
}

#[test]
fn a_repeated_request_is_one_call() {
    let company = Company::new();
    let door = company.shop().retry(Retry {
        key: "k",
        fingerprint: [7; 32],
    });
    let first = block_on(door.create_order(&order())).unwrap();
    let (calls, again) = company.calls(door.create_order(&order()));
    assert_eq!((calls, again.replayed), (1, true));
    assert_eq!(first.value, again.value);
}

#[test]
fn offers_take_three_calls() {
    with_and_without_key(|company, door| {
        let offer = company.offer();
        let body = order();
        let create = door.retry(None).create_offer(&body);
        assert_eq!(company.calls(create).0, 3);
        let body = json!({"Positionen": [{"PosNr": 1, "Menge": 3}]});
        let change = door.change_offer(&offer, None, &body);
        assert_eq!(
            company.calls(change).0,
            3,
            "the customer is named by the offer"
        );
    });
    with_and_without_key(|company, door| {
        let offer = company.offer();
        let body =
            json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"PosNr": 1, "Menge": 3}]});
        let change = door.change_offer(&offer, None, &body);
        assert_eq!(
            company.calls(change).0,
            2,
            "the customer is named by the body"
        );
    });
    with_and_without_key(|company, door| {
        let body = conversion(&company.offer());
        let (calls, _) = company.calls(door.convert_offer(&body));
        assert_eq!(calls, 3);
    });
}

#[test]
fn the_numbers_of_a_customer_and_its_addresses_are_one_call() {
    // The first number is already used by an imported customer.
    let after_imported = |company: &Company| {
        let (door, body) = (company.shop(), customer());
        company.calls(door.create_customer(&body));
    };
    with_and_without_key(|company, door| {
        after_imported(company);
        let (calls, _) = company.calls(door.create_customer(&customer()));
        assert_eq!(calls, 3);
    });
    with_and_without_key(|company, door| {
        after_imported(company);
        let mut body = customer();
        for kind in ["LiefAdr", "RechAdr"] {
            body["Adressen"][kind] = body["Adressen"]["KontaktAdr"].clone();
        }
        let (calls, customer) = company.calls(door.create_customer(&body));
        assert_eq!(calls, 3, "three addresses");
        let addresses = customer.addresses().map(|address| address.number);
        let numbers: Vec<i32> = addresses.collect();
        assert!(numbers.is_sorted_by(|one, two| one < two), "{numbers:?}");
    });
    with_and_without_key(|company, door| {
        let body = customer();
        let replace = door.replace_customer("10001", &body);
        assert_eq!(company.calls(replace).0, 2);
    });
    with_and_without_key(|company, door| {
        let shown = block_on(door.customer("10001")).unwrap();
        let number = shown.contact.number.to_string();
        block_on(door.address(&number)).unwrap();
        let body = json!({"AdrName": "Neu"});
        let change = door.change_address(&number, &body);
        assert_eq!(
            company.calls(change).0,
            2,
            "the owner of the address with the customer that it named last, the commit"
        );
    });
}

#[test]
fn the_state_of_an_order_changes_with_three_calls_and_two_for_all_stocks_and_for_invoices() {
    let company = Company::new();
    let number = company.order();
    let open = company
        .erp
        .office(now())
        .set_order_status(&number, OrderStatus::Open);
    assert_eq!(
        company.calls(open).0,
        3,
        "the order, its keys by state, the commit"
    );
    let done = company
        .erp
        .office(now())
        .set_order_status(&number, OrderStatus::Completed);
    assert_eq!(company.calls(done).0, 5);
}

#[test]
fn one_record_is_read_with_one_call() {
    let company = Company::new();
    let door = company.shop();
    let (order, offer) = (company.order(), company.offer());
    assert_eq!(company.calls(door.order(&order)).0, 1);
    assert_eq!(company.calls(door.offer(&offer)).0, 2, "and its customer");
    let none = CustomerOrders::default();
    let shown = door.customer_with_orders("10001", none);
    assert_eq!(company.calls(shown).0, 1);
    assert_eq!(company.calls(door.customer("10001")).0, 1);
}

#[test]
fn an_import_draws_numbers_only_where_it_needs_them() {
    let company = Company::new();
    let import = |rows: &[Value]| {
        let rows = import_rows(rows);
        let import = company.erp.office(now()).import(&rows);
        company.calls(import).0
    };
    let article = json!({"Artikel": {"ArtNr": "NEW", "ArtBez": "Neu"}});
    assert_eq!(
        import(&[article]),
        4,
        "the article, the company for its events, the last note of a change, the commit"
    );
    let customer = |number: u32| {
        let contact = customer()["Adressen"]["KontaktAdr"].clone();
        json!({"Kunde": {"KundNr": number.to_string(), "WaehrAbk": "CHF", "KontaktAdr": contact}})
    };
    let customers: Vec<Value> = (20_001..20_101).map(customer).collect();
    let calls = "customers, forgotten ones, address numbers, whether they are free, commit";
    assert_eq!(import(&customers), 5, "{calls}");
    assert_eq!(import(&customers), 1, "customers");
}
