//! The report on an XML file as an HTML document, on standard output: `cargo run --example check_page -- INVOICE.xml [de]`.

use std::path::Path;

use erp_invoice_check::html::check_html;
use erp_invoice_check::{CheckLimits, Language};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_default();
    let language = match arguments.next().as_deref() {
        Some("de") => Language::German,
        _ => Language::English,
    };
    #[expect(clippy::disallowed_methods, reason = "examples read files")]
    let xml = std::fs::read(&file)?;
    let name = Path::new(&file)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let (_, html) = check_html(&xml, &CheckLimits::DEFAULT, language, &name);
    print!("{html}");
    Ok(())
}
