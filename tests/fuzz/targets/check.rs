//! Any bytes as an invoice to check.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| erp_fuzz::check(bytes));
