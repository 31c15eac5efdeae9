//! HTTP/2 frames built by hand, for requests that no real client would send.

/// The connection preface.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const END_HEADERS_END_STREAM: u8 = 5;

/// The index of `authorization` in the static table.
const AUTHORIZATION: u8 = 23;

/// A frame: kind, flags, stream, payload.
#[must_use]
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len())
        .expect("a short payload")
        .to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// A SETTINGS frame that gives streams an initial window of this many bytes.
#[must_use]
pub fn settings(window: u32) -> Vec<u8> {
    let mut setting = vec![0, 4];
    setting.extend(window.to_be_bytes());
    frame(4, 0, 0, &setting)
}

/// A PING frame.
#[must_use]
pub fn ping() -> Vec<u8> {
    frame(6, 0, 0, &[0; 8])
}

/// A literal header field without Huffman coding. `name` is its index in the static table.
fn literal(name: u8, value: &str) -> Vec<u8> {
    // An index above 14 needs a second byte in this form.
    let mut field = match name {
        0..15 => vec![name],
        _ => vec![15, name - 15],
    };
    match u8::try_from(value.len()).expect("a short value") {
        length @ 0..127 => field.push(length),
        length => field.extend([127, length - 127]),
    }
    field.extend_from_slice(value.as_bytes());
    field
}

/// `GET` of a path, with a token if given.
#[must_use]
pub fn get(stream: u32, path: &str, token: Option<&str>) -> Vec<u8> {
    let bearer = token.map(|token| (AUTHORIZATION, format!("Bearer {token}")));
    get_with(stream, path, bearer.as_slice())
}

/// `GET` of a path with header fields whose names are indexes of the static table.
#[must_use]
pub fn get_with(stream: u32, path: &str, fields: &[(u8, String)]) -> Vec<u8> {
    let mut head = vec![0x82, 0x86];
    head.extend(literal(4, path));
    head.extend(literal(1, "h"));
    for (name, value) in fields {
        head.extend(literal(*name, value));
    }
    frame(1, END_HEADERS_END_STREAM, stream, &head)
}

/// `POST` of a path without its body, with a token if given and `count` empty `accept-charset` fields: each takes one byte.
#[must_use]
pub fn unfinished_with_empty_fields(
    stream: u32,
    path: &str,
    token: Option<&str>,
    count: usize,
) -> Vec<u8> {
    const END_HEADERS: u8 = 4;
    const ACCEPT_CHARSET: u8 = 0x8f;
    let mut head = vec![0x83, 0x86];
    head.extend(literal(4, path));
    head.extend(literal(1, "h"));
    if let Some(token) = token {
        head.extend(literal(AUTHORIZATION, &format!("Bearer {token}")));
    }
    head.resize(head.len() + count, ACCEPT_CHARSET);
    frame(1, END_HEADERS, stream, &head)
}

/// The frames in these bytes: type, stream and payload. An incomplete frame at the end is ignored.
#[must_use]
pub fn frames(mut bytes: &[u8]) -> Vec<(u8, u32, Vec<u8>)> {
    let mut frames = Vec::new();
    while let Some(head) = bytes.get(..9) {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let Some(payload) = bytes.get(9..9 + length) else {
            break;
        };
        frames.push((head[3], stream, payload.to_vec()));
        bytes = &bytes[9 + length..];
    }
    frames
}
