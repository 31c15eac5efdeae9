//! Hostile files whose objects refer to each other, or are read repeatedly.

use super::tree::name_tree;
use super::{Dict, Limits, Object, ObjectId, PdfError, PdfFile, Stream};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write as _;

/// A file of these objects, object 1 being the catalog, and of numbers that are in object streams.
fn indexed(objects: &[(u32, &str)], in_streams: &[(u32, u32)]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut rows: Vec<(u32, u8, usize)> = in_streams
        .iter()
        .map(|(number, stream)| (*number, 2, usize::try_from(*stream).unwrap()))
        .collect();
    for (number, body) in objects {
        rows.push((*number, 1, out.len()));
        out.extend_from_slice(format!("{number} 0 obj\n{body}\nendobj\n").as_bytes());
    }
    let start = out.len();
    rows.push((99, 1, start));
    let mut bytes = Vec::new();
    let mut index = String::new();
    for (number, kind, place) in &rows {
        index.push_str(&format!("{number} 1 "));
        bytes.push(*kind);
        bytes.extend_from_slice(&u32::try_from(*place).unwrap().to_be_bytes());
        bytes.extend_from_slice(&[0, 0]);
    }
    let head = format!(
        "99 0 obj\n<</Type/XRef/Root 1 0 R/Size 100/W[1 4 2]/Index[{index}]/Length {}>>\nstream\n",
        bytes.len()
    );
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(&bytes);
    let tail = format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n");
    out.extend_from_slice(tail.as_bytes());
    out
}

const CATALOG: (u32, &str) = (1, "<</Type/Catalog/Pages 2 0 R>>");
const PAGES: (u32, &str) = (2, "<</Type/Pages/Kids[]/Count 0>>");

/// An object stream that holds one object.
fn container(members: &str, number: u32) -> String {
    let data = format!("{number} 0 7");
    format!(
        "<</Type/ObjStm{members}/Length {}>>\nstream\n{data}\nendstream",
        data.len()
    )
}

// rule: R-ZUG-23
#[test]
fn an_object_stream_that_is_needed_to_read_itself_is_damaged() {
    for members in [
        "/First 5 0 R/N 1",
        "/First 4/N 5 0 R",
        "/First 4/N 1/Filter 5 0 R",
        "/First 4/N 1/Filter[5 0 R]",
        "/First 4/N 1/Filter/FlateDecode/DecodeParms 5 0 R",
    ] {
        let stream = container(members, 5);
        let bytes = indexed(&[CATALOG, PAGES, (4, &stream)], &[(5, 4)]);
        let file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
        let error = file.object(5).unwrap_err();
        assert!(error.is_damage(), "{members}: {error}");
    }
}

// rule: R-ZUG-23
#[test]
fn a_circle_of_object_streams_keeps_no_other_from_being_read() {
    let one = container("/First 11 0 R/N 1", 10);
    let other = container("/First 10 0 R/N 1", 11);
    let sound = container("/First 5/N 1", 12);
    let bytes = indexed(
        &[CATALOG, PAGES, (4, &one), (5, &other), (6, &sound)],
        &[(10, 4), (11, 5), (12, 6)],
    );
    let file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
    for _ in 0..20 {
        assert!(file.object(10).unwrap_err().is_damage());
    }
    let located = file.object(12).unwrap().unwrap();
    assert_eq!(located.object.as_integer(), Some(7));
}

/// Allows 16 bytes to be read for each of the file.
const FRUGAL: Limits = Limits {
    parsed_bytes: 0,
    ..Limits::DEFAULT
};

// rule: R-ZUG-23
#[test]
fn the_end_of_a_stream_is_looked_for_once_where_there_is_none() {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let long = format!("<<>>\nstream\n{}", "x".repeat(200_000));
    for (number, body) in [CATALOG, PAGES, (10, &*long), (11, &*long)] {
        bytes.extend_from_slice(format!("{number} 0 obj\n{body}\nendobj\n").as_bytes());
    }
    bytes.extend_from_slice(b"trailer<</Root 1 0 R>>");
    let file = PdfFile::open(&bytes, &Limits::DEFAULT).unwrap();
    let mut read = Vec::new();
    for number in [11, 11, 10, 10] {
        let before = file.memory.parsed.get();
        assert!(file.object(number).unwrap_err().is_damage());
        read.push(file.memory.parsed.get() - before);
    }
    let [last, last_again, first, first_again] = read[..] else {
        panic!("four were read");
    };
    // What was looked through counts, and the rest is not looked through again.
    assert!(
        last > 10_000 && first > 10_000 && first < 15_000,
        "{read:?}"
    );
    assert!(last_again < 1_000 && first_again < 1_000, "{read:?}");
}

// rule: R-ZUG-23
#[test]
fn work_ends_when_its_result_is_not_wanted() {
    let limits = Limits {
        keep_going: || false,
        ..Limits::DEFAULT
    };
    let error = PdfFile::open(&indexed(&[CATALOG, PAGES], &[]), &limits).map(|_| ());
    assert!(is_too_large(&error), "{error:?}");
}

fn is_too_large<T>(read: &Result<T, PdfError>) -> bool {
    matches!(read, Err(PdfError::TooLarge { .. }))
}

// rule: R-ZUG-38
#[test]
fn objects_that_cannot_be_read_or_end_far_away_are_counted() {
    let numbers = 10..410;
    // A string without an end, comments before and after an object, and before a number.
    for (text, tail) in [("(", ""), ("1%", ""), ("%", ""), ("<<>>%", "\nstream\n")] {
        let mut bytes = b"%PDF-1.7\n".to_vec();
        for number in numbers.clone() {
            bytes.extend_from_slice(format!("{number} 0 obj {text}").as_bytes());
        }
        bytes.extend_from_slice(tail.as_bytes());
        let file = PdfFile::fragments(&bytes, &FRUGAL).unwrap();
        let read: Vec<_> = numbers.clone().map(|number| file.object(number)).collect();
        assert!(read.iter().any(is_too_large), "{text}");
    }
}

// rule: R-ZUG-38
#[test]
fn objects_in_a_stream_that_cannot_be_read_are_counted() {
    let count = 2_000;
    let index: String = (10..10 + count)
        .map(|number| format!("{number} {} ", number - 10))
        .collect();
    let body = "(".repeat(count);
    let stream = format!(
        "<</Type/ObjStm/N {count}/First {}/Length {}>>\nstream\n{index}{body}\nendstream",
        index.len(),
        index.len() + body.len()
    );
    let numbers = 10..10 + u32::try_from(count).unwrap();
    let in_stream: Vec<(u32, u32)> = numbers.clone().map(|number| (number, 4)).collect();
    let bytes = indexed(&[CATALOG, PAGES, (4, &stream)], &in_stream);
    let file = PdfFile::open(&bytes, &FRUGAL).unwrap();
    let read: Vec<_> = numbers.map(|number| file.object(number)).collect();
    assert!(read.iter().any(is_too_large));
}

// rule: R-ZUG-38
#[test]
fn lengths_that_are_objects_of_their_own_are_counted() {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let numbers = 10..410;
    for number in numbers.clone() {
        let stream = format!("{number} 0 obj<</Length 9 0 R>>stream\n \nendstream endobj\n");
        bytes.extend_from_slice(stream.as_bytes());
    }
    let length = format!("9 0 obj %{}\n1 endobj\n", "x".repeat(bytes.len()));
    bytes.extend_from_slice(length.as_bytes());
    let file = PdfFile::fragments(&bytes, &FRUGAL).unwrap();
    file.renew_budget(0);
    let read: Vec<_> = numbers.map(|number| file.object(number)).collect();
    assert!(read.first().unwrap().is_ok());
    assert!(read.iter().any(is_too_large));
}

// rule: R-ZUG-38
#[test]
fn trailers_that_cannot_be_read_are_counted() {
    let bytes = [b"%PDF-1.7\n".as_slice(), &b"trailer%".repeat(400)].concat();
    assert!(is_too_large(&PdfFile::fragments(&bytes, &FRUGAL)));
}

// rule: R-ZUG-23
#[test]
fn nodes_of_a_name_tree_that_wait_are_bounded() {
    let kids = "9 0 R ".repeat(150);
    let mut objects = vec![CATALOG, PAGES];
    let shared = format!(
        "[{}]",
        (10..60)
            .map(|kid| format!("{kid} 0 R "))
            .collect::<String>()
            + &kids
    );
    objects.push((8, &shared));
    objects.push((9, "<</Names[(a) 1]>>"));
    objects.extend((10..60).map(|number| (number, "<</Kids 8 0 R>>")));
    let bytes = indexed(&objects, &[]);
    let read = |tree_nodes| {
        let limits = Limits {
            tree_nodes,
            ..Limits::DEFAULT
        };
        let file = PdfFile::open(&bytes, &limits).unwrap();
        let root = Object::Reference(ObjectId::new(10));
        name_tree(&file, &root)
    };
    assert!(is_too_large(&read(1_000)));
    assert_eq!(read(100_000).unwrap().len(), 1);
}

// rule: R-ZUG-38
#[test]
fn the_start_of_a_stream_counts_with_the_bytes_that_come_out() {
    let short = "<</Length 5>>\nstream\nhello\nendstream";
    let bytes = indexed(&[CATALOG, PAGES, (4, short)], &[]);
    let limits = Limits {
        total_bytes: 100,
        ..Limits::DEFAULT
    };
    let file = PdfFile::open(&bytes, &limits).unwrap();
    file.renew_budget(0);
    let located = file.object(4).unwrap().unwrap();
    let stream = located.object.as_stream().unwrap();
    for _ in 0..20 {
        assert_eq!(file.decoded_start(stream, 64 << 10).unwrap(), b"hello");
    }
    assert!(is_too_large(&file.decoded_start(stream, 64 << 10)));
}

// rule: R-ZUG-38
#[test]
fn compressed_data_that_hold_nothing_count_with_what_is_read_of_them() {
    // Stored blocks without a byte.
    let blocks = [b"\x78\x01".as_slice(), &b"\0\0\0\xFF\xFF".repeat(20_000)].concat();
    let limits = Limits {
        total_bytes: 1 << 20,
        ..Limits::DEFAULT
    };
    let bytes = indexed(&[CATALOG, PAGES], &[]);
    let file = PdfFile::open(&bytes, &limits).unwrap();
    file.renew_budget(0);
    let dict = Dict::new().with("Filter", Object::name("FlateDecode"));
    let stream = Stream::new(dict, blocks);
    let read: Vec<_> = (0..20)
        .map(|_| file.decoded_start(&stream, 64 << 10))
        .collect();
    assert_eq!(read.first(), Some(&Ok(Vec::new())));
    assert!(read.iter().any(is_too_large));
}

// rule: R-ZUG-38
#[test]
fn white_space_and_what_comes_out_between_two_filters_count() {
    let blanks = vec![b' '; 1 << 20];
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&blanks).unwrap();
    let packed = packer.finish().unwrap();
    let chain = ["FlateDecode", "ASCIIHexDecode"].map(Object::name).to_vec();
    let limits = Limits {
        total_bytes: 3 << 20,
        ..Limits::DEFAULT
    };
    let bytes = indexed(&[CATALOG, PAGES], &[]);
    for (filter, data) in [
        (Object::name("ASCIIHexDecode"), blanks),
        (Object::Array(chain), packed),
    ] {
        let stream = Stream::new(Dict::new().with("Filter", filter), data);
        let file = PdfFile::open(&bytes, &limits).unwrap();
        file.renew_budget(0);
        for _ in 0..3 {
            assert_eq!(file.decoded(&stream).unwrap(), b"".as_slice());
        }
        assert!(is_too_large(&file.decoded(&stream)));
        file.renew_budget(0);
        for _ in 0..3 {
            assert_eq!(file.decoded_start(&stream, 64 << 10), Ok(Vec::new()));
        }
        assert!(is_too_large(&file.decoded_start(&stream, 64 << 10)));
    }
}

// rule: R-ZUG-38
#[test]
fn what_cannot_be_decoded_counts_with_what_was_read_of_it() {
    let text = [vec![b' '; 1 << 20], b"x".to_vec()].concat();
    let dict = Dict::new().with("Filter", Object::name("ASCIIHexDecode"));
    let stream = Stream::new(dict, text);
    let limits = Limits {
        total_bytes: 3 << 20,
        ..Limits::DEFAULT
    };
    let bytes = indexed(&[CATALOG, PAGES], &[]);
    let file = PdfFile::open(&bytes, &limits).unwrap();
    file.renew_budget(0);
    let read: Vec<_> = (0..5).map(|_| file.decoded_within(&stream, 100)).collect();
    assert!(matches!(read.first(), Some(Err(PdfError::Undecodable(_)))));
    assert!(read.last().is_some_and(is_too_large));
}
