//! Request bodies of the tests.

use serde_json::{Value, json};

/// An address with its required members and a name outside ASCII.
#[must_use]
pub fn address() -> Value {
    json!({
        "AdrSprache": "ger", "AdrAnrede": 2, "AdrVorname": "Zoë", "AdrName": "Müller-Größ",
        "AdrAdresse1": "Bärengasse 5", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich",
    })
}

/// An address with every member of its table. `mark` makes it different from others.
#[must_use]
pub fn full_address(mark: &str) -> Value {
    json!({
        "AdrSprache": "fre", "EmailAdress": format!("{mark}@example.ch"), "AdrAdresse1": format!("Rue {mark} 1"),
        "AdrAdresse2": "2e étage", "AdrAnrede": 1, "AdrFax": "+41 21 000 00 91", "AdrFirma": format!("Łódź {mark} SA"),
        "AdrFirma2": "Größe € 5", "AdrVorname": "Zoë", "AdrName": "Façade", "AdrTelex": "+41 79 000 00 92",
        "AdrTf1": "+41 21 000 00 93", "AdrTf2": "+41 21 000 00 94", "OrtLand": "CH", "OrtName": "Lausanne",
        "OrtPLZ": "1003", "AdrCheck": 0,
    })
}

/// The smallest valid body of a customer.
#[must_use]
pub fn customer() -> Value {
    json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"}, "Adressen": {"KontaktAdr": address()}})
}

/// A body of a customer with every member.
#[must_use]
pub fn full_customer() -> Value {
    json!({
        "GrundDaten": {
            "AdrSprache": "fre", "WaehrAbk": "EUR", "FAKTZahlArt": "L", "ZahlungsMethode": "K,R", "AUFT_SPESEN": "PORTO",
            "VBTyp": "POST", "TVTyp": "VOLL", "Kommentar": "größter Kunde in Łódź, zahlt in €",
            "SteuerNummer": "CHE-000.000.999", "FirmenURL": "www.example.ch", "KreditLimit": 5000,
        },
        "Adressen": {
            "KontaktAdr": full_address("contact"), "LiefAdr": full_address("delivery"), "RechAdr": full_address("billing"),
        },
    })
}

/// An order of a customer with these positions. The day is fixed, and with it the tax rates.
#[must_use]
pub fn order(customer: &str, positions: Value) -> Value {
    json!({"GrundDaten": {"KundNr": customer, "AuftBestellT": "2026-03-02T10:00:00Z"}, "Positionen": positions})
}

/// An order with every member.
#[must_use]
pub fn full_order(customer: &str) -> Value {
    json!({
        "GrundDaten": {
            "KundNr": customer, "AuftBestellNr": "WEB-4711", "AuftBez": "Bestellung für das Büro", "AuftBestellRef": "Łódź/€",
            "AuftBestellT": "2026-03-02T10:00:00Z", "AuftLieferT": "2026-03-05T00:00:00+01:00", "WaehrAbk": "CHF",
            "AuftKomment": "bitte klingeln", "KTNr": "100200", "StaoNr": 1, "KundBedTyp": 2, "AuftLiefKost": 9.90,
        },
        "Adressen": {
            "KontaktAdr": full_address("contact"), "LiefAdr": full_address("delivery"), "RechAdr": full_address("billing"),
        },
        "Positionen": [
            {"ArtNr": "BU-1002", "Menge": 12, "VisPosNr": 30},
            {"ArtNr": "BU-1001", "Menge": 10, "VPEinheit": "KARTON", "GRabSatz": 5, "VisPosNr": 20},
            {"ArtNr": "LM-3001", "Menge": 4, "PosBez": "Kaffee für die Küche", "Preis": 17.77, "VisPosNr": 10},
        ],
        "Zahlung": [
            {"Bezeichnung": "payment_method", "Wert": "R"}, {"Bezeichnung": "TransID", "Wert": "tx-ü-1"},
        ],
    })
}
