//! Names of larger towns in other languages.

/// The other names of a town, by its listed spelling.
pub(super) fn of(town: &str) -> impl Iterator<Item = &'static str> {
    let found = ALIASES
        .binary_search_by(|(official, _)| (*official).cmp(town))
        .ok();
    let names = found
        .and_then(|position| ALIASES.get(position))
        .map(|(_, names)| *names);
    names.unwrap_or_default().iter().copied()
}

/// Listed spelling and other names, sorted by the spelling. Omitted: names that are also the listed spelling of
/// another town (Granges for Grenchen, Glion for Ilanz).
const ALIASES: &[(&str, &[&str])] = &[
    ("Aigle", &["Aelen"]),
    ("Avenches", &["Wiflisburg"]),
    ("Basel", &["Bâle", "Basle", "Basilea"]),
    ("Bellinzona", &["Bellenz", "Bellinzone"]),
    ("Bern", &["Berne", "Berna"]),
    ("Biel/Bienne", &["Bienna"]),
    ("Brig", &["Brigue", "Briga"]),
    ("Burgdorf", &["Berthoud"]),
    ("Chur", &["Coire", "Coira", "Cuira", "Cuera"]),
    ("Delémont", &["Delsberg"]),
    ("Düdingen", &["Guin"]),
    ("Erlach", &["Cerlier"]),
    ("Estavayer-le-Lac", &["Stäffis", "Stäffis am See"]),
    (
        "Fribourg",
        &["Freiburg", "Friburgo", "Friburg", "Freiburg im Üechtland"],
    ),
    ("Genève", &["Genf", "Geneva", "Ginevra", "Genevra"]),
    ("Glarus", &["Glaris", "Glarona"]),
    ("Gruyères", &["Greyerz"]),
    ("Ins", &["Anet"]),
    ("Kerzers", &["Chiètres"]),
    ("La Neuveville", &["Neuenstadt"]),
    ("Laufen", &["Laufon"]),
    ("Lausanne", &["Losanna"]),
    ("Ligerz", &["Gléresse"]),
    ("Locarno", &["Luggarus"]),
    ("Lugano", &["Lauis"]),
    ("Luzern", &["Lucerne", "Lucerna"]),
    ("Martigny", &["Martinach"]),
    ("Moudon", &["Milden"]),
    ("Moutier", &["Münster"]),
    ("Murten", &["Morat"]),
    ("Neuchâtel", &["Neuenburg"]),
    ("Nyon", &["Neuss"]),
    ("Payerne", &["Peterlingen"]),
    ("Porrentruy", &["Pruntrut"]),
    ("Poschiavo", &["Puschlav"]),
    ("Romont FR", &["Remund"]),
    ("Samedan", &["Samaden"]),
    ("Schaffhausen", &["Schaffhouse", "Sciaffusa"]),
    ("Schwyz", &["Schwytz", "Svitto"]),
    ("Scuol", &["Schuls"]),
    ("Sierre", &["Siders"]),
    ("Sion", &["Sitten"]),
    ("Solothurn", &["Soleure", "Soletta"]),
    ("St. Gallen", &["Saint-Gall", "San Gallo"]),
    ("St. Moritz", &["San Murezzan", "Saint-Maurice-en-Engadine"]),
    ("Thun", &["Thoune"]),
    ("Tramelan", &["Tramlingen"]),
    ("Twann", &["Douanne"]),
    ("Vevey", &["Vivis"]),
    ("Visp", &["Viège"]),
    ("Winterthur", &["Winterthour"]),
    ("Yverdon-les-Bains", &["Iferten"]),
    ("Zug", &["Zoug", "Zugo"]),
    ("Zürich", &["Zurigo", "Turitg"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_without_doubles() {
        assert!(ALIASES.is_sorted_by(|left, right| left.0 < right.0));
    }

    #[test]
    fn a_town_without_aliases_has_none() {
        assert!(of("Genève").any(|alias| alias == "Genf"));
        assert_eq!(of("Wil SG").count(), 0);
    }

    #[cfg(feature = "towns-ch-li")]
    #[test]
    fn every_alias_names_a_listed_town_and_is_none_itself() {
        let directory = crate::domain::town::Directory::switzerland_and_liechtenstein();
        let is_listed = |name: &str| directory.entries().iter().any(|entry| entry.town == name);
        for (official, aliases) in ALIASES {
            assert!(is_listed(official), "{official}");
            for alias in *aliases {
                assert!(!is_listed(alias), "{alias}");
            }
        }
    }
}
