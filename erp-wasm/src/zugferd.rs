//! Invoices in PDF files.

use erp_core::internal::offline;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::encodings::LIMITS;

/// Bytes and their description.
#[wasm_bindgen(js_name = File)]
#[derive(Debug)]
pub struct FileResult(offline::FileResult);

#[wasm_bindgen(js_class = File)]
impl FileResult {
    /// `{"data": ...}`, or an error body.
    pub fn text(&self) -> String {
        self.0.text.clone()
    }

    /// The bytes, none after an error; gives the memory back.
    #[wasm_bindgen(js_name = intoBytes)]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.bytes
    }
}

/// Puts an invoice into a PDF.
#[wasm_bindgen(js_name = zugferdCombine)]
pub fn zugferd_combine(pdf: &[u8], xml: &[u8], options: &str) -> FileResult {
    FileResult(offline::zugferd_combine(pdf, xml, options, LIMITS))
}

/// Takes the invoice out of a PDF.
#[wasm_bindgen(js_name = zugferdExtract)]
pub fn zugferd_extract(pdf: &[u8], options: &str) -> FileResult {
    FileResult(offline::zugferd_extract(pdf, options, LIMITS))
}

/// Describes a PDF and its attachments.
#[wasm_bindgen(js_name = zugferdInspect)]
pub fn zugferd_inspect(pdf: &[u8]) -> String {
    offline::zugferd_inspect(pdf, &LIMITS)
}
