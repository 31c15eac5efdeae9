//! Reports of the check as HTML documents, and the index of those in a folder.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{MAIN_SEPARATOR, Path};

use erp_core::zugferd::{CheckLimits, IndexEntry, Language, Report, check_html, index_html};

use super::inputs::Input;
use super::output::Outputs;

pub(super) const INDEX: &str = "index.html";

pub(super) struct Reports {
    outputs: Outputs,
    language: Language,
    /// The names in the folder, in small letters: some file systems do not tell them apart.
    names: BTreeSet<String>,
    entries: Vec<IndexEntry>,
}

impl Reports {
    pub(super) fn new(outputs: Outputs, language: Language) -> Self {
        Self {
            outputs,
            language,
            names: BTreeSet::from([INDEX.to_owned()]),
            entries: Vec::new(),
        }
    }

    pub(super) const fn are_on_stdout(&self) -> bool {
        self.outputs.is_stdout()
    }

    /// Checks an XML, if it could be read, and writes the report; returns it and where it is.
    pub(super) fn write(
        &mut self,
        input: &Input,
        xml: Result<Vec<u8>, String>,
    ) -> Result<(Report, String), String> {
        let written = xml.and_then(|xml| {
            let limits = CheckLimits::DEFAULT;
            let (report, html) = check_html(&xml, &limits, self.language, &input.name);
            let own = input.path.file_name().unwrap_or(OsStr::new("document"));
            let beside = format!("{}.html", own.to_string_lossy());
            let within = self.free(&input.name);
            let written = self
                .outputs
                .write(&input.path, &beside, &within, html.as_bytes())?;
            Ok((report, written, within))
        });
        if self.outputs.is_folder() {
            self.entries.push(match &written {
                Ok((report, _, name)) => {
                    IndexEntry::checked(&input.name, name, report, self.language)
                }
                Err(error) => IndexEntry::failed(&input.name, error),
            });
        }
        written.map(|(report, written, _)| (report, written))
    }

    /// A name in the folder that no other report has.
    fn free(&mut self, name: &str) -> String {
        let name = name.replace(MAIN_SEPARATOR, "-");
        let mut number = 1_u32;
        loop {
            let page = match number {
                1 => format!("{name}.html"),
                number => format!("{name}-{number}.html"),
            };
            if self.names.insert(page.to_lowercase()) {
                return page;
            }
            number += 1;
        }
    }

    /// Writes the index, if there is one; returns where it is.
    pub(super) fn end(&mut self) -> Result<Option<String>, String> {
        if !self.outputs.is_folder() {
            return Ok(None);
        }
        let index = index_html(&self.entries, self.language);
        let written = self
            .outputs
            .write(Path::new(""), "", INDEX, index.as_bytes());
        written.map(Some)
    }
}
