//! The operations of `POST /www/zugferd` and the files they need.

use erp_core::Problems;
use erp_core::problem::{Code, Path};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Combine,
    Extract,
    /// Check the XML, or the one in the PDF.
    Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) pdf: bool,
    pub(super) xml: bool,
}

impl Operation {
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Combine => "Combine",
            Self::Extract => "Extract",
            Self::Check => "Check",
        }
    }

    /// The operation of this name, in any case.
    pub(super) fn read(word: &str, problems: &mut Problems) -> Option<Self> {
        let known = [Self::Combine, Self::Extract, Self::Check];
        let found = known
            .into_iter()
            .find(|operation| operation.word().eq_ignore_ascii_case(word));
        if found.is_none() {
            let shown: String = word.chars().take(40).collect();
            problems.add(
                &Path::ROOT.member("Operation"),
                Code::UnknownValue,
                format!("expected `Combine`, `Extract` or `Check`, found `{shown}`"),
            );
        }
        found
    }

    /// The files that are read; a file that is not needed may be anything.
    pub(super) const fn needs(self, has_pdf: bool, has_xml: bool) -> Needs {
        match self {
            Self::Combine => Needs {
                pdf: true,
                xml: true,
            },
            Self::Extract => Needs {
                pdf: true,
                xml: false,
            },
            // The body of a `Combine` has both: its XML is what a client wants to know about.
            Self::Check => {
                let pdf = has_pdf && !has_xml;
                Needs { pdf, xml: !pdf }
            }
        }
    }
}
