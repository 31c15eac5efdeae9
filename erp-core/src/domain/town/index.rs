//! Index of all names, to find towns at other postal codes.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::distance::{Sketch, within};
use super::forms::{self, Relation};
use super::normalise::Key;
use super::{TownEntry, TownKind};

#[derive(Clone, Debug)]
struct Indexed {
    key: SmolStr,
    sketch: Sketch,
    is_plain: bool,
    relation: Relation,
    /// Position of the first entry with that town.
    entry: usize,
}

/// All forms of all towns and municipalities, sorted by key.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    forms: Vec<Indexed>,
}

impl Index {
    pub(super) fn new(entries: &[TownEntry]) -> Self {
        let mut forms = Vec::new();
        let mut towns = BTreeSet::new();
        let mut municipalities = BTreeSet::new();
        // A box name is a town and a number, and the town is indexed anyway. Official entries are added first, so they
        // represent towns that have both kinds.
        let of_kind = |kind| {
            entries
                .iter()
                .enumerate()
                .filter(move |(_, entry)| entry.kind == kind)
        };
        for (position, entry) in of_kind(TownKind::Official).chain(of_kind(TownKind::Other)) {
            if towns.insert((entry.country, &entry.town, &entry.region)) {
                let of_town = forms::of_town(&entry.town, &entry.region);
                add(&mut forms, position, of_town);
            }
            for name in &entry.municipalities {
                if municipalities.insert((entry.country, name, &entry.town)) {
                    add(&mut forms, position, forms::of_municipality(name));
                }
            }
        }
        forms.sort_by(|left, right| (&left.key, left.relation).cmp(&(&right.key, right.relation)));
        Self { forms }
    }

    /// The entries with exactly this name in one of their forms, and the relation of the name to each.
    pub(super) fn named<'a>(
        &'a self,
        key: &'a Key,
    ) -> impl Iterator<Item = (Relation, usize)> + 'a {
        let start = self.forms.partition_point(|form| form.key < key.merged);
        let rest = self.forms.get(start..).unwrap_or_default();
        let same = rest.iter().take_while(|form| form.key == key.merged);
        same.map(|form| (form.relation, form.entry))
    }

    /// The entries with a town within that many typing errors. Only plain keys are compared: the merged keys of short
    /// towns are close to too many others.
    pub(super) fn near<'a>(
        &'a self,
        key: &'a Key,
        limit: usize,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let typed = (key.plain.as_str(), Sketch::new(&key.plain));
        let is_compared =
            |form: &&Indexed| form.is_plain && form.relation != Relation::Municipality;
        self.forms
            .iter()
            .filter(is_compared)
            .filter_map(move |form| {
                let distance = within(limit, typed, (form.key.as_str(), form.sketch))?;
                Some((distance, form.entry))
            })
    }
}

/// Adds both keys of each form: lookups use the merged one, typing errors are counted in the plain one.
fn add(indexed: &mut Vec<Indexed>, entry: usize, forms: Vec<forms::TownForm>) {
    for forms::TownForm {
        relation,
        key: Key { plain, merged },
    } in forms
    {
        let is_merged = plain != merged;
        for (key, is_plain) in [
            (Some(merged), !is_merged),
            (is_merged.then_some(plain), true),
        ] {
            let Some(key) = key else { continue };
            indexed.push(Indexed {
                sketch: Sketch::new(&key),
                key,
                is_plain,
                relation,
                entry,
            });
        }
    }
}
