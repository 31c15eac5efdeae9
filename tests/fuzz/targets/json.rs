//! Any text as JSON, with long runs of digits: a `#` is replaced by as many digits as the first two bytes say.
#![no_main]

use erp_core::json::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(([high, low], text)) = bytes.split_first_chunk() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let digits = "7".repeat(2 * usize::from(u16::from_be_bytes([*high, *low])));
    let text = text.replacen('#', &digits, 3);
    let ours = read(&text);
    // The reader differs from serde_json only where a number does not fit into f64 or a name is repeated.
    if let Ok(value) = &ours {
        assert_eq!(read(&value.to_string()).as_ref().ok(), Some(value), "what is written reads the same");
    } else if let Ok(theirs) = serde_json::from_str::<serde_json::Value>(&text) {
        let twice = ours.unwrap_err().to_string();
        assert!(twice.contains("given twice"), "{theirs}: {twice}");
    }
});
