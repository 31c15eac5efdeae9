//! The operations of `POST /www/zugferd` and the files they need.

use erp_core::{Code, Problems};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Combine,
    Extract,
    /// Check the XML, or the one in the PDF.
    Check,
    /// Check as `Check` does, and show the findings beside the XML as an HTML document to save.
    Report,
    /// Tell what the XML says, or the one in the PDF.
    Read,
}

impl Operation {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Combine => "Combine",
            Self::Extract => "Extract",
            Self::Check => "Check",
            Self::Report => "Report",
            Self::Read => "Read",
        }
    }

    /// The operation of this name, in any case.
    pub(super) fn read(word: &str, problems: &mut Problems) -> Option<Self> {
        let known = [
            Self::Combine,
            Self::Extract,
            Self::Check,
            Self::Report,
            Self::Read,
        ];
        let found = known
            .into_iter()
            .find(|operation| operation.word().eq_ignore_ascii_case(word));
        if found.is_none() {
            let shown: String = word.chars().take(40).collect();
            let message = sentence!("unknown_value.operation", shown);
            problems.add("Operation", Code::UnknownValue, message);
        }
        found
    }

    /// Whether the PDF is read, and whether the XML is; a file that is not needed may be anything.
    pub(super) const fn needs(self, has_pdf: bool, has_xml: bool) -> (bool, bool) {
        // The body of a `Combine` has both: its XML is what a client wants to know about.
        let takes_pdf = has_pdf && !has_xml;
        match self {
            Self::Combine => (true, true),
            Self::Extract => (true, false),
            Self::Check | Self::Report | Self::Read => (takes_pdf, !takes_pdf),
        }
    }
}
