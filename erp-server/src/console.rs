//! The console for operators at `/console`: static pages that call the interface as any other client does.
//!
//! The pages hold nothing secret and need no token; what they show is read with the token of an admin.

use crate::web::{Application, Routes, embedded};

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../console/", $name)))),+]
    };
}

/// Every file of the folder `console`.
const FILES: &[(&str, &[u8])] = files![
    "api.js",
    "articles.js",
    "attributes.js",
    "audit.js",
    "backup.js",
    "cii.js",
    "customers.js",
    "de.js",
    "dom.js",
    "drop.js",
    "en.js",
    "events.js",
    "form.js",
    "format.js",
    "icon.svg",
    "import.js",
    "index.html",
    "invoices.js",
    "language.js",
    "list.js",
    "log.js",
    "login.js",
    "main.js",
    "order.js",
    "orders.js",
    "plot.js",
    "save.js",
    "sha256.js",
    "state.js",
    "style.css",
    "table.js",
    "tables.css",
    "targets.js",
    "timer.js",
    "upload.js",
    "users.js",
];

// rule: D-WEB-09
/// Adds the pages.
#[must_use]
pub fn routes<A: Application>(routes: Routes<A>) -> Routes<A> {
    embedded(routes, "console", FILES)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    // rule: D-WEB-09
    #[test]
    fn every_file_of_the_folder_is_in_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("console");
        let there: BTreeSet<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(listed, there);
    }
}
