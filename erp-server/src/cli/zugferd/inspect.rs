//! `erp-server zugferd inspect`.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::zugferd::{
    CrossReference, Encryption, InspectedAttachment, Inspection, Limits, MetadataInvoice, inspect,
};
use serde_json::{Value, json};

use super::extract::visible;
use super::{Batch, files, files_argument, read};
use crate::cli::Failure;

/// Maximum of faults in readable output; `--json` has all.
const SHOWN_FAULTS: usize = 20;

pub(super) fn command() -> Command {
    Command::new("inspect")
        .about("Tell what PDF files are, what is attached, and what stands against PDF/A-3")
        .arg(files_argument("PDF files"))
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print one JSON object a line for each file"),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let files = files(matches);
    let as_json = matches.get_flag("json");
    let mut batch = Batch::new(files.len(), false);
    for pdf in &files {
        batch.file(pdf, || {
            let inspection = inspect(&read(pdf)?, &Limits::DEFAULT);
            let inspection = inspection.map_err(|error| error.to_string())?;
            if as_json {
                return Ok(vec![json_line(pdf, &inspection)?]);
            }
            Ok(lines(pdf, &inspection))
        });
    }
    batch.end()
}

fn json_line(pdf: &Path, inspection: &Inspection) -> Result<String, String> {
    let mut line = json!({"file": pdf.display().to_string()});
    let told = serde_json::to_value(inspection).map_err(|error| error.to_string())?;
    if let (Value::Object(line), Value::Object(told)) = (&mut line, told) {
        line.extend(told);
    }
    Ok(line.to_string())
}

fn lines(pdf: &Path, told: &Inspection) -> Vec<String> {
    let mut lines = vec![format!("{}:", pdf.display()), format!("  {}", frame(told))];
    let claim = told.pdfa_claim.as_ref().map(|claim| {
        let part = claim.part.as_deref().unwrap_or("?");
        let level = claim.conformance.as_deref().unwrap_or("?");
        format!("PDF/A-{part}{}", level.to_lowercase())
    });
    lines.push(format!(
        "  claims {}",
        claim.as_deref().unwrap_or("no PDF/A")
    ));
    lines.extend(faults(told));
    lines.extend(told.metadata_invoices.iter().map(metadata));
    lines.extend(told.attachments.iter().map(attachment));
    if told.attachments.is_empty() {
        lines.push("  nothing is attached".to_owned());
    }
    lines.iter().map(|line| visible(line)).collect()
}

fn frame(told: &Inspection) -> String {
    let mut parts = vec![format!("PDF {}, {} bytes", told.version, told.bytes)];
    parts.push(match told.pages {
        Some(1) => "1 page".to_owned(),
        Some(pages) => format!("{pages} pages"),
        None => "pages not known".to_owned(),
    });
    parts.push(match told.cross_reference {
        CrossReference::Table => "cross-reference table".to_owned(),
        CrossReference::Stream => "cross-reference stream".to_owned(),
        CrossReference::Rebuilt => "cross-reference broken".to_owned(),
    });
    if told.sections > 1 {
        parts.push(format!("{} sections", told.sections));
    }
    match told.encryption {
        Some(Encryption::OwnerPassword) => {
            parts.push("encrypted, opens without a password".to_owned())
        }
        Some(Encryption::UserPassword) => parts.push("encrypted, needs a password".to_owned()),
        None => {}
    }
    if told.signed {
        parts.push("signed".to_owned());
    }
    parts.join(", ")
}

fn faults(told: &Inspection) -> Vec<String> {
    let count = told.pdfa_faults.len();
    let mut lines = vec![match count {
        0 if told.pdfa_unchecked.is_none() => "  nothing found against PDF/A-3b".to_owned(),
        0 => "  PDF/A-3b:".to_owned(),
        1 => "  1 fault against PDF/A-3b:".to_owned(),
        count => format!("  {count} faults against PDF/A-3b:"),
    }];
    let shown = told.pdfa_faults.iter().take(SHOWN_FAULTS);
    lines.extend(shown.map(|fault| format!("    {fault}")));
    if count > SHOWN_FAULTS {
        lines.push(format!(
            "    and {} more",
            count.saturating_sub(SHOWN_FAULTS)
        ));
    }
    let unchecked = told.pdfa_unchecked.iter();
    lines.extend(unchecked.map(|why| format!("    not checked: {why}")));
    lines
}

fn metadata(invoice: &MetadataInvoice) -> String {
    let text = |part: &Option<String>| part.clone().unwrap_or_else(|| "?".to_owned());
    format!(
        "  metadata tell of {}: {} {}, version {}, file `{}`",
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
        parts.push(match (invoice.standard, invoice.level) {
            (Some(standard), Some(level)) => format!("invoice: {standard} {level}"),
            (Some(standard), None) => format!("invoice: {standard}"),
            _ => "invoice".to_owned(),
        });
        parts.extend(invoice.guideline.clone());
    }
    format!("  `{}`: {}", file.file_name, parts.join(", "))
}
