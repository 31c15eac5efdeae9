//! Any bytes as the XML of an invoice.
#![no_main]

use erp_zugferd::{DetectLimits, detect, detect_loose};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = DetectLimits::DEFAULT;
    if let Ok(profile) = detect(bytes, &limits) {
        let loose = detect_loose(bytes, &limits).expect("what is accepted is recognised");
        assert_eq!(loose.profile, Some(profile));
    }
});
