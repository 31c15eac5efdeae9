//! What an invoice PDF may cost.

use crate::xml::XmlLimits;
use crate::{DetectLimits, PdfLimits};

// rule: R-ZUG-23
/// Bounds on the work and the memory of [`combine`](super::combine), [`extract`](super::extract) and
/// [`inspect`](super::inspect).
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bounds on reading the PDF.
    pub pdf: PdfLimits,
    /// How much of an XML is read to detect its kind.
    pub detect: DetectLimits,
    /// Bytes of the XML, embedded or to be embedded.
    pub xml_bytes: usize,
    /// Bytes of the XMP metadata.
    pub xmp_bytes: usize,
    /// Objects up to which a file that claims no PDF/A is looked through for whether it could; a larger one is not.
    pub repaired_objects: usize,
}

impl Limits {
    /// 16 MiB of XML, 4 MiB of metadata; the PDF as in [`PdfLimits::DEFAULT`].
    pub const DEFAULT: Self = Self {
        pdf: PdfLimits::DEFAULT,
        detect: DetectLimits::DEFAULT,
        xml_bytes: 16 << 20,
        xmp_bytes: 4 << 20,
        repaired_objects: 100_000,
    };

    /// Bounds on proving that an XML is well-formed.
    pub const fn xml(&self) -> XmlLimits {
        XmlLimits {
            bytes: self.xml_bytes,
            decode_text: self.detect.decode_text,
            ..XmlLimits::DEFAULT
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
