//! The e-invoice endpoint (interface: `POST /www/zugferd`).

use super::record::wire_record;

wire_record! {
    // rule: R-ZUG-01
    /// Body of `POST /www/zugferd`.
    pub struct ZugferdBody {
        /// What to do: `Extract` takes the XML out of the PDF, `Combine` embeds the XML in the PDF.
        operation "Operation": text required,
        /// The PDF, Base64.
        pdf "PDF": text required,
        /// The XML, Base64; used by `Combine`.
        xml "XML": text,
        /// The file name of the invoice to take out where there are several; used by `Extract`.
        file_name "Datei": text,
        /// Whether to write verbose output to the server log.
        verbose "Verbose": bool,
        /// Whether to keep the work files.
        debug "Debug": bool,
    }
}
