//! Customers, addresses, imports and the attributes of the company.

use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::master::Attribute;
use erp_core::text::Text;
use pollster::block_on;
use serde_json::json;

use super::{address, happens_once, holds, media_rows, never, now, prepared, rows, shop};

#[test]
fn creating_a_customer() {
    let body = json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": address("Neu AG"), "LiefAdr": address("Neu AG Lager"), "RechAdr": address("Treuhand")}});
    holds(
        "creating a customer",
        |erp| block_on(erp.shop(&shop(), now()).create_customer(&body)).map(drop),
        never,
    );
}

// rule: R-END-15
#[test]
fn replacing_a_customer() {
    let body = json!({"GrundDaten": {"WaehrAbk": "EUR", "FAKTZahlArt": "L"},
        "Adressen": {"KontaktAdr": address("Käufer GmbH"), "LiefAdr": address("Käufer Lager")}});
    let replace = |erp: &Erp<_>| {
        block_on(erp.shop(&shop(), now()).replace_customer("10001", &body)).map(drop)
    };
    holds("replacing a customer", replace, never);
}

#[test]
fn importing_a_batch() {
    let batch = rows(&[
        json!({"Artikel": {"ArtNr": "P-9", "AnLager": "J", "ArtBez": "Neu"}}),
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-9", "WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 5, "Preisart": "N"}}),
        json!({"Bestand": {"ArtNr": "P-9", "LagerOrt": "B", "StaoNr": 1, "LagerBestand": 5}}),
        json!({"Artikel": {"ArtNr": "P-2", "Loeschen": true}}),
        json!({"Kunde": {"KundNr": "10001", "WaehrAbk": "CHF", "KontaktAdr": address("Käufer"), "LiefAdr": [address("Lager")]}}),
        json!({"Kunde": {"KundNr": "10900", "WaehrAbk": "CHF", "KontaktAdr": address("Importiert")}}),
    ]);
    holds(
        "importing a batch",
        |erp| block_on(erp.office(now()).import(&batch)).map(drop),
        never,
    );
}

#[test]
fn changing_an_address() {
    let body =
        json!({"AdrFirma": "Umbenannt AG", "EmailAdress": "neu@example.ch", "OrtName": "Bern"});
    happens_once("changing an address", |erp| {
        block_on(erp.shop(&shop(), now()).change_address("1", &body)).map(|_| String::new())
    });
}

#[test]
fn importing_media() {
    let picture =
        |name: &str| json!({"ArtikelMedia": {"ArtNr": "P-1", "Datei": name, "AMDText": "Größe"}});
    let batch = media_rows(&[
        picture("a.png"),
        picture("b.png"),
        json!({"ArtikelMedia": {"IDKey": 70, "ArtNr": "P-2", "AMDText": "Reißnagel"}}),
    ]);
    let import = |erp: &Erp<_>| block_on(erp.office(now()).import(&batch)).map(drop);
    holds("importing media", import, never);
    // A record that moves to another article, one that is removed, and an article that is removed with its media.
    let changes = media_rows(&[
        picture("a.png"),
        json!({"ArtikelMedia": {"IDKey": 70, "ArtNr": "P-2", "AMDText": "Reißnagel"}}),
        json!({"ArtikelMedia": {"IDKey": 71, "ArtNr": "P-1", "AMDText": "x"}}),
        json!({"ArtikelMedia": {"IDKey": 71, "ArtNr": "P-2", "AMDText": "x"}}),
        json!({"ArtikelMedia": {"IDKey": 70, "Loeschen": true}}),
        json!({"Artikel": {"ArtNr": "P-2", "Loeschen": true}}),
    ]);
    holds(
        "changing media",
        |erp| block_on(erp.office(now()).import(&changes)).map(drop),
        // The article no longer exists if the import was executed.
        |error| matches!(error, Error::Invalid(_)),
    );
    let store = prepared();
    block_on(store.erp().office(now()).import(&batch)).unwrap();
    block_on(store.erp().office(now()).import(&changes)).unwrap();
    store.is_sound("changing media");
    let known = store.erp();
    assert_eq!(
        block_on(known.upkeep(now()).named_bodies()).unwrap().len(),
        1
    );
}

#[test]
fn setting_an_attribute_of_the_company() {
    let attribute = Attribute {
        key: Text::new("REST_Auft").unwrap(),
        contents: Text::new("0").unwrap(),
    };
    holds(
        "setting an attribute",
        |erp| block_on(erp.office(now()).set_company_attribute(&attribute)),
        never,
    );
}

#[test]
fn removing_an_attribute_of_the_company() {
    holds(
        "removing an attribute",
        |erp| block_on(erp.office(now()).remove_company_attribute("REST_Auft")),
        |error| matches!(error, Error::NotFound { .. }),
    );
}
