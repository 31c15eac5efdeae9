//! The steps and the result of combining.

use super::{Profile, Standard};
use crate::xml::XmlError;
use erp_pdfa::PdfaFault;
use std::fmt;

/// Whether the result says it is PDF/A-3, and why (not).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PdfaOutcome {
    /// The input was PDF/A-3 and still is.
    Kept,
    /// The input was PDF/A-1 or 2 and is PDF/A-3 now.
    Upgraded,
    /// The input was not valid PDF/A and is now: its violations were repaired.
    Repaired,
    /// The result makes no claim.
    NotClaimed {
        /// Why no PDF/A claim is made.
        reasons: Vec<Reason>,
    },
}

impl PdfaOutcome {
    /// The word of the outcome in the header and the report, for example `not-claimed`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Upgraded => "upgraded",
            Self::Repaired => "lifted",
            Self::NotClaimed { .. } => "not-claimed",
        }
    }

    /// Why no PDF/A claim is made; empty when one is made.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Self::NotClaimed { reasons } => reasons,
            _ => &[],
        }
    }
}

// rule: R-ZUG-14
/// Why no PDF/A claim is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The clause of ISO 19005-3; empty if there is none.
    pub clause: &'static str,
    /// The page, from 1.
    pub page: Option<u32>,
    /// The number of the object.
    pub object: Option<u32>,
    /// A part of a sentence, for example: font `Helvetica` is not embedded.
    pub text: String,
}

impl Reason {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self {
            clause: "",
            page: None,
            object: None,
            text: text.into(),
        }
    }

    pub(super) fn in_metadata(fault: &erp_pdfa::xmp::XmpFault) -> Self {
        Self {
            clause: fault.kind.clause(),
            ..Self::plain(&*fault.what)
        }
    }

    pub(super) fn of(fault: &PdfaFault) -> Self {
        Self {
            clause: fault.clause,
            page: fault.place.page,
            object: fault.place.object,
            text: fault.text.clone(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)?;
        let page = self.page.map(|page| format!("page {page}"));
        let object = self.object.map(|object| format!("object {object}"));
        let clause = (!self.clause.is_empty()).then(|| format!("clause {}", self.clause));
        let parts: Vec<String> = [page, object, clause].into_iter().flatten().collect();
        if parts.is_empty() {
            Ok(())
        } else {
            write!(out, " ({})", parts.join(", "))
        }
    }
}

/// One thing that was done, in its order; its text is a line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The PDF was opened.
    Opened {
        /// Its bytes.
        bytes: usize,
    },
    /// Its cross-reference is broken; the objects were looked for in the whole file.
    Rebuilt,
    /// Its encryption was removed.
    Decrypted,
    /// What the XML is.
    Recognised(Profile),
    /// A lower level of PDF/A is claimed than before.
    Lowered {
        /// The letter of the level before.
        from: &'static str,
        /// The letter of the level now.
        to: &'static str,
        /// Why.
        reason: String,
    },
    /// Why the XML that is handed out is not well-formed.
    NotWellFormed(XmlError),
    /// An attached invoice that is not the one taken.
    AlsoAttached {
        /// Its name.
        file_name: String,
        /// Its standard.
        standard: Standard,
    },
    /// An invoice was found.
    Found {
        /// Its name.
        file_name: String,
        /// Its bytes.
        bytes: usize,
    },
    /// An existing invoice was removed.
    Replaced {
        /// Its name.
        file_name: String,
    },
    /// The invoice was embedded.
    Embedded {
        /// Its name.
        file_name: String,
        /// Its bytes.
        bytes: usize,
    },
    /// The bytes of the PDF were kept and the changes appended.
    Appended {
        /// Bytes that were added.
        bytes: usize,
    },
    /// The PDF was rewritten.
    Rewritten {
        /// Objects that could not be read and are lost.
        lost: Vec<u32>,
    },
    /// A PDF/A violation was repaired.
    Repaired(Reason),
    /// Signatures are in the file; its bytes were kept.
    Signed,
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opened { bytes } => write!(out, "opened a PDF of {bytes} bytes"),
            Self::Rebuilt => out.write_str(
                "the cross-reference is broken: looked for the objects in the whole file",
            ),
            Self::Decrypted => out.write_str("took the encryption off"),
            Self::Recognised(profile) => {
                let (standard, level) = (profile.standard, profile.xmp_level());
                let guideline = &profile.guideline;
                write!(out, "recognised {standard} {level} (`{guideline}`)")
            }
            Self::Lowered { from, to, reason } => {
                write!(out, "the level of PDF/A is {to} and not {from}: {reason}")
            }
            Self::NotWellFormed(error) => write!(out, "the XML is not well-formed: {error}"),
            Self::AlsoAttached {
                file_name,
                standard,
            } => {
                write!(
                    out,
                    "another invoice is attached: `{file_name}` ({standard})"
                )
            }
            Self::Found { file_name, bytes } => write!(out, "found `{file_name}` of {bytes} bytes"),
            Self::Replaced { file_name } => write!(out, "took out the invoice `{file_name}`"),
            Self::Embedded { file_name, bytes } => {
                write!(out, "embedded `{file_name}` of {bytes} bytes")
            }
            Self::Appended { bytes } => write!(out, "kept the PDF and appended {bytes} bytes"),
            Self::Rewritten { lost } if lost.is_empty() => out.write_str("rewrote the PDF"),
            Self::Rewritten { lost } => {
                let lost = lost.len();
                write!(out, "rewrote the PDF; {lost} unreadable objects are lost")
            }
            Self::Repaired(reason) => write!(out, "cured: {reason}"),
            Self::Signed => out.write_str("the PDF is signed: its bytes were kept"),
        }
    }
}
