//! Any bytes as the XML of an invoice, and as XMP metadata.
#![no_main]

use erp_zugferd::xmp::{self, Changes, FxProperties};
use erp_zugferd::{DetectLimits, detect, detect_loose};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = DetectLimits::DEFAULT;
    let strict = detect(bytes, &limits);
    if let Ok(profile) = &strict {
        let loose = detect_loose(bytes, &limits).expect("what is accepted is recognised");
        assert_eq!(loose.profile.as_ref(), Some(profile));
        let invoice = Some(FxProperties::of(profile, profile.file_name()));
        let changes = Changes { invoice, ..Changes::default() };
        xmp::edit(None, &changes).expect("metadata can be made for it");
    }
    let _ = xmp::faults(bytes);
    if let Ok(edited) = xmp::edit(Some(bytes), &Changes::default()) {
        xmp::read(&edited).expect("what was edited can be read");
    }
});
