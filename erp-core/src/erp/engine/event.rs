//! The event of a change, recorded in its commit.

use erp_derive::{Word, skip_serializing_none};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Shop;
use crate::domain::document::OrderStatus;
use crate::domain::master::{ArticleNumber, Company};
use crate::storage::ChangeSet;
use crate::storage::record::encode;

/// The kind of change that an event describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
#[non_exhaustive]
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
    pub const fn attribute(self) -> &'static str {
        match self {
            Self::Invoice => "REST_Rech",
            other => other.as_str(),
        }
    }

    /// The name of the number field in the event's data.
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
    /// The numbers of the articles, at most [`ARTICLES_PER_EVENT`](crate::limits::ARTICLES_PER_EVENT).
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
