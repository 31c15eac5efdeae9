//! Prints what keeps PDF files from being PDF/A-3b, with the clause and the kind of repair of each fault.
//!
//! `cargo run --release -p erp-pdfa --example pdfa_faults -- FILE...`
#![expect(
    clippy::disallowed_methods,
    reason = "the example reads files; the library does not"
)]

use erp_pdfa::erp_pdf::{Limits, PdfError, PdfFile};
use erp_pdfa::{judge, xmp};

fn faults(pdf: &[u8]) -> Result<Vec<String>, PdfError> {
    let file = PdfFile::open(pdf, &Limits::DEFAULT)?;
    let (faults, _) = judge(&file, pdf, false)?;
    let mut all = Vec::new();
    for fault in &faults {
        all.push(match &fault.repair {
            Some(repair) => format!("{fault}; repair: {repair:?}"),
            None => fault.to_string(),
        });
    }
    let (_, catalog) = file.catalog()?;
    match file.member(&catalog, "Metadata")?.as_stream() {
        None => all.push("there are no metadata (6.6.2.1)".to_owned()),
        Some(stream) => {
            let packet = file.decoded(stream)?;
            all.extend(xmp::faults(&packet).iter().map(ToString::to_string));
        }
    }
    Ok(all)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let pdf = std::fs::read(&path)?;
        match faults(&pdf) {
            Ok(faults) if faults.is_empty() => println!("{path}: PDF/A-3b"),
            Ok(faults) => {
                println!("{path}: not PDF/A-3b");
                faults.iter().for_each(|fault| println!("  {fault}"));
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
    Ok(())
}
