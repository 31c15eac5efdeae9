//! The event of a change, recorded in its commit.

use std::fmt;
use std::str::FromStr;

use erp_derive::{Word, skip_serializing_none};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Shop;
use crate::domain::document::OrderStatus;
use crate::domain::master::{ArticleNumber, Company};
use crate::storage::record::encode;
use crate::storage::{ChangeSet, Key, Revision, StorageError};

/// The kind of change that an event describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
pub enum EventKind {
    /// An order was placed, created from an offer, or got another state.
    #[word("REST_Auft")]
    Order,
    /// A customer was created or replaced.
    #[word("REST_Kunde")]
    Customer,
    /// An import changed or removed articles, their prices, stock or media.
    #[word("REST_Artikel")]
    Article,
    /// An invoice or a credit note was made.
    #[word("REST_Rechnung")]
    Invoice,
}

impl EventKind {
    /// The name of the company attribute that enables it: that of the event, as far as the 12 characters of such a name
    /// hold it.
    #[must_use]
    pub const fn attribute(self) -> &'static str {
        match self {
            Self::Invoice => "REST_Rech",
            other => other.as_str(),
        }
    }

    /// The name of the number field in the event's data.
    #[must_use]
    pub const fn number_name(self) -> &'static str {
        match self {
            Self::Order => "AuftNr",
            Self::Customer => "DebiNr",
            Self::Article => "ArtNr",
            Self::Invoice => "RechNr",
        }
    }
}

/// The method of the request that caused an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
pub enum Method {
    /// `POST`.
    #[word("POST")]
    Post,
    /// `PUT`.
    #[word("PUT")]
    Put,
    /// `DELETE`.
    #[word("DELETE")]
    Delete,
}

/// An event as stored in the outbox.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The kind of change.
    pub kind: EventKind,
    /// Time of the change.
    pub at: Timestamp,
    /// The number of the order, customer or invoice; empty for articles.
    pub number: String,
    /// The numbers of the articles, at most [`ARTICLES_PER_EVENT`](crate::values::limits::ARTICLES_PER_EVENT).
    pub articles: Vec<ArticleNumber>,
    /// The method of the request.
    pub method: Method,
    /// The user who made the request.
    pub user: String,
    /// The new state of an order that has moved; `None` for other changes.
    pub status: Option<OrderStatus>,
}

impl Event {
    // rule: R-EVT-01
    /// Adds the event to a change set if the company has enabled its kind.
    pub(crate) fn add_to(&self, changes: &mut ChangeSet, company: &Company) {
        if !company.sends_event(self.kind.attribute()) {
            return;
        }
        // An event consists of plain texts, so encoding cannot fail.
        if let Ok(bytes) = encode(self) {
            changes.event(bytes);
        }
    }
}

/// The id of an event, unique and increasing: its commit and its index in that commit. Written `evt_17_0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EventId {
    /// The commit.
    pub revision: Revision,
    /// The index in the commit, from 0.
    pub index: u64,
}

impl EventId {
    /// Reads the id from a key that starts with one.
    pub(crate) fn of_key(key: &Key) -> Result<Self, StorageError> {
        let mut parts = key.parts();
        let id = parts.number().zip(parts.number());
        id.map(|(revision, index)| Self { revision, index })
            .ok_or_else(|| StorageError::Damaged(format!("key {key:?} is no event's")))
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evt_{}_{}", self.revision, self.index)
    }
}

impl FromStr for EventId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text
            .strip_prefix("evt_")
            .and_then(|rest| rest.split_once('_'));
        let id = parts.and_then(|(revision, index)| {
            Some(Self {
                revision: revision.parse().ok()?,
                index: index.parse().ok()?,
            })
        });
        // Only the canonical spelling of a number is accepted.
        id.filter(|id| id.to_string() == text)
            .ok_or("an event's id, like `evt_17_0`")
    }
}

impl<S> Shop<'_, S> {
    /// Adds the event of a created or replaced record to a change set.
    pub(crate) fn event(
        self,
        changes: &mut ChangeSet,
        company: &Company,
        (kind, method): (EventKind, Method),
        number: &str,
    ) {
        let event = Event {
            kind,
            at: self.now,
            number: number.to_owned(),
            articles: Vec::new(),
            method,
            user: self.caller.name.to_string(),
            status: None,
        };
        event.add_to(changes, company);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let id = EventId {
            revision: 17,
            index: 3,
        };
        assert_eq!(id.to_string(), "evt_17_3");
        assert_eq!("evt_17_3".parse(), Ok(id));
        for text in [
            "",
            "evt_",
            "evt_17",
            "evt_017_3",
            "evt_17_+3",
            "17_3",
            "evt_17_3 ",
        ] {
            assert!(text.parse::<EventId>().is_err(), "{text}");
        }
    }
}
