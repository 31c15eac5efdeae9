//! Tests of articles.

use super::*;
use crate::domain::master::Attribute;

pub(crate) fn article(number: &str) -> Article {
    Article {
        number: Text::new(number).unwrap(),
        stock_managed: true,
        status: 1,
        unit: Some(Text::new("Stk").unwrap()),
        colour: None,
        tax_code: None,
        group: None,
        class: None,
        procurement: None,
        processing: None,
        weight: None,
        price_basis: None,
        texts: BTreeMap::from([(Language::GERMAN, Text::new("Prüfling").unwrap())]),
        attributes: Attributes::default(),
        units: Vec::new(),
        declarations: Vec::new(),
        changed_at: Timestamp::UNIX_EPOCH,
    }
}

pub(crate) fn unit(code: &str, factor: u32) -> PackagingUnit {
    PackagingUnit {
        code: Text::new(code).unwrap(),
        ean: None,
        names: BTreeMap::new(),
        weight_factor: None,
        weight: None,
        content_weight: None,
        factor: Decimal::from(factor),
    }
}

// rule: R-ART-03
#[test]
fn webshopvpe_names_the_units_and_their_order() {
    let mut article = article("A1");
    article.units = vec![unit("KT12", 12), unit("PAL", 480), unit("BX6", 6)];
    let codes = |article: &Article| -> Vec<String> {
        article
            .shop_units()
            .iter()
            .map(|unit| unit.code.to_string())
            .collect()
    };
    assert_eq!(codes(&article), ["KT12", "PAL", "BX6"]);
    for (contents, expected) in [
        (" BX6 , KT12 ", vec!["BX6", "KT12"]),
        ("KT12,KT12,BX6,kt12", vec!["KT12", "BX6"]),
        ("NONE", vec![]),
        (" , ", vec!["KT12", "PAL", "BX6"]),
    ] {
        article.attributes.set(Attribute {
            key: Text::new("WEBSHOPVPE").unwrap(),
            contents: Text::new(contents).unwrap(),
        });
        assert_eq!(codes(&article), expected, "{contents}");
    }
}
