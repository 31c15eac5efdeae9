//! The compact text format of a directory, used for the built-in data.
//!
//! One line per postal code, sorted: the difference to the previous code (empty for 1), then `;` and a town, for each
//! town. A town is an optional `+` (post-office boxes) or `*` (other names), its name, `@` and its canton if that
//! differs from the previous town, and for each municipality `&` and its name, or a single `&` for the same
//! municipalities as last. A line of two letters is the country of the following lines and resets code and canton.
//! Codes are numbers of four digits.

use smol_str::{SmolStr, format_smolstr};

use super::{TownEntry, TownKind};
use crate::values::codes::Country;

/// The entries of a text. Unreadable parts are skipped.
pub(super) fn decode(text: &str) -> Vec<TownEntry> {
    let mut decoder = Decoder::default();
    for line in text.lines() {
        match line.split_once(';') {
            Some((step, towns)) => decoder.postal_code(step, towns),
            None => decoder.start_country(line),
        }
    }
    decoder.entries
}

#[derive(Default)]
struct Decoder {
    country: Option<Country>,
    code: u16,
    region: SmolStr,
    municipalities: Vec<SmolStr>,
    entries: Vec<TownEntry>,
}

impl Decoder {
    fn start_country(&mut self, line: &str) {
        *self = Self {
            country: Country::parse(line).ok(),
            entries: std::mem::take(&mut self.entries),
            ..Self::default()
        };
    }

    fn postal_code(&mut self, step: &str, towns: &str) {
        self.code = self.code.saturating_add(step.parse().unwrap_or(1));
        let postal_code = format_smolstr!("{:04}", self.code);
        for town in towns.split(';') {
            self.town(&postal_code, town);
        }
    }

    fn town(&mut self, postal_code: &SmolStr, town: &str) {
        let Some(country) = self.country else { return };
        let (head, municipalities) = match town.split_once('&') {
            Some((head, names)) => (head, self.named(names)),
            None => (town, Vec::new()),
        };
        let (name, region) = head.split_once('@').unwrap_or((head, &self.region));
        self.region = SmolStr::from(region);
        let (kind, name) = kind(name);
        self.entries.push(TownEntry {
            country,
            postal_code: postal_code.clone(),
            town: SmolStr::from(name),
            region: self.region.clone(),
            kind,
            municipalities,
        });
    }

    fn named(&mut self, names: &str) -> Vec<SmolStr> {
        if !names.is_empty() {
            self.municipalities = names.split('&').map(SmolStr::from).collect();
        }
        self.municipalities.clone()
    }
}

fn kind(name: &str) -> (TownKind, &str) {
    match (name.strip_prefix('+'), name.strip_prefix('*')) {
        (Some(name), _) => (TownKind::PoBox, name),
        (_, Some(name)) => (TownKind::Other, name),
        _ => (TownKind::Official, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_what_stays_the_same_are_read() {
        let entries = decode("CH\n1000;+A 1@VD;A&M&N\n;*B&\nLI\n9485;C@FL&\n");
        let shown = |entry: &TownEntry| {
            let TownEntry {
                country,
                postal_code,
                town,
                region,
                kind,
                municipalities,
            } = entry;
            format!(
                "{country} {postal_code} {town} {region} {kind:?} {}",
                municipalities.join("|")
            )
        };
        let shown: Vec<String> = entries.iter().map(shown).collect();
        assert_eq!(shown[0], "CH 1000 A 1 VD PoBox ");
        assert_eq!(shown[1], "CH 1000 A VD Official M|N");
        assert_eq!(shown[2], "CH 1001 B VD Other M|N");
        assert_eq!(shown[3], "LI 9485 C FL Official ");
    }
}
