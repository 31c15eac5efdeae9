//! Any text as JSON, with long runs of digits: a `#` is replaced by as many digits as the first two bytes say.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| erp_fuzz::json(bytes));
