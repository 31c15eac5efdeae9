//! Fields of a media row: each returns the checked value, or `None` for a blank one and for one with a problem.

use smol_str::SmolStr;

use super::Reader;
use crate::values::codes::{Country, Language};
use crate::values::text::Text;

impl Reader<'_> {
    /// An optional text; blank counts as absent, trailing blanks are padding.
    pub(super) fn text<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        self.members().padded(name, value.as_ref())
    }

    pub(super) fn required_key<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        let key = self.members().key(name, value.as_ref());
        self.required(name, key)
    }

    pub(super) fn language(&mut self, name: &str, value: Option<SmolStr>) -> Option<Language> {
        self.members().language(name, value.as_ref())
    }

    pub(super) fn country(&mut self, name: &str, value: Option<SmolStr>) -> Option<Country> {
        self.members().country(name, value.as_ref())
    }
}
