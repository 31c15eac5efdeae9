//! Sets the title of a PDF: the old bytes are kept, the change is appended.
//!
//! `cargo run -p erp-pdf --example set_title -- IN.pdf OUT.pdf TITLE`
#![expect(
    clippy::disallowed_methods,
    reason = "the example reads and writes files; the library does not"
)]

use erp_pdf::text::encode_text;
use erp_pdf::{Limits, Object, PdfFile, Update};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, title] = arguments.as_slice() else {
        return Err("usage: set_title IN.pdf OUT.pdf TITLE".into());
    };
    let pdf = std::fs::read(from)?;
    let file = PdfFile::open(&pdf, &Limits::DEFAULT)?;
    let info = file.member(file.trailer(), "Info")?;
    let mut info = info.as_dict().cloned().unwrap_or_default();
    info.set("Title", Object::string(encode_text(title)));
    let mut update = Update::new(&file);
    match file.trailer().reference("Info") {
        Some(id) => update.replace(id, Object::Dict(info)),
        None => {
            let id = update.add(Object::Dict(info));
            update.set_trailer("Info", Object::Reference(id));
        }
    }
    let tail = update.tail(pdf.len());
    println!("{} bytes kept, {} appended", pdf.len(), tail.len());
    std::fs::write(to, [pdf, tail].concat())?;
    Ok(())
}
