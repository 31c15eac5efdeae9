//! What programs of others read in PDF files: qpdf, poppler and, where one is named, veraPDF.
//!
//! `tests/run` installs qpdf and poppler; without them the tests say so and are skipped, with `CI=true` they fail.
//! `VERAPDF` may name an executable that is run with `--flavour 3b FILES` and prints `PASS|FAIL path [clauses]` for each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_tests::skipped;
use md5::{Digest as _, Md5};
use quick_xml::NsReader;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;
use serde_json::{Map, Value};

/// Number of files per run of veraPDF, so that the command line does not get too long.
const FILES_PER_CALL: usize = 200;

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// Whether the programs are installed; otherwise the caller is skipped.
pub(crate) fn are_installed() -> bool {
    for program in ["qpdf", "pdfdetach", "pdfsig"] {
        if Command::new(program).arg("-v").output().is_err() {
            skipped(&format!("`{program}` is missing; `tests/run` installs it"));
            return false;
        }
    }
    true
}

fn run(command: &mut Command) -> Output {
    let output = command.output();
    output.unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs `qpdf --check`, which decodes every stream; warnings are errors.
pub(crate) fn qpdf_check(path: &Path) -> Result<(), String> {
    let output = run(Command::new("qpdf").arg("--check").arg(path));
    match output.status.success() {
        true => Ok(()),
        false => Err(text(&output.stderr) + &text(&output.stdout)),
    }
}

/// Name and bytes of every attachment, extracted by poppler.
pub(crate) fn pdfdetach_all(path: &Path) -> Vec<(String, Vec<u8>)> {
    let list = ["-list", "-enc", "UTF-8"];
    let listed = run(Command::new("pdfdetach").args(list).arg(path));
    let listed = text(&listed.stdout);
    let folder = tempfile::tempdir().expect("a folder for attachments");
    // The first line is the count; every other one looks like `1: factur-x.xml`.
    let lines = listed
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "));
    lines
        .map(|(number, name)| {
            let file = folder.path().join(number.trim());
            let mut save = Command::new("pdfdetach");
            save.args(["-save", number.trim(), "-o"])
                .arg(&file)
                .arg(path);
            let saved = run(&mut save);
            let bytes = std::fs::read(&file);
            let bytes = bytes.unwrap_or_else(|error| {
                panic!(
                    "{}: {name}: {error}: {}",
                    path.display(),
                    text(&saved.stderr)
                )
            });
            (name.to_owned(), bytes)
        })
        .collect()
}

/// The signatures of a file as poppler sees them: whether each is valid, and whether it covers the whole file.
pub(crate) fn signatures(path: &Path) -> Vec<(bool, bool)> {
    let printed = text(&run(Command::new("pdfsig").arg(path)).stdout);
    let parts = printed.split("Signature #").skip(1);
    parts
        .map(|part| {
            (
                part.contains("Signature Validation: Signature is Valid."),
                part.contains("- Total document signed"),
            )
        })
        .collect()
}

/// The clauses that each file breaks in the view of veraPDF; `None` without it.
pub(crate) fn verapdf(paths: &[PathBuf]) -> Option<BTreeMap<PathBuf, String>> {
    let program = std::env::var_os("VERAPDF")?;
    let mut verdicts = BTreeMap::new();
    for paths in paths.chunks(FILES_PER_CALL) {
        let output = run(Command::new(&program).args(["--flavour", "3b"]).args(paths));
        let printed = text(&output.stdout);
        for path in paths {
            let name = path.to_str().expect("UTF-8");
            let mut lines = printed.lines();
            let verdict = lines.find_map(|line| {
                let (state, rest) = line.split_once(' ')?;
                let clauses = rest.strip_prefix(name)?;
                let ends = clauses.is_empty() || clauses.starts_with([' ', '\t']);
                ends.then(|| if state == "PASS" { "" } else { rest })
            });
            let verdict = verdict.unwrap_or_else(|| panic!("veraPDF says nothing about {name}"));
            verdicts.insert(path.clone(), verdict.to_owned());
        }
    }
    Some(verdicts)
}

/// An attachment as qpdf reads it.
#[derive(Debug)]
pub(crate) struct Attachment {
    pub(crate) f: Option<String>,
    pub(crate) uf: Option<String>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) relationship: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) description: Option<String>,
    /// Number of its entries in the name tree.
    pub(crate) in_tree: usize,
    /// Number of `/AF` arrays that contain it.
    pub(crate) in_af: usize,
    pub(crate) is_dated: bool,
    /// Whether `/CheckSum` is the MD5 of the bytes; `None` when there is none.
    pub(crate) checksum_is_right: Option<bool>,
}

impl Attachment {
    pub(crate) fn name(&self) -> String {
        let name = self.uf.as_ref().or(self.f.as_ref());
        name.cloned().unwrap_or_default()
    }
}

/// A property of the XMP: namespace, name, text.
pub(crate) type Property = (String, String, String);

/// A file as qpdf reads it.
pub(crate) struct Seen(Value);

impl Seen {
    /// `None` if qpdf does not open the file, for example because it needs a password.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let json = [
            "--json=2",
            "--json-stream-data=inline",
            "--decode-level=generalized",
        ];
        let output = run(Command::new("qpdf").args(json).arg(path));
        serde_json::from_slice(&output.stdout).ok().map(Self)
    }

    fn objects(&self) -> &Map<String, Value> {
        self.0["qpdf"][1].as_object().expect("the objects")
    }

    /// The value or stream to which a reference leads; other values are returned as they are.
    fn at<'s>(&'s self, value: &'s Value) -> &'s Value {
        let object = value.as_str().filter(|text| text.ends_with(" R"));
        let object = object.and_then(|text| self.objects().get(&format!("obj:{text}")));
        object.map_or(value, |object| {
            object.get("value").unwrap_or(&object["stream"])
        })
    }

    fn root(&self) -> &Value {
        self.at(&self.0["qpdf"][1]["trailer"]["value"]["/Root"])
    }

    fn data(&self, stream: &Value) -> Vec<u8> {
        let data = self.at(stream)["data"].as_str().unwrap_or_default();
        STANDARD.decode(data).expect("Base64 of qpdf")
    }

    /// Every dictionary of the file, also those inside others.
    fn dictionaries(&self) -> Vec<&Value> {
        fn of<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
            match value {
                Value::Object(members) => {
                    found.push(value);
                    members.values().for_each(|value| of(value, found));
                }
                Value::Array(entries) => entries.iter().for_each(|value| of(value, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        self.objects()
            .values()
            .for_each(|value| of(value, &mut found));
        found
    }

    /// Names and values of a name tree in the order of the file; `None` if a `/Limits` is wrong.
    fn name_tree<'s>(&'s self, node: &'s Value) -> Option<Vec<(&'s str, &'s Value)>> {
        let node = self.at(node);
        let names = self.at(&node["/Names"]).as_array().into_iter().flatten();
        let names: Vec<&Value> = names.collect();
        let pairs = names.chunks_exact(2);
        let mut found: Vec<_> = pairs
            .filter_map(|two| Some((two[0].as_str()?, two[1])))
            .collect();
        for kid in self.at(&node["/Kids"]).as_array().into_iter().flatten() {
            found.extend(self.name_tree(kid)?);
        }
        if let (Some(limits), [(first, _), ..]) = (node["/Limits"].as_array(), found.as_slice()) {
            let last = found.last()?.0;
            (limits[0] == **first && limits[1] == *last).then_some(())?;
        }
        Some(found)
    }

    fn embedded_files(&self) -> Option<Vec<(&str, &Value)>> {
        self.name_tree(&self.at(&self.root()["/Names"])["/EmbeddedFiles"])
    }

    /// Whether the name tree of attachments is sorted and its limits are right.
    pub(crate) fn tree_is_right(&self) -> bool {
        self.embedded_files().is_some_and(|names| {
            // Of other names qpdf does not show the bytes by which they are sorted.
            let names = names.iter().map(|(name, _)| *name);
            let all_ascii = names
                .clone()
                .all(|name| name.starts_with("u:") && name.is_ascii());
            !all_ascii || names.is_sorted()
        })
    }

    /// Every file specification with a file, wherever it is.
    pub(crate) fn attachments(&self) -> Vec<Attachment> {
        let all = self.dictionaries();
        let lists = all.iter().map(|one| self.at(&one["/AF"]));
        let associated: Vec<&Value> = lists.filter_map(Value::as_array).flatten().collect();
        let tree = self.embedded_files().unwrap_or_default();
        let text = |value: &Value| {
            let text = self.at(value).as_str()?;
            Some(
                text.strip_prefix("u:")
                    .or(text.strip_prefix('/'))
                    .unwrap_or(text)
                    .to_owned(),
            )
        };
        let of = |specification: &&Value| {
            let files = self.at(&specification["/EF"]);
            let stream = ["/F", "/UF"].iter().find_map(|key| files.get(*key))?;
            let (dictionary, bytes) = (&self.at(stream)["dict"], self.data(stream));
            let parameters = self.at(&dictionary["/Params"]);
            let is_it = |value: &&Value| std::ptr::eq(self.at(value), *specification);
            let digest = |sum: &Value| {
                let sum = sum.as_str().unwrap_or_default();
                let hex: String = Md5::digest(&bytes)
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect();
                // qpdf writes a digest that happens to be text as text.
                !sum.starts_with("b:") || sum[2..] == hex
            };
            Some(Attachment {
                f: text(&specification["/F"]),
                uf: text(&specification["/UF"]),
                relationship: text(&specification["/AFRelationship"]),
                description: text(&specification["/Desc"]),
                media_type: text(&dictionary["/Subtype"]),
                in_tree: tree.iter().filter(|(_, value)| is_it(value)).count(),
                in_af: associated.iter().filter(|value| is_it(value)).count(),
                is_dated: parameters["/ModDate"].is_string(),
                checksum_is_right: parameters.get("/CheckSum").map(digest),
                bytes,
            })
        };
        all.iter()
            .filter(|one| one.get("/EF").is_some())
            .filter_map(of)
            .collect()
    }

    /// What a reader navigates by and sees: outlines, form fields, named destinations, drawing instructions of each page.
    pub(crate) fn shown(&self) -> [Vec<String>; 4] {
        fn titles(list: &Value, found: &mut Vec<String>) {
            for entry in list.as_array().into_iter().flatten() {
                found.push(entry["title"].to_string());
                titles(&entry["kids"], found);
            }
        }
        let mut outlines = Vec::new();
        titles(&self.0["outlines"], &mut outlines);
        let fields = self.0["acroform"]["fields"]
            .as_array()
            .into_iter()
            .flatten();
        let fields = fields.map(|field| field["fullname"].to_string()).collect();
        let named = self.name_tree(&self.at(&self.root()["/Names"])["/Dests"]);
        let named = named.into_iter().flatten().map(|(name, _)| name.to_owned());
        let old = self.at(&self.root()["/Dests"]).as_object();
        let destinations = named.chain(old.into_iter().flat_map(|old| old.keys().cloned()));
        let pages = self.0["pages"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|page| {
                let parts = page["contents"].as_array().into_iter().flatten();
                let parts = parts.map(|part| text(self.data(part).trim_ascii_end()));
                parts.collect::<Vec<_>>().join("\n")
            });
        [outlines, fields, destinations.collect(), pages.collect()]
    }

    pub(crate) fn catalog(&self) -> BTreeSet<String> {
        let keys = self.root().as_object().expect("a catalog").keys();
        keys.cloned().collect()
    }

    /// The two parts of `/ID`.
    pub(crate) fn id(&self) -> Vec<String> {
        let id = self.at(&self.0["qpdf"][1]["trailer"]["value"]["/ID"]);
        let parts = id.as_array().into_iter().flatten();
        parts.map(Value::to_string).collect()
    }

    /// The properties of the XMP; `None` without XMP or when it is not well-formed.
    pub(crate) fn properties(&self) -> Option<Vec<Property>> {
        let stream = self.root().get("/Metadata")?;
        properties(&text(&self.data(stream)))
    }
}

/// Every element with text and every attribute of an XMP packet.
fn properties(packet: &str) -> Option<Vec<Property>> {
    let mut reader = NsReader::from_str(packet);
    let mut found: Vec<Property> = Vec::new();
    let mut open: Vec<(String, String)> = Vec::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let space = |resolved: ResolveResult<'_>| match resolved {
        ResolveResult::Bound(space) => text(space.as_ref()),
        _ => String::new(),
    };
    loop {
        let event = reader.read_event().ok()?;
        match &event {
            Event::Start(tag) | Event::Empty(tag) => {
                for attribute in tag.attributes() {
                    let attribute = attribute.ok()?;
                    let (resolved, name) = reader.resolver().resolve_attribute(attribute.key);
                    let (namespace, name) = (space(resolved), text(name.as_ref()));
                    if ![RDF, XMLNS, ""].contains(&namespace.as_str()) {
                        found.push((namespace, name, text(&attribute.value)));
                    }
                }
                if matches!(event, Event::Start(_)) {
                    let (resolved, name) = reader.resolver().resolve_element(tag.name());
                    open.push((space(resolved), text(name.as_ref())));
                }
            }
            Event::Text(part) => {
                let part = text(part);
                let part = part.trim();
                if let (Some((space, name)), false) = (open.last(), part.is_empty()) {
                    found.push((space.clone(), name.clone(), part.to_owned()));
                }
            }
            Event::End(_) => drop(open.pop()),
            Event::Eof => return open.is_empty().then_some(found),
            _ => {}
        }
    }
}
