//! Finding one customer among many addresses.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::Outcome;
use crate::child::Child;
use crate::client::{Call, Connection, Load, Sent, Target};
use crate::company::Random;
use crate::{Plan, report, store, target};

/// A search may take this much CPU time of the server.
const AIM: Duration = Duration::from_micros(200);

/// Addresses of each customer: contact, delivery, billing.
const PER_CUSTOMER: u64 = 3;

/// Last names; each is borne by every so many-th address, in another place each time.
const NAMES: u64 = 2_000;

/// Every so many customers one has the most frequent name.
const COMMON_EVERY: u64 = 100;

/// Whether an address is the contact address of a customer with the most frequent name.
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

/// Customers with so many addresses together, rounded up to whole customers.
pub(crate) fn customers(addresses: u64) -> String {
    let mut rows = String::new();
    for customer in 0..addresses.div_ceil(PER_CUSTOMER) {
        let first = customer * PER_CUSTOMER;
        // Writing into a String cannot fail.
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

fn search(criteria: impl Fn(&mut Random) -> String + Send + Sync + 'static) -> Call {
    Arc::new(move |random| Sent::get(format!("/www/adressensuche?{}", criteria(random))))
}

/// The searches that are measured. Every one of them finds somebody.
fn searches(addresses: u64) -> [(&'static str, Call); 4] {
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
            // The addresses behind a contact address never have the most frequent name.
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

/// A search that finds nobody is answered, too, but measures nothing.
async fn find(here: &Target, call: &Call) -> Outcome<()> {
    let mut connection = Connection::open(here).await?;
    for seed in 0..10 {
        let sent = call(&mut Random(seed));
        let path = sent.path.clone();
        let answer: Value = serde_json::from_slice(&connection.send(sent).await?)?;
        if answer.get("success") != Some(&Value::Bool(true)) {
            return Err(format!("{path}: {answer}").into());
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
