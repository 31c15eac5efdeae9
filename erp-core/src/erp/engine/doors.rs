//! The three doors to the operations, by audience: [`Shop`], [`Office`], [`Upkeep`].
//!
//! A door is a cheap value that can be copied: a reference to the operations, the time, and who acts. Make one per request
//! or per round of a loop. The operations of each door are in the room of the same name.

use jiff::Timestamp;

use super::{Actor, Erp, Error, Retry};
use crate::domain::master::Caller;
use crate::storage::Revision;

/// Defines a door, or a part of one: what it has besides the operations and the time.
macro_rules! door {
    ($(#[doc = $doc:literal])+ $name:ident { $($field:ident: $type:ty),* } $($actor:ident)? $(, $if_match:ident)?) => {
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub struct $name<'a, S> {
            pub(crate) erp: &'a Erp<S>,
            pub(crate) now: Timestamp,
            $(pub(crate) $field: $type,)*
            $(pub(crate) $actor: Option<&'a Actor>,)?
            $(pub(crate) $if_match: Option<&'a [Revision]>,)?
        }

        impl<S> Clone for $name<'_, S> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<S> Copy for $name<'_, S> {}

        $(impl<'a, S> $name<'a, S> {
            /// Lists changes in the audit trail under this actor. Without one nothing is listed.
            #[must_use]
            pub fn $actor(self, actor: impl Into<Option<&'a Actor>>) -> Self {
                let $actor = actor.into();
                Self { $actor, ..self }
            }
        })?

        $(impl<'a, S> $name<'a, S> {
            /// The record must have one of these revisions (`If-Match`), or a change of it fails with
            /// [`Error::PreconditionFailed`]. Only operations that change a record check this.
            #[must_use]
            pub fn $if_match(self, revisions: impl Into<Option<&'a [Revision]>>) -> Self {
                let $if_match = revisions.into();
                Self { $if_match, ..self }
            }

            // rule: D-RET-03
            /// Checks `If-Match` against the revision that the change is based on.
            pub(crate) fn check_revision(&self, found: Revision) -> Result<(), Error> {
                match self.$if_match {
                    Some(wanted) if !wanted.contains(&found) => Err(Error::PreconditionFailed),
                    _ => Ok(()),
                }
            }
        })?
    };
}

door!(
    /// What the interface lets a shop do: articles, customers, offers, orders, with the rights and prices of one user.
    Shop { caller: &'a Caller, retry: Option<Retry<'a>> } actor, if_match
);
door!(
    /// What the back office does: master data, imports, users, lists of orders and customers, the audit trail. It sees
    /// all records, whatever a selection hides from shops.
    Office {} actor, if_match
);
door!(
    /// The upkeep of a store: events to deliver, leases, export, backups, integrity, removal of what is no longer needed.
    Upkeep {} actor
);
door!(
    /// Users and their bearer tokens.
    Users {} actor
);
door!(
    /// Events: the outbox, the targets they are posted to, deliveries and the log.
    Events {} actor
);
door!(
    /// Leases of work that only one process does at a time. No audit trail lists them.
    Leases {}
);

impl<S> Erp<S> {
    /// The door of a shop: the user whose rights and prices apply, and the time.
    #[must_use]
    pub const fn shop<'a>(&'a self, caller: &'a Caller, now: Timestamp) -> Shop<'a, S> {
        Shop {
            erp: self,
            caller,
            now,
            actor: None,
            retry: None,
            if_match: None,
        }
    }

    /// The door of the back office.
    #[must_use]
    pub const fn office(&self, now: Timestamp) -> Office<'_, S> {
        Office {
            erp: self,
            now,
            actor: None,
            if_match: None,
        }
    }

    /// The door of what keeps a store in order.
    #[must_use]
    pub const fn upkeep(&self, now: Timestamp) -> Upkeep<'_, S> {
        Upkeep {
            erp: self,
            now,
            actor: None,
        }
    }
}

impl<'a, S> Shop<'a, S> {
    /// Makes a change safe to send again: the first response is kept and returned to a repetition.
    #[must_use]
    pub fn retry(self, retry: impl Into<Option<Retry<'a>>>) -> Self {
        let retry = retry.into();
        Self { retry, ..self }
    }
}

impl<'a, S> Office<'a, S> {
    /// The user who acts; empty without one.
    pub(crate) fn user(self) -> &'a str {
        let user = self.actor.and_then(|actor| actor.user.as_deref());
        user.unwrap_or_default()
    }

    /// Users and their bearer tokens.
    #[cfg(feature = "internal")]
    pub const fn users(self) -> Users<'a, S> {
        let Self {
            erp, now, actor, ..
        } = self;
        Users { erp, now, actor }
    }
}

impl<'a, S> Upkeep<'a, S> {
    /// Events: the outbox, the targets they are posted to, deliveries and the log.
    pub const fn events(self) -> Events<'a, S> {
        let Self { erp, now, actor } = self;
        Events { erp, now, actor }
    }

    /// Leases of work that only one process does at a time.
    #[cfg(feature = "internal")]
    pub const fn leases(self) -> Leases<'a, S> {
        let Self { erp, now, .. } = self;
        Leases { erp, now }
    }
}
