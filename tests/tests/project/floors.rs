//! The floors of server and core: a module imports from its own floor or from a lower one, never from a higher one.
//! There are no circular imports, and no room of the core is too large.
//!
//! Modules are those of a crate's `lib.rs`. The rooms of the core are its modules and those of its folders `domain`,
//! `erp` and `values`. Unit tests may import any module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// All modules of the server, from the top floor to the bottom.
const FLOORS: [&[&str]; 10] = [
    &["lib", "main"],
    &["cli"],
    &["serve"],
    &["config"],
    &["jobs", "resources", "scrape"],
    &[
        "backup",
        "console",
        "delivery",
        "import",
        "lane",
        "media",
        "openapi",
        "passwords",
        "tokens",
        "zugferd",
    ],
    &["web"],
    &["observe"],
    &["https", "store"],
    &["lock"],
];

const ALONE: [&str; 7] = [
    "erp-core/zugferd/check",
    "erp-core/zugferd/pages",
    "erp-core/zugferd/pdf",
    "erp-core/zugferd/pdfa",
    "erp-core/zugferd/xml",
    "erp-core/zugferd",
    "erp-server/net",
];

/// The folders of the core that consist of rooms.
const FOLDERS: [&str; 3] = ["domain", "erp", "values"];

/// All rooms of the core, from the top floor to the bottom. Rooms of `domain` and of `values` import each other without
/// circles, other rooms of one floor not at all.
const CORE: [&[&str]; 13] = [
    &["internal"],
    &["erp"],
    &["erp::upkeep"],
    &["erp::office", "erp::shop"],
    &["erp::lists"],
    &["erp::engine"],
    &["erp::catalogue"],
    &["erp::keys"],
    &["import", "offline"],
    &["domain"],
    &["wire"],
    &["storage"],
    &["values"],
];

/// Lines of the largest room that the core may have, without tests.
const ROOM_LINES: usize = 4_500;

fn source(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(of)
        .join("src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

/// The module of a file, by its path in the source folder.
fn module(inside: &Path) -> String {
    let first = inside.iter().next().unwrap().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

/// The code of a file without comments and unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines();
    let code = lines.filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// The modules that code names after one of `roots`, as in `crate::web::Page` and `crate::{jobs, web::Page}`.
fn named(code: &str, roots: &[&str]) -> BTreeSet<String> {
    let places = roots.iter().flat_map(|root| code.split(root).skip(1));
    let names = places.flat_map(|place| match place.strip_prefix('{') {
        Some(list) => outermost(list).split(',').map(name).collect(),
        None => vec![name(place)],
    });
    names.filter(|name| !name.is_empty()).collect()
}

fn name(text: &str) -> String {
    let is_part = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
    text.trim_start().chars().take_while(is_part).collect()
}

/// A list up to its closing brace, without the lists inside it.
fn outermost(list: &str) -> String {
    let mut depth = 1_u32;
    let mut kept = String::new();
    for letter in list.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            letter if depth == 1 => kept.push(letter),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    kept
}

/// The modules that a file imports, without its own.
fn imported(inside: &Path, text: &str) -> BTreeSet<String> {
    let own = module(inside);
    // In the root file of a module `super` is the crate.
    let is_root = inside.iter().count() == 1 || inside == Path::new(&own).join("mod.rs");
    let roots: &[&str] = match is_root {
        true => &["crate::", "erp_server::", "super::"],
        false => &["crate::", "erp_server::"],
    };
    let mut names = named(&code(text), roots);
    names.remove(&own);
    names
}

fn floor(floors: &[&[&str]], module: &str) -> Option<usize> {
    floors.iter().position(|floor| floor.contains(&module))
}

/// Imports from a higher floor, one sentence each.
fn upward(floors: &[&[&str]], imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let pairs = imports
        .iter()
        .flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let up = pairs.filter(|(from, to)| floor(floors, to) < floor(floors, from));
    up.map(|(from, to)| format!("`{from}` imports `{to}`, which is above it"))
        .collect()
}

/// The modules that are part of a circular import or import one that is.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut left: BTreeSet<String> = imports.keys().cloned().collect();
    loop {
        let tied = |module: &String| !imports[module].is_disjoint(&left);
        let next: BTreeSet<String> = left.iter().filter(|module| tied(module)).cloned().collect();
        if next == left {
            return left;
        }
        left = next;
    }
}

/// The modules that the modules of a crate import.
fn imports(of: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let source = source(of);
    for path in files(&source) {
        let inside = path.strip_prefix(&source).unwrap();
        let is_of_tests =
            |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with("tests");
        if inside.components().any(is_of_tests) {
            continue;
        }
        let names = imported(inside, &fs::read_to_string(&path).unwrap());
        imports.entry(module(inside)).or_default().extend(names);
    }
    imports
}

#[test]
fn every_module_of_the_server_has_a_floor() {
    let modules: BTreeSet<String> = imports("erp-server").into_keys().collect();
    let listed = FLOORS.iter().flat_map(|floor| floor.iter());
    assert_eq!(modules, listed.map(|name| (*name).to_owned()).collect());
}

#[test]
fn no_module_of_the_server_imports_from_above() {
    let imports = imports("erp-server");
    // Existing imports, to check that the parser finds them.
    assert!(imports["serve"].contains("config") && imports["resources"].contains("web"));
    let known = |module: &&String| floor(&FLOORS, module).is_none();
    let unknown: Vec<&String> = imports.values().flatten().filter(known).collect();
    assert!(unknown.is_empty(), "{unknown:?} are no modules");
    let up = upward(&FLOORS, &imports);
    assert!(up.is_empty(), "{}", up.join("\n"));
}

#[test]
fn no_modules_of_the_server_import_each_other() {
    assert_eq!(circles(&imports("erp-server")), BTreeSet::new());
}

#[test]
fn no_modules_of_the_crates_that_stand_alone_import_each_other() {
    for name in ALONE {
        let imports = imports(name);
        assert!(imports.values().any(|names| !names.is_empty()), "{name}");
        assert_eq!(circles(&imports), BTreeSet::new(), "{name}");
    }
}

/// The room of a file of the core: `erp::shop` for `erp/shop/orders.rs`, `wire` for `wire/order.rs`.
fn room(inside: &Path) -> String {
    let folder = module(inside);
    let mut parts = inside.iter().skip(1);
    match parts.next().and_then(|part| part.to_str()) {
        Some(part) if FOLDERS.contains(&folder.as_str()) && inside.iter().count() > 1 => {
            let part = part.trim_end_matches(".rs");
            // `erp/mod.rs` and `erp/stored.rs` combine the rooms of `erp`.
            match part == "mod" || (folder == "erp" && part == "stored") {
                true => folder,
                false => format!("{folder}::{part}"),
            }
        }
        _ => folder,
    }
}

/// The rooms that a file of the core imports, without its own.
fn rooms_imported(inside: &Path, text: &str) -> BTreeSet<String> {
    let code = code(text);
    let mut rooms = named(&code, &["crate::"]);
    for folder in FOLDERS {
        let names = named(&code, &[&format!("crate::{folder}::")]);
        if !names.is_empty() {
            rooms.remove(folder);
        }
        rooms.extend(names.iter().map(|name| format!("{folder}::{name}")));
    }
    // Types that `erp` exports, such as `crate::erp::Error`.
    let types = |room: &String| room.starts_with("erp::") && floor(&CORE, room).is_none();
    if rooms.iter().any(types) {
        rooms.retain(|room| !types(room));
        rooms.insert("erp".to_owned());
    }
    rooms.remove(&room(inside));
    rooms
}

/// Text and path of every file of the core, without files that are tests.
fn files_of_the_core() -> Vec<(PathBuf, String)> {
    let source = source("erp-core");
    let files = files(&source).into_iter();
    let files = files.filter(|path| path.file_name().is_none_or(|name| name != "tests.rs"));
    let read = |path: PathBuf| {
        let inside = path.strip_prefix(&source).unwrap().to_owned();
        (inside, fs::read_to_string(&path).unwrap())
    };
    files.map(read).collect()
}

/// The imports of the core's rooms from each other.
fn of_the_core() -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (inside, text) in files_of_the_core() {
        let names = rooms_imported(&inside, &text);
        imports.entry(room(&inside)).or_default().extend(names);
    }
    imports.remove("lib");
    // The crate of e-invoices, which is not a room.
    for names in imports.values_mut() {
        names.remove("zugferd");
    }
    imports
}

/// The same imports, with `domain` and `values` as one room each.
fn by_floor(imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let whole = |room: &String| match room.split_once("::") {
        Some((folder @ ("domain" | "values"), _)) => folder.to_owned(),
        _ => room.clone(),
    };
    let mut floors: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in imports {
        let from = whole(from);
        let to = to.iter().map(whole).filter(|to| *to != from);
        floors.entry(from.clone()).or_default().extend(to);
    }
    floors
}

#[test]
fn no_room_of_the_core_imports_from_above_or_the_same_floor() {
    let imports = of_the_core();
    // Existing imports, to check that the parser finds them.
    assert!(
        imports["erp::shop"].contains("erp::engine") && imports["wire"].contains("values::text")
    );
    assert!(imports["domain::document"].contains("domain::totals"));
    let known = |room: &&String| !imports.contains_key(*room);
    let unknown: Vec<&String> = imports.values().flatten().filter(known).collect();
    assert!(unknown.is_empty(), "{unknown:?} are no rooms");
    let floors = by_floor(&imports);
    let listed = CORE.iter().flat_map(|floor| floor.iter());
    assert_eq!(
        floors.keys().cloned().collect::<BTreeSet<_>>(),
        listed.map(|name| (*name).to_owned()).collect()
    );
    let up = upward(&CORE, &floors);
    assert!(up.is_empty(), "{}", up.join("\n"));
    let of = |room: &String| floor(&CORE, room).unwrap();
    for (from, to) in &floors {
        let beside: Vec<&String> = to.iter().filter(|to| of(to) == of(from)).collect();
        assert!(
            beside.is_empty(),
            "`{from}` imports {beside:?} of the same floor"
        );
    }
}

#[test]
fn no_rooms_of_the_core_import_each_other() {
    assert_eq!(circles(&of_the_core()), BTreeSet::new());
}

#[test]
fn no_room_of_the_core_is_too_large() {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for (inside, text) in files_of_the_core() {
        let text = text.split("#[cfg(test)]\n").next().unwrap();
        *lines.entry(room(&inside)).or_default() += text.lines().count();
    }
    let large: Vec<_> = lines
        .iter()
        .filter(|(_, lines)| **lines > ROOM_LINES)
        .collect();
    assert!(large.is_empty(), "{large:?}");
}

#[test]
fn an_import_is_found_in_each_form() {
    let text = "\
// use crate::cli;
use crate::config::Settings;
use crate::{jobs, media::{Bodies, removal}, web::Page};
fn f() { crate::resources::routes(); super::serve::run(); }
#[cfg(test)]
mod tests {
    use crate::scrape;
}
";
    let found = |file: &str| imported(Path::new(file), text);
    let modules = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let crate_paths: BTreeSet<String> = modules(&["config", "jobs", "media", "resources"]);
    assert_eq!(found("web/route.rs"), crate_paths);
    let with_super = modules(&["config", "jobs", "media", "resources", "serve", "web"]);
    assert_eq!(found("store/mod.rs"), with_super);

    let row = |from: &str, to: &[&str]| (from.to_owned(), modules(to));
    let pair = [row("media", &["backup"]), row("backup", &["media"])];
    let wrong = BTreeMap::from([row("web", &["store", "media"]), row("store", &[])]);
    assert_eq!(
        upward(&FLOORS, &wrong),
        ["`web` imports `media`, which is above it"]
    );
    assert_eq!(
        circles(&BTreeMap::from(pair)),
        modules(&["backup", "media"])
    );
}

#[test]
fn a_room_of_the_core_is_found_in_each_form() {
    let found = |file: &str, text: &str| {
        let rooms = rooms_imported(Path::new(file), text);
        rooms.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(room(Path::new("erp/shop/orders.rs")), "erp::shop");
    assert_eq!(room(Path::new("erp/mod.rs")), "erp");
    assert_eq!(room(Path::new("values/text.rs")), "values::text");
    assert_eq!(room(Path::new("wire/order.rs")), "wire");
    let text = "use crate::erp::engine::keys;\nuse crate::domain::{article, town::Town};\nuse crate::erp::Error;\n";
    let rooms = ["domain::article", "domain::town", "erp", "erp::engine"];
    assert_eq!(found("erp/shop/orders.rs", text), rooms);
    assert_eq!(
        found(
            "erp/engine/keys.rs",
            "use crate::{wire, erp::shop::orders};"
        ),
        ["erp", "wire"]
    );
}
