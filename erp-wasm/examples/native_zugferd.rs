//! Writes what native code makes of every invoice of the tests, for node and browsers to compare.
//!
//! `cargo run --release -p erp-wasm --example native_zugferd -- FILE`
//!
//! The cases of the check are written into the folder `invoice-cases` beside the file: they are edits of other documents.

use std::path::{Path, PathBuf};
use std::time::Instant;

use erp_core::internal::offline;
use erp_core::internal::offline::FileResult;
use erp_core::zugferd::{CheckLimits, Limits};
use erp_dev::{OWN_INVOICE_CASES, invoice_cases};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

type Failure = Box<dyn std::error::Error>;

/// The invoice that is put into every PDF.
const INVOICE: &str = "fixtures/xml/facturx-en16931.xml";
/// The PDF that every XML is put into.
const PAGES: &str = "fixtures/a3b.pdf";
/// The same time everywhere: results are compared byte by byte.
const OPTIONS: &str = r#"{"now":1772445600000}"#;

fn main() -> Result<(), Failure> {
    let output = std::env::args().nth(1).ok_or("name the file to write")?;
    let folders = folders(&documents(&output)?);
    let mut cases = Vec::new();
    for name in listed(&folders, "pdf")? {
        // The browser reads no encrypted files.
        let file = read(&folders, &name)?;
        if file.windows(8).any(|part| part == b"/Encrypt") {
            continue;
        }
        cases.push(case(&folders, "checkInvoice", &name, None)?);
        cases.push(case(&folders, "zugferdInspect", &name, None)?);
        cases.push(case(&folders, "zugferdExtract", &name, None)?);
        cases.push(case(&folders, "zugferdCombine", &name, Some(INVOICE))?);
    }
    for xml in listed(&folders, "xml")? {
        cases.push(case(&folders, "checkInvoice", &xml, None)?);
        // Documents for rules differ in what only the check looks at.
        if is_of_rules(&xml) {
            continue;
        }
        cases.push(case(&folders, "zugferdCombine", PAGES, Some(&xml))?);
    }
    std::fs::write(
        output,
        serde_json::to_string(&json!({"options": OPTIONS, "cases": cases}))?,
    )?;
    println!("{} cases", cases.len());
    Ok(())
}

/// The folder with the documents of the cases, which are written there.
fn documents(output: &str) -> Result<PathBuf, Failure> {
    let folder = Path::new(output).with_file_name("invoice-cases");
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir(&folder)?;
    for case in invoice_cases(Path::new(OWN_INVOICE_CASES)) {
        std::fs::write(folder.join(format!("{}.xml", case.name)), case.xml)?;
    }
    Ok(folder)
}

fn folders(documents: &Path) -> [(&'static str, PathBuf); 3] {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    [
        ("fixtures", own.join("../tests/fixtures/zugferd")),
        ("check", own.join("../tests/fixtures/check")),
        ("documents", documents.to_owned()),
    ]
}

fn is_of_rules(name: &str) -> bool {
    name.starts_with("check/") || name.starts_with("documents/")
}

fn listed(folders: &[(&str, PathBuf)], extension: &str) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for (name, folder) in folders {
        walk(folder, name, extension, &mut names)?;
    }
    names.sort();
    Ok(names)
}

fn walk(
    folder: &Path,
    prefix: &str,
    extension: &str,
    names: &mut Vec<String>,
) -> Result<(), Failure> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{prefix}/{file}");
        if path.is_dir() {
            walk(&path, &name, extension, names)?;
        } else if path.extension().is_some_and(|found| found == extension) {
            names.push(name);
        }
    }
    Ok(())
}

fn read(folders: &[(&str, PathBuf)], name: &str) -> Result<Vec<u8>, Failure> {
    let (folder, rest) = name.split_once('/').ok_or("a name in a folder")?;
    let found = folders.iter().find(|(name, _)| *name == folder);
    let (_, folder) = found.ok_or("a known folder")?;
    Ok(std::fs::read(folder.join(rest))?)
}

fn case(
    folders: &[(&str, PathBuf)],
    call: &str,
    name: &str,
    xml: Option<&str>,
) -> Result<Value, Failure> {
    let file = read(folders, name)?;
    let invoice = xml
        .map(|xml| read(folders, xml))
        .transpose()?
        .unwrap_or_default();
    let run = || match call {
        "zugferdCombine" => offline::zugferd_combine(&file, &invoice, OPTIONS, Limits::DEFAULT),
        "zugferdExtract" => offline::zugferd_extract(&file, "null", Limits::DEFAULT),
        "checkInvoice" => text(offline::check_invoice(
            &file,
            "null",
            Limits::DEFAULT,
            &CheckLimits::DEFAULT,
        )),
        _ => text(offline::zugferd_inspect(&file, &Limits::DEFAULT)),
    };
    let answer = run();
    // The second run: the first one has cold caches.
    let start = Instant::now();
    let again = run();
    let micros = u64::try_from(start.elapsed().as_micros())?;
    if answer != again {
        return Err(format!("{call} of {name} returns something else the second time").into());
    }
    let mut sum = Sha256::new();
    sum.update(&answer.text);
    sum.update(&answer.bytes);
    let hex: String = sum
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let done = answer.text.starts_with(r#"{"data""#);
    Ok(
        json!({"call": call, "file": name, "xml": xml, "sha256": hex, "done": done, "micros": micros}),
    )
}

fn text(text: String) -> FileResult {
    FileResult {
        text,
        bytes: Vec::new(),
    }
}
