//! Sums of an offer follow from its positions, not from how they came about.

use crate::common::{Demo, block_on, demo, shop};
use crate::offers::{change, problems};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What can be ordered: articles of net and of gross lists, loose and in packages.
const SOLD: [(&str, Option<(&str, i32)>); 5] = [
    ("P-1", None),
    ("P-2", Some(("KT12", 12))),
    ("G-1", None),
    ("G-2", None),
    ("G-3", Some(("K6", 6))),
];

fn mixed() -> Demo {
    let demo = demo();
    let shops = json!([{"PHKey": "RESTWEBSHOP", "Contents": "*"}]);
    let gross = |article: &str, unit: Option<&str>, price: f64, basis: u32| {
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": article, "VPEinheit": unit, "WaehrAbk": "CHF", "AbAnzahl": 1,
            "PreisList": price, "PosPreisBasis": basis, "Preisart": "B"}})
    };
    demo.import(&[
        json!({"Artikel": {"ArtNr": "G-1", "ArtBez": "Brutto", "attributes": shops}}),
        json!({"Artikel": {"ArtNr": "G-2", "ArtBez": "Je sieben", "WUSTCode": "CH26", "attributes": shops}}),
        json!({"Artikel": {"ArtNr": "G-3", "ArtBez": "Karton", "attributes": shops,
            "Verpackungen": [{"VPEinheit": "K6", "Faktor": 6}]}}),
        gross("G-1", None, 9.99, 1),
        gross("G-2", None, 3.33, 7),
        gross("G-3", Some("K6"), 19.95, 3),
    ])
    .unwrap();
    demo
}

fn position(sold: usize, count: i32) -> Value {
    let (article, package) = SOLD[sold];
    match package {
        None => json!({"ArtNr": article, "Menge": count}),
        Some((unit, factor)) => {
            json!({"ArtNr": article, "Menge": count * factor, "VPEinheit": unit})
        }
    }
}

/// Sums and positions of an offer without the numbers of the positions.
fn content(offer: &Value) -> Value {
    let mut positions = offer["Positionen"].clone();
    for position in positions.as_array_mut().unwrap() {
        let position = position.as_object_mut().unwrap();
        position.retain(|name, _| name != "PosNr" && name != "VisPosNr");
    }
    json!([
        offer["GrundDaten"]["AuftNetto"],
        offer["GrundDaten"]["AuftWUST"],
        offer["GrundDaten"]["AuftBrutto"],
        offer["MWSTRekapitulation"],
        positions
    ])
}

fn made(demo: &Demo, positions: &[Value]) -> Value {
    let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": positions});
    let offer = block_on(demo.shop(&shop("SHOP1")).create_offer(&body)).unwrap();
    serde_json::to_value(offer.to_wire()).unwrap()
}

fn changed(demo: &Demo, offer: &Value, positions: Value) -> Value {
    let number = offer["OffertNr"].as_str().unwrap();
    change(
        demo,
        &shop("SHOP1"),
        number,
        None,
        &json!({"Positionen": positions}),
    )
    .unwrap()
}

// rule: D-PRI-21
#[test]
fn a_gross_offer_that_was_mixed_for_a_moment_charges_the_advertised_gross_again() {
    let demo = mixed();
    let offer = made(&demo, &[position(2, 100)]);
    let gross = |offer: &Value| offer["GrundDaten"]["AuftBrutto"].to_string();
    assert_eq!(gross(&offer), "999");
    let mixed = changed(&demo, &offer, json!([position(0, 1)]));
    assert_eq!(
        mixed["Positionen"][0]["PosPreisEinzel"].to_string(),
        "9.241443"
    );
    let again = changed(&demo, &offer, json!([{"PosNr": 2, "Menge": 0}]));
    assert_eq!(gross(&again), "999");
    assert_eq!(content(&again), content(&offer));
}

// rule: D-DOC-15
#[test]
fn a_new_position_of_an_offer_may_be_in_packages() {
    let demo = mixed();
    let offer = made(&demo, &[position(0, 1)]);
    let more = changed(&demo, &offer, json!([position(1, 2)]));
    assert_eq!(
        content(&more),
        content(&made(&demo, &[position(0, 1), position(1, 2)]))
    );
    let number = offer["OffertNr"].as_str().unwrap();
    let refused = |positions: Value| {
        let body = json!({ "Positionen": positions });
        problems(change(&demo, &shop("SHOP1"), number, None, &body))
    };
    let half = json!([{"ArtNr": "P-2", "Menge": 13, "VPEinheit": "KT12"}]);
    assert_eq!(refused(half), ["Positionen[0].Menge not_a_whole_package"]);
    let unknown = json!([{"ArtNr": "P-1", "Menge": 13, "VPEinheit": "KT12"}]);
    assert_eq!(
        refused(unknown),
        ["Positionen[0].VPEinheit unknown_packaging_unit"]
    );
    // The unit of an existing position may be repeated, not changed.
    let other = json!([{"PosNr": 1, "Menge": 12, "VPEinheit": "KT12"}]);
    assert_eq!(refused(other), ["Positionen[0].VPEinheit contradiction"]);
    changed(
        &demo,
        &offer,
        json!([{"PosNr": 2, "Menge": 36, "VPEinheit": "KT12"}]),
    );
}

#[derive(Clone, Debug)]
enum Step {
    Add(usize, i32),
    Delete(usize),
    Change(usize, i32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..SOLD.len(), 1..60).prop_map(|(sold, count)| Step::Add(sold, count)),
        2 => any::<usize>().prop_map(Step::Delete),
        2 => (any::<usize>(), 1..60).prop_map(|(at, count)| Step::Change(at, count)),
    ];
    proptest::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // rule: D-PRI-21
    /// Any two ways to the same positions give the same sums and the same shown prices.
    #[test]
    fn equal_offers_have_equal_sums_however_they_came_about(first in 0..SOLD.len(), steps in steps()) {
        let demo = mixed();
        let mut offer = made(&demo, &[position(first, 1)]);
        let (mut known, mut next) = (vec![(1, first, 1)], 2);
        for step in steps {
            let sent = match step {
                Step::Add(sold, count) => {
                    known.push((next, sold, count));
                    next += 1;
                    position(sold, count)
                }
                Step::Delete(_) if known.len() == 1 => continue,
                Step::Delete(at) => {
                    let (number, ..) = known.remove(at % known.len());
                    json!({"PosNr": number, "Menge": 0})
                }
                Step::Change(at, count) => {
                    let at = at % known.len();
                    let (number, sold, kept) = &mut known[at];
                    *kept = count;
                    json!({"PosNr": number, "Menge": position(*sold, count)["Menge"]})
                }
            };
            offer = changed(&demo, &offer, json!([sent]));
        }
        let wanted: Vec<Value> = known.iter().map(|(_, sold, count)| position(*sold, *count)).collect();
        prop_assert_eq!(content(&offer), content(&made(&demo, &wanted)));
    }
}
