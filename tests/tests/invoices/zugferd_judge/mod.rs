//! Combines many files, then verifies all results at once with independent programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::thread;

use erp_core::zugferd::{CombineOptions, Combined, PdfaOutcome, combine};
use erp_tests::pdf_tools::{Attachment, Clauses, Facts, PdfTools, verapdf};
use jiff::Timestamp;
use tempfile::TempDir;

use super::zugferd_common::{ProfileRow, sha256, xml};

/// Names of invoice attachments by any producer, including the unusual ones of fixtures and training files.
const INVOICES: [&str; 6] = [
    "factur-x.xml",
    "zugferd-invoice.xml",
    "xrechnung.xml",
    "order-x.xml",
    "rechnung.xml",
    "rechnung 4711.xml",
];

/// XMP namespaces in which a hybrid describes its invoice.
const OURS: [&str; 7] = [
    "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#",
    "urn:factur-x:pdfa:CrossIndustryDocument:1p0#",
    "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#",
    "urn:zugferd:pdfa:CrossIndustryDocument:invoice:1p0#",
    "urn:ferd:pdfa:CrossIndustryDocument:invoice:1p0#",
    "urn:ferd:pdfa:invoice:rc#",
    PDFA_ID,
];

/// Some writers describe this namespace in an extension schema, although it needs none.
const PDFA_ID: &str = "http://www.aiim.org/pdfa/ns/id/";

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
    tools: PdfTools,
    folder: TempDir,
    options: CombineOptions,
    made: Vec<Combination>,
    wrong: Vec<String>,
}

impl Judge {
    pub(crate) fn new(tools: PdfTools) -> Self {
        let folder = tempfile::tempdir().expect("a folder for results");
        Self {
            tools,
            folder,
            options: options(),
            made: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Sets the options for combinations that are added from now on.
    pub(crate) fn options(&mut self, options: CombineOptions) {
        self.options = options;
    }

    pub(crate) fn count(&self) -> usize {
        self.made.len()
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
    pub(crate) fn finish(mut self) {
        let claiming: Vec<PathBuf> = self
            .made
            .iter()
            .filter(|made| claims(made))
            .map(|made| made.output.clone())
            .collect();
        let reports = self.reports(&claiming);
        for (made, after) in self.made.iter().zip(&reports.after) {
            self.wrong.extend(reports.judge(made, after));
        }
        self.wrong.extend(reports.detached);
        println!(
            "{} results, {} of them claim PDF/A-3",
            self.made.len(),
            claiming.len()
        );
        self.assert_nothing_wrong();
    }

    /// Runs the independent programs on all results, several at once.
    fn reports(&self, claiming: &[PathBuf]) -> Reports {
        let tools = &self.tools;
        let inputs: BTreeSet<PathBuf> = self.made.iter().map(|made| made.input.clone()).collect();
        let inputs: Vec<PathBuf> = inputs.into_iter().collect();
        let outputs: Vec<PathBuf> = self.made.iter().map(|made| made.output.clone()).collect();
        let (before, after, clauses, detached) = thread::scope(|scope| {
            let clauses = scope.spawn(|| tools.clauses(claiming));
            let facts = scope.spawn(|| (tools.facts(&inputs), tools.facts(&outputs)));
            let detached = self.made.iter().flat_map(|made| by_programs(tools, made));
            let detached: Vec<String> = detached.collect();
            let (before, after) = facts.join().expect("facts");
            (before, after, clauses.join().expect("clauses"), detached)
        });
        Reports {
            before: inputs.into_iter().zip(before).collect(),
            after,
            clauses: claiming.iter().cloned().zip(clauses).collect(),
            verdicts: verapdf(claiming).unwrap_or_default(),
            detached,
        }
    }

    fn assert_nothing_wrong(&self) {
        let mut shown = String::new();
        for line in self.wrong.iter().take(60) {
            let _ = writeln!(shown, "{line}");
        }
        assert!(
            self.wrong.is_empty(),
            "{} faults in {} results:\n{shown}",
            self.wrong.len(),
            self.made.len()
        );
    }
}

/// The reports of the independent programs about all files.
struct Reports {
    before: BTreeMap<PathBuf, Facts>,
    after: Vec<Facts>,
    clauses: BTreeMap<PathBuf, Clauses>,
    verdicts: BTreeMap<PathBuf, String>,
    detached: Vec<String>,
}

impl Reports {
    fn judge(&self, made: &Combination, after: &Facts) -> Vec<String> {
        let mut wrong = Wrong {
            label: &made.label,
            found: Vec::new(),
        };
        if let Some(error) = after.error() {
            wrong.note(format!("pikepdf: {error}"));
        } else {
            let before = self.before.get(&made.input);
            if let Some(before) = before.filter(|facts| facts.error().is_none()) {
                nothing_is_lost(made, before, after, &mut wrong);
            }
            invoice(made, after, &mut wrong);
            metadata(made, after, &mut wrong);
            claim(made, after, &mut wrong);
        }
        if let Some(clauses) = self.clauses.get(&made.output) {
            if let Some(error) = clauses.error() {
                wrong.note(format!("clauses: {error}"));
            }
            for text in clauses.violations() {
                wrong.note(format!("false claim: {text}"));
            }
        }
        let verdict = self.verdicts.get(&made.output);
        if let Some(verdict) = verdict.filter(|verdict| !verdict.is_empty()) {
            wrong.note(format!("false claim by veraPDF: {verdict}"));
        }
        wrong.found
    }
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

/// Runs qpdf and poppler, one process per file.
fn by_programs(tools: &PdfTools, made: &Combination) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Err(printed) = tools.qpdf_check(&made.output) {
        wrong.push(format!("{}: qpdf: {}", made.label, printed.trim()));
    }
    let saved = tools.pdfdetach_all(&made.output);
    let ours: Vec<&(String, Vec<u8>)> = saved
        .iter()
        .filter(|(name, _)| name == made.row.1)
        .collect();
    if ours.len() != 1 || ours[0].1 != made.xml {
        let names: Vec<&String> = saved.iter().map(|(name, _)| name).collect();
        wrong.push(format!(
            "{}: pdfdetach reads other bytes or not one invoice: {names:?}",
            made.label
        ));
    }
    wrong
}

fn is_invoice(attachment: &Attachment) -> bool {
    INVOICES.contains(&attachment.name.to_lowercase().as_str())
}

fn nothing_is_lost(made: &Combination, before: &Facts, after: &Facts, wrong: &mut Wrong<'_>) {
    let others = |facts: &Facts| {
        let kept = facts
            .attachments()
            .into_iter()
            .filter(|attachment| !is_invoice(attachment));
        let mut kept: Vec<_> = kept
            .map(|one| (one.name, one.sha256, one.description))
            .collect();
        kept.sort();
        kept
    };
    wrong.check(others(before) == others(after), || {
        format!(
            "attachments: {:?}, were {:?}",
            others(after),
            others(before)
        )
    });
    for name in ["outlines", "fields", "destinations", "page_contents"] {
        wrong.check(before.texts(name) == after.texts(name), || {
            format!(
                "{name}: {:?}, were {:?}",
                after.texts(name),
                before.texts(name)
            )
        });
    }
    wrong.check(before.number("pages") == after.number("pages"), || {
        "the number of pages".to_owned()
    });
    wrong.check(
        after.list("unreadable").len() <= before.list("unreadable").len(),
        || format!("unreadable: {:?}", after.texts("unreadable")),
    );
    let catalog: BTreeSet<String> = after.texts("catalog").into_iter().collect();
    for key in before.texts("catalog") {
        wrong.check(catalog.contains(&key), || format!("the catalog lost {key}"));
    }
    if before.xmp().is_some() && before.is("xmp_is_broken") == Some(false) {
        let lost = lost_properties(before, after);
        wrong.check(lost.is_empty(), || format!("the XMP lost {lost:?}"));
    }
    let id = (before.texts("id"), after.texts("id"));
    wrong.check(id.1.len() == 2 || !claims(made), || "no /ID".to_owned());
    wrong.check(id.0.len() != 2 || id.0.first() == id.1.first(), || {
        format!("the first part of /ID: {id:?}")
    });
    if made.combined.kept_bytes > 0 {
        let kinds = after.xref_kinds();
        let family = |kind: Option<&String>| kind.is_some_and(|kind| kind == "stream");
        wrong.check(family(kinds.first()) == family(kinds.get(1)), || {
            format!("cross-references: {kinds:?}")
        });
        wrong.check(kinds.len() == before.xref_kinds().len() + 1, || {
            format!("cross-references: {kinds:?}")
        });
    }
}

fn invoice(made: &Combination, after: &Facts, wrong: &mut Wrong<'_>) {
    let (_, file_name, _, _, _, relationship) = made.row;
    let attachments = after.attachments();
    let invoices: Vec<&Attachment> = attachments.iter().filter(|one| is_invoice(one)).collect();
    if invoices.len() != 1 {
        let names: Vec<&String> = attachments.iter().map(|one| &one.name).collect();
        return wrong.note(format!("not one invoice: {names:?}"));
    }
    let ours = invoices[0];
    let some = |text: &str| Some(text.to_owned());
    wrong.check(
        ours.f == some(file_name) && ours.uf == some(file_name),
        || format!("names {:?} and {:?}", ours.f, ours.uf),
    );
    wrong.check(ours.sha256 == sha256(&made.xml), || {
        "pikepdf reads other bytes".to_owned()
    });
    wrong.check(ours.relationship == some(relationship), || {
        format!("relationship {:?}", ours.relationship)
    });
    wrong.check(ours.subtype == some("text/xml"), || {
        format!("MIME type {:?}", ours.subtype)
    });
    wrong.check(ours.description.is_some() && ours.is_dated, || {
        "no description or no date".to_owned()
    });
    wrong.check(ours.checksum_is_right != Some(false), || {
        "the checksum".to_owned()
    });
    for one in &attachments {
        wrong.check(one.in_tree == 1 && one.in_af >= 1, || {
            format!(
                "`{}`: {} times in the tree, {} in /AF",
                one.name, one.in_tree, one.in_af
            )
        });
    }
    wrong.check(after.is("tree_is_sorted") == Some(true), || {
        "the name tree is not sorted".to_owned()
    });
    wrong.check(after.is("tree_limits_are_right") == Some(true), || {
        "/Limits of the name tree".to_owned()
    });
    for name in ["stray_file_specifications", "stray_embedded_files"] {
        wrong.check(after.list(name).is_empty(), || {
            format!("{name}: {:?}", after.texts(name))
        });
    }
}

/// The properties that the file must contain: name and value.
fn expected(made: &Combination, hybrid: &serde_json::Value) -> Vec<String> {
    let (_, file_name, guideline, kind, level, _) = made.row;
    let mut wrong = Vec::new();
    let mut check = |name: &str, allowed: &[&str]| {
        let value = hybrid[name].as_str().unwrap_or_default();
        if !allowed.contains(&value) {
            wrong.push(format!("{name} is `{value}`, not one of {allowed:?}"));
        }
    };
    check("DocumentType", &[kind]);
    check("DocumentFileName", &[file_name]);
    check("ConformanceLevel", &[level]);
    let versions: &[&str] = match file_name {
        "zugferd-invoice.xml" => &["1.0", "2p0"],
        "xrechnung.xml" if guideline.ends_with("2.1") => &["2.1"],
        "xrechnung.xml" => &["3.0"],
        _ if guideline.contains(":rc:") => &["RC"],
        _ => &["1.0"],
    };
    check("Version", versions);
    let namespace = match file_name {
        "order-x.xml" => OURS[1],
        "zugferd-invoice.xml" => OURS[2],
        "ZUGFeRD-invoice.xml" if guideline.contains(":rc:") => OURS[5],
        "ZUGFeRD-invoice.xml" => OURS[4],
        _ => OURS[0],
    };
    check("namespace", &[namespace]);
    wrong
}

fn metadata(made: &Combination, after: &Facts, wrong: &mut Wrong<'_>) {
    let [hybrid] = after.list("hybrid") else {
        return wrong.note(format!(
            "properties of {} invoices in the XMP",
            after.list("hybrid").len()
        ));
    };
    for text in expected(made, hybrid) {
        wrong.note(text);
    }
    let ours: Vec<&serde_json::Value> = after
        .list("schemas")
        .iter()
        .filter(|schema| OURS.iter().any(|uri| schema["namespace"] == **uri))
        .filter(|schema| schema["namespace"] != PDFA_ID)
        .collect();
    let [schema] = ours.as_slice() else {
        return wrong.note(format!("{} extension schemas of invoices", ours.len()));
    };
    wrong.check(
        schema["namespace"] == hybrid["namespace"] && schema["prefix"] == hybrid["prefix"],
        || format!("the extension schema {schema}"),
    );
    let names: BTreeSet<&str> = schema["properties"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["name"].as_str())
        .collect();
    let wanted = BTreeSet::from([
        "ConformanceLevel",
        "DocumentFileName",
        "DocumentType",
        "Version",
    ]);
    wrong.check(names == wanted, || {
        format!("the extension schema declares {names:?}")
    });
    wrong.check(after.number("schema_bags") == 1, || {
        "not one bag of extension schemas".to_owned()
    });
}

/// Checks that the PDF/A claim in the file matches the reported outcome.
fn claim(made: &Combination, after: &Facts, wrong: &mut Wrong<'_>) {
    let claimed = after.claim();
    if claims(made) {
        wrong.check(matches!(claimed.as_str(), "3A" | "3B" | "3U"), || {
            format!("the claim is `{claimed}`")
        });
    } else {
        wrong.check(claimed.is_empty(), || {
            format!("{:?}, but the claim is `{claimed}`", made.combined.pdfa)
        });
        wrong.check(!made.combined.pdfa.reasons().is_empty(), || {
            "no reasons".to_owned()
        });
    }
}

/// XMP properties of other producers that were lost; times of change may differ.
fn lost_properties(before: &Facts, after: &Facts) -> Vec<String> {
    let foreign = |facts: &Facts| -> BTreeSet<String> {
        let listed = facts.list("properties").iter();
        let foreign = listed.filter(|one| {
            let part = |index: usize| one[index].as_str().unwrap_or_default();
            !OURS.contains(&part(0))
                && !part(1).ends_with("Date")
                && !part(0).starts_with("http://www.aiim.org/pdfa/ns/")
        });
        foreign.map(ToString::to_string).collect()
    };
    foreign(before)
        .difference(&foreign(after))
        .cloned()
        .collect()
}
