//! Combines many files, then verifies all results with independent programs and with the judge of PDF/A.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use erp_core::zugferd::{
    CombineOptions, Combined, CrossReference, Inspection, Limits, PdfaOutcome, combine, inspect,
};
use jiff::Timestamp;
use tempfile::TempDir;

use super::readers::{
    Attachment, Property, Seen, are_installed, pdfdetach_all, qpdf_check, verapdf,
};
use super::zugferd_common::{ProfileRow, xml};

/// Names of invoice attachments by any producer, including the unusual ones of fixtures.
const INVOICES: [&str; 6] = [
    "factur-x.xml",
    "zugferd-invoice.xml",
    "xrechnung.xml",
    "order-x.xml",
    "rechnung.xml",
    "rechnung 4711.xml",
];

/// XMP namespaces in which a hybrid describes its invoice.
const OURS: [&str; 6] = [
    "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#",
    "urn:factur-x:pdfa:CrossIndustryDocument:1p0#",
    "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#",
    "urn:zugferd:pdfa:CrossIndustryDocument:invoice:1p0#",
    "urn:ferd:pdfa:CrossIndustryDocument:invoice:1p0#",
    "urn:ferd:pdfa:invoice:rc#",
];

/// What the namespaces of PDF/A begin with.
const PDFA: &str = "http://www.aiim.org/pdfa/ns/";
const PDFA_ID: &str = "http://www.aiim.org/pdfa/ns/id/";
const PDFA_SCHEMA: &str = "http://www.aiim.org/pdfa/ns/schema#";
const PDFA_PROPERTY: &str = "http://www.aiim.org/pdfa/ns/property#";

pub(crate) fn options() -> CombineOptions {
    let now: Timestamp = "2026-03-02T10:00:00Z".parse().expect("a time");
    CombineOptions {
        now: Some(now),
        ..CombineOptions::default()
    }
}

struct Combination {
    label: String,
    input: PathBuf,
    output: PathBuf,
    row: ProfileRow,
    xml: Vec<u8>,
    combined: Combined,
}

pub(crate) struct Judge {
    folder: TempDir,
    options: CombineOptions,
    made: Vec<Combination>,
    wrong: Vec<String>,
}

impl Judge {
    /// `None` if a program is missing and the caller is skipped.
    pub(crate) fn new() -> Option<Self> {
        are_installed().then(|| Self {
            folder: tempfile::tempdir().expect("a folder for results"),
            options: options(),
            made: Vec::new(),
            wrong: Vec::new(),
        })
    }

    /// Sets the options for combinations that are added from now on.
    pub(crate) fn options(&mut self, options: CombineOptions) {
        self.options = options;
    }

    /// Combines a file with the XML of a profile.
    pub(crate) fn add(&mut self, name: &str, input: &Path, row: &ProfileRow) {
        self.add_xml(name, input, row, row.0, xml(row.0));
    }

    /// Combines a file with an XML of this profile.
    pub(crate) fn add_xml(
        &mut self,
        name: &str,
        input: &Path,
        row: &ProfileRow,
        xml_name: &str,
        xml: Vec<u8>,
    ) {
        let label = format!("{name} with {xml_name}");
        let pdf = std::fs::read(input).expect("the input is there");
        let combined = match combine(&pdf, &xml, &self.options) {
            Ok(combined) => combined,
            Err(error) => return self.wrong.push(format!("{label}: {error}")),
        };
        let kept = combined.kept_bytes;
        if kept > pdf.len() || combined.pdf.get(..kept) != pdf.get(..kept) {
            self.wrong.push(format!(
                "{label}: the kept {kept} bytes are not those of the input"
            ));
        }
        let output = self
            .folder
            .path()
            .join(format!("{:04}.pdf", self.made.len()));
        std::fs::write(&output, &combined.pdf).expect("the result can be written");
        self.made.push(Combination {
            label,
            input: input.to_owned(),
            output,
            row: *row,
            xml,
            combined,
        });
    }

    /// Verifies all results.
    ///
    /// # Panics
    /// With a list of everything that is wrong.
    pub(crate) fn finish(self) {
        let claiming = self.made.iter().filter(|made| claims(made));
        let claiming: Vec<PathBuf> = claiming.map(|made| made.output.clone()).collect();
        let verdicts = verapdf(&claiming).unwrap_or_default();
        let false_claims = verdicts.iter().filter(|(_, verdict)| !verdict.is_empty());
        let mut wrong = self.wrong;
        wrong.extend(false_claims.map(|(_, verdict)| format!("false claim by veraPDF: {verdict}")));
        let inputs: BTreeSet<&Path> = self.made.iter().map(|made| made.input.as_path()).collect();
        let inputs: BTreeMap<&Path, Input> = inputs
            .into_iter()
            .map(|path| (path, Input::read(path)))
            .collect();
        let faults = |made: &Combination| faults(made, &inputs[made.input.as_path()]);
        wrong.extend(self.made.iter().flat_map(faults));
        let count = self.made.len();
        println!("{count} results, {} of them claim PDF/A-3", claiming.len());
        let mut shown = String::new();
        for line in wrong.iter().take(60) {
            let _ = writeln!(shown, "{line}");
        }
        assert!(
            wrong.is_empty(),
            "{} faults in {count} results:\n{shown}",
            wrong.len()
        );
    }
}

/// What was read in an input; several results may have the same.
struct Input {
    seen: Option<Seen>,
    inspected: Option<Inspection>,
}

impl Input {
    fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).expect("the input is there");
        Self {
            seen: Seen::of(path),
            inspected: inspect(&bytes, &Limits::DEFAULT).ok(),
        }
    }
}

/// Everything that is wrong with a result.
fn faults(made: &Combination, before: &Input) -> Vec<String> {
    let mut wrong = Wrong {
        label: &made.label,
        found: by_programs(made),
    };
    let Some(after) = Seen::of(&made.output) else {
        wrong.note("qpdf does not open the result");
        return wrong.found;
    };
    if let Some(before) = &before.seen {
        nothing_is_lost(made, before, &after, &mut wrong);
    }
    invoice(made, &after, &mut wrong);
    let properties = after.properties().unwrap_or_default();
    metadata(made, &properties, &mut wrong);
    match inspect(&made.combined.pdf, &Limits::DEFAULT) {
        Ok(inspected) => {
            claim(made, &inspected, &properties, &mut wrong);
            continues(made, before, &inspected, &mut wrong);
        }
        Err(error) => wrong.note(format!("the result is not read: {error}")),
    }
    wrong.found
}

struct Wrong<'l> {
    label: &'l str,
    found: Vec<String>,
}

impl Wrong<'_> {
    fn note(&mut self, text: impl AsRef<str>) {
        self.found
            .push(format!("{}: {}", self.label, text.as_ref()));
    }

    fn check(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.note(text());
        }
    }
}

fn claims(made: &Combination) -> bool {
    !matches!(made.combined.pdfa, PdfaOutcome::NotClaimed { .. })
}

/// Runs qpdf and poppler.
fn by_programs(made: &Combination) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Err(printed) = qpdf_check(&made.output) {
        wrong.push(format!("{}: qpdf: {}", made.label, printed.trim()));
    }
    let saved = pdfdetach_all(&made.output);
    let ours = saved.iter().filter(|(name, _)| name == made.row.1);
    let ours: Vec<&[u8]> = ours.map(|(_, bytes)| bytes.as_slice()).collect();
    if ours != [made.xml.as_slice()] {
        let names: Vec<&String> = saved.iter().map(|(name, _)| name).collect();
        let label = &made.label;
        wrong.push(format!(
            "{label}: poppler reads other bytes or not one invoice: {names:?}"
        ));
    }
    wrong
}

fn is_invoice(attachment: &Attachment) -> bool {
    INVOICES.contains(&attachment.name().to_lowercase().as_str())
}

fn nothing_is_lost(made: &Combination, before: &Seen, after: &Seen, wrong: &mut Wrong<'_>) {
    let others = |seen: &Seen| {
        let kept = seen
            .attachments()
            .into_iter()
            .filter(|one| !is_invoice(one));
        let kept = kept.map(|one| (one.name(), one.bytes, one.description));
        kept.collect::<BTreeSet<_>>()
    };
    wrong.check(others(before) == others(after), || {
        "other attachments".to_owned()
    });
    let names = ["outlines", "form fields", "named destinations", "pages"];
    for ((name, before), after) in names.iter().zip(before.shown()).zip(after.shown()) {
        wrong.check(before == after, || {
            format!("{name}: {after:?}, were {before:?}")
        });
    }
    let lost: Vec<String> = before
        .catalog()
        .difference(&after.catalog())
        .cloned()
        .collect();
    wrong.check(lost.is_empty(), || format!("the catalog lost {lost:?}"));
    if let (Some(before), Some(after)) = (before.properties(), after.properties()) {
        let lost: Vec<_> = foreign(before)
            .difference(&foreign(after))
            .cloned()
            .collect();
        wrong.check(lost.is_empty(), || format!("the XMP lost {lost:?}"));
    }
    let id = (before.id(), after.id());
    wrong.check(id.1.len() == 2 || !claims(made), || "no /ID".to_owned());
    wrong.check(id.0.len() != 2 || id.0.first() == id.1.first(), || {
        format!("the first part of /ID: {id:?}")
    });
}

/// Checks that an update continues the cross-references in their form.
fn continues(made: &Combination, before: &Input, after: &Inspection, wrong: &mut Wrong<'_>) {
    let before = before.inspected.as_ref();
    let before = before.filter(|before| before.cross_reference != CrossReference::Rebuilt);
    let (Some(before), 1..) = (before, made.combined.kept_bytes) else {
        return;
    };
    let (form, sections) = (after.cross_reference, after.sections);
    let is_so = form == before.cross_reference && sections == before.sections + 1;
    wrong.check(is_so, || {
        format!(
            "cross-references {form:?}, sections {sections}, were {}",
            before.sections
        )
    });
}

/// XMP properties of other producers; times of change may differ.
fn foreign(properties: Vec<Property>) -> BTreeSet<Property> {
    let others = properties.into_iter().filter(|(space, name, _)| {
        let is_ours = OURS.contains(&space.as_str()) || space.starts_with(PDFA);
        !is_ours && !name.ends_with("Date")
    });
    others.collect()
}

fn invoice(made: &Combination, after: &Seen, wrong: &mut Wrong<'_>) {
    let (_, file_name, _, _, _, relationship) = made.row;
    let attachments = after.attachments();
    for one in &attachments {
        wrong.check(one.in_tree == 1 && one.in_af >= 1, || {
            let (tree, af) = (one.in_tree, one.in_af);
            format!("`{}`: {tree} times in the tree, {af} in /AF", one.name())
        });
    }
    wrong.check(after.tree_is_right(), || {
        "order or limits of the name tree".to_owned()
    });
    let invoices: Vec<&Attachment> = attachments.iter().filter(|one| is_invoice(one)).collect();
    let [ours] = invoices.as_slice() else {
        return wrong.note(format!("{} invoices", invoices.len()));
    };
    let some = |text: &str| Some(text.to_owned());
    let names = [&ours.f, &ours.uf];
    wrong.check(names == [&some(file_name); 2], || {
        format!("names {names:?}")
    });
    wrong.check(ours.bytes == made.xml, || {
        "qpdf reads other bytes".to_owned()
    });
    wrong.check(ours.relationship == some(relationship), || {
        format!("relationship {:?}", ours.relationship)
    });
    wrong.check(ours.media_type == some("text/xml"), || {
        format!("MIME type {:?}", ours.media_type)
    });
    wrong.check(ours.description.is_some() && ours.is_dated, || {
        "no description or no date".to_owned()
    });
    wrong.check(ours.checksum_is_right != Some(false), || {
        "the checksum".to_owned()
    });
}

/// The namespace of the metadata of an invoice, and the versions it may have.
fn namespace(made: &Combination) -> (&'static str, &'static [&'static str]) {
    let (_, file_name, guideline, ..) = made.row;
    match file_name {
        "order-x.xml" => (OURS[1], &["1.0"]),
        "zugferd-invoice.xml" => (OURS[2], &["1.0", "2p0"]),
        "ZUGFeRD-invoice.xml" if guideline.contains(":rc:") => (OURS[5], &["RC"]),
        "ZUGFeRD-invoice.xml" => (OURS[4], &["1.0"]),
        "xrechnung.xml" if guideline.ends_with("2.1") => (OURS[0], &["2.1"]),
        "xrechnung.xml" => (OURS[0], &["3.0"]),
        _ => (OURS[0], &["1.0"]),
    }
}

/// Checks the properties of the invoice and that an extension schema declares them.
fn metadata(made: &Combination, properties: &[Property], wrong: &mut Wrong<'_>) {
    let (_, file_name, _, kind, level, _) = made.row;
    let (namespace, versions) = namespace(made);
    let of = |spaces: &[&str], wanted: &str| -> Vec<&str> {
        let found = properties
            .iter()
            .filter(|(space, name, _)| spaces.contains(&space.as_str()) && name == wanted);
        found.map(|(_, _, text)| text.as_str()).collect()
    };
    for (name, allowed) in [
        ("DocumentType", &[kind][..]),
        ("DocumentFileName", &[file_name]),
        ("ConformanceLevel", &[level]),
        ("Version", versions),
    ] {
        let found = of(&OURS, name);
        let is_one = matches!(found[..], [one] if allowed.contains(&one));
        wrong.check(is_one && of(&[namespace], name) == found, || {
            format!("{name} is {found:?}, not one of {allowed:?} in {namespace}")
        });
        let declared = of(&[PDFA_PROPERTY], "name");
        wrong.check(declared.contains(&name), || {
            format!("no schema declares {name}")
        });
    }
    let schemas = of(&[PDFA_SCHEMA], "namespaceURI");
    let ours: Vec<&&str> = schemas.iter().filter(|uri| OURS.contains(*uri)).collect();
    wrong.check(ours == [&namespace], || {
        format!("extension schemas of {ours:?}")
    });
}

/// Checks that the PDF/A claim in the file matches the reported outcome, and that a claim is true.
fn claim(made: &Combination, inspected: &Inspection, xmp: &[Property], wrong: &mut Wrong<'_>) {
    let part = |wanted: &str| {
        let mut found = xmp
            .iter()
            .filter(|(space, name, _)| space == PDFA_ID && name == wanted);
        found.next().map_or("", |(_, _, text)| text.as_str())
    };
    let claimed = format!("{}{}", part("part"), part("conformance"));
    let outcome = &made.combined.pdfa;
    if claims(made) {
        wrong.check(["3A", "3B", "3U"].contains(&claimed.as_str()), || {
            format!("the claim is `{claimed}`")
        });
        for fault in &inspected.pdfa_faults {
            wrong.note(format!("false claim: {fault}"));
        }
    } else {
        wrong.check(claimed.is_empty(), || {
            format!("{outcome:?}, but the claim is `{claimed}`")
        });
        wrong.check(!outcome.reasons().is_empty(), || "no reasons".to_owned());
    }
}
