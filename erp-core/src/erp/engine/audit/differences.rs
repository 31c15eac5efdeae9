//! What a commit changes of master data, old and new, as members of import rows.
//!
//! It is stored beside the entry, in few compressed records: an import of 1,000 rows every night must not fill the store.
//! That of each customer is a record of its own, found by the customer, so that it goes when the customer is forgotten.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::AuditEntry;
use super::names::name;
use crate::erp::engine::Erp;
use crate::erp::engine::retry::packed;
use crate::erp::keys::{self, AuditId};
use crate::import::RowKind;
use crate::storage::record::{decode, encode};
use crate::storage::{ChangeSet, Key, Space, Storage, StorageError, StoreResult};
use crate::values::json::{Json, Object, read};
use crate::values::limits::{CHANGE_SET_BYTES, DIFFERENCE_BYTES, DIFFERENCES_BYTES, KEYS_PER_GET};

const CUSTOMER: &str = "Kunde ";

/// Prices and stock have members of their own for each tier and place, whose names begin with this: so those that are
/// equal are left out, and each is compared by itself.
pub(crate) const PART: char = '#';

/// The members of a record's row that differ. Both are `None` where they were too long to keep, or the customer was
/// forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The record as the entry names it: `Preis STANDARD A-1`.
    pub record: String,
    /// The kind of its row.
    pub kind: RowKind,
    /// The old members; `None` for a record that was added.
    pub before: Option<Object>,
    /// The new members; `None` for a record that was removed.
    pub after: Option<Object>,
    /// Of prices the list, which their name does not delimit.
    pub(crate) list: Option<String>,
}

/// The members of an object by name, each as JSON text: faster than values, and an import has thousands.
pub(crate) type Members = BTreeMap<String, String>;

/// The JSON text of an object.
pub(crate) fn object(members: &Members) -> String {
    let mut text = String::from("{");
    for (name, value) in members {
        let comma = if text.len() > 1 { "," } else { "" };
        text.extend([comma, &Json::from(name.as_str()).to_string(), ":", value]);
    }
    text.push('}');
    text
}

pub(crate) fn is_part(name: &str) -> bool {
    name.starts_with(PART)
}

/// The members of a row with its parts in a list.
pub(crate) fn with_list(kind: RowKind, mut row: Object) -> Object {
    let name = match kind {
        RowKind::PriceList => "Preis",
        RowKind::Stock => "Bestand",
        _ => return row,
    };
    let parts = row.iter().filter(|(name, _)| is_part(name));
    let list = Json::Array(parts.map(|(_, part)| part.clone()).collect());
    row.retain(|name, _| !is_part(name));
    row.insert(name.to_owned(), list);
    row
}

/// Differences as stored: a JSON object with a member for each record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptDifferences {
    /// The JSON text; a long one is compressed.
    #[serde(with = "packed")]
    pub json: String,
}

/// The differences of a commit, as far as they are kept.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// By record: the customer it is of, and its member of the stored object.
    kept: BTreeMap<String, (Option<String>, String)>,
    bytes: usize,
    /// Whether one did not fit any more.
    pub(crate) is_full: bool,
}

impl Differences {
    /// Adds a record that was changed, added or removed, by the members of its rows.
    pub(crate) fn add(&mut self, key: &Key, before: Option<Members>, after: Option<Members>) {
        let (Some(record), false) = (name(key), self.is_full) else {
            return;
        };
        let (mut before, mut after) = (before, after);
        if let (Some(before), Some(after)) = (&mut before, &mut after) {
            before.retain(|name, old| {
                let differs = after.get(name) != Some(old);
                differs || after.remove(name).is_none()
            });
        }
        let is_of = |space| key.space() == space as u8;
        let first = || key.parts().text();
        let list = is_of(Space::Price).then(first).flatten();
        let parts = [
            ("before", before.map(|members| object(&members))),
            ("after", after.map(|members| object(&members))),
            ("list", list.map(|list| Json::String(list).to_string())),
        ];
        let parts = parts.into_iter();
        let parts = parts.filter_map(|(name, part)| Some((name.to_owned(), part?)));
        let parts = object(&parts.collect());
        let size = record.len() + parts.len();
        if size > DIFFERENCE_BYTES {
            return;
        }
        self.bytes += size;
        self.is_full = self.bytes > DIFFERENCES_BYTES;
        if !self.is_full {
            let customer = is_of(Space::Customer).then(first).flatten();
            self.kept.insert(record, (customer, parts));
        }
    }

    /// Stores those of the records that an entry names.
    pub(super) fn put(
        &mut self,
        changes: &mut ChangeSet,
        id: &AuditId,
        entry: &AuditEntry,
    ) -> StoreResult<()> {
        // An import that has room without them has room with them.
        if changes.bytes() + 2 * DIFFERENCES_BYTES > CHANGE_SET_BYTES {
            return Ok(());
        }
        let mut by_customer: BTreeMap<_, Members> = BTreeMap::new();
        for record in entry.records() {
            if let Some((customer, parts)) = self.kept.remove(record) {
                let members = by_customer.entry(customer).or_default();
                members.insert(record.clone(), parts);
            }
        }
        for (customer, members) in by_customer {
            let json = object(&members);
            let key = keys::audit_differences(customer.as_deref(), id);
            changes.put(key, encode(&KeptDifferences { json })?);
        }
        Ok(())
    }
}

impl AuditEntry {
    /// The records that the entry names.
    pub(crate) fn records(&self) -> impl Iterator<Item = &String> {
        self.changed.iter().chain(&self.removed)
    }

    /// The kind of the rows of a record, if an import can change it.
    #[must_use]
    pub fn kind_of(record: &str) -> Option<RowKind> {
        match record.split_once(' ').map_or(record, |(kind, _)| kind) {
            "Preis" => Some(RowKind::PriceList),
            kind => RowKind::parse(kind),
        }
    }

    /// All keys under which there may be differences of these records of the entry.
    pub(crate) fn difference_keys<'a>(
        &self,
        id: &AuditId,
        records: impl Iterator<Item = &'a String>,
    ) -> Vec<Key> {
        if !self.has_differences {
            return Vec::new();
        }
        let customers = records.filter_map(|record| record.strip_prefix(CUSTOMER));
        let keys = customers.map(|customer| keys::audit_differences(Some(customer), id));
        keys.chain([keys::audit_differences(None, id)]).collect()
    }
}

impl<S: Storage> Erp<S> {
    /// What differs of the records of an entry that are wanted, and what that costs in bytes: about the size of these, and
    /// a little of what was read for them.
    pub(crate) async fn differences(
        &self,
        id: &AuditId,
        entry: &AuditEntry,
        wanted: impl Fn(&str) -> bool,
    ) -> StoreResult<(Vec<Difference>, usize)> {
        let (mut kept, mut bytes) = (Object::new(), 0_usize);
        let records = || entry.records().filter(|record| wanted(record));
        for keys in entry.difference_keys(id, records()).chunks(KEYS_PER_GET) {
            for (key, found) in keys.iter().zip(self.store.get(keys).await?) {
                let Some(found) = found else { continue };
                let found: KeptDifferences = decode(key, &found)?;
                bytes += found.json.len();
                let damaged =
                    |error| StorageError::Damaged(format!("differences do not read: {error}"));
                if let Json::Object(members) = read(&found.json).map_err(damaged)? {
                    kept.extend(members);
                }
            }
        }
        let records = records().filter(|_| entry.has_differences);
        let found = records.filter_map(|record| {
            let kind = AuditEntry::kind_of(record)?;
            let kept = kept.remove(record);
            let part = |name| kept.as_ref().and_then(|kept| kept.get(name));
            let members = |name| part(name)?.as_object().cloned();
            Some(Difference {
                record: record.clone(),
                kind,
                before: members("before"),
                after: members("after"),
                list: part("list").and_then(Json::as_str).map(str::to_owned),
            })
        });
        let found: Vec<Difference> = found.collect();
        let share = bytes * found.len() / entry.records().count().max(1);
        Ok((found, share + bytes / 32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_is_nearly_too_large_keeps_none() {
        let entry = AuditEntry {
            user: None,
            operation: "import".into(),
            trace: None,
            changed: vec!["Artikel A".to_owned()],
            removed: Vec::new(),
            has_differences: true,
        };
        let id: AuditId = "1-2-x".parse().unwrap();
        let writes = |bytes: usize| {
            let mut changes = ChangeSet::new();
            changes.put(keys::article("A"), vec![0; bytes]);
            let mut differences = Differences::default();
            let after = Members::from([("ArtNr".to_owned(), "\"A\"".to_owned())]);
            differences.add(&keys::article("A"), None, Some(after));
            differences.put(&mut changes, &id, &entry).unwrap();
            changes.writes.len()
        };
        assert_eq!((writes(1_000), writes(CHANGE_SET_BYTES - 1_000)), (2, 1));
    }
}
