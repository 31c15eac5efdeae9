//! Each filter against a peer that shares no code with it.

use super::*;
use crate::object::Name;
use std::io::Write as _;

const LIMIT: usize = 1 << 20;

fn decode(dict: &Dict, raw: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    super::decode(&mut DecompressorOxide::new(), dict, raw, limit).map(|(decoded, _)| decoded.bytes)
}

fn names(filters: &[&str]) -> Object {
    Object::Array(filters.iter().map(|name| Object::name(name)).collect())
}

fn stream(filters: &[&str], parameters: &[(&str, i64)]) -> Dict {
    let mut members = Dict::new();
    for (name, value) in parameters {
        members.set(name, Object::Integer(*value));
    }
    let mut dict = Dict::new();
    dict.set("Filter", names(filters));
    if !parameters.is_empty() {
        dict.set("DecodeParms", Object::Dict(members));
    }
    dict
}

/// What the peer makes of it; `None` when it refuses.
fn peer(filters: &[&str], parameters: &[(&str, i64)], raw: &[u8]) -> Option<Vec<u8>> {
    let mut dict = lopdf::Dictionary::new();
    let filters = filters.iter().map(|name| lopdf::Object::from(*name));
    dict.set("Filter", lopdf::Object::Array(filters.collect()));
    if !parameters.is_empty() {
        let mut members = lopdf::Dictionary::new();
        for (name, value) in parameters {
            members.set(*name, *value);
        }
        dict.set("DecodeParms", members);
    }
    let stream = lopdf::Stream::new(dict, raw.to_vec());
    stream.decompressed_content_with_limit(LIMIT).ok()
}

#[track_caller]
fn same_as_peer(filters: &[&str], parameters: &[(&str, i64)], raw: &[u8]) {
    let own = decode(&stream(filters, parameters), raw, LIMIT).ok();
    assert_eq!(
        own,
        peer(filters, parameters, raw),
        "{filters:?} {parameters:?}"
    );
}

/// Bytes without a pattern, always the same.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

// rule: R-ZUG-20
#[test]
fn flate_is_read_whole_broken_and_cut() {
    let packed = deflated(&noise(5_000).repeat(3));
    same_as_peer(&["FlateDecode"], &[], &packed);
    same_as_peer(&["FlateDecode"], &[], &packed[..packed.len() / 2]);
    same_as_peer(&["FlateDecode"], &[], &packed[..packed.len() - 4]);
    let mut wrong_header = packed.clone();
    wrong_header[0] = 0;
    same_as_peer(&["FlateDecode"], &[], &wrong_header);
    same_as_peer(&["FlateDecode"], &[], b"");
    same_as_peer(&["FlateDecode"], &[], b"no zlib");
}

#[test]
fn lzw_is_read_with_early_and_late_change() {
    let plain = noise(64).repeat(900);
    for (early, parameters) in [
        (true, &[][..]),
        (true, &[("EarlyChange", 1)]),
        (false, &[("EarlyChange", 0)]),
    ] {
        let mut encoder = if early {
            weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
        } else {
            weezl::encode::Encoder::new(weezl::BitOrder::Msb, 8)
        };
        let packed = encoder.encode(&plain).unwrap();
        assert_eq!(
            decode(&stream(&["LZWDecode"], parameters), &packed, LIMIT).unwrap(),
            plain
        );
        same_as_peer(&["LZWDecode"], parameters, &packed);
        same_as_peer(&["LZWDecode"], parameters, &packed[..packed.len() / 2]);
    }
    same_as_peer(&["LZWDecode"], &[], &noise(300));
    same_as_peer(&["LZWDecode"], &[], b"");
}

#[test]
fn characters_become_bytes() {
    for text in ["", "4142>", "4 1\n4 2 7>", "4142", "414>43", "4x", ">"] {
        same_as_peer(&["ASCIIHexDecode"], &[], text.as_bytes());
    }
    for text in [
        "",
        "~>",
        "87cURD]j7BEbo80~>",
        "z87cURz~>",
        "87z~>",
        "87cURD]j\n7BEb~>",
        "8~>",
        "uuuuu~>",
        "87cUR",
    ] {
        same_as_peer(&["ASCII85Decode"], &[], text.as_bytes());
    }
    for bytes in [
        b"\x02abc\xFEd\x80rest".as_slice(),
        b"\x02a",
        b"\xFE",
        b"",
        b"\x80",
    ] {
        same_as_peer(&["RunLengthDecode"], &[], bytes);
    }
}

// rule: R-ZUG-20
#[test]
fn predictors_are_undone_at_every_depth() {
    let rows = noise(6_000);
    for bits in [1, 2, 4, 8, 16] {
        for (columns, colours) in [(1, 1), (5, 1), (7, 3), (16, 4)] {
            let parameters = |predictor| {
                [
                    ("Predictor", predictor),
                    ("Columns", columns),
                    ("Colors", colours),
                    ("BitsPerComponent", bits),
                ]
            };
            let length = usize::try_from((columns * colours * bits + 7) / 8).unwrap();
            let tiff = deflated(&rows[..length * 40]);
            same_as_peer(&["FlateDecode"], &parameters(2), &tiff);
            let mut png = rows[..(length + 1) * 40].to_vec();
            for (row, first) in png.iter_mut().step_by(length + 1).enumerate() {
                *first = u8::try_from(row % 5).unwrap();
            }
            for predictor in [10, 12, 15] {
                same_as_peer(&["FlateDecode"], &parameters(predictor), &deflated(&png));
            }
            same_as_peer(
                &["FlateDecode"],
                &parameters(15),
                &deflated(&png[..png.len() - 1]),
            );
            png[0] = 9;
            same_as_peer(&["FlateDecode"], &parameters(15), &deflated(&png));
        }
    }
    same_as_peer(&["FlateDecode"], &[("Predictor", 1)], &deflated(b"abc"));
    same_as_peer(
        &["FlateDecode"],
        &[("Predictor", 2), ("BitsPerComponent", 3)],
        &deflated(b"abc"),
    );
    let huge = [
        ("Predictor", 12),
        ("Columns", i64::MAX),
        ("Colors", i64::MAX),
    ];
    same_as_peer(&["FlateDecode"], &huge, &deflated(b"abc"));
}

#[test]
fn filters_stand_behind_each_other() {
    let hexadecimal: String = deflated(b"invoice")
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let filters = ["ASCIIHexDecode", "FlateDecode"];
    let decoded = decode(&stream(&filters, &[]), hexadecimal.as_bytes(), LIMIT);
    assert_eq!(decoded.unwrap(), b"invoice");
    same_as_peer(&filters, &[], hexadecimal.as_bytes());
    for filters in [
        &["DCTDecode"][..],
        &["FlateDecode", "JPXDecode"],
        &["ASCIIHexDecode"; 17],
    ] {
        let error = decode(&stream(filters, &[]), b"", LIMIT).unwrap_err();
        assert!(matches!(error, PdfError::Undecodable(_)), "{filters:?}");
        same_as_peer(filters, &[], b"");
    }
    let mut dict = Dict::new();
    dict.set(
        "Filter",
        Object::Array(vec![
            Object::Name(Name::from_slice(b"FlateDecode")),
            Object::Integer(1),
        ]),
    );
    assert!(decode(&dict, b"", LIMIT).is_err());
}

#[cfg(feature = "brotli")]
#[test]
fn brotli_is_read() {
    // `echo -n invoice | brotli`, stored without compression.
    let packed = b"\x0b\x03\x80invoice\x03";
    same_as_peer(&["BrotliDecode"], &[], packed);
    assert_eq!(
        decode(&stream(&["BrotliDecode"], &[]), packed, LIMIT).unwrap(),
        b"invoice"
    );
    assert!(decode(&stream(&["BrotliDecode"], &[]), b"\xFFbroken", LIMIT).is_err());
}

#[test]
fn no_filter_gives_more_than_the_limit() {
    let zeros = vec![0; 100_000];
    let lzw = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
        .encode(&zeros)
        .unwrap();
    for (filter, raw) in [
        ("FlateDecode", deflated(&zeros)),
        ("LZWDecode", lzw),
        ("RunLengthDecode", [0x81, 0].repeat(1_000)),
        ("ASCII85Decode", b"z".repeat(25_000)),
        ("ASCIIHexDecode", b"00".repeat(100_001)),
    ] {
        let dict = stream(&[filter], &[]);
        let whole = decode(&dict, &raw, 1 << 20).unwrap().len();
        assert!(whole >= 100_000, "{filter}");
        assert_eq!(decode(&dict, &raw, whole).unwrap().len(), whole, "{filter}");
        let error = decode(&dict, &raw, whole - 1).unwrap_err();
        assert!(
            matches!(error, PdfError::TooLarge { .. }),
            "{filter}: {error}"
        );
    }
}

// clause: 6.2.2
#[test]
fn what_follows_a_fault_of_compressed_data_is_left_out_and_said() {
    let mut state = DecompressorOxide::new();
    let dict = stream(&["FlateDecode"], &[]);
    let plain = noise(100_000);
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&plain).unwrap();
    let packed = packer.finish().unwrap();
    let mut of = |raw: &[u8]| super::decode(&mut state, &dict, raw, LIMIT).unwrap().0;
    assert_eq!(
        of(&packed),
        Decoded {
            bytes: plain.clone(),
            is_broken: false
        }
    );
    // Without its checksum it is still whole.
    let cut = of(&packed[..packed.len() - 4]);
    assert_eq!(
        cut,
        Decoded {
            bytes: plain.clone(),
            is_broken: false
        }
    );
    let mut wrong = packed.clone();
    *wrong.last_mut().unwrap() ^= 1;
    assert!(of(&wrong).is_broken);
    let mut wrong = packed;
    wrong.splice(50_000..50_100, [0xFF; 100]);
    let broken = of(&wrong);
    assert!(broken.is_broken && plain.starts_with(&broken.bytes[..40_000]));
    // Without the frame.
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&plain).unwrap();
    let framed = [&b"xy"[..], &packer.finish().unwrap()].concat();
    assert_eq!(
        of(&framed),
        Decoded {
            bytes: plain,
            is_broken: true
        }
    );
}

// clause: 6.2.2
#[test]
fn compressed_data_that_refer_to_bytes_before_their_first_are_broken() {
    // Fixed codes: `a`, then three bytes from two bytes before.
    let packed = [0x78, 0x9C, 0x4B, 0x04, 0x42, 0x00];
    let dict = stream(&["FlateDecode"], &[]);
    let state = &mut DecompressorOxide::new();
    let (decoded, _) = super::decode(state, &dict, &packed, LIMIT).unwrap();
    assert_eq!(
        decoded,
        Decoded {
            bytes: b"a".to_vec(),
            is_broken: true
        }
    );
}
