//! `/www/offerte`.

use serde_json::{Value, json};

use super::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
use super::operation::{Described, example};
use super::schema::{counted, filled, named, plain};

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::post("/www/offerte", "createOffer", "Make an offer")
            .about("Without `KundNr` the offer is a template. Prices are always those of the price lists.")
            .retry_safe()
            .json_body("OfferBody", example(include_str!("examples/offer_body.json")))
            .answers(201, "The offer", counted(named("Offer")), offer())
            .tells(&[201], &[REPLAYED, ADDRESS_CHECK, ETAG])
            .leads_to(201, "readOffer", "OffertNr", "/data/OffertNr")
            .leads_to(201, "changeOffer", "OffertNr", "/data/OffertNr"),
        numbered(Described::get("/www/offerte", "readOffer", "An offer with its totals"))
            .answers(200, "The offer", counted(named("Offer")), offer())
            .tells(&[200], &[ETAG]),
        numbered(Described::patch("/www/offerte", "changeOffer", "Change an offer"))
            .about("A position without `PosNr` is new, `Menge` 0 with `PosNr` deletes one, any other `Menge` changes it. A customer number gives a template to the customer, whom it must fit. All or nothing.")
            .query("KundNr", "Customer number; the same as `GrundDaten.KundNr`", plain(8))
            .retry_safe()
            .if_match()
            .json_body("OfferChangeBody", example(include_str!("examples/offer_change_body.json")))
            .answers(200, "The changed offer", counted(named("Offer")), offer())
            .tells(&[200], &[REPLAYED, ADDRESS_CHECK, ETAG]),
    ]
}

fn numbered(described: Described) -> Described {
    let number = filled(16);
    described
        .needs("OffertNr", "Offer number", number, json!("100001"))
        .fails(&[404])
}

fn offer() -> Value {
    example(include_str!("examples/offer.json"))
}
