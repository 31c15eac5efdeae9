//! The floors of the server: a module imports from its own floor or from below, never from above. No modules of the
//! server and of the core import each other in a circle.
//!
//! Modules are those of a crate's `lib.rs`. Unit tests may import any module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// All modules of the server, from the roof to the ground.
const FLOORS: [&[&str]; 9] = [
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
    &["store"],
];

/// The source folder of a crate.
fn source(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(of)
        .join("src")
}

/// Every file below a folder.
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

/// The modules that code names after one of `roots`, as in `crate::web::Call` and `crate::{jobs, web::Call}`.
fn named(code: &str, roots: &[&str]) -> BTreeSet<String> {
    let places = roots.iter().flat_map(|root| code.split(root).skip(1));
    let names = places.flat_map(|place| match place.strip_prefix('{') {
        Some(list) => outermost(list).split(',').map(name).collect(),
        None => vec![name(place)],
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// The identifier that a text begins with.
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
    // In the file of a module itself, `super` is the crate.
    let is_root = inside.iter().count() == 1 || inside == Path::new(&own).join("mod.rs");
    let roots: &[&str] = match is_root {
        true => &["crate::", "erp_server::", "super::"],
        false => &["crate::", "erp_server::"],
    };
    let mut names = named(&code(text), roots);
    names.remove(&own);
    names
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// Imports from a higher floor, one sentence each.
fn upward(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let pairs = imports
        .iter()
        .flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let up = pairs.filter(|(from, to)| floor(to) < floor(from));
    up.map(|(from, to)| format!("`{from}` imports `{to}`, which is above it"))
        .collect()
}

/// The modules that are in a circle of imports or import one that is.
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
        if inside.file_name().is_some_and(|name| name == "tests.rs") {
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
    // Modules that do import, so that the reading is known to work.
    assert!(imports["serve"].contains("config") && imports["resources"].contains("web"));
    let known = |module: &&String| floor(module).is_none();
    let unknown: Vec<&String> = imports.values().flatten().filter(known).collect();
    assert!(unknown.is_empty(), "{unknown:?} are no modules");
    let up = upward(&imports);
    assert!(up.is_empty(), "{}", up.join("\n"));
}

#[test]
fn no_modules_of_the_server_import_each_other() {
    assert_eq!(circles(&imports("erp-server")), BTreeSet::new());
}

/// Where the root of a crate has its names from, as `pub use number::{Number, fraction_digits};` says.
fn origins(lib: &str) -> BTreeMap<String, String> {
    let uses = lib.split("\npub use ").skip(1);
    let uses = uses.filter_map(|rest| rest.split(';').next()?.split_once("::"));
    uses.flat_map(|(module, names)| {
        let names = names.trim_matches(['{', '}']).split(',').map(name);
        names.map(|name| (name, module.to_owned()))
    })
    .collect()
}

/// The imports of the core's modules from each other, also by the names that the root has.
fn of_the_core() -> BTreeMap<String, BTreeSet<String>> {
    let mut imports = imports("erp-core");
    imports.remove("lib");
    let origins = origins(&fs::read_to_string(source("erp-core").join("lib.rs")).unwrap());
    for (module, names) in &mut imports {
        let found = names.iter().map(|name| origins.get(name).unwrap_or(name));
        *names = found.filter(|name| *name != module).cloned().collect();
    }
    let modules: BTreeSet<String> = imports.keys().cloned().collect();
    for names in imports.values_mut() {
        names.retain(|name| modules.contains(name));
    }
    imports
}

#[test]
fn no_modules_of_the_core_import_each_other() {
    let imports = of_the_core();
    // Imports that are there, so that the reading is known to work, one of them by a name of the root.
    assert!(imports["erp"].contains("record") && imports["wire"].contains("number"));
    assert_eq!(circles(&imports), BTreeSet::new());
}

#[test]
fn an_import_is_found_in_each_form() {
    let text = "\
// use crate::cli;
use crate::config::Settings;
use crate::{jobs, media::{Bodies, removal}, web::Call};
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
    assert_eq!(upward(&wrong), ["`web` imports `media`, which is above it"]);
    assert_eq!(
        circles(&BTreeMap::from(pair)),
        modules(&["backup", "media"])
    );
}
