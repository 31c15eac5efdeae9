//! Under which id a profile has a business rule: `names.txt`.
//!
//! A line is the name of a rule in the standard, `warning` where it is not fatal, and the letters of the profiles
//! that have it, with the number of the rule where the profile has it under a number.

use std::sync::OnceLock;

use super::Profile;
use crate::invoice::texts::TextMap;
use crate::report::Severity;

static TABLE: &str = include_str!("names.txt");

fn table() -> &'static TextMap<'static, &'static str> {
    static NAMES: OnceLock<TextMap<'static, &str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names = TextMap::default();
        for (name, profiles) in TABLE.lines().filter_map(|line| line.split_once(' ')) {
            names.change(name.into(), |known| *known = profiles);
        }
        names
    })
}

/// The number of a rule in the profile, if it has one, and how grave it is to break it.
pub(crate) fn find(name: &str, profile: Profile) -> Option<(Option<u32>, Severity)> {
    let profiles = table().get(name)?;
    let (severity, profiles) = match profiles.strip_prefix("warning ") {
        Some(profiles) => (Severity::Warning, profiles),
        None => (Severity::Fatal, *profiles),
    };
    let mut profiles = profiles.split(' ');
    let number = profiles.find_map(|text| text.strip_prefix(profile.letter()))?;
    Some((number.parse().ok(), severity))
}
