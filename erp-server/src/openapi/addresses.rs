//! `/www/adressen`, `/www/adressensuche`.

use erp_core::erp::SearchField;
use erp_core::wire::{AddressBody, Record as _};
use serde_json::json;

use super::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
use super::operation::{Described, example};
use super::schema::{count, counted, data, filled, named, plain};

/// Maximum of the API's type int.
const INT: usize = 2_147_483_647;

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::get(
            "/www/adressen",
            "listAddresses",
            "The addresses of a customer",
        )
        .needs("debinr", "Customer number", filled(8), json!("10007"))
        .answers(
            200,
            "The addresses by their use",
            counted(named("AddressesOfCustomer")),
            example(include_str!("examples/addresses.json")),
        )
        .leads_to(200, "readAddress", "AdrNr", "/data/KundKontakt/0/AdrNr")
        .leads_to(200, "changeAddress", "AdrNr", "/data/KundKontakt/0/AdrNr"),
        numbered(Described::get(
            "/www/adressen/{AdrNr}",
            "readAddress",
            "An address",
        ))
        .answers(
            200,
            "The address",
            data(named("AddressRecord")),
            example(include_str!("examples/address.json")),
        )
        .tells(&[200], &[ETAG]),
        numbered(Described::patch(
            "/www/adressen/{AdrNr}",
            "changeAddress",
            "Change members of an address",
        ))
        .about("Only the members that are sent change. What comes out must be a valid address.")
        .retry_safe()
        .if_match()
        .json_body(
            "AddressPatchBody",
            json!({"AdrFirma2": "Einkauf", "AdrTf1": "+41 31 000 00 99"}),
        )
        .answers_nothing(204, "Changed")
        .tells(&[204], &[REPLAYED, ADDRESS_CHECK, ETAG]),
        search(),
    ]
}

fn numbered(described: Described) -> Described {
    described.place("AdrNr", "Address number", count(INT), json!(12))
}

/// The search criteria come from the core; each has the meaning of the address field.
fn search() -> Described {
    let described = Described::get("/www/adressensuche", "findCustomer", "The one customer with such an address")
        .about("All criteria must hold on one address; case, accents and doubled spaces do not matter. `count` is 1 with a customer, 0 without one, 2 when there are several; then `success` is `false` and `data` is empty.");
    let described = SearchField::ALL
        .into_iter()
        .fold(described, |described, field| {
            let about = AddressBody::SCHEMA
                .field(field.name)
                .map_or("", |found| found.meaning.trim());
            let about = about.split(';').next().unwrap_or_default();
            let schema = plain(field.length);
            match field.name {
                "EmailAdress" => described.query_like(
                    field.name,
                    about,
                    schema,
                    json!("einkauf@elektroblitz.example.ch"),
                ),
                _ => described.query(field.name, about, schema),
            }
        });
    described.fails(&[422]).answers(
        200,
        "The keys of the customer, or nothing",
        counted(named("AddressSearchResult")),
        example(include_str!("examples/address_search.json")),
    )
}
