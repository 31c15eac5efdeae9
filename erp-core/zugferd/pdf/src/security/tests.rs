use crate::{Limits, Object, PdfError, PdfFile};

#[expect(clippy::disallowed_methods, reason = "tests read files")]
fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/fixtures/zugferd"
    );
    std::fs::read(format!("{folder}/{name}.pdf")).unwrap()
}

/// Everything a file says: the decoded streams and the strings, in the order of their objects.
fn content(file: &PdfFile<'_>) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for number in file.objects().unwrap() {
        if let Some(located) = file.object(number).unwrap() {
            collect(file, &located.object, &mut all);
        }
    }
    all
}

fn collect(file: &PdfFile<'_>, object: &Object, all: &mut Vec<Vec<u8>>) {
    match object {
        Object::Stream(stream) if stream.dict.is_type("XRef") || stream.dict.is_type("ObjStm") => {}
        Object::Stream(stream) => all.push(file.decoded(stream).unwrap().into_owned()),
        Object::String(string) => all.push(string.bytes.clone()),
        Object::Array(items) => items.iter().for_each(|item| collect(file, item, all)),
        Object::Dict(dict) => dict.iter().for_each(|(_, value)| collect(file, value, all)),
        _ => {}
    }
}

// rule: R-ZUG-20
#[test]
fn every_method_reads_as_the_plain_file() {
    let plain = fixture("hybrid-facturx-en16931");
    let plain = content(&PdfFile::open(&plain, &Limits::DEFAULT).unwrap());
    let invoice = plain
        .iter()
        .find(|bytes| bytes.starts_with(b"<?xml"))
        .unwrap();
    for name in [
        "enc-rc4-40-owner-only",
        "enc-rc4-owner-only",
        "enc-aes128-owner-only",
        "enc-aes256-owner-only",
    ] {
        let bytes = fixture(name);
        let mut file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
        assert!(file.is_encrypted(), "{name}");
        file.unlock().unwrap();
        assert!(!file.is_encrypted(), "{name}");
        let found = content(&file);
        assert!(found.contains(invoice), "{name}: the invoice");
        assert!(
            found.iter().any(|bytes| bytes.starts_with(b"<?xpacket")),
            "{name}: metadata"
        );
        let strings = plain.iter().filter(|bytes| bytes.len() < 200);
        for string in strings {
            assert!(
                found.contains(string),
                "{name}: {}",
                String::from_utf8_lossy(string)
            );
        }
    }
}

// rule: R-ZUG-20
#[test]
fn a_file_with_a_user_password_stays_closed() {
    let bytes = fixture("enc-aes256-user-password");
    let mut file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
    assert_eq!(file.unlock().unwrap_err(), PdfError::PasswordNeeded);
    assert!(file.is_encrypted());
}

// rule: R-ZUG-20
#[test]
fn broken_permissions_do_not_keep_a_file_closed() {
    let bytes = fixture("enc-aes256-owner-only");
    let at = memchr::memmem::find(&bytes, b"/Perms").unwrap();
    for (from, to) in [
        (at, "/Porms"),
        (memchr::memmem::find(&bytes, b"/P -").unwrap(), "/Q -"),
    ] {
        let mut changed = bytes.clone();
        changed.splice(from..from + to.len(), to.bytes());
        let mut file = PdfFile::open(&changed, &Limits::DEFAULT).unwrap();
        file.unlock().unwrap();
        assert!(
            content(&file)
                .iter()
                .any(|bytes| bytes.starts_with(b"<?xml"))
        );
    }
}

#[test]
fn broken_dictionaries_of_encryption_are_refused_in_words() {
    let bytes = fixture("enc-aes256-owner-only");
    for (from, to) in [
        ("/Filter /Standard", "/Filter /Starboard"),
        ("/R 6", "/R 9"),
        ("/UE", "/UX"),
        ("/U ", "/V "),
    ] {
        let at = memchr::memmem::find(&bytes, from.as_bytes()).expect(from);
        let mut broken = bytes.clone();
        broken.splice(at..at + from.len(), to.bytes());
        let mut file = PdfFile::open(&broken, &Limits::DEFAULT).unwrap();
        let error = file.unlock().unwrap_err();
        assert!(
            matches!(error, PdfError::PasswordNeeded | PdfError::Damaged { .. }),
            "{from}: {error}"
        );
    }
}

#[test]
fn unlocking_a_plain_file_changes_nothing() {
    let bytes = fixture("a3b");
    let mut file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
    let before = content(&file);
    file.unlock().unwrap();
    assert_eq!(content(&file), before);
}
