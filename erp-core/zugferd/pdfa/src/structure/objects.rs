//! One pass over all objects: their generations, frames, syntax, streams, names (6.1.4, 6.1.6 to 6.1.9, 6.1.13), and the
//! file specifications and associations among them.

use super::embedded::Associated;
use super::frames::{Count, Frames};
use super::spot::{Spot, shown};
use crate::repair::{EditStep, Repair};
use crate::{PdfPlace, Subject, is_one_of};
use erp_pdf::file::Located;
use erp_pdf::{Dict, Object, ObjectId, PdfError, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Digits after which a number may be too close to zero.
const SMALL: usize = 38;
/// The least number that is not zero (6.1.13).
const LEAST: f64 = 1.175e-38;
/// Lossless filters whose data can be stored with another filter.
const LOSSLESS: &str = "ASCIIHexDecode ASCII85Decode FlateDecode RunLengthDecode LZWDecode";

/// What the pass found for other checks.
#[derive(Default)]
pub(super) struct ObjectFacts {
    pub(super) specifications: Vec<Spot>,
    pub(super) associated: Associated,
}

pub(super) fn check(subject: &Subject<'_, '_>, rewrite: Option<&Repair>) -> Result<ObjectFacts> {
    let Some(entries) = PdfError::readable(subject.file.objects())? else {
        let text = "the cross-reference table cannot be read";
        subject.faults.add("6.1.4", PdfPlace::default(), text);
        return Ok(ObjectFacts::default());
    };
    let mut pass = Pass {
        subject,
        object: ObjectId::new(0),
        beyond_limits: false,
        wrong_name: None,
        found: ObjectFacts::default(),
    };
    let mut frames = Frames::default();
    let mut unreadable = Vec::new();
    let mut generations = Generations::default();
    for number in entries.iter().copied() {
        match PdfError::readable(subject.file.object(number))? {
            None => unreadable.push(number),
            Some(None) => {}
            Some(Some(located)) => {
                frames.add(&located, number);
                generations.note(number, &located);
                pass.check(number, &located)?;
            }
        }
    }
    generations.check(subject, &entries, frames.wrong_generation())?;
    frames.report(rewrite, &subject.faults);
    if !unreadable.is_empty() {
        report_unreadable(subject, &unreadable, rewrite)?;
    }
    Ok(pass.found)
}

/// Objects that cannot be read are lost for the document only when something refers to them.
fn report_unreadable(
    subject: &Subject<'_, '_>,
    unreadable: &[u32],
    rewrite: Option<&Repair>,
) -> Result<()> {
    let mut used = BTreeSet::new();
    let mut note = |object: &Object| {
        object.any(&mut |inner| {
            let number = inner.as_reference().map(|id| id.number);
            used.extend(number.filter(|number| unreadable.binary_search(number).is_ok()));
            false
        });
    };
    for (_, value) in subject.file.trailer().iter() {
        note(value);
    }
    for number in subject.file.objects()? {
        if let Some(Some(located)) = PdfError::readable(subject.file.object(number))? {
            note(&located.object);
        }
    }
    for number in unreadable {
        let place = PdfPlace::in_object(*number);
        let repair = rewrite.filter(|_| !used.contains(number)).cloned();
        let text = match repair {
            Some(_) => "an object that nothing needs is not where it should be",
            None => "the object cannot be read",
        };
        let faults = &subject.faults;
        faults.add_repairable("6.1.9", place, text, repair);
    }
    Ok(())
}

/// A step that is copied only when it is needed.
#[derive(Clone, Copy)]
enum Way<'o> {
    Member(&'o [u8]),
    Item(usize),
}

struct Pass<'f, 'a> {
    subject: &'f Subject<'f, 'a>,
    object: ObjectId,
    beyond_limits: bool,
    wrong_name: Option<Vec<u8>>,
    found: ObjectFacts,
}

impl Pass<'_, '_> {
    fn check(&mut self, number: u32, located: &Located) -> Result<()> {
        self.object = ObjectId {
            number,
            generation: located.generation,
        };
        self.beyond_limits = located.syntax.beyond_limits;
        self.wrong_name = None;
        self.look(&located.object, &mut Vec::new())?;
        let (faults, place) = (&self.subject.faults, PdfPlace::in_object(number));
        let text = "a number, name or string is beyond the limits";
        faults.add_if(self.beyond_limits, "6.1.13", place, text);
        if let Some(name) = &self.wrong_name {
            let text = format!("the name `{}` is no UTF-8", shown(Some(name)));
            faults.add("6.1.8", place, text);
        }
        if let Object::Stream(stream) = &located.object {
            self.check_stream(&stream.dict)?;
            let is_drawn = matches!(stream.dict.name("Subtype"), Some(b"Form" | b"Image"));
            if is_drawn {
                self.found.associated.add(self.subject, &stream.dict)?;
            }
        }
        Ok(())
    }

    /// Recursion ends where nesting does, which the subject limits.
    fn look<'o>(&mut self, object: &'o Object, way: &mut Vec<Way<'o>>) -> Result<()> {
        match object {
            Object::Real(text) => self.beyond_limits |= is_out_of_range(text),
            Object::Array(items) => {
                self.look_at_colours(items);
                for (place, item) in items.iter().enumerate() {
                    if matches!(item, Object::Real(_) | Object::Array(_) | Object::Dict(_)) {
                        way.push(Way::Item(place));
                        self.look(item, way)?;
                        way.pop();
                    }
                }
            }
            Object::Dict(dict) => {
                if dict.is_type("Filespec") {
                    self.note_specification(way);
                }
                self.look_at_members(dict, way)?;
            }
            Object::Stream(stream) => self.look_at_members(&stream.dict, way)?,
            _ => {}
        }
        Ok(())
    }

    fn look_at_members<'o>(&mut self, dict: &'o Dict, way: &mut Vec<Way<'o>>) -> Result<()> {
        for (key, value) in dict.iter() {
            match value {
                Object::Real(_) | Object::Array(_) | Object::Dict(_) => {
                    way.push(Way::Member(key));
                    self.look(value, way)?;
                    way.pop();
                }
                Object::Name(name) => match key {
                    b"BaseFont" | b"FontName" => self.look_at_name(name),
                    b"S" if dict.has("P") => self.look_at_name(name),
                    _ => {}
                },
                _ => {}
            }
        }
        let is_element = dict.is_type("StructElem") || dict.has("S") && dict.has("P");
        if is_element {
            self.found.associated.add(self.subject, dict)?;
        }
        Ok(())
    }

    fn note_specification(&mut self, way: &[Way<'_>]) {
        let path = way.iter().map(|step| match step {
            Way::Member(name) => EditStep::Member((*name).into()),
            Way::Item(place) => EditStep::Item(*place),
        });
        let spot = Spot {
            object: self.object,
            path: path.collect(),
        };
        self.found.specifications.push(spot);
    }

    /// The colourants of Separation and DeviceN.
    fn look_at_colours(&mut self, items: &[Object]) {
        match items {
            [Object::Name(kind), Object::Name(colourant), ..] if **kind == *b"Separation" => {
                self.look_at_name(colourant);
            }
            [Object::Name(kind), Object::Array(colourants), ..] if **kind == *b"DeviceN" => {
                let names = colourants.iter().filter_map(Object::as_name);
                names.for_each(|name| self.look_at_name(name));
            }
            _ => {}
        }
    }

    fn look_at_name(&mut self, name: &[u8]) {
        if std::str::from_utf8(name).is_err() {
            self.wrong_name = Some(name.to_vec());
        }
    }

    fn check_stream(&self, dict: &Dict) -> Result<()> {
        let (spot, faults) = (Spot::of(self.object), &self.subject.faults);
        if dict.has("F") {
            let text = "the data of a stream is outside of the file";
            faults.add("6.1.7.1", spot.place(), text);
        } else if dict.has("FFilter") || dict.has("FDecodeParms") {
            let members = vec![("FFilter", Object::Null), ("FDecodeParms", Object::Null)];
            let text = "a stream has parameters of data outside of the file";
            faults.add_repairable("6.1.7.1", spot.place(), text, spot.edit(members));
        }
        if dict.has("Filter") {
            self.check_filters(dict)?;
        }
        Ok(())
    }

    fn check_filters(&self, dict: &Dict) -> Result<()> {
        let value = self.subject.member(dict, "Filter")?;
        let filters = value.as_list();
        let place = PdfPlace::in_object(self.object.number);
        if filters.len() > self.subject.file.limits().filters {
            let text = "a stream has too many filters to look at";
            self.subject.faults.add("6.1.7.2", place, text);
            return Ok(());
        }
        let mut is_lossless = true;
        let mut wrong = None;
        for (index, filter) in filters.iter().enumerate() {
            let filter = self.subject.follow(filter)?;
            let name = filter.as_name().unwrap_or(b"?");
            is_lossless &= is_one_of(LOSSLESS, name);
            let allowed = match name {
                b"ASCIIHexDecode" | b"ASCII85Decode" | b"FlateDecode" | b"RunLengthDecode" => true,
                b"CCITTFaxDecode" | b"JBIG2Decode" | b"DCTDecode" | b"JPXDecode" => true,
                b"Crypt" => self.is_identity(dict, index)?,
                _ => false,
            };
            if !allowed {
                wrong = Some(shown(Some(name)));
            }
        }
        let Some(name) = wrong else { return Ok(()) };
        let text = format!("a stream uses the filter `{name}`");
        let repair = is_lossless.then_some(Repair::Recode(self.object));
        let faults = &self.subject.faults;
        faults.add_repairable("6.1.7.2", place, text, repair);
        Ok(())
    }

    /// Whether the parameters of a `Crypt` filter mean that nothing is encrypted.
    fn is_identity(&self, dict: &Dict, index: usize) -> Result<bool> {
        let parameters = self.subject.member(dict, "DecodeParms")?;
        let one = match &*parameters {
            Object::Array(items) => items.get(index).cloned().unwrap_or_default(),
            other => other.clone(),
        };
        let value = self.subject.follow(&one)?;
        let Some(parameters) = value.as_dict() else {
            return Ok(true);
        };
        Ok(self.subject.member(parameters, "Name")?.as_name() == Some(b"Identity"))
    }
}

/// Whether a number that is not an `i64` is too large, too close to zero, or a whole number beyond all limits.
fn is_out_of_range(text: &str) -> bool {
    let is_small = |value: f64| value != 0.0 && value.abs() < LEAST;
    !text.contains('.') || text.len() > SMALL && text.parse::<f64>().is_ok_and(is_small)
}

/// The generations of objects after all were read once. A reference that names another generation than that of its
/// object is `null` for other readers (6.1.4).
#[derive(Default)]
struct Generations {
    /// Of objects of another generation than 0.
    known: BTreeMap<u32, u16>,
    /// Whether a reference names another generation than 0.
    is_odd: bool,
}

impl Generations {
    fn note(&mut self, number: u32, located: &Located) {
        if located.generation != 0 {
            self.known.insert(number, located.generation);
        }
        self.is_odd = self.is_odd || has(&located.object, |id| id.generation != 0);
    }

    /// Notes objects with references of another generation.
    fn check(self, subject: &Subject<'_, '_>, numbers: &[u32], wrong: &mut Count) -> Result<()> {
        let trailer = Object::Dict(subject.file.trailer().clone());
        // Nearly all files have the generation 0 and no other.
        let is_odd = self.is_odd || has(&trailer, |id| id.generation != 0);
        if self.known.is_empty() && !is_odd {
            return Ok(());
        }
        let is_wrong = |id: ObjectId| {
            let exists = numbers.binary_search(&id.number).is_ok();
            exists && self.known.get(&id.number).copied().unwrap_or(0) != id.generation
        };
        wrong.add(has(&trailer, is_wrong), 0);
        for number in numbers {
            if let Some(Some(located)) = PdfError::readable(subject.file.object(*number))? {
                wrong.add(has(&located.object, is_wrong), *number);
            }
        }
        Ok(())
    }
}

fn has(object: &Object, is_wanted: impl Fn(ObjectId) -> bool) -> bool {
    object.any(&mut |inner| inner.as_reference().is_some_and(&is_wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    // clause: 6.1.13
    #[test]
    fn numbers_have_a_range() {
        let tiny = format!("0.{}1", "0".repeat(38));
        assert!(is_out_of_range(&tiny) && is_out_of_range("99999999999999999999"));
        let zero = format!("0.{}", "0".repeat(60));
        for text in [
            "0.5",
            "-.002",
            "4.",
            &zero,
            "3.141592653589793238462643383279502884197169",
        ] {
            assert!(!is_out_of_range(text), "{text}");
        }
    }
}
