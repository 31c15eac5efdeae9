//! The limits of invoice files in browsers and node.

use erp_core::zugferd::{DetectLimits, Limits};

use crate::encodings::decode_text;

/// The defaults, with the encodings that browsers and node bring with them.
pub(crate) const LIMITS: Limits = Limits {
    detect: DetectLimits {
        decode_text,
        ..DetectLimits::DEFAULT
    },
    ..Limits::DEFAULT
};
