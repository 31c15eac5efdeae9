//! Reading a PDF whose cross-reference chain is broken: its objects are looked for in the whole file.

use super::file::Opened;
use super::kinds::is_white;
use super::lexer::Lexer;
use super::open::find_header;
use super::xref::{Rows, Section, SectionKind, XrefEntry};
use super::{Dict, Limits, Object, ObjectId, PdfError, PdfFile, Result};
use std::collections::BTreeMap;

impl<'a> PdfFile<'a> {
    /// Opens a PDF by searching its objects, ignoring its cross-reference.
    ///
    /// If an object occurs several times the last one is used, as in a file that was saved several times.
    /// Errors: [`PdfError::NotAPdf`], [`PdfError::TooLarge`], and [`PdfError::Damaged`] when there is no catalog.
    pub fn rebuild(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let file = Self::fragments(data, limits)?;
        file.catalog()?;
        Ok(file)
    }

    /// What can be found of a PDF, even when its catalog is lost.
    /// Errors: [`PdfError::NotAPdf`] and [`PdfError::TooLarge`].
    pub fn fragments(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let header = find_header(data, limits)?;
        let mut file = Self::unopened(data, limits);
        file.opened = Opened {
            junk_before: header,
            rebuilt: true,
            ..Opened::default()
        };
        let mut found = file.scan_objects()?;
        file.take_found(&found);
        file.scan_object_streams(&mut found)?;
        file.take_found(&found);
        file.trailer = file.found_trailer(&found)?;
        Ok(file)
    }

    fn take_found(&mut self, found: &BTreeMap<u32, XrefEntry>) {
        let rows = found.iter().map(|(number, entry)| (*number, *entry));
        self.chain.sections = vec![Section {
            at: 0,
            kind: SectionKind::Table,
            rows: Rows::Found(rows.collect()),
            runs: Vec::new(),
        }];
        self.state.take();
    }

    /// All places that look like `12 0 obj`.
    fn scan_objects(&self) -> Result<BTreeMap<u32, XrefEntry>> {
        let mut found = BTreeMap::new();
        for at in memchr::memmem::find_iter(self.data, b"obj") {
            let Some((number, start)) = object_before(self.data, at) else {
                continue;
            };
            // No readable file has such a number.
            if usize::try_from(number).is_ok_and(|number| number < self.limits.objects) {
                found.insert(number, XrefEntry::At(start));
            }
        }
        Ok(found)
    }

    /// Adds the objects in object streams; objects in the file itself have precedence.
    fn scan_object_streams(&self, found: &mut BTreeMap<u32, XrefEntry>) -> Result<()> {
        for (number, at) in self.near(found, b"ObjStm") {
            let Ok(located) = self.read_at(number, at) else {
                continue;
            };
            let stream = located.object.as_stream();
            let Some(stream) = stream.filter(|stream| stream.dict.is_type("ObjStm")) else {
                continue;
            };
            let Some(bytes) = PdfError::readable(self.decoded(stream))? else {
                continue;
            };
            let members = self.object_offsets(&stream.dict, &bytes);
            for (member, _) in members.unwrap_or_default() {
                let entry = XrefEntry::InStream { stream: number };
                found.entry(member).or_insert(entry);
            }
            PdfError::within("objects", found.len(), self.limits.objects)?;
        }
        Ok(())
    }

    /// Number and start of the objects in the file itself that have a word near their start.
    fn near(&self, found: &BTreeMap<u32, XrefEntry>, word: &[u8]) -> Vec<(u32, usize)> {
        let entries = found.iter().filter_map(|(number, entry)| match entry {
            XrefEntry::At(at) => Some((*number, *at)),
            _ => None,
        });
        let is_near = |(_, at): &(u32, usize)| {
            let rest = self.data.get(*at..).unwrap_or_default();
            let head = rest.get(..400).unwrap_or(rest);
            memchr::memmem::find(head, word).is_some()
        };
        entries.filter(is_near).collect()
    }

    /// The last trailer that names a catalog, else one made for the catalog that is found.
    fn found_trailer(&self, found: &BTreeMap<u32, XrefEntry>) -> Result<Dict> {
        let mut trailer = Dict::new();
        for at in memchr::memmem::find_iter(self.data, b"trailer") {
            let mut lexer = Lexer::new(self.data, at + 7, &self.limits);
            let read = lexer.object();
            self.parsed(at, &lexer)?;
            if let Ok(Object::Dict(dict)) = read {
                take_members(&mut trailer, &dict);
            }
        }
        for dict in self.section_streams(found) {
            take_members(&mut trailer, &dict);
        }
        if !self.names_catalog(&trailer)
            && let Some(id) = self.find_catalog(found)
        {
            trailer.set("Root", Object::Reference(id));
        }
        Ok(trailer)
    }

    fn section_streams(&self, found: &BTreeMap<u32, XrefEntry>) -> Vec<Dict> {
        let mut places = self.near(found, b"/XRef");
        places.sort_unstable_by_key(|(number, at)| (*at, *number));
        let read = |(number, at): (u32, usize)| self.read_at(number, at).ok();
        let streams = places.into_iter().filter_map(read);
        streams
            .filter_map(|located| located.object.as_dict().cloned())
            .filter(|dict| dict.is_type("XRef"))
            .collect()
    }

    fn names_catalog(&self, trailer: &Dict) -> bool {
        let root = trailer.reference("Root");
        let root = root.and_then(|id| self.object(id.number).ok()?);
        root.is_some_and(|root| root.object.as_dict().is_some_and(|dict| dict.has("Pages")))
    }

    fn find_catalog(&self, found: &BTreeMap<u32, XrefEntry>) -> Option<ObjectId> {
        let is_catalog = |number: &u32| {
            self.object(*number).ok().flatten().is_some_and(|located| {
                matches!(&located.object, Object::Dict(dict) if dict.is_type("Catalog") && dict.has("Pages"))
            })
        };
        let last = found.keys().rev().find(|number| is_catalog(number));
        last.copied().map(ObjectId::new)
    }
}

/// Members of a newer trailer replace those of an older one.
fn take_members(trailer: &mut Dict, newer: &Dict) {
    for name in ["Root", "Info", "ID", "Encrypt", "Size"] {
        if let Some(value) = newer.get(name) {
            trailer.set(name, value.clone());
        }
    }
}

/// Number and start of the object whose `obj` is at `at`.
fn object_before(data: &[u8], at: usize) -> Option<(u32, usize)> {
    let before = data.get(..at)?;
    let before = trim_white(before)?;
    let (before, _) = split_digits(before)?;
    let before = trim_white(before)?;
    let (rest, digits) = split_digits(before)?;
    // `endobj` right before, without a line end, is common enough.
    let boundary = rest.last().is_none_or(|byte| !byte.is_ascii_digit());
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    boundary.then_some((number, rest.len()))
}

fn trim_white(bytes: &[u8]) -> Option<&[u8]> {
    let white = bytes.iter().rev().take_while(|byte| is_white(**byte));
    let white = white.count();
    let rest = bytes.get(..bytes.len() - white);
    rest.filter(|_| (1..=8).contains(&white))
}

fn split_digits(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = bytes.iter().rev().take(10);
    let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
    let split = bytes.split_at_checked(bytes.len() - digits);
    split.filter(|_| digits > 0)
}
