//! Actions and what starts them (6.5).

use super::spot::{Spot, mentions, shown};
use crate::{PdfPlace, Subject};
use erp_pdf::{Dict, Object, PdfError, Result};
use std::collections::BTreeSet;

/// Actions of one chain that follow each other; it may be a circle.
const CHAIN: usize = 10_000;

/// Looks at every action once.
pub(super) struct Actions<'f, 'a> {
    pub(super) subject: &'f Subject<'f, 'a>,
    pub(super) seen: BTreeSet<u32>,
}

impl Actions<'_, '_> {
    /// An action and all that follow it; anything else than an action is left alone.
    pub(super) fn check(&mut self, action: Option<&Object>, place: PdfPlace) -> Result<()> {
        let mut waiting: Vec<(Object, PdfPlace)> = Vec::new();
        waiting.extend(action.map(|action| (action.clone(), place)));
        let mut count = 0;
        while let Some((action, mut place)) = waiting.pop() {
            count += 1;
            let most = waiting.len().max(count);
            PdfError::within("actions that follow each other", most, CHAIN)?;
            if let Object::Reference(id) = action {
                if !self.seen.insert(id.number) {
                    continue;
                }
                place.object = Some(id.number);
            }
            let value = self.subject.follow(&action)?;
            let Object::Dict(dict) = &*value else {
                continue;
            };
            self.check_one(dict, place)?;
            let Some(next) = dict.get("Next") else {
                continue;
            };
            match &*self.subject.follow(next)? {
                Object::Array(items) if self.is_new(next) => {
                    waiting.extend(items.iter().take(CHAIN).map(|item| (item.clone(), place)));
                }
                Object::Array(_) => {}
                _ => waiting.push((next.clone(), place)),
            }
        }
        Ok(())
    }

    /// Whether the value is not shared, or met for the first time.
    fn is_new(&mut self, value: &Object) -> bool {
        let id = value.as_reference();
        id.is_none_or(|id| self.seen.insert(id.number))
    }

    fn check_one(&self, action: &Dict, place: PdfPlace) -> Result<()> {
        let kind = self.subject.member(action, "S")?;
        match kind.as_name() {
            Some(b"GoTo" | b"GoToR" | b"GoToE" | b"Thread" | b"URI" | b"SubmitForm") => {}
            Some(b"Named") => {
                let name = self.subject.member(action, "N")?;
                let known = [&b"NextPage"[..], b"PrevPage", b"FirstPage", b"LastPage"];
                if !name.as_name().is_some_and(|name| known.contains(&name)) {
                    let name = shown(name.as_name());
                    let text = format!("the named action `{name}` is not allowed");
                    self.subject.faults.add("6.5.1", place, text);
                }
            }
            other => {
                let text = format!("a `{}` action is not allowed", shown(other));
                self.subject.faults.add("6.5.1", place, text);
            }
        }
        Ok(())
    }

    pub(super) fn check_additional(&mut self, owner: &Dict, place: PdfPlace) -> Result<()> {
        if !owner.get("AA").is_some_and(|events| self.is_new(events)) {
            return Ok(());
        }
        let value = self.subject.member(owner, "AA")?;
        let Object::Dict(events) = &*value else {
            return Ok(());
        };
        for (_, action) in events.iter() {
            self.check(Some(action), place)?;
        }
        Ok(())
    }
}

/// The actions of the document itself, its bookmarks and its pages.
pub(super) fn check(subject: &Subject<'_, '_>, actions: &mut Actions<'_, '_>) -> Result<()> {
    let catalog = &subject.catalog;
    let place = Spot::of(subject.catalog_id).place();
    actions.check(catalog.get("OpenAction"), place)?;
    if mentions(catalog, "AA") {
        let text = "the document has additional actions (`AA`)";
        subject.faults.add("6.5.2", place, text);
        actions.check_additional(catalog, place)?;
    }
    let names = subject.member(catalog, "Names")?;
    let has_script = names.as_dict().is_some_and(|names| names.has("JavaScript"));
    let text = "the document has JavaScript";
    subject.faults.add_if(has_script, "6.5.1", place, text);
    for (index, page) in subject.pages.iter().enumerate() {
        if mentions(page.dict(), "AA") {
            let place = PdfPlace::on_page(index).object(page.id.number);
            let text = "the page has additional actions (`AA`)";
            subject.faults.add("6.5.2", place, text);
            actions.check_additional(page.dict(), place)?;
        }
    }
    check_outlines(subject, actions)
}

fn check_outlines(subject: &Subject<'_, '_>, actions: &mut Actions<'_, '_>) -> Result<()> {
    let limit = subject.file.limits().objects;
    let outlines = subject.member(&subject.catalog, "Outlines")?;
    let first = outlines
        .as_dict()
        .and_then(|outlines| outlines.reference("First"));
    let mut waiting = Vec::from_iter(first);
    let mut seen = BTreeSet::new();
    // Bookmarks are indirect objects (12.3.3); others would be copied over and over.
    while let Some(id) = waiting.pop() {
        if !seen.insert(id.number) {
            continue;
        }
        PdfError::within("bookmarks", seen.len(), limit)?;
        let item = Object::Reference(id);
        let value = subject.follow(&item)?;
        let Some(bookmark) = value.as_dict() else {
            continue;
        };
        actions.check(bookmark.get("A"), PdfPlace::in_object(id.number))?;
        waiting.extend(bookmark.reference("Next"));
        waiting.extend(bookmark.reference("First"));
    }
    Ok(())
}
