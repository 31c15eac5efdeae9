//! The crate by its public names alone.

use erp_pdf::pages::pages;
use erp_pdf::rewrite::rewrite;
use erp_pdf::text::{decode_text, encode_text};
use erp_pdf::{Dict, Limits, Object, PdfError, PdfFile, Stream, Update};

const DAMAGED: &[u8] = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n\
    <</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>\nendobj\n";

fn title(pdf: &[u8]) -> Option<String> {
    let file = PdfFile::open(pdf, &Limits::DEFAULT).ok()?;
    let info = file.member(file.trailer(), "Info").ok()?;
    let title = info.as_dict()?.get("Title")?.as_string()?;
    Some(decode_text(title))
}

#[test]
fn a_file_without_a_cross_reference_is_rebuilt_written_again_and_changed() {
    let damaged = PdfFile::rebuild(DAMAGED, &Limits::DEFAULT).unwrap();
    assert!(damaged.opened().rebuilt);
    let whole = rewrite(&damaged).unwrap();
    assert_eq!((whole.lost.len(), title(&whole.pdf)), (0, None));

    let file = PdfFile::open(&whole.pdf, &Limits::DEFAULT).unwrap();
    let (catalog_id, mut catalog) = file.catalog().unwrap();
    assert_eq!(pages(&file, &catalog).unwrap().len(), 1);
    let mut update = Update::new(&file);
    let info = Dict::new().with("Title", Object::string(encode_text("Prüfung €")));
    let info = update.add(Object::Dict(info));
    update.set_trailer("Info", Object::Reference(info));
    let data = update.add(Object::Stream(Stream::new(Dict::new(), b"data".to_vec())));
    catalog.set("Data", Object::Reference(data));
    update.replace(catalog_id, Object::Dict(catalog));
    let changed = [&whole.pdf[..], &update.tail(whole.pdf.len())].concat();

    assert_eq!(title(&changed).as_deref(), Some("Prüfung €"));
    let file = PdfFile::open(&changed, &Limits::DEFAULT).unwrap();
    let (_, catalog) = file.catalog().unwrap();
    let data = file.member(&catalog, "Data").unwrap();
    let Some(stream) = data.as_stream() else {
        panic!("a stream was added");
    };
    assert_eq!(&*file.decoded(stream).unwrap(), b"data");
}

#[test]
fn a_limit_is_named() {
    let limits = Limits {
        input_bytes: 10,
        ..Limits::DEFAULT
    };
    let Err(PdfError::TooLarge { limit, .. }) = PdfFile::rebuild(DAMAGED, &limits).map(drop) else {
        panic!("the file is larger than allowed");
    };
    assert_eq!(limit, 10);
}
