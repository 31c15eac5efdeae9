//! What a shop needs beyond addresses.

use erp_core::internal::offline;
use wasm_bindgen::prelude::wasm_bindgen;

/// The problems of a body of `POST /www/kunden`.
#[wasm_bindgen(js_name = validateCustomer)]
pub fn validate_customer(body: &str, strict: bool, language: &str) -> String {
    offline::validate_customer(body, strict, language)
}

/// The problems of a body of `POST /www/auftrag`.
#[wasm_bindgen(js_name = validateOrder)]
pub fn validate_order(body: &str, strict: bool, language: &str) -> String {
    offline::validate_order(body, strict, language)
}

/// The problems of a body of `POST /www/offerte`.
#[wasm_bindgen(js_name = validateOffer)]
pub fn validate_offer(body: &str, strict: bool, language: &str) -> String {
    offline::validate_offer(body, strict, language)
}

/// The problems of a body of `PUT /www/auftrag`.
#[wasm_bindgen(js_name = validateConversion)]
pub fn validate_conversion(body: &str, strict: bool, language: &str) -> String {
    offline::validate_conversion(body, strict, language)
}

/// The problems of a body of `PATCH /www/offerte`.
#[wasm_bindgen(js_name = validateOfferChange)]
pub fn validate_offer_change(body: &str, strict: bool, language: &str) -> String {
    offline::validate_offer_change(body, strict, language)
}

/// The problems of a body of `PATCH /www/adressen/{AdrNr}`.
#[wasm_bindgen(js_name = validateAddressChange)]
pub fn validate_address_change(body: &str, strict: bool, language: &str) -> String {
    offline::validate_address_change(body, strict, language)
}

/// The price of one position, from article responses.
#[wasm_bindgen(js_name = priceOf)]
pub fn price_of(position: &str, articles: &str, settings: &str) -> String {
    offline::price_of_text(position, articles, settings)
}

/// The totals of a body, from article responses.
#[wasm_bindgen(js_name = totalsOf)]
pub fn totals_of(body: &str, articles: &str, settings: &str) -> String {
    offline::totals_of_text(body, articles, settings)
}
