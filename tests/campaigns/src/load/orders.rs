//! Checks that an order is complete.

use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::decimal;

/// Every member is as sent, and the sums agree.
pub fn is_whole_order(name: &str, sent: &Value, found: &Value) {
    let header = &found["GrundDaten"];
    for member in ["KundNr", "AuftBestellNr", "AuftBez"] {
        assert_eq!(
            header[member], sent["GrundDaten"][member],
            "order {name}: {member}"
        );
    }
    assert_eq!(
        (&header["AuftNr"], &header["AuftStatus"]),
        (&json!(name), &json!("N"))
    );
    for (address, own) in [
        ("KontaktAdr", false),
        ("RechAdr", false),
        ("LiefAdr", sent.get("Adressen").is_some()),
    ] {
        let found = &found["Adressen"][address];
        assert_eq!(found["OrtName"], "Zürich", "order {name}: {address}");
        let expected = &sent["Adressen"][address]["AdrName"];
        assert!(
            !own || found["AdrName"] == *expected,
            "order {name}: {address} {found}"
        );
    }
    assert_eq!(
        found["Zahlung"][0]["Wert"], sent["Zahlung"][0]["Wert"],
        "order {name}"
    );
    let (positions, wanted) = (
        found["Positionen"].as_array().unwrap(),
        sent["Positionen"].as_array().unwrap(),
    );
    assert_eq!(positions.len(), wanted.len(), "order {name}: {found}");
    for (position, wanted) in positions.iter().zip(wanted) {
        is_whole_position(name, wanted, position);
    }
    totals_agree(name, sent, found);
}

fn is_whole_position(name: &str, sent: &Value, found: &Value) {
    for member in ["ArtNr", "VPEinheit"] {
        assert_eq!(
            found.get(member),
            sent.get(member),
            "order {name}: {member}"
        );
    }
    assert_eq!(
        decimal(&found["PosAnzBest"]),
        decimal(&sent["Menge"]),
        "order {name}: {found}"
    );
    for (member, of) in [
        ("PosBez", "PosBez"),
        ("GRabSatz", "GRabSatz"),
        ("Preis", "PosPreisEinzel"),
    ] {
        let Some(expected) = sent.get(member) else {
            continue;
        };
        assert_eq!(&found[of], expected, "order {name}: {member}");
    }
}

/// The sums over positions, recap and header agree.
fn totals_agree(name: &str, sent: &Value, found: &Value) {
    let header = |member: &str| decimal(&found["GrundDaten"][member]);
    let sum = |list: &str, member: &str| -> Decimal {
        found[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| decimal(&entry[member]))
            .sum()
    };
    let delivery = sent["GrundDaten"]
        .get("AuftLiefKost")
        .map_or(Decimal::ZERO, decimal);
    assert_eq!(
        header("AuftNetto"),
        sum("Positionen", "PosPreisTotal") + delivery,
        "order {name}: {found}"
    );
    assert_eq!(
        header("AuftNetto"),
        sum("MWSTRekapitulation", "PosBetragNetto"),
        "order {name}: {found}"
    );
    assert_eq!(
        header("AuftWUST"),
        sum("MWSTRekapitulation", "PosWUST"),
        "order {name}: {found}"
    );
    assert_eq!(
        header("AuftBrutto"),
        header("AuftNetto") + header("AuftWUST"),
        "order {name}: {found}"
    );
    if delivery.is_zero() {
        assert_eq!(
            header("AuftWUST"),
            sum("Positionen", "PosPreisWUSTBetrag"),
            "order {name}: {found}"
        );
    }
}
