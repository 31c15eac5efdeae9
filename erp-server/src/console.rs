//! The console for operators at `/console`: static pages that call the interface as any other client does.
//!
//! The pages hold nothing secret and need no token; what they show is read with the token of a user of the office.

use crate::web::{Application, Routes, embedded, embedded_files};

const FILES: &[(&str, &[u8])] = embedded_files![
    "console";
    "address.js",
    "api.js",
    "articles.js",
    "attributes.js",
    "audit.js",
    "backup.js",
    "bills.js",
    "bulk.js",
    "csv.js",
    "customers.js",
    "day.js",
    "dom.js",
    "drop.js",
    "edit.js",
    "events.js",
    "form.js",
    "format.js",
    "forms.json",
    "icon.svg",
    "import.js",
    "index.html",
    "invoices.js",
    "kept.js",
    "language.js",
    "list.js",
    "log.js",
    "login.js",
    "main.js",
    "offers.js",
    "order.js",
    "orders.js",
    "paper.js",
    "parts.js",
    "password.js",
    "pictures.js",
    "plot.js",
    "rows.js",
    "sales.js",
    "sample-broken.xml",
    "sample-valid.xml",
    "sample.pdf",
    "save.js",
    "search.js",
    "setup.js",
    "sha256.js",
    "state.js",
    "stock.js",
    "style.css",
    "table.js",
    "tables.css",
    "tabs.js",
    "targets.js",
    "timer.js",
    "upload.js",
    "users.js",
    "words.json",
];

/// Adds the pages, and the script by which they and the shop know whether the printed links of a demo may log in, and
/// whether a shop may cancel.
pub fn routes<A: Application>(routes: Routes<A>, is_demo: bool, may_cancel: bool) -> Routes<A> {
    let script =
        format!("export const DEMO = {is_demo};\nexport const MAY_CANCEL = {may_cancel};\n");
    let flag: &[(&str, &[u8])] = &[("demo.js", script.as_bytes())];
    // The shop page needs these too, and not what is only for the office.
    let samples = FILES.iter().filter(|(name, _)| name.starts_with("sample"));
    let of_shop: Vec<_> = samples.chain(flag).copied().collect();
    let routes = embedded(routes, "shop", &of_shop);
    embedded(embedded(routes, "console", FILES), "console", flag)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

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
