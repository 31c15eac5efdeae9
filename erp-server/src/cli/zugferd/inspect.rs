//! `erp-server zugferd inspect`.

use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::zugferd::{
    CrossReference, Encryption, InspectedAttachment, Inspection, Limits, MetadataInvoice,
    inspect_with,
};

use super::batch::{Batch, json_line, read};
use super::extract::visible;
use super::password::PasswordArgs;
use crate::cli::failure::Failure;
use crate::cli::print::ListArgs;

/// Maximum of faults in readable output; `--json` has all.
const SHOWN_FAULTS: usize = 20;

/// Report what PDF files are, what is attached to them, and their faults against PDF/A-3
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server zugferd inspect --json invoice.pdf")]
pub(in crate::cli) struct Inspect {
    /// PDF files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    list: ListArgs,
}

impl Inspect {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        let mut batch = Batch::new(self.files.len(), false);
        let password = self.password.read()?;
        for pdf in &self.files {
            batch.file(pdf, || {
                let inspection = inspect_with(&read(pdf)?, &password, &Limits::DEFAULT);
                let inspection = inspection.map_err(|error| error.to_string())?;
                if self.list.json {
                    Ok(vec![json_line(pdf, None, &inspection)?])
                } else {
                    Ok(lines(pdf, &inspection))
                }
            });
        }
        batch.end()
    }
}

fn lines(pdf: &Path, inspection: &Inspection) -> Vec<String> {
    let mut lines = vec![
        format!("{}:", pdf.display()),
        format!("  {}", frame(inspection)),
    ];
    lines.push(match &inspection.pdfa_claim {
        Some(claim) => {
            let part = claim.part.as_deref().unwrap_or("?");
            let level = claim.conformance.as_deref().unwrap_or("?");
            format!("  claims PDF/A-{part}{}", level.to_lowercase())
        }
        None => "  claims no PDF/A".to_owned(),
    });
    lines.extend(faults(inspection));
    lines.extend(inspection.metadata_invoices.iter().map(metadata));
    lines.extend(inspection.attachments.iter().map(attachment));
    if inspection.attachments.is_empty() {
        lines.push("  nothing is attached".to_owned());
    }
    lines.iter().map(|line| visible(line)).collect()
}

fn frame(inspection: &Inspection) -> String {
    let mut parts = vec![format!(
        "PDF {}, {} bytes",
        inspection.version, inspection.bytes
    )];
    parts.push(match inspection.pages {
        Some(1) => "1 page".to_owned(),
        Some(pages) => format!("{pages} pages"),
        None => "unknown number of pages".to_owned(),
    });
    parts.push(match inspection.cross_reference {
        CrossReference::Table => "cross-reference table".to_owned(),
        CrossReference::Stream => "cross-reference stream".to_owned(),
        CrossReference::Rebuilt => "cross-reference broken".to_owned(),
    });
    if inspection.sections > 1 {
        parts.push(format!("{} sections", inspection.sections));
    }
    match inspection.encryption {
        Some(Encryption::OwnerPassword) => {
            parts.push("encrypted, opens without a password".to_owned())
        }
        Some(Encryption::UserPassword) => parts.push("encrypted, needs a password".to_owned()),
        None => {}
    }
    if inspection.signed {
        parts.push("signed".to_owned());
    }
    parts.join(", ")
}

fn faults(inspection: &Inspection) -> Vec<String> {
    let count = inspection.pdfa_faults.len();
    let mut lines = vec![match count {
        0 if inspection.pdfa_unchecked.is_none() => "  nothing found against PDF/A-3b".to_owned(),
        0 => "  PDF/A-3b:".to_owned(),
        1 => "  1 fault against PDF/A-3b:".to_owned(),
        count => format!("  {count} faults against PDF/A-3b:"),
    }];
    let shown = inspection.pdfa_faults.iter().take(SHOWN_FAULTS);
    lines.extend(shown.map(|fault| format!("    {fault}")));
    let more = count.saturating_sub(SHOWN_FAULTS);
    if more > 0 {
        lines.push(format!("    and {more} more"));
    }
    let unchecked = inspection.pdfa_unchecked.iter();
    lines.extend(unchecked.map(|why| format!("    not checked: {why}")));
    lines
}

fn metadata(invoice: &MetadataInvoice) -> String {
    let text = |part: &Option<String>| part.clone().unwrap_or_else(|| "?".to_owned());
    format!(
        "  metadata name {}: {} {}, version {}, file `{}`",
        invoice.standard,
        text(&invoice.document_type),
        text(&invoice.level),
        text(&invoice.version),
        text(&invoice.file_name)
    )
}

fn attachment(file: &InspectedAttachment) -> String {
    let mut parts = vec![match file.bytes {
        Some(bytes) => format!("{bytes} bytes"),
        None => "not decodable within the limits".to_owned(),
    }];
    parts.extend(file.media_type.clone());
    parts.extend(file.relationship.clone());
    if file.on_page {
        parts.push("on a page".to_owned());
    }
    if let Some(invoice) = &file.invoice {
        let level = invoice.level.map(|level| format!(" {level}"));
        let level = level.unwrap_or_default();
        parts.push(format!("invoice: {}{level}", invoice.standard));
        parts.extend(invoice.guideline.clone());
    }
    format!("  `{}`: {}", file.file_name, parts.join(", "))
}
