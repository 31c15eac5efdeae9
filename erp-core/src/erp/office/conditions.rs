//! Conditions of changes of an order.

use crate::erp::engine::doors::check_revision;
use crate::erp::engine::{Error, Office};
use crate::storage::Revision;

impl<'a, S> Office<'a, S> {
    /// The order must have one of these revisions (`If-Match`), or a change of it fails with
    /// [`Error::PreconditionFailed`].
    #[must_use]
    pub fn if_match(self, revisions: impl Into<Option<&'a [Revision]>>) -> Self {
        let if_match = revisions.into();
        Self { if_match, ..self }
    }

    /// Checks `If-Match` against the revision that the change is based on.
    pub(super) fn check_revision(&self, found: Revision) -> Result<(), Error> {
        check_revision(self.if_match, found)
    }
}
