//! The e-invoice endpoint (interface: `POST /www/zugferd`).

use erp_derive::Record;
use smol_str::SmolStr;

use crate::values::text::Text;

/// Body of `POST /www/zugferd`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Body = "ZugferdBody")]
pub struct ZugferdBody {
    /// What to do: `Combine` embeds the XML in the PDF, `Extract` takes the XML out of the PDF, `Check` reports the rules that the invoice breaks, `Report` does so as an HTML document to save, `Read` tells what it says.
    #[wire("Operation", required, words("Combine Extract Check Report Read"))]
    pub operation: Option<SmolStr>,
    /// The PDF, Base64; `Check`, `Report` and `Read` use it where there is no `XML`.
    #[wire("PDF", base64)]
    pub pdf: Option<SmolStr>,
    /// The XML, Base64; used by `Combine`, `Check`, `Report` and `Read`.
    #[wire("XML", base64)]
    pub xml: Option<SmolStr>,
    /// The file name of the invoice to take out where there are several; used by `Extract`, `Check`, `Report` and `Read`.
    #[wire("Datei")]
    pub file_name: Option<Text<1_000>>,
    /// The password of an encrypted PDF, the user's or the owner's; `Combine` removes the encryption then. No log and no work file has it.
    #[wire("Passwort")]
    pub password: Option<Text<127>>,
    /// Whether to write verbose output to the server log.
    #[wire("Verbose")]
    pub verbose: Option<bool>,
    /// Whether to keep the work files.
    #[wire("Debug")]
    pub debug: Option<bool>,
}
