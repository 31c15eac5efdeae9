//! Statements with the types of their parameters.

use tokio_postgres::types::{ToSql, Type};

pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// A statement. With the types of its parameters it can be sent without being prepared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sql {
    pub(super) text: &'static str,
    types: &'static [Type],
}

impl Sql {
    pub(super) const fn new(text: &'static str, types: &'static [Type]) -> Self {
        Self { text, types }
    }

    pub(super) const fn plain(text: &'static str) -> Self {
        Self::new(text, &[])
    }

    pub(super) fn typed<'a>(&self, parameters: &[Parameter<'a>]) -> Vec<(Parameter<'a>, Type)> {
        let types = self.types.iter().cloned();
        parameters.iter().copied().zip(types).collect()
    }
}
