//! Independent programs that read PDF files: qpdf, poppler, pikepdf, pyHanko, veraPDF.
//!
//! `tests/run` installs them. `ERP_PDF_PYTHON` names a Python with the packages of `requirements-pdf.txt`; without it
//! `pdf-tools/bin/python` in the target folder is used. `VERAPDF` may name an executable that is run with `--flavour 3b
//! FILES` and prints `PASS|FAIL path [clauses]` for each. Where a program is missing the tests say so and are skipped;
//! with `CI=true` they fail.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::skipped::skipped;

/// Number of files per run of veraPDF, so that the command line does not get too long.
const FILES_PER_CALL: usize = 200;

/// The programs; all of them are installed.
#[derive(Debug, Clone)]
pub struct PdfTools {
    python: PathBuf,
}

impl PdfTools {
    /// Finds the programs; `None` if one is missing and the caller is skipped.
    ///
    /// # Panics When one is missing and `CI` is `true`.
    #[must_use]
    pub fn find() -> Option<Self> {
        match Self::look() {
            Ok(tools) => Some(tools),
            Err(reason) => {
                skipped(&reason);
                None
            }
        }
    }

    fn look() -> Result<Self, String> {
        for program in ["qpdf", "pdfdetach"] {
            let found = Command::new(program)
                .arg(if program == "qpdf" { "--version" } else { "-v" })
                .output();
            if found.is_err() {
                return Err(format!("`{program}` is missing; `tests/run` installs it"));
            }
        }
        let python = python();
        let modules = "import pikepdf, pyhanko, lxml, fontTools";
        let tried = Command::new(&python).args(["-c", modules]).output();
        match tried {
            Ok(output) if output.status.success() => Ok(Self { python }),
            Ok(output) => Err(format!(
                "`{}` lacks packages; `tests/run` installs them: {}",
                python.display(),
                String::from_utf8_lossy(&output.stderr).trim()
            )),
            Err(error) => Err(format!(
                "`{}` does not run: {error}; `tests/run` installs it",
                python.display()
            )),
        }
    }

    /// Runs `qpdf --check`; warnings count as errors.
    ///
    /// # Errors
    /// The lines qpdf printed.
    pub fn qpdf_check(&self, path: &Path) -> Result<(), String> {
        let output = run(Command::new("qpdf").arg("--check").arg(path));
        if output.status.success() {
            return Ok(());
        }
        let mut printed = String::from_utf8_lossy(&output.stderr).into_owned();
        let _ = write!(printed, "{}", String::from_utf8_lossy(&output.stdout));
        Err(printed)
    }

    /// Name and bytes of every attachment, extracted by poppler's pdfdetach.
    ///
    /// # Panics
    /// When pdfdetach fails.
    #[must_use]
    pub fn pdfdetach_all(&self, path: &Path) -> Vec<(String, Vec<u8>)> {
        let listed = run(Command::new("pdfdetach")
            .args(["-list", "-enc", "UTF-8"])
            .arg(path));
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(
            listed.status.success(),
            "pdfdetach -list {}: {text}",
            path.display()
        );
        // The first line is the count; every other one looks like `1: factur-x.xml`.
        let names = text.lines().skip(1).filter_map(|line| {
            let (number, name) = line.split_once(": ")?;
            Some((number.trim().to_owned(), name.to_owned()))
        });
        let folder = tempfile::tempdir().expect("a folder for attachments");
        names
            .map(|(number, name)| {
                let file = folder.path().join(&number);
                let saved = run(Command::new("pdfdetach")
                    .args(["-save", &number, "-o"])
                    .arg(&file)
                    .arg(path));
                let bytes = std::fs::read(&file);
                let bytes = bytes.unwrap_or_else(|error| {
                    panic!(
                        "{}: `{name}` is not saved: {error}; {}",
                        path.display(),
                        String::from_utf8_lossy(&saved.stderr)
                    )
                });
                (name, bytes)
            })
            .collect()
    }

    /// The facts that pikepdf reads from each file (`python/pdf_facts.py`), in the same order.
    ///
    /// # Panics
    /// When the script fails.
    #[must_use]
    pub fn facts(&self, paths: &[PathBuf]) -> Vec<Facts> {
        let responses = self.script("pdf_facts.py", paths);
        responses.into_iter().map(Facts).collect()
    }

    /// The violations of PDF/A-3b in each file (`python/pdfa_clauses.py`), in the same order.
    ///
    /// # Panics
    /// When the script fails.
    #[must_use]
    pub fn clauses(&self, paths: &[PathBuf]) -> Vec<Clauses> {
        let responses = self.script("pdfa_clauses.py", paths);
        responses.into_iter().map(Clauses).collect()
    }

    /// The signatures of each file, validated by pyHanko, in the same order.
    ///
    /// # Panics
    /// When the script fails.
    #[must_use]
    pub fn signatures(&self, paths: &[PathBuf]) -> Vec<Vec<Signature>> {
        let responses = self.script("signatures.py", paths);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        responses
            .iter()
            .map(|response| {
                let listed = response["signatures"].as_array();
                let listed = listed.unwrap_or_else(|| panic!("pyHanko: {response}"));
                listed
                    .iter()
                    .map(|signature| Signature {
                        field: text(&signature["field"]),
                        intact: signature["intact"] == true && signature["valid"] == true,
                        coverage: text(&signature["coverage"]),
                        modification: text(&signature["modification"]),
                    })
                    .collect()
            })
            .collect()
    }

    /// Passes paths to a script and reads one line of JSON for each.
    fn script(&self, name: &str, paths: &[PathBuf]) -> Vec<Value> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("python")
            .join(name);
        let mut child = Command::new(&self.python)
            .args(["-B"])
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python runs");
        let names: Vec<&str> = paths
            .iter()
            .map(|path| path.to_str().expect("UTF-8"))
            .collect();
        let request = serde_json::to_vec(&names).expect("paths become JSON");
        // The scripts read all paths before they print anything.
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(&request).expect("python reads");
        drop(stdin);
        let output = child.wait_with_output().expect("python ends");
        assert!(output.status.success(), "{name} failed");
        let text = String::from_utf8(output.stdout).expect("the response is UTF-8");
        let responses: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(
            responses.len(),
            paths.len(),
            "{name} returns one line per file"
        );
        responses
    }
}

fn python() -> PathBuf {
    if let Some(path) = std::env::var_os("ERP_PDF_PYTHON") {
        return path.into();
    }
    let test = std::env::current_exe().expect("a test knows its own path");
    // target/<profile>/deps/<test>
    let target = test
        .ancestors()
        .nth(3)
        .expect("a test lies in a target folder");
    target.join("pdf-tools/bin/python")
}

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The result of veraPDF for each path: the violated clauses, empty when the file is valid PDF/A-3b. `None` when
/// `VERAPDF` is not set.
///
/// # Panics
/// When it does not run or skips a file.
#[must_use]
pub fn verapdf(paths: &[PathBuf]) -> Option<BTreeMap<PathBuf, String>> {
    let program = std::env::var_os("VERAPDF")?;
    let mut verdicts = BTreeMap::new();
    for paths in paths.chunks(FILES_PER_CALL) {
        let output = run(Command::new(&program).args(["--flavour", "3b"]).args(paths));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for path in paths {
            let name = path.to_str().expect("UTF-8");
            let line = text.lines().find(|line| {
                let rest = line
                    .strip_prefix("PASS ")
                    .or_else(|| line.strip_prefix("FAIL "));
                let rest = rest.and_then(|rest| rest.strip_prefix(name));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
            });
            let line = line.unwrap_or_else(|| panic!("veraPDF says nothing about {name}"));
            let clauses = if line.starts_with("PASS ") {
                ""
            } else {
                &line[5..]
            };
            verdicts.insert(path.clone(), clauses.to_owned());
        }
    }
    Some(verdicts)
}

/// A signature as validated by pyHanko.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name of its form field.
    pub field: String,
    /// Whether the signed bytes are unchanged and the signature matches them.
    pub intact: bool,
    /// How much of the file it covers, for example `ENTIRE_REVISION`.
    pub coverage: String,
    /// The changes made after it, for example `FORM_FILLING`; `NONE` when there are none.
    pub modification: String,
}

/// The facts that pikepdf reads from a file.
#[derive(Debug, Clone)]
pub struct Facts(Value);

/// An attachment as read by pikepdf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// `/UF`, else `/F`.
    pub name: String,
    /// `/F`.
    pub f: Option<String>,
    /// `/UF`.
    pub uf: Option<String>,
    /// SHA-256 of its bytes in lower case hexadecimal, empty when it cannot be read.
    pub sha256: String,
    /// `/AFRelationship` without the slash.
    pub relationship: Option<String>,
    /// The MIME type.
    pub subtype: Option<String>,
    /// `/Desc`.
    pub description: Option<String>,
    /// Number of its entries in the name tree.
    pub in_tree: u64,
    /// Number of `/AF` arrays that contain it.
    pub in_af: u64,
    /// Whether `/Params` has a date of modification.
    pub is_dated: bool,
    /// Whether `/CheckSum` is correct; `None` when there is none.
    pub checksum_is_right: Option<bool>,
}

/// The error that prevents opening a file.
fn error_in(value: &Value) -> Option<&str> {
    value.get("error").and_then(Value::as_str)
}

impl Facts {
    /// The error of pikepdf if it cannot open the file.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        error_in(&self.0)
    }

    /// All attachments, whether they are in the name tree, in an `/AF` or in neither.
    ///
    /// # Panics
    /// When the file could not be opened.
    #[must_use]
    pub fn attachments(&self) -> Vec<Attachment> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let name = |value: &Value| text(value).map(|name| name.trim_start_matches('/').to_owned());
        self.list("attachments")
            .iter()
            .map(|entry| Attachment {
                name: text(&entry["uf"])
                    .or_else(|| text(&entry["f"]))
                    .unwrap_or_default(),
                f: text(&entry["f"]),
                uf: text(&entry["uf"]),
                sha256: text(&entry["sha256"]).unwrap_or_default(),
                relationship: name(&entry["relationship"]),
                subtype: name(&entry["subtype"]),
                description: text(&entry["description"]),
                in_tree: entry["in_tree"].as_u64().unwrap_or(0),
                in_af: entry["in_af"].as_u64().unwrap_or(0),
                is_dated: entry["params"]["ModDate"].is_string(),
                checksum_is_right: entry["checksum_is_right"].as_bool(),
            })
            .collect()
    }

    /// A list by its name, for example `outlines`, `fields`, `destinations`, `catalog`, `xref`, `id`,
    /// `stray_file_specifications`, `unreadable`, `schemas`, `hybrid`, `properties`.
    ///
    /// # Panics
    /// When there is none of that name: the file could not be opened.
    #[must_use]
    pub fn list(&self, name: &str) -> &[Value] {
        self.0[name]
            .as_array()
            .unwrap_or_else(|| panic!("no `{name}` in {}", self.0))
    }

    /// The strings of a list.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<String> {
        self.list(name)
            .iter()
            .map(|value| value.as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// A number, for example `pages`, `sections`, `tree_names`, `schema_bags`.
    #[must_use]
    pub fn number(&self, name: &str) -> u64 {
        self.0[name].as_u64().unwrap_or(0)
    }

    /// A flag, for example `tree_is_sorted`, `tree_limits_are_right`, `encrypted`, `ends_with_eof`.
    #[must_use]
    pub fn is(&self, name: &str) -> Option<bool> {
        self.0[name].as_bool()
    }

    /// The XMP packet.
    #[must_use]
    pub fn xmp(&self) -> Option<&str> {
        self.0["xmp"].as_str()
    }

    /// The PDF/A part and conformance that the file declares, for example `3B`; empty when it declares none.
    #[must_use]
    pub fn claim(&self) -> String {
        let part = |name: &str| self.0["pdfa"][name].as_str().unwrap_or_default().trim();
        format!("{}{}", part("part"), part("conformance"))
    }

    /// The kinds of the cross-reference sections, newest first: `table`, `stream`, `hybrid`, `broken`.
    #[must_use]
    pub fn xref_kinds(&self) -> Vec<String> {
        let kinds = self.list("xref").iter();
        kinds
            .map(|section| section["kind"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}

/// The violations of PDF/A-3b in a file.
#[derive(Debug, Clone)]
pub struct Clauses(Value);

impl Clauses {
    /// The error if the file cannot be opened.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        error_in(&self.0)
    }

    /// `clause: detail` of every violation.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        let listed = self.0["violations"].as_array();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        listed
            .into_iter()
            .flatten()
            .map(|entry| format!("{}: {}", text(&entry["clause"]), text(&entry["detail"])))
            .collect()
    }
}
