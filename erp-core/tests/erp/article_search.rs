//! Searching articles: what is found, in which order, and that hidden articles have no part in it.

use crate::common::{Demo, block_on, demo, shop};
use erp_core::article::{parse_sorts, search_words};
use erp_core::erp::{ArticleFilter, ArticleQuery};
use serde_json::json;

/// The small company with articles of a hardware shop, one of them of another shop.
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
    let context = demo.context(&caller);
    let query = ArticleQuery::default();
    let sorts = parse_sorts(sorts).unwrap();
    let filter = ArticleFilter {
        group: None,
        words: search_words(typed).unwrap(),
    };
    let list = block_on(demo.erp.article_search(&context, &query, &sorts, &filter)).unwrap();
    let page = block_on(demo.erp.article_page(&context, &list, 0..list.count())).unwrap();
    let numbers = page
        .iter()
        .map(|article| article.article_number.clone().unwrap().into());
    let groups = list.groups().keys().map(ToString::to_string);
    (numbers.collect(), groups.collect())
}

// rule: D-CTR-15
#[test]
fn what_fits_best_is_first_unless_an_order_is_asked_for() {
    let demo = hardware();
    let order = ["SCHRAUBE", "S-5", "S-4", "S-3", "S-2", "S-1"];
    assert_eq!(found(&demo, "Schraube", "").0, order);
    let by_name = ["S-1", "S-2", "SCHRAUBE", "S-5", "S-4", "S-3"];
    assert_eq!(found(&demo, "Schraube", "+ArtBez").0, by_name);
    // With a typing error the description goes before the group, too.
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
