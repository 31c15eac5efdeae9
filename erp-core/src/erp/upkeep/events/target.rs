//! Targets: the receivers of events.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::EventKind;
use crate::erp::engine::{Error, Events, keys, retry_on_conflict};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Entry, Scan, Space, Storage, StoreResult};

/// A receiver of events as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTarget {
    /// Number, never reused.
    pub id: u64,
    /// URL that its events are posted to; validated by the caller.
    pub url: String,
    /// Secret for signing its events; the core neither creates nor uses it.
    pub secret: String,
    /// Kinds of events it receives; empty means orders and customers.
    pub kinds: Vec<EventKind>,
    /// Whether it receives events. A response 410 disables it.
    pub enabled: bool,
    /// When it was added.
    pub created_at: Timestamp,
}

impl EventTarget {
    /// Whether the target is enabled and receives events of this kind.
    pub fn wants(&self, kind: EventKind) -> bool {
        let is_asked_for = match self.kinds.as_slice() {
            [] => matches!(kind, EventKind::Order | EventKind::Customer),
            kinds => kinds.contains(&kind),
        };
        self.enabled && is_asked_for
    }
}

impl fmt::Debug for EventTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventTarget")
            .field("id", &self.id)
            .field("url", &self.url)
            .field("kinds", &self.kinds)
            .field("enabled", &self.enabled)
            .field("created_at", &self.created_at)
            .finish_non_exhaustive()
    }
}

/// A target to add.
#[derive(Clone)]
pub struct NewEventTarget {
    /// URL that its events are posted to.
    pub url: String,
    /// Secret for signing its events.
    pub secret: String,
    /// Kinds of events it receives; empty means orders and customers.
    pub kinds: Vec<EventKind>,
}

impl fmt::Debug for NewEventTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewEventTarget")
            .field("url", &self.url)
            .field("kinds", &self.kinds)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "internal")]
impl<S: Storage> Events<'_, S> {
    /// Adds a target. It receives events from now on; older ones only by a replay.
    pub async fn add_target(self, new: &NewEventTarget) -> Result<EventTarget, Error> {
        let counter = keys::last_event_target();
        let (target, _) = retry_on_conflict!(self.erp, self.actor, {
            let last = self.erp.entry(&counter).await?;
            let number = last.as_ref().and_then(Entry::counter).unwrap_or_default();
            let target = EventTarget {
                id: number.unsigned_abs().saturating_add(1),
                url: new.url.clone(),
                secret: new.secret.clone(),
                kinds: new.kinds.clone(),
                enabled: true,
                created_at: self.now,
            };
            let mut changes = ChangeSet::new();
            changes.guard(counter.clone(), last.map(|entry| entry.revision));
            changes.add(counter.clone(), 1);
            changes.insert(keys::event_target(target.id), encode(&target)?);
            (changes, target)
        });
        Ok(target)
    }

    /// All targets by number, including disabled ones.
    pub async fn targets(self) -> Result<Vec<EventTarget>, Error> {
        let targets = self.versioned_targets().await?;
        Ok(targets.into_iter().map(|target| target.value).collect())
    }

    /// A target by its number.
    pub async fn target(self, id: u64) -> Result<Option<EventTarget>, Error> {
        let found = self.erp.load(&keys::event_target(id)).await?;
        Ok(found.map(|found| found.value))
    }

    pub(super) async fn versioned_targets(self) -> StoreResult<Vec<Versioned<EventTarget>>> {
        self.erp.records(Scan::of(Space::EventTarget)).await
    }

    /// Enables or disables a target. Disabling ends its waiting deliveries.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such target.
    pub async fn switch_target(self, id: u64, enabled: bool) -> Result<EventTarget, Error> {
        let key = keys::event_target(id);
        let (target, _) = retry_on_conflict!(self.erp, self.actor, {
            let found = self.erp.load::<EventTarget>(&key).await?;
            let found = found.ok_or_else(|| Error::not_found("event target", id.to_string()))?;
            if found.value.enabled == enabled {
                return Ok(found.value);
            }
            let target = EventTarget {
                enabled,
                ..found.value
            };
            let mut changes = ChangeSet::new();
            changes.guard(key.clone(), Some(found.revision));
            changes.put(key.clone(), encode(&target)?);
            (changes, target)
        });
        if !enabled {
            self.end_deliveries(id).await?;
        }
        Ok(target)
    }

    /// Removes a target and ends its waiting deliveries.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such target.
    pub async fn remove_target(self, id: u64) -> Result<(), Error> {
        let key = keys::event_target(id);
        retry_on_conflict!(self.erp, self.actor, {
            let found = self.erp.load::<EventTarget>(&key).await?;
            let found = found.ok_or_else(|| Error::not_found("event target", id.to_string()))?;
            let mut changes = ChangeSet::new();
            changes.guard(key.clone(), Some(found.revision));
            changes.delete(key.clone());
            (changes, ())
        });
        self.end_deliveries(id).await?;
        Ok(())
    }
}
