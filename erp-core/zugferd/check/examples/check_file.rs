//! Checks one invoice and prints what is wrong with it.
//!
//! `cargo run -p erp-invoice-check --example check_file -- INVOICE.xml`
#![expect(
    clippy::disallowed_methods,
    reason = "the example reads a file; the library does not"
)]

use std::process::ExitCode;

use erp_invoice_check::{CheckLimits, check};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("name an invoice")?;
    let report = check(&std::fs::read(file)?, &CheckLimits::DEFAULT);
    println!(
        "{}: {}",
        report.profile.as_deref().unwrap_or("no guideline"),
        if report.valid { "valid" } else { "not valid" }
    );
    for finding in &report.findings {
        println!(
            "{:?} {} in line {}, {}: {}",
            finding.severity, finding.rule, finding.line, finding.path, finding.en
        );
    }
    Ok(ExitCode::from(u8::from(!report.valid)))
}
