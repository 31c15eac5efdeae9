use super::{
    Aes128CryptFilter, Aes256CryptFilter, Cipher, IdentityCryptFilter, Rc4CryptFilter, Security,
};
use crate::object::StreamData;
use crate::{Dict, Limits, Object, PdfError, PdfFile, Stream};

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
        file.unlock("").unwrap();
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
fn a_file_with_a_user_password_opens_with_it_or_the_owners_alone() {
    let bytes = fixture("enc-aes256-user-password");
    let mut file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
    for (wrong, error) in [
        ("", PdfError::PasswordNeeded),
        ("users", PdfError::WrongPassword),
        ("\u{7}", PdfError::WrongPassword),
    ] {
        assert_eq!(file.unlock(wrong).unwrap_err(), error);
        assert!(file.is_encrypted());
    }
    for password in ["user", "owner"] {
        let mut file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
        file.unlock(password).unwrap();
        assert!(has_invoice(&file), "{password}");
    }
}

fn has_invoice(file: &PdfFile<'_>) -> bool {
    let mut all = content(file).into_iter();
    all.any(|bytes| bytes.starts_with(b"<?xml"))
}

// rule: R-ZUG-20
#[test]
fn broken_permissions_are_not_taken_for_a_password() {
    let bytes = fixture("enc-aes256-owner-only");
    for (from, to) in [("/Perms", "/Porms"), ("/P -", "/Q -"), ("/P -", "/P  ")] {
        let at = memchr::memmem::find(&bytes, from.as_bytes()).unwrap();
        let mut changed = bytes.clone();
        changed.splice(at..at + to.len(), to.bytes());
        let mut file = PdfFile::open(&changed, &Limits::DEFAULT).unwrap();
        let error = file.unlock("").unwrap_err();
        assert!(error.is_damage(), "{to}: {error}");
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
        let error = file.unlock("").unwrap_err();
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
    file.unlock("").unwrap();
    assert_eq!(content(&file), before);
}

/// A file whose strings and streams have one cipher, with a key of sevens.
fn with(cipher: Cipher) -> Security {
    Security {
        key: vec![7; 32],
        own: None,
        named: [(b"StdCF".to_vec(), cipher)].into(),
        other: &IdentityCryptFilter,
        strings: b"StdCF".to_vec(),
        streams: b"StdCF".to_vec(),
        embedded: Vec::new(),
        metadata: true,
    }
}

/// Bytes of the last block that differ, and no padding at all.
#[test]
fn data_with_odd_padding_are_read_as_far_as_their_blocks_are_whole() {
    let id = (1, 0);
    for cipher in [&Aes128CryptFilter as Cipher, &Aes256CryptFilter] {
        let security = with(cipher);
        let encrypted = |plain: &[u8]| {
            let key = cipher.compute_key(&security.key, id).unwrap();
            cipher.encrypt(&key, plain).unwrap()
        };
        let plain = [b'x'; 40];
        let read = |bytes: &[u8]| security.plain(b"StdCF", id, bytes);
        let all = encrypted(&plain);
        assert_eq!(all.len(), 64);
        assert_eq!(read(&all), plain);
        assert_eq!(read(all.get(..63).unwrap()), [b'x'; 32]);
        assert_eq!(read(all.get(..48).unwrap()), [b'x'; 32]);
        let odd = encrypted(&[plain.as_slice(), &[1, 2, 3, 4, 5, 6, 7, 8]].concat());
        assert_eq!(read(odd.get(..64).unwrap()), plain);
        for short in [0, 5, 16, 17] {
            assert_eq!(read(all.get(..short).unwrap()), b"", "{short}");
        }
    }
}

/// With a crypt filter of its own a stream is as it says; without its name it is plain (7.4.10).
#[test]
fn a_crypt_filter_says_how_its_stream_is_encrypted() {
    let named = Dict::new().with("Name", Object::name("StdCF"));
    let crypt = || Object::name("Crypt");
    let inflated = || Object::name("FlateDecode");
    for (filter, parameters, is_plain, left) in [
        (crypt(), None, true, None),
        (crypt(), Some(named.clone().into()), false, None),
        (
            vec![crypt(), inflated()].into(),
            Some(vec![named.into(), Object::Null].into()),
            false,
            Some(vec![inflated()].into()),
        ),
        (inflated(), None, false, Some(inflated())),
    ] {
        let mut dict = Dict::new().with("Filter", filter);
        if let Some(parameters) = parameters {
            dict.set("DecodeParms", parameters);
        }
        let data = StreamData::InFile(0..5);
        let mut stream = Stream { dict, data };
        with(&Rc4CryptFilter).open_stream((1, 0), &mut stream, b"bytes");
        assert_eq!(stream.data == StreamData::New(b"bytes".to_vec()), is_plain);
        assert_eq!(stream.dict.get("Filter").cloned(), left);
    }
}

/// What lopdf refuses or takes for something else, and other readers open.
#[test]
fn liberties_of_writers_do_not_keep_a_file_closed() {
    for (name, from, to) in [
        ("enc-rc4-40-owner-only", "/V 1", "/V 0"),
        ("enc-rc4-owner-only", "/Length 128", "/Length 999"),
        ("enc-aes128-owner-only", "/Length 128", "/Length  16"),
        ("enc-aes256-owner-only", "/Length 256", "/Length  32"),
    ] {
        let mut bytes = fixture(name);
        let dict = memchr::memmem::find(&bytes, b"/Standard").unwrap();
        let around = dict.saturating_sub(600);
        let found = memchr::memmem::find(bytes.get(around..).unwrap(), from.as_bytes());
        let at = around + found.expect(name);
        bytes.splice(at..at + from.len(), to.bytes());
        let mut file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
        file.unlock("").expect(name);
        assert!(has_invoice(&file), "{name}");
    }
}
