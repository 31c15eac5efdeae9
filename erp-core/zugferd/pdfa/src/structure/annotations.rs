//! Annotations of pages (6.3, 6.4.1).

use super::actions::Actions;
use super::embedded::Associated;
use super::forms::check_actions;
use super::spot::{Spot, mentions, shown};
use crate::{PdfPlace, Subject, is_one_of};
use erp_pdf::{Dict, Object, PdfError, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Annotations of all pages that are checked: many pages may share one list.
const ANNOTATIONS: usize = 1_000_000;
/// States of one button, which many buttons may share; honest ones have two.
const STATES: usize = 100;
/// Fields above a widget: the way up may be a circle.
const PARENTS: usize = 64;

const INVISIBLE: i64 = 1;
const HIDDEN: i64 = 1 << 1;
const PRINT: i64 = 1 << 2;
const NO_VIEW: i64 = 1 << 5;
const TOGGLE_NO_VIEW: i64 = 1 << 8;

const ALLOWED: &str = "Text Link FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly \
    StrikeOut Stamp Caret Ink Popup FileAttachment Widget PrinterMark TrapNet Watermark \
    Redact";

/// Looks at the annotations of all pages; files they are associated with go to `associated`.
pub(super) fn check(
    subject: &Subject<'_, '_>,
    actions: &mut Actions<'_, '_>,
    associated: &mut Associated,
) -> Result<()> {
    let mut seen = BTreeSet::new();
    let mut types = Types::new();
    let mut count = 0;
    for (index, page) in subject.pages.iter().enumerate() {
        let list_spot = Spot::of(page.id).member(page.dict(), "Annots");
        if list_spot.is_indirect() && !seen.insert(list_spot.object.number) {
            continue;
        }
        let list = subject.member(page.dict(), "Annots")?;
        let items = list.as_array().unwrap_or_default();
        count += items.len();
        PdfError::within("annotations", count, ANNOTATIONS)?;
        for (place, item) in items.iter().enumerate() {
            let spot = list_spot.item(items, place);
            if spot.is_indirect() && !seen.insert(spot.object.number) {
                continue;
            }
            let value = subject.follow(item)?;
            let Object::Dict(dict) = &*value else {
                continue;
            };
            let place = PdfPlace::on_page(index).object(spot.object.number);
            associated.add(subject, dict)?;
            let kind = subject.member(dict, "Subtype")?;
            let annotation = Annotation {
                subject,
                dict,
                spot: &spot,
                place,
                kind: kind.as_name().unwrap_or_default().to_vec(),
                is_point: is_point(subject, dict)?,
            };
            annotation.check(&mut types)?;
            actions.check(dict.get("A"), place)?;
            actions.check_additional(dict, place)?;
        }
    }
    Ok(())
}

/// The types of fields, by their objects.
type Types = BTreeMap<u32, Option<Vec<u8>>>;

struct Annotation<'r, 'f, 'a> {
    subject: &'f Subject<'f, 'a>,
    dict: &'r Dict,
    spot: &'r Spot,
    place: PdfPlace,
    kind: Vec<u8>,
    is_point: bool,
}

impl Annotation<'_, '_, '_> {
    fn check(&self, types: &mut Types) -> Result<()> {
        let allowed = is_one_of(ALLOWED, &self.kind);
        if !allowed {
            let kind = Some(&*self.kind).filter(|kind| !kind.is_empty());
            let text = format!("`{}` annotations are not allowed", shown(kind));
            self.subject.faults.add("6.3.1", self.place, text);
        }
        self.check_flags(allowed)?;
        self.check_appearance(types)?;
        if self.kind == b"Widget" {
            check_actions(self.subject, self.dict, self.place);
        }
        Ok(())
    }

    fn check_flags(&self, allowed: bool) -> Result<()> {
        let kind = shown(Some(&self.kind));
        let value = self.subject.member(self.dict, "F")?;
        let Some(flags) = value.as_integer() else {
            let text = format!("a `{kind}` annotation has no flags");
            let is_missing = matches!(*value, Object::Null);
            if !is_missing || self.kind != b"Popup" {
                self.wrong_flags(text, is_missing.then_some(PRINT));
            }
            return Ok(());
        };
        let wrong = flags & (INVISIBLE | HIDDEN | NO_VIEW | TOGGLE_NO_VIEW);
        if wrong == 0 && flags & PRINT != 0 {
            return Ok(());
        }
        let what = match wrong {
            0 => "is not printed",
            INVISIBLE => "is marked as invisible",
            _ => "is hidden",
        };
        let text = format!("a `{kind}` annotation {what}");
        // The invisible flag has no effect for the standard types (12.5.3), and a point shows nothing; other flags hide
        // something.
        let shows_nothing_new = allowed && (wrong & !INVISIBLE == 0 || self.is_point);
        self.wrong_flags(text, shows_nothing_new.then_some(flags & !wrong | PRINT));
        Ok(())
    }

    /// Notes a fault that other flags repair.
    fn wrong_flags(&self, text: String, right: Option<i64>) {
        let repair = right.map(|flags| self.spot.edit(vec![("F", Object::Integer(flags))]));
        let faults = &self.subject.faults;
        faults.add_repairable("6.3.2", self.place, text, repair);
    }

    fn check_appearance(&self, types: &mut Types) -> Result<()> {
        let kind = shown(Some(&self.kind));
        let value = self.subject.member(self.dict, "AP")?;
        let Object::Dict(appearance) = &*value else {
            if !self.is_point && self.kind != b"Popup" && self.kind != b"Link" {
                let text = format!("a `{kind}` annotation has no appearance");
                self.subject.faults.add("6.3.3", self.place, text);
            }
            return Ok(());
        };
        if appearance.len() != 1 || !mentions(appearance, "N") {
            let text = format!("a `{kind}` annotation has other appearances than the normal one");
            self.subject.faults.add("6.3.3", self.place, text);
            return Ok(());
        }
        let normal = self.subject.member(appearance, "N")?;
        let is_button =
            self.kind == b"Widget" && self.field_type(types)?.as_deref() == Some(b"Btn");
        if is_button && !self.is_set_of_streams(&normal)? {
            let text = "a button has no set of appearances, one for each state";
            self.subject.faults.add("6.3.3", self.place, text);
        } else if !is_button && normal.as_stream().is_none() {
            let text = format!("the appearance of a `{kind}` annotation is no stream");
            self.subject.faults.add("6.3.3", self.place, text);
        }
        Ok(())
    }

    fn is_set_of_streams(&self, normal: &Object) -> Result<bool> {
        let Object::Dict(states) = normal else {
            return Ok(false);
        };
        for (_, state) in states.iter().take(STATES) {
            if self.subject.follow(state)?.as_stream().is_none() {
                return Ok(false);
            }
        }
        Ok((1..=STATES).contains(&states.len()))
    }

    /// `/FT` of the widget or of the nearest field above it that has one.
    fn field_type(&self, known: &mut Types) -> Result<Option<Vec<u8>>> {
        let type_of = |dict: &Dict| -> Result<Option<Vec<u8>>> {
            let kind = self.subject.member(dict, "FT")?;
            Ok(kind.as_name().map(<[u8]>::to_vec))
        };
        if self.dict.has("FT") {
            return type_of(self.dict);
        }
        let first = self.dict.get("Parent");
        let number = first.and_then(Object::as_reference).map(|id| id.number);
        if let Some(kind) = number.and_then(|number| known.get(&number)) {
            return Ok(kind.clone());
        }
        let mut above = first.cloned();
        let mut kind = None;
        for _ in 0..PARENTS {
            let Some(parent) = above else { break };
            let value = self.subject.follow(&parent)?;
            let Some(dict) = value.as_dict() else { break };
            kind = type_of(dict)?;
            if kind.is_some() {
                break;
            }
            above = dict.get("Parent").cloned();
        }
        if let Some(number) = number {
            known.insert(number, kind.clone());
        }
        Ok(kind)
    }
}

fn is_point(subject: &Subject<'_, '_>, dict: &Dict) -> Result<bool> {
    let corners = subject.numbers(dict.get("Rect").unwrap_or(&Object::Null), 5)?;
    let [Some(left), Some(bottom), Some(right), Some(top)] = corners.as_slice() else {
        return Ok(false);
    };
    Ok(left == right && bottom == top)
}
