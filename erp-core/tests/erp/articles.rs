//! Articles: search, visibility and sorting; hidden articles have no effect on the results.

use crate::common::{Demo, LINKS, admin, block_on, demo, import_rows, rows, shop};
use crate::counting::Counting;
use erp_core::Erp;
use erp_core::article::{parse_sorts, search_words};
use erp_core::codes::Language;
use erp_core::erp::{ArticleFilter, ArticleQuery, Error, Settings};
use erp_core::master::Caller;
use serde_json::json;

/// The small company with articles of a hardware shop, one of them visible only to another shop.
fn hardware() -> Demo {
    let demo = demo();
    let article = |number: &str, name: &str, group: &str, shops: &str| {
        json!({"Artikel": {"ArtNr": number, "ArtBez": name, "ArtGruppe": group,
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": shops}]}})
    };
    let rows = [
        article("S-1", "Gewindestange", "SCHRAUBEN", "*"),
        article("S-2", "Holzschraube", "HOLZ", "*"),
        article("S-3", "Schraubendreher", "WERKZEUG", "*"),
        article("S-4", "Schraube, verzinkt", "METALL", "*"),
        article("S-5", "Schraube, blank", "METALL", "*"),
        article("SCHRAUBE", "Muster", "METALL", "*"),
        article("L-1", "Stehlampe", "LICHT", "*"),
        article("L-2", "Shraube und Lmape", "GEHEIM", "SHOP2"),
        article("T-1", "Чай", "TEE", "*"),
        article("T-2", "绿茶", "TEE", "*"),
    ];
    demo.import(&rows).unwrap();
    demo
}

/// The numbers of the articles that a search finds, and their groups.
fn found(demo: &Demo, typed: &str, sorts: &str) -> (Vec<String>, Vec<String>) {
    let caller = shop("SHOP1");
    let door = demo.shop(&caller);
    let query = ArticleQuery::default();
    let sorts = parse_sorts(sorts).unwrap();
    let filter = ArticleFilter {
        group: None,
        words: search_words(typed).unwrap(),
    };
    let list = block_on(door.article_search(&query, &sorts, &filter)).unwrap();
    let page = block_on(door.article_page(&list, 0..list.count())).unwrap();
    let numbers = page.iter().map(|article| article.number.to_string());
    let groups = list.groups().keys().map(ToString::to_string);
    (numbers.collect(), groups.collect())
}

// rule: D-CTR-15
#[test]
fn results_are_sorted_by_relevance_unless_the_request_sorts_them() {
    let demo = hardware();
    let order = ["SCHRAUBE", "S-5", "S-4", "S-3", "S-2", "S-1"];
    assert_eq!(found(&demo, "Schraube", "").0, order);
    let by_name = ["S-1", "S-2", "SCHRAUBE", "S-5", "S-4", "S-3"];
    assert_eq!(found(&demo, "Schraube", "+ArtBez").0, by_name);
    // With a typing error the description also ranks before the group.
    let order = ["S-2", "SCHRAUBE", "S-5", "S-4", "S-3", "S-1"];
    assert_eq!(found(&demo, "shraube", "").0, order);
    assert_eq!(
        found(&demo, "schraube metall", "").0,
        ["SCHRAUBE", "S-5", "S-4"]
    );
}

// rule: D-CTR-15
#[test]
fn every_word_counts() {
    let demo = hardware();
    let all = "schraube s-4 verzinkt metall sch schr schra schrau schraub a b c";
    assert_eq!(found(&demo, all, "").0, ["S-4"]);
    assert!(found(&demo, &format!("{all} xyzzy"), "").0.is_empty());
    assert!(found(&demo, &format!("xyzzy {all}"), "").0.is_empty());
}

// rule: D-CTR-15
#[test]
fn typing_errors_are_counted_in_letters_and_a_swap_is_one() {
    let demo = hardware();
    assert_eq!(found(&demo, "lmape", "").0, ["L-1"]);
    assert_eq!(found(&demo, "чай", "").0, ["T-1"]);
    for short in ["чой", "绿菜"] {
        assert!(found(&demo, short, "").0.is_empty(), "{short}");
    }
}

// rule: D-CTR-15
#[test]
fn a_hidden_article_is_neither_found_nor_counted_nor_hides_the_nearest_word() {
    let demo = hardware();
    let (numbers, groups) = found(&demo, "lmape", "");
    assert_eq!(
        (numbers, groups),
        (vec!["L-1".to_owned()], vec!["LICHT".to_owned()])
    );
    assert!(found(&demo, "geheim", "").0.is_empty());
    assert!(!found(&demo, "", "").1.contains(&"GEHEIM".to_owned()));
}

// rule: R-ART-01
#[test]
fn a_shop_user_without_a_value_sees_only_what_is_open_to_all() {
    let demo = demo();
    let unnamed = Caller {
        shop: None,
        ..shop("x")
    };
    let article = |caller: &Caller, number: &str| {
        let query = ArticleQuery::default();
        block_on(demo.shop(caller).article(number, &query))
    };
    assert!(article(&unnamed, "P-4").is_ok());
    for hidden in ["P-1", "INTERN"] {
        let error = article(&unnamed, hidden).unwrap_err();
        assert!(matches!(error, Error::NotFound { .. }), "{hidden}");
    }
    assert!(article(&admin(), "INTERN").is_ok());
}

// rule: R-END-29
#[test]
fn reads_for_a_page_do_not_depend_on_the_number_of_prices() {
    let caller = shop("SHOP1");
    let now = "2026-06-01T10:00:00Z".parse().unwrap();
    let reads = |lists: usize, tiers: usize| {
        let erp = Erp::new(Counting::default(), Settings::default());
        let door = erp.shop(&caller, now);
        let mut all = rows();
        for (list, article) in
            (0..lists).flat_map(|list| (1..4).map(move |article| (list, article)))
        {
            let tier = |from: usize| {
                json!({"WaehrAbk": "CHF", "AbAnzahl": from, "BisAnzahl": from,
                "PreisList": 1, "Preisart": "N"})
            };
            all.push(json!({"Preisliste": {"PreisListe": format!("L{list}"), "ArtNr": format!("P-{article}"),
                "Preis": (1..=tiers).map(tier).collect::<Vec<_>>()}}));
        }
        let rows = import_rows(&all);
        block_on(erp.office(now).import(&rows)).unwrap();
        let query = ArticleQuery {
            customer: Some("10002".to_owned()),
            ..ArticleQuery::default()
        };
        let sorts = parse_sorts("").unwrap();
        let page = || {
            erp.store().take();
            let list = block_on(door.article_list(&query, &sorts)).unwrap();
            assert_eq!(block_on(door.article_page(&list, 0..3)).unwrap().len(), 3);
            let counts = erp.store().take();
            counts.keys + counts.entries
        };
        (page(), page())
    };
    let (few_cold, few_warm) = reads(1, 1);
    assert_eq!(reads(50, 20), (few_cold, few_warm));
    assert!(few_warm < few_cold);
}

// rule: D-CTR-01, R-RES-17
#[test]
fn every_origin_is_declared_in_the_best_language_there_is() {
    let demo = demo();
    let declared = |number: u32, language: &str, text: &str| json!({"Nr": number, "AdrSprache": language, "Bezeichnung1": text, "OrtLand": "CN"});
    let list = json!([
        declared(1, "ger", "Blatt"),
        declared(1, "fre", "feuille"),
        declared(2, "ger", "Minze"),
        declared(3, "spa", "limon"),
    ]);
    let row = json!({"Artikel": {"ArtNr": "TEE", "ArtBez": "Tee", "Deklaration": list,
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}});
    demo.import(&[row]).unwrap();
    let caller = shop("SHOP1");
    for (language, expected) in [
        (Language::FRENCH, ["1 feuille", "2 Minze", "3 limon"]),
        (Language::GERMAN, ["1 Blatt", "2 Minze", "3 limon"]),
        (Language::ENGLISH, ["1 Blatt", "2 Minze", "3 limon"]),
    ] {
        let query = ArticleQuery {
            language: Some(language),
            ..ArticleQuery::default()
        };
        let found = block_on(demo.shop(&caller).article("TEE", &query)).unwrap();
        let found = serde_json::to_value(found.to_wire(&LINKS)).unwrap();
        let shown = found["Deklaration"].as_array().unwrap().iter();
        let shown =
            shown.map(|one| format!("{} {}", one["Nr"], one["Bezeichnung1"].as_str().unwrap()));
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }
}
