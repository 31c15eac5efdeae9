//! Tests of addresses.

use serde_json::{Value, json};

use super::*;
use crate::values::problem::Code;

pub(crate) fn body() -> Value {
    json!({
        "AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": "Muster AG", "AdrAdresse1": "Weg 1",
        "OrtLand": "CH", "OrtPLZ": "8001 ", "OrtName": "Zürich"
    })
}

fn parse(body: &Value) -> Result<Address, Vec<(String, Code)>> {
    Address::parse(body, Reading::default()).map_err(|problems| {
        problems
            .into_vec()
            .into_iter()
            .map(|problem| (problem.path, problem.code))
            .collect()
    })
}

#[test]
fn the_required_members_make_an_address() {
    let address = parse(&body()).unwrap();
    assert_eq!(address.language, Language::GERMAN);
    assert_eq!(address.salutation, Salutation::General);
    assert_eq!(address.company.as_deref(), Some("Muster AG"));
    assert_eq!(address.postal_code, "8001");
    assert_eq!(address.town, "Zürich");
    assert_eq!(
        (address.last_name, address.email, address.check),
        (None, None, None)
    );
}

#[test]
fn a_stored_address_reads_back() {
    let mut body = body();
    body["EmailAdress"] = json!("a@example.com");
    body["AdrCheck"] = json!(1);
    let address = parse(&body).unwrap();
    let stored = serde_json::to_value(&address).unwrap();
    assert_eq!(stored["postal_code"], "8001");
    assert_eq!(serde_json::from_value::<Address>(stored).unwrap(), address);
}

// rule: R-RES-18
#[test]
fn the_town_is_checked_by_default_in_switzerland_only() {
    for (country, check, expected) in [
        ("CH", None, true),
        ("DE", None, false),
        ("CH", Some(0), false),
        ("DE", Some(1), true),
    ] {
        let mut body = body();
        body["OrtLand"] = json!(country);
        body["AdrCheck"] = json!(check);
        assert_eq!(
            parse(&body).unwrap().wants_check(),
            expected,
            "{country} {check:?}"
        );
    }
}

// rule: D-REQ-06, D-REQ-13, R-RES-18
#[test]
fn each_required_member_is_missed_when_absent_empty_or_blank() {
    for name in [
        "AdrSprache",
        "AdrFirma",
        "AdrAdresse1",
        "OrtLand",
        "OrtPLZ",
        "OrtName",
    ] {
        for value in [Value::Null, json!(""), json!("  ")] {
            let mut body = body();
            body[name] = value;
            assert_eq!(
                parse(&body).unwrap_err(),
                [(name.to_owned(), Code::Required)]
            );
        }
    }
    let mut body = body();
    body["AdrAnrede"] = Value::Null;
    assert_eq!(
        parse(&body).unwrap_err(),
        [("AdrAnrede".to_owned(), Code::Required)]
    );
}

// rule: R-RES-18
#[test]
fn a_last_name_stands_for_a_company() {
    let mut body = body();
    body["AdrFirma"] = json!("");
    body["AdrName"] = json!("Müller");
    assert_eq!(parse(&body).unwrap().company, None);
    // An unreadable last name is one problem and not also a missing company.
    body["AdrName"] = json!(5);
    assert_eq!(
        parse(&body).unwrap_err(),
        [("AdrName".to_owned(), Code::WrongType)]
    );
}

#[test]
fn unknown_values_are_refused_by_name() {
    for (name, value, code) in [
        ("AdrSprache", json!("deu"), Code::UnknownLanguage),
        ("OrtLand", json!("SUI"), Code::UnknownCountry),
        ("AdrAnrede", json!(3), Code::UnknownValue),
        ("AdrCheck", json!(2), Code::UnknownValue),
    ] {
        let mut body = body();
        body[name] = value;
        assert_eq!(parse(&body).unwrap_err(), [(name.to_owned(), code)]);
    }
}
