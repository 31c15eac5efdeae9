//! Events: noted in the commit of the change they tell of.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Context, Erp, Error};
use crate::master::Company;
use crate::record::{decode, encode};
use crate::storage::{ChangeSet, CommitError, Key, Scan, Space, Storage};

/// What an event tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    /// `REST_Auft`: an order was placed or made from an offer.
    Order,
    /// `REST_Kunde`: a customer was stored or replaced.
    Customer,
}

impl EventKind {
    /// The name of the event and of the company attribute that switches it on.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Order => "REST_Auft",
            Self::Customer => "REST_Kunde",
        }
    }

    /// The name of the number in the event's data.
    #[must_use]
    pub const fn number_name(self) -> &'static str {
        match self {
            Self::Order => "AuftNr",
            Self::Customer => "DebiNr",
        }
    }
}

/// The method of the request that caused an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
}

impl Method {
    /// The method's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }
}

/// An event as stored in the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What it tells of.
    pub kind: EventKind,
    /// When it happened.
    pub at: Timestamp,
    /// The number of the order or customer.
    pub number: String,
    /// The method of the request.
    pub method: Method,
    /// The user who made the request.
    pub user: String,
}

/// An event in the outbox, under its place there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEntry {
    /// Unique and growing: the commit and the event's place in it.
    pub id: (u64, u64),
    /// The event.
    pub event: Event,
}

/// Notes an event in a change set, when the company wants events of this kind.
pub(super) fn event(
    changes: &mut ChangeSet,
    context: &Context<'_>,
    company: &Company,
    kind: EventKind,
    method: Method,
    number: &str,
) {
    if !company.sends_event(kind.as_str()) {
        return;
    }
    let event = Event {
        kind,
        at: context.now,
        number: number.to_owned(),
        method,
        user: context.caller.name.to_string(),
    };
    // An event is made of plain texts and always encodes.
    if let Ok(bytes) = encode(&event) {
        changes.event(bytes);
    }
}

impl<S: Storage> Erp<S> {
    /// Events of the outbox in their order, behind `after`; at most `limit`.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn events(
        &self,
        after: Option<(u64, u64)>,
        limit: usize,
    ) -> Result<Vec<OutboxEntry>, Error> {
        let prefix = Key::of(Space::Outbox).build();
        let mut scan = Scan::prefix(&prefix).limit(limit);
        if let Some((revision, index)) = after {
            scan.from = Key::of(Space::Outbox)
                .number(revision)
                .number(index)
                .build()
                .successor();
        }
        let page = self.store.scan(scan).await?;
        let mut events = Vec::new();
        for (key, entry) in &page.entries {
            let mut parts = key.parts();
            let id = parts.number().zip(parts.number());
            let id = id.ok_or_else(|| {
                crate::storage::StorageError::Damaged(format!("key {key:?} is no event's"))
            })?;
            events.push(OutboxEntry {
                id,
                event: decode(key, entry)?,
            });
        }
        Ok(events)
    }

    /// Takes an event that was delivered out of the outbox. Taking one out twice changes nothing.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn acknowledge_event(&self, id: (u64, u64)) -> Result<(), Error> {
        let mut changes = ChangeSet::new();
        changes.delete(Key::of(Space::Outbox).number(id.0).number(id.1).build());
        match self.store.commit(changes).await {
            Ok(_) => Ok(()),
            Err(CommitError::Storage(error)) => Err(error.into()),
            Err(other) => Err(Error::Conflict(other.to_string())),
        }
    }
}
