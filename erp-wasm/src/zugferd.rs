//! Invoices in PDF files.

use erp_core::offline;
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

/// The defaults, with the encodings that browsers and node bring with them.
const LIMITS: Limits = Limits {
    detect: DetectLimits {
        decode_text,
        ..DetectLimits::DEFAULT
    },
    ..Limits::DEFAULT
};

/// Names that the Encoding Standard knows and that stand for nothing that may be decoded; `TextDecoder` refuses them.
const REPLACEMENT: [&str; 6] = [
    "replacement",
    "iso-2022-kr",
    "csiso2022kr",
    "hz-gb-2312",
    "iso-2022-cn",
    "iso-2022-cn-ext",
];

fn decode_text(encoding: &str, bytes: &[u8]) -> Option<String> {
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

/// Bytes with what is told of them.
#[wasm_bindgen]
#[derive(Debug)]
pub struct File(offline::File);

#[wasm_bindgen]
impl File {
    /// `{"data": ...}`, or an error body.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.text.clone()
    }

    /// The bytes, none after an error; gives the memory back.
    #[must_use]
    #[wasm_bindgen(js_name = intoBytes)]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.bytes
    }
}

/// Puts an invoice into a PDF.
#[wasm_bindgen(js_name = zugferdCombine)]
#[must_use]
pub fn zugferd_combine(pdf: &[u8], xml: &[u8], options: &str) -> File {
    File(offline::zugferd_combine(pdf, xml, options, LIMITS))
}

/// Takes the invoice out of a PDF.
#[wasm_bindgen(js_name = zugferdExtract)]
#[must_use]
pub fn zugferd_extract(pdf: &[u8], options: &str) -> File {
    File(offline::zugferd_extract(pdf, options, LIMITS))
}

/// Tells what a PDF is and what is attached to it.
#[wasm_bindgen(js_name = zugferdInspect)]
#[must_use]
pub fn zugferd_inspect(pdf: &[u8]) -> String {
    offline::zugferd_inspect(pdf, &LIMITS)
}
