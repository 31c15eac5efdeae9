//! Handles on one concern each: `erp.users()`, `erp.events()`, `erp.media()`, `erp.leases()`, `erp.audit()`, `erp.backups()`.

use super::Erp;

/// Defines a handle: a reference to the operations that can be copied.
macro_rules! handle {
    ($(#[doc = $doc:literal])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub struct $name<'a, S> {
            pub(crate) erp: &'a Erp<S>,
        }

        impl<S> Clone for $name<'_, S> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<S> Copy for $name<'_, S> {}
    };
}

handle!(
    /// Users and their bearer tokens.
    Users
);
handle!(
    /// Events: the outbox, the targets they are posted to, deliveries and the log.
    Events
);
handle!(
    /// The records of article media.
    MediaRecords
);
handle!(
    /// Leases of work that only one process does at a time.
    Leases
);
handle!(
    /// The audit trail.
    AuditTrail
);
handle!(
    /// The note on the last verified backup.
    Backups
);

impl<S> Erp<S> {
    /// Users and their bearer tokens.
    #[must_use]
    pub const fn users(&self) -> Users<'_, S> {
        Users { erp: self }
    }

    /// Events: the outbox, the targets they are posted to, deliveries and the log.
    #[must_use]
    pub const fn events(&self) -> Events<'_, S> {
        Events { erp: self }
    }

    /// The records of article media.
    #[must_use]
    pub const fn media(&self) -> MediaRecords<'_, S> {
        MediaRecords { erp: self }
    }

    /// Leases of work that only one process does at a time.
    #[must_use]
    pub const fn leases(&self) -> Leases<'_, S> {
        Leases { erp: self }
    }

    /// The audit trail.
    #[must_use]
    pub const fn audit(&self) -> AuditTrail<'_, S> {
        AuditTrail { erp: self }
    }

    /// The note on the last verified backup.
    #[must_use]
    pub const fn backups(&self) -> Backups<'_, S> {
        Backups { erp: self }
    }
}
