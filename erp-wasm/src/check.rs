//! The check of e-invoices, and what they say.

use erp_core::internal::offline;
use erp_core::zugferd::CheckLimits;
use erp_core::zugferd::xml::XmlLimits;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::encodings::{LIMITS, decode_text};

const CHECK_LIMITS: CheckLimits = CheckLimits {
    xml: XmlLimits {
        decode_text,
        ..XmlLimits::DEFAULT
    },
    ..CheckLimits::DEFAULT
};

/// The report on an invoice: an XML, or a PDF with one inside.
#[wasm_bindgen(js_name = checkInvoice)]
pub fn check_invoice(file: &[u8], options: &str) -> String {
    offline::check_invoice(file, options, LIMITS, &CHECK_LIMITS)
}

/// The report on an invoice, as of [`check_invoice`], as an HTML document.
#[wasm_bindgen(js_name = reportHtml)]
pub fn report_html(file: &[u8], options: &str) -> String {
    offline::report_html(file, options, LIMITS, &CHECK_LIMITS)
}

/// What an invoice says: an XML, or a PDF with one inside.
#[wasm_bindgen(js_name = readInvoice)]
pub fn read_invoice(file: &[u8], options: &str) -> String {
    offline::read_invoice(file, options, LIMITS, &CHECK_LIMITS)
}
