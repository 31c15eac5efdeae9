//! What the npm package and the manifests have in common with the tables they are made from.

use std::collections::{BTreeMap, BTreeSet};

use erp_core::Code;
use serde_json::{Map, Value, json};

use crate::{file, root};

/// The bodies that a form of a shop fills in.
const BODIES: [&str; 7] = [
    "AddressBody",
    "AddressPatchBody",
    "ConversionBody",
    "CustomerBody",
    "OfferBody",
    "OfferChangeBody",
    "OrderBody",
];

/// The names of the schemas that a schema refers to; its references then lead to `$defs`.
fn localised(schema: &mut Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            // Formats of numbers are for generators of clients.
            members.retain(|name, value| name != "format" || value != "int32");
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                let name = reference.rsplit('/').next().unwrap().to_owned();
                *reference = format!("#/$defs/{name}");
                names.insert(name);
            }
            members
                .values_mut()
                .for_each(|inner| localised(inner, names));
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| localised(inner, names)),
        _ => {}
    }
}

/// The JSON Schema of a body, with all that it refers to.
fn body_schema(components: &Value, name: &str) -> String {
    let mut names = BTreeSet::new();
    let mut schema = components[name].clone();
    localised(&mut schema, &mut names);
    let mut parts = Map::new();
    while let Some(name) = names.pop_first() {
        if !parts.contains_key(&name) {
            let mut part = components[&name].clone();
            localised(&mut part, &mut names);
            parts.insert(name, part);
        }
    }
    let members = schema.as_object_mut().unwrap();
    let draft = "https://json-schema.org/draft/2020-12/schema";
    members.insert("$schema".to_owned(), draft.into());
    members.insert("title".to_owned(), name.into());
    if !parts.is_empty() {
        members.insert("$defs".to_owned(), parts.into());
    }
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

// `UPDATE_GOLDEN=1` writes them.
#[test]
fn the_schemas_of_the_package_are_those_of_the_description() {
    let document: Value = serde_json::from_str(&file("tests/golden/openapi.json")).unwrap();
    let folder = root().join("erp-wasm/schema");
    for name in BODIES {
        let schema = body_schema(&document["components"]["schemas"], name);
        let path = folder.join(format!("{name}.json"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &schema).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            stored == schema,
            "{name} differs; UPDATE_GOLDEN=1 writes it"
        );
    }
    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(files, BODIES.len(), "each file is one of a body");
}

/// The rows of the table of sentences: id, English, German, French, Italian.
fn sentences() -> BTreeMap<String, Vec<String>> {
    let table = file("erp-core/derive/src/sentences.tsv");
    let rows = table.lines().map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        (cells.next().unwrap(), cells.collect())
    });
    rows.collect()
}

// rule: D-REQ-22
#[test]
fn every_code_and_every_sentence_has_four_languages() {
    let rows = sentences();
    let places = |text: &String| {
        let parts = text.split('{').skip(1);
        let places = parts.map(|part| part.split_once('}').unwrap().0.to_owned());
        places.collect::<BTreeSet<_>>()
    };
    for (id, texts) in &rows {
        assert_eq!(texts.len(), 4, "{id}");
        assert!(texts.iter().all(|text| !text.trim().is_empty()), "{id}");
        assert!(texts.iter().all(|text| !text.ends_with('.')), "{id}");
        let first = places(&texts[0]);
        assert!(texts.iter().all(|text| places(text) == first), "{id}");
    }
    for code in Code::ALL {
        let has = |id: &String| id.split('.').next() == Some(code.as_str());
        assert!(rows.keys().any(has), "no sentence for the code {code}");
    }
}

#[test]
fn every_sentence_is_said() {
    let mut code = String::new();
    let mut folders: Vec<_> = ["erp-core/src", "erp-server/src"]
        .map(|of| root().join(of))
        .into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                code.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let rows = sentences();
    let unsaid = rows
        .keys()
        .filter(|id| !code.contains(&format!("\"{id}\"")));
    assert_eq!(unsaid.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn all_packages_name_the_same_places_on_the_web() {
    let manifest: toml::Table = file("Cargo.toml").parse().unwrap();
    let workspace = &manifest["workspace"];
    let package: Value = serde_json::from_str(&file("erp-wasm/npm/package.json")).unwrap();
    let of = |value: &toml::Value| Value::from(value.as_str().unwrap());
    let named = json!({
        "homepage": of(&workspace["package"]["homepage"]),
        "repository": of(&workspace["package"]["repository"]),
        "bugs": of(&workspace["metadata"]["bugs"]),
    });
    assert_eq!(
        named,
        json!({
            "homepage": package["homepage"],
            "repository": package["repository"]["url"],
            "bugs": package["bugs"]["url"],
        })
    );
    for member in workspace["members"].as_array().unwrap() {
        let member = member.as_str().unwrap();
        let manifest: toml::Table = file(&format!("{member}/Cargo.toml")).parse().unwrap();
        let package = manifest["package"].as_table().unwrap();
        if package.get("publish").and_then(toml::Value::as_bool) != Some(false) {
            for key in ["homepage", "repository"] {
                let inherited = package.get(key).and_then(|key| key.get("workspace"));
                assert_eq!(inherited, Some(&true.into()), "{member}: {key}");
            }
        }
    }
}

#[test]
fn the_documents_name_the_oldest_rust_that_builds_and_this_one_is_no_older() {
    let manifest: toml::Table = file("Cargo.toml").parse().unwrap();
    let oldest = manifest["workspace"]["package"]["rust-version"]
        .as_str()
        .unwrap();
    for page in [
        "README.md",
        "erp-core/README.md",
        "erp-server/docs/getting-started.md",
    ] {
        let wanted = format!("Rust {oldest} or newer");
        assert!(file(page).contains(&wanted), "{page} lacks `{wanted}`");
    }
    let output = std::process::Command::new("rustc")
        .arg("--version")
        .output();
    let version = String::from_utf8(output.unwrap().stdout).unwrap();
    let numbers = |version: &str| -> Vec<u32> {
        let parts = version.split('.').take(2);
        parts.map(|part| part.parse().unwrap()).collect()
    };
    let ours = version.split_whitespace().nth(1).unwrap();
    assert!(numbers(ours) >= numbers(oldest), "{version} is too old");
}
