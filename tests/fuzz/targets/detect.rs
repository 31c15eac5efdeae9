//! Any bytes as the XML of an invoice.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| erp_fuzz::detect(bytes));
