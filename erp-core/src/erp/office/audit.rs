//! Reads the audit trail and removes its oldest entries.

use std::mem::take;

use jiff::Timestamp;

use crate::erp::catalogue::slices::ENTRIES_PER_READ;
use crate::erp::engine::{AuditEntry, Difference, Error, Office, Upkeep, keys, with_list};
use crate::erp::keys::AuditId;
use crate::import::RowKind;
use crate::storage::record::decode;
use crate::storage::{ChangeSet, Revision, Scan, Space, Storage};

/// Maximum entries read per page: a search for a rare record must not occupy a server for long.
const ENTRIES_READ: usize = 10_000;

/// Bytes of differences after which a page ends, and 32 times as many that are read for those of one record.
const DIFFERENCES_READ: usize = 1024 * 1024;

/// Commits of a removal end at this size, because an entry may name 10,000 customers.
const REMOVED_BYTES: usize = 1024 * 1024;

/// Which entries to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only changes at this time or later.
    pub since: Option<Timestamp>,
    /// Only changes before this time.
    pub until: Option<Timestamp>,
    /// Only changes of this user, also for a customer (`shop1:10001`); or only those for this customer.
    pub user: Option<String>,
    /// Only changes of this record, by kind and number: `Auftrag 100123`; of an article also those of its prices and
    /// stock.
    pub record: Option<String>,
    /// Only records that an editor may import: master data without the company.
    pub for_editors: bool,
    /// The newest entries first.
    pub newest_first: bool,
    /// Only entries after this one, in the order of the list.
    pub after: Option<AuditId>,
    /// Maximum number of entries per page.
    pub limit: usize,
}

impl AuditQuery {
    fn wants(&self, entry: &AuditEntry) -> bool {
        let user = self.user.as_deref();
        let by = |user: &str| {
            let rest = entry.user.as_deref().and_then(|by| by.strip_prefix(user));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        };
        user.is_none_or(by) && entry.records().any(|named| self.wants_record(named))
    }

    fn wants_record(&self, named: &str) -> bool {
        let record = self.record.as_deref();
        record.is_none_or(|record| AuditEntry::is_of(named, record)) && self.shows(named)
    }

    fn shows(&self, named: &str) -> bool {
        let kind = || AuditEntry::kind_of(named);
        !self.for_editors || kind().is_some_and(|kind| kind != RowKind::Company)
    }

    fn scan(&self) -> Scan {
        let mut scan = Scan::of(Space::Audit);
        if let Some(since) = self.since {
            scan.from = keys::audit_from(since);
        }
        if let Some(until) = self.until {
            scan.until = keys::audit_from(until);
        }
        if let Some(after) = &self.after {
            let after = keys::audit(after);
            if self.newest_first {
                scan.until = scan.until.min(after);
            } else {
                scan.from = scan.from.max(after.successor());
            }
        }
        scan.backwards = self.newest_first;
        scan.limit(ENTRIES_PER_READ)
    }
}

/// An entry with its position and its commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audited {
    /// The position, which contains time and request.
    pub id: AuditId,
    /// The commit.
    pub revision: Revision,
    /// What happened.
    pub entry: AuditEntry,
    /// What differs of the wanted records, if the entry is of a kind that keeps this.
    pub differences: Vec<Difference>,
}

/// One page of entries, ordered by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditPage {
    /// The matching entries.
    pub entries: Vec<Audited>,
    /// Continue after this entry; `None` at the end. Even a page with few matches may have a next page, because a page
    /// reads a bounded number of entries.
    pub next: Option<AuditId>,
}

impl<S: Storage> Office<'_, S> {
    /// One page of the audit trail, oldest changes first unless the query asks for the newest.
    #[cfg(feature = "internal")]
    pub async fn audit_trail(self, query: &AuditQuery) -> Result<AuditPage, Error> {
        let mut found = AuditPage::default();
        let (mut read, mut differences) = (0_usize, 0_usize);
        let mut pages = self.erp.pages(query.scan());
        while let Some(entries) = pages.next().await? {
            for (key, entry) in &entries {
                let id = AuditId::of_key(key)?;
                let mut audited: AuditEntry = decode(key, entry)?;
                read += 1;
                if query.wants(&audited) {
                    let wanted = |record: &str| query.wants_record(record);
                    let (differing, cost) = self.erp.differences(&id, &audited, wanted).await?;
                    differences += cost;
                    let differing = differing.into_iter().map(|of| Difference {
                        before: of.before.map(|members| with_list(of.kind, members)),
                        after: of.after.map(|members| with_list(of.kind, members)),
                        ..of
                    });
                    audited.changed.retain(|record| query.shows(record));
                    audited.removed.retain(|record| query.shows(record));
                    found.entries.push(Audited {
                        id: id.clone(),
                        revision: entry.revision,
                        entry: audited,
                        differences: differing.collect(),
                    });
                }
                let is_full = found.entries.len() >= query.limit || differences >= DIFFERENCES_READ;
                if is_full || read >= ENTRIES_READ {
                    found.next = Some(id);
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// Removes the entries of the audit trail of changes before `before`; returns their number.
    ///
    /// # Errors
    /// When the store fails; entries removed until then stay removed.
    pub async fn remove_old_audit_entries(self, before: Timestamp) -> Result<usize, Error> {
        let query = AuditQuery {
            until: Some(before),
            ..AuditQuery::default()
        };
        let mut removed = 0_usize;
        let mut pages = self.erp.pages(query.scan());
        while let Some(entries) = pages.next().await?
            && !entries.is_empty()
        {
            removed += entries.len();
            let mut changes = ChangeSet::new();
            for (key, entry) in entries {
                let audited: AuditEntry = decode(&key, &entry)?;
                let id = AuditId::of_key(&key)?;
                let differences = audited.difference_keys(&id, audited.records());
                differences.into_iter().for_each(|key| changes.delete(key));
                changes.delete(key);
                if changes.bytes() > REMOVED_BYTES {
                    self.erp.settle(None, (take(&mut changes), ())).await?;
                }
            }
            // Nothing has a guard, so there is no conflict.
            self.erp.settle(None, (changes, ())).await?;
        }
        Ok(removed)
    }
}
