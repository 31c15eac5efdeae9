//! File specifications and embedded files (6.8).

use super::spot::{Spot, inside, shown};
use crate::Subject;
use crate::repair::Repair;
use crate::xmp::is_mime_type;
use erp_pdf::pages::name_tree;
use erp_pdf::text::decode_text;
use erp_pdf::{Dict, Object, PdfError, Result};
use std::collections::BTreeSet;

/// Entries of one `/AF` array, which many objects may share.
const ENTRIES: usize = 100_000;
/// Entries of all of them.
const MOST: usize = 1_000_000;
/// File specifications of one document; each embedded file is looked at.
const SPECIFICATIONS: usize = 10_000;
/// Bytes of a name that are shown in a fault.
const SHOWN: usize = 512;
/// Members of `/EF`, of which there are five.
const MEMBERS: usize = 64;
/// The type of a file whose type is not known.
const UNKNOWN: &str = "application/octet-stream";
/// Members of `/EF` that name an embedded file.
const FILES: [&str; 5] = ["F", "UF", "DOS", "Mac", "Unix"];

/// Objects that the document or a part of it is associated with.
#[derive(Debug, Default)]
pub(super) struct Associated {
    numbers: BTreeSet<u32>,
    /// Arrays that were read.
    lists: BTreeSet<u32>,
}

impl Associated {
    /// Takes over the entries of `/AF`.
    pub(super) fn add(&mut self, subject: &Subject<'_, '_>, owner: &Dict) -> Result<()> {
        let Some(files) = owner.get("AF") else {
            return Ok(());
        };
        let list = files.as_reference();
        if list.is_some_and(|id| !self.lists.insert(id.number)) {
            return Ok(());
        }
        let files = subject.follow(files)?;
        let items = files.as_array().unwrap_or_default().iter().take(ENTRIES);
        let ids = items.filter_map(Object::as_reference);
        self.numbers.extend(ids.map(|id| id.number));
        PdfError::within("associated objects", self.numbers.len(), MOST)
    }
}

/// Looks at the file specifications that were met (`spots`) and at those in the name tree.
pub(super) fn check(
    subject: &Subject<'_, '_>,
    mut spots: Vec<Spot>,
    associated: &Associated,
) -> Result<()> {
    spots.extend(named_files(subject)?);
    PdfError::within("file specifications", spots.len(), SPECIFICATIONS)?;
    let mut seen = BTreeSet::new();
    for spot in spots {
        if spot.is_indirect() && !seen.insert(spot.object.number) {
            continue;
        }
        let reference = Object::Reference(spot.object);
        let value = subject.follow(&reference)?;
        let Some(dict) = inside(&value, &spot.path).and_then(Object::as_dict) else {
            continue;
        };
        let specification = Specification {
            subject,
            dict,
            spot: &spot,
        };
        specification.check(associated)?;
    }
    Ok(())
}

/// The file specifications in the name tree that are indirect objects.
fn named_files(subject: &Subject<'_, '_>) -> Result<Vec<Spot>> {
    let names = subject.member(&subject.catalog, "Names")?;
    let tree = names.as_dict().and_then(|names| names.get("EmbeddedFiles"));
    let Some(tree) = tree else {
        return Ok(Vec::new());
    };
    let place = Spot::of(subject.catalog_id).place();
    let Some(entries) = PdfError::readable(name_tree(subject.file, tree))? else {
        let text = "the names of the embedded files cannot be read";
        subject.faults.add("6.8", place, text);
        return Ok(Vec::new());
    };
    let mut spots = Vec::new();
    for (_, value) in entries {
        match value {
            Object::Reference(id) => spots.push(Spot::of(id)),
            Object::Dict(_) => {
                let text = "an embedded file is described in the tree of names itself";
                subject.faults.add("6.8", place, text);
            }
            _ => {}
        }
    }
    Ok(spots)
}

struct Specification<'r, 'f, 'a> {
    subject: &'f Subject<'f, 'a>,
    dict: &'r Dict,
    spot: &'r Spot,
}

impl Specification<'_, '_, '_> {
    fn check(&self, associated: &Associated) -> Result<()> {
        let name = self.name()?;
        let embeds = self.dict.has("EF");
        if embeds {
            self.check_names(&name)?;
            self.check_files(&name)?;
        }
        let relationship = self.subject.member(self.dict, "AFRelationship")?;
        if relationship.as_name().is_none() {
            let text = format!("file `{name}` has no relationship to the document");
            let members = vec![("AFRelationship", Object::name("Unspecified"))];
            self.fault(self.spot, text, self.spot.edit(members));
        }
        let number = self.spot.object.number;
        if !self.spot.is_indirect() || !associated.numbers.contains(&number) {
            let text = format!("file `{name}` is not associated with the document or a part of it");
            let repair = Repair::Associate(self.spot.object);
            let repair = Some(repair).filter(|_| self.spot.is_indirect() && embeds);
            self.fault(self.spot, text, repair);
        }
        Ok(())
    }

    fn fault(&self, spot: &Spot, text: String, repair: impl Into<Option<Repair>>) {
        let faults = &self.subject.faults;
        faults.add_repairable("6.8", spot.place(), text, repair);
    }

    fn name(&self) -> Result<String> {
        for member in ["UF", "F"] {
            if let Some(name) = self.subject.member(self.dict, member)?.as_string() {
                return Ok(decode_text(name.get(..SHOWN).unwrap_or(name)));
            }
        }
        Ok("?".to_owned())
    }

    fn check_names(&self, name: &str) -> Result<()> {
        let has = |member| {
            let name = self.subject.member(self.dict, member);
            name.map(|name| name.as_string().is_some())
        };
        let (missing, other) = match (has("F")?, has("UF")?) {
            (true, true) => return Ok(()),
            (true, false) => ("UF", "F"),
            (false, true) => ("F", "UF"),
            (false, false) => {
                self.fault(self.spot, "an embedded file has no name".to_owned(), None);
                return Ok(());
            }
        };
        let text = format!("file `{name}` has its name only as `{other}`, not as `{missing}`");
        let copy = self.dict.get(other).cloned().unwrap_or_default();
        self.fault(self.spot, text, self.spot.edit(vec![(missing, copy)]));
        Ok(())
    }

    fn check_files(&self, name: &str) -> Result<()> {
        let value = self.subject.member(self.dict, "EF")?;
        let Some(files) = value.as_dict() else {
            return Ok(());
        };
        let files_spot = self.spot.member(self.dict, "EF");
        if files.len() > MEMBERS {
            let text = format!("file `{name}` is embedded in too many forms");
            self.fault(&files_spot, text, None);
            return Ok(());
        }
        let mut seen = BTreeSet::new();
        for member in FILES {
            let spot = files_spot.member(files, member);
            let file = self.subject.member(files, member)?;
            let Some(stream) = file.as_stream() else {
                continue;
            };
            if !seen.insert(spot.object.number) {
                continue;
            }
            let subtype = self.subject.member(&stream.dict, "Subtype")?;
            if subtype.as_name().is_some_and(is_media_type) {
                continue;
            }
            let text = match subtype.as_name() {
                None => format!("file `{name}` has no media type"),
                Some(kind) => format!("file `{name}` has the media type `{}`", shown(Some(kind))),
            };
            let repair = spot.edit(vec![("Subtype", Object::name(UNKNOWN))]);
            self.fault(&spot, text, repair);
        }
        Ok(())
    }
}

/// `type/subtype` of letters, digits and `_`, `-`, `+`, `.`.
fn is_media_type(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(is_mime_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_has_two_parts() {
        for name in ["text/xml", "application/vnd.a-b+xml", "a_1/b"] {
            assert!(is_media_type(name.as_bytes()), "{name}");
        }
        for name in [
            "",
            "xml",
            "text/",
            "/xml",
            "a/b/c",
            "text/xml; charset=utf-8",
            "text#2Fxml",
        ] {
            assert!(!is_media_type(name.as_bytes()), "{name}");
        }
    }
}
