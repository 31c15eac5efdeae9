//! The e-invoice endpoint (interface: `POST /www/zugferd`).

use super::record::wire_record;

wire_record! {
    /// Body of `POST /www/zugferd`.
    pub struct ZugferdBody {
        /// What to do: `Combine` embeds the XML in the PDF, `Extract` takes the XML out of the PDF, `Check` reports the rules that the invoice breaks.
        operation "Operation": text required,
        /// The PDF, Base64; `Check` uses it where there is no `XML`.
        pdf "PDF": text,
        /// The XML, Base64; used by `Combine` and `Check`.
        xml "XML": text,
        /// The file name of the invoice to take out where there are several; used by `Extract` and `Check`.
        file_name "Datei": text,
        /// Whether to write verbose output to the server log.
        verbose "Verbose": bool,
        /// Whether to keep the work files.
        debug "Debug": bool,
    }
}
