//! Why an invoice cannot be combined, extracted or read.

use super::{NotAnInvoice, ReadError, Reason};
use crate::xml::XmlError;
use erp_pdf::PdfError;

/// Why an invoice cannot be combined, extracted or read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The PDF cannot be read.
    #[error(transparent)]
    Pdf(#[from] PdfError),
    /// The XML cannot be embedded.
    #[error("the XML is not an invoice that can be embedded: {0}")]
    Xml(#[from] NotAnInvoice),
    /// The XML is not well-formed.
    #[error("the XML is not well-formed: {0}")]
    NotWellFormed(#[from] XmlError),
    /// The XML is larger than allowed.
    #[error("the XML has {size} bytes, {limit} are allowed")]
    XmlTooLarge {
        /// Bytes of the XML.
        size: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// There is no invoice in the PDF.
    #[error("the PDF has no embedded invoice{}", list_names(.attachments))]
    NoInvoice {
        /// The names of the attachments.
        attachments: Vec<String>,
    },
    /// There is no invoice with the wanted name in the PDF.
    #[error("the PDF has no embedded invoice of the name `{file_name}`{}", list_names(.attachments))]
    NoSuchInvoice {
        /// The wanted name.
        file_name: String,
        /// The names of the attachments.
        attachments: Vec<String>,
    },
    /// The PDF is encrypted and may not be decrypted.
    #[error(
        "the PDF is encrypted; a hybrid invoice must not be, and decrypting is not switched on"
    )]
    Encrypted,
    /// The XML is not an invoice that can be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// PDF/A is required and cannot be claimed.
    #[error("the PDF cannot become PDF/A-3: {}", list_reasons(.reasons))]
    NotPdfa {
        /// Why not.
        reasons: Vec<Reason>,
    },
}

fn list_names(names: &[String]) -> String {
    // A file may have thousands.
    const SHOWN: usize = 5;
    if names.is_empty() {
        return ", nothing is attached".to_owned();
    }
    let shown = names.iter().take(SHOWN);
    let shown: Vec<String> = shown.map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    format!(", attached are {}{more}", shown.join(", "))
}

fn list_reasons(reasons: &[Reason]) -> String {
    let shown: Vec<String> = reasons.iter().take(5).map(ToString::to_string).collect();
    let more = if reasons.len() > 5 { "; ..." } else { "" };
    format!("{}{more}", shown.join("; "))
}
