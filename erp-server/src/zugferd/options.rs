//! Options of the e-invoice processor.

use std::path::PathBuf;

use erp_core::Reading;

// rule: R-LIM-07
/// Options of the processor: the settings `zugferd_*`.
#[derive(Clone, Debug)]
pub struct ZugferdOptions {
    pub reading: Reading,
    /// Longest body of a request.
    pub body_bytes: u64,
    /// Refuse a PDF that cannot become PDF/A-3.
    pub require_pdfa: bool,
    /// Refuse an invoice with fatal findings.
    pub require_valid: bool,
    /// Remove the encryption of a PDF that opens without a password.
    pub decrypt: bool,
    /// Invoices processed at once; `None` for the number of cores.
    pub parallel: Option<usize>,
    /// Keep the work files of shops that ask for it with `Debug`; those of admins are kept.
    pub debug_of_shops: bool,
    /// Folder that holds the folder of the work files.
    pub data_dir: PathBuf,
    pub work_bytes: u64,
}
