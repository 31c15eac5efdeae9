//! The inputs of the fuzzer: what it found, and the fixtures that it begins with.

use std::fs;
use std::path::Path;

/// Tries the files of some folders, and says how many there are.
fn tried(target: fn(&[u8]), folders: &[&str]) -> usize {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut count = 0;
    for folder in folders {
        // Only one of the targets has found inputs.
        for entry in fs::read_dir(tests.join(folder)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_file() {
                println!("{}", path.display());
                target(&fs::read(path).unwrap());
                count += 1;
            }
        }
    }
    count
}

const PDFS: &str = "fixtures/zugferd";
const INVOICES: [&str; 2] = ["fixtures/zugferd/xml", "fixtures/check"];

#[test]
fn extract() {
    assert!(tried(erp_fuzz::extract, &["fuzz/corpus/extract", PDFS]) > 50);
}

#[test]
fn combine() {
    assert!(tried(erp_fuzz::combine, &["fuzz/corpus/combine", PDFS]) > 50);
}

#[test]
fn detect() {
    assert!(tried(erp_fuzz::detect, &INVOICES) > 20);
}

#[test]
fn check() {
    assert!(tried(erp_fuzz::check, &INVOICES) > 20);
}

#[test]
fn json() {
    for text in ["1#", "[#.#e#]", "{\"a\": #, \"a\": 1}", "\"#\"", "-#"] {
        let length = 700_u16.to_be_bytes();
        erp_fuzz::json(&[&length[..], text.as_bytes()].concat());
    }
}
