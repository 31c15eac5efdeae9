//! The e-invoice processor of `POST /www/zugferd`: parses the body, processes a bounded number of invoices outside the
//! async threads, and stores work files on request.
//!
//! Memory per request: its body, one decoded copy of its files, the result. All bodies share one memory budget as they
//! arrive; when memory or the queue is full, the request is rejected with 503.

mod base64;
mod findings;
mod headers;
mod operation;
mod process;
mod request;
mod work_files;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use erp_core::Reading;
use erp_core::sentence::Locale;
use jiff::Timestamp;
use salvo::http::HeaderValue;
use salvo::http::header::{CONTENT_DISPOSITION, HeaderName, X_CONTENT_TYPE_OPTIONS};
use serde_json::json;

pub use operation::Operation;
pub use process::Done;
pub use request::Request;

use self::process::Failed;
use self::work_files::WorkFiles;
use crate::lane::Lane;
use crate::observe::counters::Invoices;
use crate::web::{ApiError, ApiRequest, ApiResponse, Charset, MemoryBudget};

const PDF_A: HeaderName = HeaderName::from_static("x-pdf-a");
const INVOICE_FILES: HeaderName = HeaderName::from_static("x-invoice-files");
const INVOICE_CHECK: HeaderName = HeaderName::from_static("x-invoice-check");
const INVOICE_PROFILE: HeaderName = HeaderName::from_static("x-invoice-profile");

/// Bodies of maximum length that fit into the memory.
const BODIES: u64 = 8;

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

/// Who asks for an invoice.
#[derive(Clone, Copy, Debug)]
pub struct InvoiceCaller<'a> {
    /// The caller of the lane.
    pub name: &'a str,
    /// Whether work files are kept for it without a setting.
    pub is_admin: bool,
}

/// The processor of a server. Clones share its limits.
#[derive(Clone)]
pub struct Processor(Arc<ProcessorParts>);

struct ProcessorParts {
    lane: Lane,
    budget: MemoryBudget,
    options: ZugferdOptions,
    work_files: WorkFiles,
    counted: Invoices,
}

impl Processor {
    /// A processor that works in this lane and counts the results of invoices.
    pub fn counted(options: &ZugferdOptions, lane: Lane, counted: Invoices) -> Self {
        Self(Arc::new(ProcessorParts {
            lane,
            budget: MemoryBudget::new(options.body_bytes.saturating_mul(BODIES)),
            options: options.clone(),
            work_files: WorkFiles::new(&options.data_dir, options.work_bytes),
            counted,
        }))
    }

    /// Processes the request in the body of a call.
    /// Errors: 400, 413, 415 and 422 for the body, 400 `endpoint` for an invoice that cannot be processed, 503 under overload.
    pub async fn run(
        &self,
        caller: InvoiceCaller<'_>,
        request: &mut ApiRequest,
    ) -> Result<Done, ApiError> {
        match self.answer(caller, request).await {
            // What was processed is counted there, with its outcome.
            Ok(processed) => Ok(processed?),
            Err(error) => {
                self.0.counted.refused(error.status());
                Err(error)
            }
        }
    }

    async fn answer(
        &self,
        caller: InvoiceCaller<'_>,
        request: &mut ApiRequest,
    ) -> Result<Result<Done, Failed>, ApiError> {
        let mut memory = self.0.budget.permit();
        let reserve = |bytes| {
            let too_many = || ApiError::unavailable("too many bytes of e-invoices are in memory");
            memory.grow_to(bytes).then_some(()).ok_or_else(too_many)
        };
        let (charset, body) = request
            .json_bytes(self.0.options.body_bytes, reserve)
            .await?;
        let id = request.request_id().to_string();
        let inner = Arc::clone(&self.0);
        let keeps = caller.is_admin || self.0.options.debug_of_shops;
        let locale = request.locale();
        let job = move || {
            let _held = memory;
            inner.answer((&id, keeps, locale), charset, body)
        };
        self.0.lane.run(caller.name, job).await?
    }

    /// Removes work files that are older than a week; returns the number of removed requests.
    /// Blocks for some file operations.
    pub fn remove_old_work_files(&self, now: SystemTime) -> io::Result<usize> {
        self.0.work_files.remove_old(now)
    }
}

impl ProcessorParts {
    fn answer(
        &self,
        (id, keeps, locale): (&str, bool, Locale),
        charset: Charset,
        body: Vec<u8>,
    ) -> Result<Result<Done, Failed>, ApiError> {
        let mut request = Request::read(charset, &body, self.options.reading)?;
        request.locale = locale;
        drop(body);
        let now = Timestamp::now();
        let result = process::process(&request, &self.options, now);
        let outcome = outcome(&result);
        self.counted.processed(request.operation.word(), outcome);
        log(id, &request, &result, outcome);
        if request.debug && keeps {
            self.keep(id, now, &request, &result);
        } else if request.debug {
            tracing::warn!(
                request_id = id,
                "`Debug` of a shop is ignored: the setting `zugferd_debug` is off"
            );
        }
        Ok(result)
    }

    /// Stores the work files. Errors are logged and do not fail the invoice.
    fn keep(&self, id: &str, now: Timestamp, request: &Request, result: &Result<Done, Failed>) {
        let inputs = [("input.pdf", &request.pdf), ("input.xml", &request.xml)];
        let inputs = inputs.into_iter().filter(|(_, bytes)| !bytes.is_empty());
        let mut files: Vec<(&str, &[u8])> = inputs.map(|(name, bytes)| (name, &**bytes)).collect();
        if let Ok(done) = result {
            match done.operation {
                Operation::Combine => files.push(("output.pdf", &done.bytes)),
                Operation::Extract => files.push(("output.xml", &done.bytes)),
                // The report below has it.
                Operation::Check => {}
                Operation::Report => files.push(("output.html", &done.bytes)),
                Operation::Read => files.push(("output.json", &done.bytes)),
            }
        }
        let report = format!("{:#}", process::report(id, now, request, result));
        files.push(("report.json", report.as_bytes()));
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        match self.work_files.keep(id, &files) {
            Ok(folder) => {
                let folder = Path::new(work_files::FOLDER).join(folder);
                let (folder, files) = (folder.display().to_string(), names.join(", "));
                tracing::info!(request_id = id, folder, files, "e-invoice work files kept");
            }
            Err(error) => {
                tracing::warn!(request_id = id, %error, "e-invoice work files could not be kept");
            }
        }
    }
}

fn outcome(result: &Result<Done, Failed>) -> &'static str {
    match result {
        Ok(done) if matches!(done.operation, Operation::Check | Operation::Report) => {
            findings::word(&done.check)
        }
        Ok(done) => done.pdfa.as_ref().map_or("done", |pdfa| pdfa.word()),
        Err(_) => "failed",
    }
}

/// Logs one line per invoice, and with `Verbose` one line per step. Names of attachments may be logged, contents never.
fn log(id: &str, request: &Request, result: &Result<Done, Failed>, outcome: &'static str) {
    let steps = match result {
        Ok(done) => &done.steps,
        Err(failed) => &failed.steps,
    };
    tracing::info!(
        request_id = id,
        operation = request.operation.word(),
        pdf_bytes = request.pdf.len(),
        xml_bytes = request.xml.len(),
        outcome,
        "e-invoice"
    );
    if request.verbose {
        for step in steps {
            tracing::info!(request_id = id, step, "e-invoice step");
        }
    }
}

impl Done {
    /// The response: the file or the report, with what is known of it in the headers.
    pub fn into_answer(self) -> Result<ApiResponse, ApiError> {
        let file_name = self.file_name.as_deref();
        let profile = self.profile.as_ref();
        let headers = [
            (CONTENT_DISPOSITION, file_name.map(headers::attachment)),
            (PDF_A, self.pdfa.as_ref().map(headers::pdf_a)),
            (INVOICE_PROFILE, profile.map(headers::profile)),
            (INVOICE_FILES, headers::files(&self.files)),
            (INVOICE_CHECK, Some(headers::check(&self.check))),
            (X_CONTENT_TYPE_OPTIONS, Some("nosniff".to_owned())),
        ];
        let headers = headers.into_iter().filter_map(|(name, text)| {
            let value = HeaderValue::try_from(text?).ok()?;
            Some((name, value))
        });
        let response = match self.operation {
            Operation::Combine => file("application/pdf", self.bytes),
            Operation::Extract => file("application/xml", self.bytes),
            Operation::Report => file("text/html; charset=utf-8", self.bytes).said_in(self.locale),
            Operation::Check => ApiResponse::json(&json!({"data": self.check}))?,
            Operation::Read => ApiResponse::json_bytes(self.bytes),
        };
        Ok(response.headers(headers))
    }
}

fn file(content_type: &'static str, bytes: Vec<u8>) -> ApiResponse {
    ApiResponse::bytes(HeaderValue::from_static(content_type), bytes)
}
