//! The stages that compare a typed town with the towns of a postal code, most reliable first.

use smol_str::SmolStr;

use super::candidates::{Candidate, Typed, towns};
use super::directory::Directory;
use super::forms::Relation;
use super::normalise::{Key, digits, words};
use super::{Stage, TownEntry, TownKind, TownMatch, TownOutcome, postal_code};
use crate::values::codes::Country;

impl Directory {
    /// Compares a typed town with a typed postal code.
    ///
    /// Postal codes 9485 to 9498 with [`Country::CH`] are looked up in Liechtenstein.
    #[must_use]
    pub fn check(&self, country: Country, postal_code: &str, town: &str) -> TownMatch {
        let postal_code = postal_code::normalised(country, postal_code);
        let country = self.country_of(country, &postal_code);
        let outcome = match self.listed(country, &postal_code) {
            _ if !self.covers(country) => TownOutcome::NotCovered,
            [] => TownOutcome::UnknownPostalCode,
            listed => compared(self, listed, town),
        };
        TownMatch {
            country,
            postal_code,
            outcome,
        }
    }
}

// rule: R-TWN-01
/// Compares a typed town with the names listed at its postal code.
fn compared(directory: &Directory, listed: &[TownEntry], town: &str) -> TownOutcome {
    let is_exact = |entry: &TownEntry| entry.kind == TownKind::Official && entry.town == town;
    if listed.iter().any(is_exact) {
        return TownOutcome::Unchanged;
    }
    let matcher = Matcher::new(directory, listed, town);
    matcher
        .exact()
        .or_else(|| matcher.whole_name_here())
        .or_else(|| matcher.other_forms_here())
        .or_else(|| matcher.minor_name())
        .or_else(|| matcher.elsewhere(|relation| relation != Relation::Municipality))
        .or_else(|| matcher.here(Relation::Municipality, Stage::Municipality))
        .or_else(|| matcher.elsewhere(|_| true))
        .or_else(|| matcher.by_distance())
        .or_else(|| matcher.by_prefix())
        .or_else(|| matcher.only_one())
        .unwrap_or_else(|| matcher.unclear())
}

/// A listed name that is recognised only if spelled out: boxes, old names, parts of towns.
pub(super) struct MinorName {
    name: SmolStr,
    pub(super) key: Key,
}

/// A typed town and everything it is compared with.
pub(super) struct Matcher<'a> {
    pub(super) directory: &'a Directory,
    pub(super) typed: Typed,
    pub(super) candidates: Vec<Candidate>,
    pub(super) minor_names: Vec<MinorName>,
    country: Option<Country>,
}

impl<'a> Matcher<'a> {
    fn new(directory: &'a Directory, listed: &[TownEntry], town: &str) -> Self {
        let minor = listed
            .iter()
            .filter(|entry| entry.kind != TownKind::Official);
        let minor_names = minor.map(|entry| MinorName {
            name: entry.town.clone(),
            key: Key::new(&entry.town),
        });
        Self {
            directory,
            typed: Typed::new(town),
            candidates: towns(directory, listed),
            minor_names: minor_names.collect(),
            country: listed.first().map(|entry| entry.country),
        }
    }

    fn exact(&self) -> Option<TownOutcome> {
        let is_exact = |candidate: &Candidate| candidate.town == self.typed.name;
        let is_exact = self.candidates.iter().any(is_exact);
        is_exact.then_some(TownOutcome::Unchanged)
    }

    /// The exact name of another town has priority over a name that only differs by an `e`: Neuenkirch is not
    /// Neunkirch.
    fn whole_name_here(&self) -> Option<TownOutcome> {
        let typed = &self.typed.key;
        let is_whole = |(relation, entry): (Relation, &TownEntry)| {
            relation == Relation::Full && Key::new(&entry.town).plain == typed.plain
        };
        let same =
            |candidate: &Candidate| candidate.has(Relation::Full, |key| key.plain == typed.plain);
        self.one_of(Stage::Normalised, same).or_else(|| {
            let is_elsewhere = self.named_elsewhere().any(is_whole);
            let here = || self.here(Relation::Full, Stage::Normalised);
            (!is_elsewhere).then(here).flatten()
        })
    }

    /// Corrects if exactly one town of the postal code has the typed name in such a form.
    fn here(&self, relation: Relation, stage: Stage) -> Option<TownOutcome> {
        let typed = &self.typed.key;
        let plain = |candidate: &Candidate| candidate.has(relation, |key| key.plain == typed.plain);
        let merged =
            |candidate: &Candidate| candidate.has(relation, |key| key.merged == typed.merged);
        self.one_of(stage, plain)
            .or_else(|| self.one_of(stage, merged))
    }

    fn one_of(&self, stage: Stage, fits: impl Fn(&Candidate) -> bool) -> Option<TownOutcome> {
        let fitting = self.candidates.iter().filter(|one| fits(one));
        let fitting: Vec<&Candidate> = fitting.collect();
        match fitting.as_slice() {
            [] => None,
            [candidate] => Some(self.corrected(&candidate.town, stage)),
            several => Some(ambiguous(several.iter().copied())),
        }
    }

    pub(super) fn corrected(&self, to: &SmolStr, stage: Stage) -> TownOutcome {
        TownOutcome::Corrected {
            from: self.typed.name.clone(),
            to: to.clone(),
            stage,
        }
    }

    /// Forms that omit something. The full name of another town has priority: `Erlinsbach` with the code of
    /// `Erlinsbach SO` may well be the other Erlinsbach.
    fn other_forms_here(&self) -> Option<TownOutcome> {
        let mut elsewhere = self.named_elsewhere();
        if elsewhere.any(|(relation, _)| relation == Relation::Full) {
            return None;
        }
        self.here(Relation::Short, Stage::Normalised)
            .or_else(|| self.here(Relation::Half, Stage::BilingualHalf))
            .or_else(|| self.here(Relation::Alias, Stage::Alias))
            .or_else(|| self.abbreviated())
            .or_else(|| self.without_district())
    }

    /// `Affoltern a. A.` for `Affoltern am Albis`.
    fn abbreviated(&self) -> Option<TownOutcome> {
        self.one_of(Stage::Normalised, |candidate| {
            let name = words(&candidate.town);
            let shorter = name.iter().filter(|word| !is_article(word));
            let shorter: Vec<SmolStr> = shorter.cloned().collect();
            abbreviates(&self.typed.words, &name) || abbreviates(&self.typed.words, &shorter)
        })
    }

    /// `Zürich 4` for `Zürich`, where numbers are districts and not boxes.
    fn without_district(&self) -> Option<TownOutcome> {
        let (number, name) = self.typed.words.split_last()?;
        let is_number = number.len() <= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || !self.minor_names.is_empty() {
            return None;
        }
        let key = Key::of_words(name);
        self.one_of(Stage::Normalised, |candidate| {
            let mut forms = candidate.forms.iter();
            forms.any(|form| form.relation == Relation::Full && form.key == key)
        })
    }

    /// A name that is not a town is kept if it is spelled as listed. Other spellings are corrected, unless they are
    /// one typing error away from a town (`'Orient` for `L'Orient`).
    fn minor_name(&self) -> Option<TownOutcome> {
        let (typed, mut minor) = (&self.typed, self.minor_names.iter());
        if minor.clone().any(|minor| minor.name == typed.name) {
            return Some(TownOutcome::Unchanged);
        }
        let minor = minor.find(|minor| minor.key == typed.key)?;
        let is_error_in = |candidate: &Candidate| {
            self.nearness(candidate, 1).is_some() && digits(&candidate.town).eq(digits(&minor.name))
        };
        if self.candidates.iter().any(is_error_in) {
            return None;
        }
        Some(self.corrected(&minor.name, Stage::Normalised))
    }

    fn elsewhere(&self, counts: impl Fn(Relation) -> bool) -> Option<TownOutcome> {
        let named = self
            .named_elsewhere()
            .filter(|(relation, _)| counts(*relation));
        self.conflict(named.map(|(_, entry)| entry))
    }

    /// A conflict with these towns; `None` if there are none.
    pub(super) fn conflict<'b>(
        &self,
        towns: impl Iterator<Item = &'b TownEntry>,
    ) -> Option<TownOutcome> {
        const SHOWN: usize = 10;
        let mut places = Vec::new();
        for entry in towns {
            for place in self.directory.places(entry.country, &entry.town) {
                if places.len() < SHOWN && !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        (!places.is_empty()).then_some(TownOutcome::Conflict { places })
    }

    fn named_elsewhere(&self) -> impl Iterator<Item = (Relation, &'a TownEntry)> {
        let named = self.directory.index().named(&self.typed.key);
        named.filter_map(|(relation, position)| Some((relation, self.other_town(position)?)))
    }

    /// The entry, if its town is in the same postal system and not listed at the postal code.
    pub(super) fn other_town(&self, position: usize) -> Option<&'a TownEntry> {
        let entry = self.directory.entry(position)?;
        let towns = self.candidates.iter().map(|candidate| &candidate.town);
        let minor = self.minor_names.iter().map(|minor| &minor.name);
        let is_here = towns.chain(minor).any(|name| *name == entry.town);
        let system = |country: Country| {
            if country == Country::LI {
                Country::CH
            } else {
                country
            }
        };
        let is_near = self.country.map(system) == Some(system(entry.country));
        (is_near && !is_here).then_some(entry)
    }
}

pub(super) fn ambiguous<'b>(candidates: impl Iterator<Item = &'b Candidate>) -> TownOutcome {
    TownOutcome::Ambiguous {
        candidates: candidates.map(|candidate| candidate.town.clone()).collect(),
    }
}

fn is_article(word: &str) -> bool {
    matches!(word, "der" | "dem" | "den" | "die" | "das")
}

/// Whether the words match the name, where words after the first may be cut to three letters or less.
fn abbreviates(typed: &[SmolStr], name: &[SmolStr]) -> bool {
    const LONGEST: usize = 3;
    let is_short = |typed: &SmolStr, word: &SmolStr| {
        typed.len() <= LONGEST && word.starts_with(typed.as_str())
    };
    let mut words = typed.iter().zip(name);
    typed.len() == name.len()
        && typed.first() == name.first()
        && words.all(|(typed, word)| typed == word || is_short(typed, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_abbreviate_all_but_the_first() {
        let fits = |typed: &str, name: &str| abbreviates(&words(typed), &words(name));
        assert!(fits("Affoltern a. A.", "Affoltern am Albis"));
        assert!(fits("Crans-p.-Céligny", "Crans-près-Céligny"));
        assert!(!fits("A. am Albis", "Affoltern am Albis"));
        assert!(!fits("Affoltern a.", "Affoltern am Albis"));
        assert!(!fits("Affoltern an Albis", "Affoltern am Albis"));
    }
}
