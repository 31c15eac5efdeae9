//! Finding one customer among many addresses.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::Outcome;
use crate::child::Child;
use crate::client::{Connection, Load, MakeRequest, Target, TestRequest};
use crate::company::Random;
use crate::{Plan, report, store, target};

/// Target: CPU time of the server per search.
const AIM: Duration = Duration::from_micros(200);

/// Addresses of each customer: contact, delivery, billing.
const PER_CUSTOMER: u64 = 3;

/// Number of last names. Addresses with the same last name have different postal codes.
const NAMES: u64 = 2_000;

/// One of this many customers has the most frequent name.
const COMMON_EVERY: u64 = 100;

/// Whether this is the contact address of a customer with the most frequent name.
const fn is_common(address: u64) -> bool {
    address.is_multiple_of(PER_CUSTOMER * COMMON_EVERY)
}

fn name(address: u64) -> String {
    if is_common(address) {
        "Müller".to_owned()
    } else {
        format!("Muster{}", address % NAMES)
    }
}

fn postal_code(address: u64) -> u64 {
    if is_common(address) {
        1_000 + address / (PER_CUSTOMER * COMMON_EVERY)
    } else {
        1_000 + address / NAMES
    }
}

fn address(address: u64) -> String {
    format!(
        r#"{{"AdrSprache": "ger", "AdrAnrede": 2, "EmailAdress": "a{address}@example.ch", "AdrTf1": "+41 44 {address:07}", "AdrVorname": "Zoë", "AdrName": "{}", "AdrAdresse1": "Hauptstrasse {}", "OrtLand": "CH", "OrtPLZ": "{}", "OrtName": "Musterdorf"}}"#,
        name(address),
        address % 200,
        postal_code(address),
    )
}

/// Customers who together have this number of addresses, rounded up to whole customers.
pub(crate) fn customers(addresses: u64) -> String {
    let mut rows = String::new();
    for customer in 0..addresses.div_ceil(PER_CUSTOMER) {
        let first = customer * PER_CUSTOMER;
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            rows,
            r#"{{"Kunde": {{"KundNr": "{}", "WaehrAbk": "CHF", "KontaktAdr": {}, "LiefAdr": [{}], "RechAdr": [{}]}}}}"#,
            10_001 + customer,
            address(first),
            address(first + 1),
            address(first + 2),
        );
    }
    rows
}

fn search(criteria: impl Fn(&mut Random) -> String + Send + Sync + 'static) -> MakeRequest {
    Arc::new(move |random| TestRequest::get(format!("/www/adressensuche?{}", criteria(random))))
}

/// The measured searches. Each finds one customer.
fn searches(addresses: u64) -> [(&'static str, MakeRequest); 4] {
    let by_name =
        |address: u64| format!("AdrName={}&OrtPLZ={}", name(address), postal_code(address));
    let common = addresses.div_ceil(PER_CUSTOMER * COMMON_EVERY);
    [
        (
            "by e-mail",
            search(move |random| format!("EmailAdress=a{}@example.ch", random.below(addresses))),
        ),
        (
            "by telephone",
            search(move |random| format!("AdrTf1=%2B4144{:07}", random.below(addresses))),
        ),
        (
            "by name and postal code",
            // The address after a contact address never has the most frequent name.
            search(move |random| {
                let customer = random.below(addresses / PER_CUSTOMER);
                by_name(customer * PER_CUSTOMER + 1)
            }),
        ),
        (
            "by the most frequent name and postal code",
            search(move |random| {
                let customer = random.below(common) * COMMON_EVERY;
                by_name(customer * PER_CUSTOMER).replace('ü', "%C3%BC")
            }),
        ),
    ]
}

/// Checks that the search finds a customer: a search without a result would measure nothing.
async fn find(here: &Target, call: &MakeRequest) -> Outcome<()> {
    let mut connection = Connection::open(here).await?;
    for seed in 0..10 {
        let sent = call(&mut Random(seed));
        let path = sent.path.clone();
        let response: Value = serde_json::from_slice(&connection.send(sent).await?)?;
        if response.get("success") != Some(&Value::Bool(true)) {
            return Err(format!("{path}: {response}").into());
        }
    }
    Ok(())
}

/// Serves a store of addresses and searches in it.
pub(crate) async fn measure(plan: &Plan, folder: &Path) -> Outcome<()> {
    if plan.addresses < PER_CUSTOMER {
        return Ok(());
    }
    let data = folder.join("addresses");
    println!("preparing {} addresses", plan.addresses);
    let token = store::prepare_addresses(&data, &customers(plan.addresses)).await?;
    let server = Child::serve(&data)?;
    let here = target(&server, &token);
    for (name, call) in searches(plan.addresses) {
        let load = Load {
            name,
            length: plan.length,
            connections: 8,
        };
        find(&here, &call).await?;
        let measured = load.run(&here, &server, call).await?;
        report::search(name, plan.addresses, &measured, AIM);
    }
    Ok(())
}
