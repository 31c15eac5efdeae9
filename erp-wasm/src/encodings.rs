//! The encodings of XML that browsers and node bring with them.

use erp_core::zugferd::{DetectLimits, Limits};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    type TextDecoder;
    #[wasm_bindgen(constructor, catch)]
    fn new(label: &str) -> Result<TextDecoder, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn encoding(this: &TextDecoder) -> String;
    #[wasm_bindgen(method, catch)]
    fn decode(this: &TextDecoder, bytes: &[u8]) -> Result<String, JsValue>;
}

/// The limits of invoice files: the defaults, with these encodings.
pub(crate) const LIMITS: Limits = Limits {
    detect: DetectLimits {
        decode_text,
        ..DetectLimits::DEFAULT
    },
    ..Limits::DEFAULT
};

/// Names that the Encoding Standard lists but that may not be decoded; `TextDecoder` refuses them.
const REPLACEMENT: [&str; 6] = [
    "replacement",
    "iso-2022-kr",
    "csiso2022kr",
    "hz-gb-2312",
    "iso-2022-cn",
    "iso-2022-cn-ext",
];

pub(crate) fn decode_text(encoding: &str, bytes: &[u8]) -> Option<String> {
    let utf_8 = || Some(String::from_utf8_lossy(bytes).into_owned());
    if REPLACEMENT
        .iter()
        .any(|name| encoding.eq_ignore_ascii_case(name))
    {
        return utf_8();
    }
    let decoder = TextDecoder::new(encoding).ok()?;
    // A declaration that could be read byte by byte is not in a two-byte encoding.
    if decoder.encoding().starts_with("utf-") {
        return utf_8();
    }
    decoder.decode(bytes).ok()
}
