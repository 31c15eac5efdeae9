//! E-invoices in PDF files: ZUGFeRD, Factur-X, XRechnung in a PDF and Order-X; and the check of invoices by EN 16931.
// Its code is tested.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod attachments;
mod combine;
mod detect;
mod embed;
mod error;
mod extract;
mod icc;
mod inspect;
mod json;
mod limits;
mod metadata;
mod outcome;
mod password;
mod profile;
mod repair;
mod survey;
mod xmp;

pub use combine::{CombineOptions, Combined, combine};
pub use detect::{DetectLimits, Format, NotAnInvoice, detect, detect_loose};
pub use erp_invoice_check::html::{IndexEntry, check_html, index_html};
pub use erp_invoice_check::xml::{self, text::DecodeText};
pub use erp_invoice_check::{
    CheckLimits, Finding, Language, ReadError, Report, Severity, check, read,
};
pub use error::Error;
pub use extract::{ExtractOptions, Extracted, OtherInvoice, extract};
pub use inspect::{
    CrossReference, Encryption, InspectedAttachment, InspectedInvoice, Inspection, MetadataInvoice,
    PdfaClaim, inspect, inspect_with,
};
pub use limits::Limits;
pub use outcome::{PdfaOutcome, Reason, Step};
pub use password::Password;
pub use profile::{DocumentType, Level, Profile, Relationship, Standard, known_namespaces};
pub use xmp::{InvoiceFacts, XmpFacts};

pub use erp_pdf::{Limits as PdfLimits, PdfError};
pub use erp_pdfa as pdfa;
pub use erp_pdfa::xmp::{PacketHeader, PdfaIdentification, SchemaFacts, TextEncoding};
