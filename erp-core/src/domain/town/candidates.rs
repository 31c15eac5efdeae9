//! The towns that a typed town is compared with at its postal code.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::directory::Directory;
use super::forms::{self, Relation, TownForm};
use super::normalise::{Key, digits, words};
use super::{TownEntry, TownKind};

/// A town as typed, with its normalised forms.
pub(super) struct Typed {
    pub(super) name: SmolStr,
    pub(super) words: Vec<SmolStr>,
    pub(super) key: Key,
}

impl Typed {
    pub(super) fn new(name: &str) -> Self {
        let words = words(name);
        Self {
            name: SmolStr::from(name),
            key: Key::of_words(&words),
            words,
        }
    }

    /// The last word if it may be a canton: two letters after another word.
    fn last_two_letters(&self) -> Option<&str> {
        let (last, before) = self.words.split_last()?;
        (last.len() == 2 && !before.is_empty()).then_some(last.as_str())
    }
}

/// A town that a correction may choose.
pub(super) struct Candidate {
    pub(super) town: SmolStr,
    pub(super) forms: Vec<TownForm>,
    regions: BTreeSet<SmolStr>,
}

impl Candidate {
    fn new(directory: &Directory, listed: &[TownEntry], place: &TownEntry, town: &str) -> Self {
        let regions = directory.regions(place.country, town);
        let mut forms: Vec<TownForm> = regions
            .iter()
            .flat_map(|region| forms::of_town(town, region))
            .collect();
        let named = listed.iter().filter(|entry| entry.town == town);
        let municipalities = named.flat_map(|entry| &entry.municipalities);
        forms.extend(municipalities.flat_map(|name| forms::of_municipality(name)));
        Self {
            town: SmolStr::from(town),
            forms,
            regions,
        }
    }

    /// The forms of the town itself.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        let is_own = |form: &&TownForm| form.relation != Relation::Municipality;
        self.forms.iter().filter(is_own).map(|form| &form.key)
    }

    pub(super) fn has(&self, relation: Relation, is_same: impl Fn(&Key) -> bool) -> bool {
        self.forms
            .iter()
            .any(|form| form.relation == relation && is_same(&form.key))
    }

    /// Whether a number or a canton in the typed town shows that another town is meant.
    pub(super) fn is_contradicted(&self, typed: &Typed, regions: &BTreeSet<SmolStr>) -> bool {
        let canton = typed.last_two_letters().map(str::to_ascii_uppercase);
        let other_canton = canton.is_some_and(|canton| {
            let is_in_name = words(&self.town).last() == typed.words.last();
            regions.contains(canton.as_str())
                && !self.regions.contains(canton.as_str())
                && !is_in_name
        });
        other_canton || !digits(&self.town).eq(digits(&typed.name))
    }
}

/// The towns of a postal code: the official ones and those that its post-office boxes belong to. If there are none,
/// the other names of the code are used.
pub(super) fn towns(directory: &Directory, listed: &[TownEntry]) -> Vec<Candidate> {
    let of_kind = |kind: TownKind| listed.iter().filter(move |entry| entry.kind == kind);
    let official = of_kind(TownKind::Official).map(|entry| (entry, entry.town.as_str()));
    let boxes =
        of_kind(TownKind::PoBox).filter_map(|entry| Some((entry, town_of_box(directory, entry)?)));
    let candidates = distinct(directory, listed, official.chain(boxes));
    if !candidates.is_empty() {
        return candidates;
    }
    let all = listed.iter().map(|entry| (entry, entry.town.as_str()));
    distinct(directory, listed, all)
}

fn distinct<'a>(
    directory: &Directory,
    listed: &[TownEntry],
    towns: impl Iterator<Item = (&'a TownEntry, &'a str)>,
) -> Vec<Candidate> {
    let mut seen = BTreeSet::new();
    towns
        .filter(|(_, town)| seen.insert(*town))
        .map(|(entry, town)| Candidate::new(directory, listed, entry, town))
        .collect()
}

// rule: R-TWN-04
/// The official town at the start of a box name (`Bern` of `Bern 60 UPD`).
fn town_of_box<'a>(directory: &Directory, entry: &'a TownEntry) -> Option<&'a str> {
    let ends = entry.town.rmatch_indices(' ').map(|(end, _)| end);
    let mut beginnings = std::iter::once(entry.town.len())
        .chain(ends)
        .filter_map(|end| entry.town.get(..end));
    beginnings.find(|name| directory.is_official(entry.country, name))
}
