//! The number of calls to the store per operation, with master data in the cache. Every call is a round trip to a
//! database.

use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::{Context, CustomerOrders, Error, Retry, Settings};
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
        block_on(erp.import(&rows, now(), None)).unwrap();
        let company = Self {
            erp,
            caller: shop("SHOP1"),
        };
        company.order();
        company
    }

    fn context(&self) -> Context<'_> {
        Context::new(now(), &self.caller, "")
    }

    /// The number of calls of an operation that succeeds.
    fn calls<T>(&self, operation: impl Future<Output = Result<T, Error>>) -> (usize, T) {
        self.erp.store().take();
        let result = block_on(operation).unwrap();
        (self.erp.store().take().calls(), result)
    }

    fn order(&self) -> String {
        let placed = block_on(self.erp.create_order(&self.context(), &order())).unwrap();
        placed.answer.to_string()
    }

    fn offer(&self) -> String {
        let made = block_on(self.erp.create_offer(&self.context(), &order())).unwrap();
        made.answer.offer_number.unwrap().to_string()
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
fn with_and_without_key(check: impl Fn(&Company, Context<'_>)) {
    let company = Company::new();
    check(&company, company.context());
    let retry = Some(Retry {
        key: "k",
        fingerprint: [7; 32],
    });
    let context = Context {
        retry,
        ..company.context()
    };
    check(&company, context);
}

#[test]
fn placing_an_order_reads_once_draws_a_number_and_commits() {
    with_and_without_key(|company, context| {
        let (calls, _) = company.calls(company.erp.create_order(&context, &order()));
        assert_eq!(calls, 3);
    });
}

#[test]
fn articles_that_are_not_cached_cost_one_call() {
    let company = Company::new();
    let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-2", "Menge": 12, "VPEinheit": "KT12"}]});
    let (calls, _) = company.calls(company.erp.create_order(&company.context(), &body));
    assert_eq!(calls, 4);
}

#[test]
fn a_repeated_request_is_one_call() {
    let company = Company::new();
    let retry = Some(Retry {
        key: "k",
        fingerprint: [7; 32],
    });
    let context = Context {
        retry,
        ..company.context()
    };
    let first = block_on(company.erp.create_order(&context, &order())).unwrap();
    let (calls, again) = company.calls(company.erp.create_order(&context, &order()));
    assert_eq!((calls, again.replayed), (1, true));
    assert_eq!(first.answer, again.answer);
}

#[test]
fn offers_take_three_calls() {
    with_and_without_key(|company, context| {
        let offer = company.offer();
        let unique = Context {
            retry: None,
            ..context
        };
        let body = order();
        let create = company.erp.create_offer(&unique, &body);
        assert_eq!(company.calls(create).0, 3);
        let body = json!({"Positionen": [{"PosNr": 1, "Menge": 3}]});
        let change = company.erp.change_offer(&context, &offer, None, &body);
        assert_eq!(
            company.calls(change).0,
            3,
            "the customer is named by the offer"
        );
    });
    with_and_without_key(|company, context| {
        let offer = company.offer();
        let body =
            json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"PosNr": 1, "Menge": 3}]});
        let change = company.erp.change_offer(&context, &offer, None, &body);
        assert_eq!(
            company.calls(change).0,
            2,
            "the customer is named by the body"
        );
    });
    with_and_without_key(|company, context| {
        let body = conversion(&company.offer());
        let (calls, _) = company.calls(company.erp.convert_offer(&context, &body));
        assert_eq!(calls, 3);
    });
}

#[test]
fn the_numbers_of_a_customer_and_its_addresses_are_one_call() {
    // The first number is already used by an imported customer.
    let after_imported = |company: &Company| {
        let (context, body) = (company.context(), customer());
        company.calls(company.erp.create_customer(&context, &body));
    };
    with_and_without_key(|company, context| {
        after_imported(company);
        let (calls, _) = company.calls(company.erp.create_customer(&context, &customer()));
        assert_eq!(calls, 3);
    });
    with_and_without_key(|company, context| {
        after_imported(company);
        let mut body = customer();
        for kind in ["LiefAdr", "RechAdr"] {
            body["Adressen"][kind] = body["Adressen"]["KontaktAdr"].clone();
        }
        let (calls, number) = company.calls(company.erp.create_customer(&context, &body));
        assert_eq!(calls, 3, "three addresses");
        let addresses = company.erp.addresses(&context, &number.answer);
        let addresses = block_on(addresses).unwrap();
        let numbers = [addresses.contact, addresses.delivery, addresses.billing]
            .map(|list| list.unwrap()[0].address_number.unwrap());
        assert!(numbers.is_sorted_by(|one, two| one < two), "{numbers:?}");
    });
    with_and_without_key(|company, context| {
        let body = customer();
        let replace = company.erp.replace_customer(&context, "10001", &body);
        assert_eq!(company.calls(replace).0, 2);
    });
    with_and_without_key(|company, context| {
        let shown = company
            .erp
            .customer(&context, "10001", CustomerOrders::default());
        let number = block_on(shown)
            .unwrap()
            .record
            .contact_address
            .unwrap()
            .to_string();
        block_on(company.erp.address(&context, &number)).unwrap();
        let body = json!({"AdrName": "Neu"});
        let change = company.erp.change_address(&context, &number, &body);
        assert_eq!(
            company.calls(change).0,
            2,
            "the owner of the address with the customer that it named last, the commit"
        );
    });
}

#[test]
fn the_state_of_an_order_changes_with_three_calls_and_one_for_all_stocks() {
    let company = Company::new();
    let number = company.order();
    let open = company
        .erp
        .set_order_status(&number, OrderStatus::Open, None);
    assert_eq!(
        company.calls(open).0,
        3,
        "the order, its keys by state, the commit"
    );
    let done = company
        .erp
        .set_order_status(&number, OrderStatus::Completed, None);
    assert_eq!(company.calls(done).0, 4);
}

#[test]
fn one_record_is_read_with_one_call() {
    let company = Company::new();
    let context = company.context();
    let (order, offer) = (company.order(), company.offer());
    assert_eq!(company.calls(company.erp.order(&context, &order)).0, 1);
    assert_eq!(
        company.calls(company.erp.offer(&context, &offer)).0,
        2,
        "and its customer"
    );
    let none = CustomerOrders::default();
    let shown = company.erp.customer(&context, "10001", none);
    assert_eq!(company.calls(shown).0, 1);
    let addresses = company.erp.addresses(&context, "10001");
    assert_eq!(company.calls(addresses).0, 1);
}

#[test]
fn an_import_draws_numbers_only_where_it_needs_them() {
    let company = Company::new();
    let import = |rows: &[Value]| {
        let rows = import_rows(rows);
        let import = company.erp.import(&rows, now(), None);
        company.calls(import).0
    };
    let article = json!({"Artikel": {"ArtNr": "NEW", "ArtBez": "Neu"}});
    assert_eq!(import(&[article]), 2, "the article, the commit");
    let customer = |number: u32| {
        let contact = customer()["Adressen"]["KontaktAdr"].clone();
        json!({"Kunde": {"KundNr": number.to_string(), "WaehrAbk": "CHF", "KontaktAdr": contact}})
    };
    let customers: Vec<Value> = (20_001..20_101).map(customer).collect();
    let calls = "customers, address numbers, whether they are free, commit";
    assert_eq!(import(&customers), 4, "{calls}");
    assert_eq!(import(&customers), 1, "customers");
}
