//! The programs of `examples/sync`, which keep a copy of the articles in a file.

use std::path::Path;
use std::process::Command;

use erp_tests::server::{SHOP1, Server};
use erp_tests::skipped;
use serde_json::{Value, json};

use super::{VISIBLE, articles, list};
use crate::programs::is_there;

const PROGRAMS: [[&str; 2]; 3] = [
    ["python3", "sync.py"],
    ["php", "sync.php"],
    ["node", "sync.mjs"],
];

fn article(number: &str, name: &str) -> String {
    json!({"Artikel": {"ArtNr": number, "ArtBez": name,
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "SHOP1"}]}})
    .to_string()
}

// rule: D-ANS-15
#[test]
fn the_example_programs_keep_a_copy_that_is_the_list() {
    for [program, file] in PROGRAMS {
        if !is_there(program) {
            skipped(&format!("{program} is not installed"));
            continue;
        }
        let server = Server::start();
        let folder = tempfile::tempdir().unwrap();
        let run = || {
            let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/sync");
            let output = Command::new(program)
                .arg(examples.join(file))
                .arg(folder.path().join("articles.json"))
                .env("ERP_URL", format!("http://{}", server.address()))
                .env("ERP_USER", SHOP1.name)
                .env("ERP_PASSWORD", SHOP1.password)
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{program}: {errors}");
            let copy = std::fs::read(folder.path().join("articles.json")).unwrap();
            let copy: Value = serde_json::from_slice(&copy).unwrap();
            let read = articles(&list(&server, "?sorts=%2BArtNr").expect(200));
            for one in &read {
                let number = one["ArtNr"].as_str().unwrap();
                // PHP writes an empty object as an empty list.
                assert_eq!(
                    copy["articles"][number]["ArtBez"], one["ArtBez"],
                    "{program} {number}"
                );
                assert_eq!(
                    copy["articles"][number]["Preis"], one["Preis"],
                    "{program} {number}"
                );
            }
            assert_eq!(copy["articles"].as_object().unwrap().len(), read.len());
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(
            run(),
            format!("{VISIBLE} changed, 0 gone, {VISIBLE} in the copy\n")
        );
        assert_eq!(run(), format!("0 changed, 0 gone, {VISIBLE} in the copy\n"));
        server.import(&article("NEU-1", "Neu"));
        assert_eq!(
            run(),
            format!("1 changed, 0 gone, {} in the copy\n", VISIBLE + 1)
        );
        server.import(r#"{"Artikel": {"ArtNr": "NEU-1", "Loeschen": true}}"#);
        assert_eq!(run(), format!("0 changed, 1 gone, {VISIBLE} in the copy\n"));
        // After a change of tax codes the mark has expired.
        server.import(r#"{"Steuer": {"WUSTCode": "NEU", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2020-01-01", "WUSTSatz": 1}]}}"#);
        assert_eq!(
            run(),
            format!("{VISIBLE} changed, 0 gone, {VISIBLE} in the copy\n")
        );
    }
}
