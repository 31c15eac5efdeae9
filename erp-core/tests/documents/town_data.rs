//! Compares the built-in towns with the table from which they are generated.
//!
//! `UPDATE_TOWNS=1 cargo test -p erp-core --test documents town_data` writes the built-in data. `NOTICE` has the sources
//! of the table.

#![cfg(feature = "towns-ch-li")]

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;
    use std::io::Write as _;

    use erp_core::codes::Country;
    use erp_core::town::{Directory, TownEntry, TownKind};
    use flate2::Compression;
    use flate2::write::GzEncoder;

    const BUILT_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/towns_ch_li.txt");
    const TABLE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/documents/postal_codes_ch_li.csv"
    );
    const BYTES_ALLOWED: usize = 30_000;

    fn table() -> Directory {
        Directory::from_csv(&std::fs::read_to_string(TABLE).unwrap()).unwrap()
    }

    /// Splits a name from the canton at its end, `Wald ZH` or `Wald (ZH)`.
    fn split(name: &str) -> (&str, &str) {
        let (before, last) = name.rsplit_once(' ').unwrap_or((name, ""));
        let canton = last.trim_matches(['(', ')']);
        let is_canton =
            canton.len() == 2 && canton.chars().all(|letter| letter.is_ascii_uppercase());
        if is_canton {
            (before, canton)
        } else {
            (name, "")
        }
    }

    /// The entries without municipalities that have the same name as a town. An existing town is never replaced, so
    /// these entries can change no outcome.
    fn reduced(directory: &Directory) -> Vec<TownEntry> {
        let entries = directory.entries();
        let named = entries.iter().filter(|entry| entry.kind != TownKind::PoBox);
        let towns: BTreeSet<(&str, &str)> = named
            .flat_map(|entry| {
                let base = split(&entry.town).0;
                [(base, ""), (base, entry.region.as_str())]
            })
            .collect();
        let reduce = |entry: &TownEntry| {
            let kept = entry
                .municipalities
                .iter()
                .filter(|name| !towns.contains(&split(name)));
            TownEntry {
                municipalities: kept.cloned().collect(),
                ..entry.clone()
            }
        };
        entries.iter().map(reduce).collect()
    }

    fn encoded(entries: &[TownEntry]) -> String {
        let mut text = String::new();
        for country in [Country::CH, Country::LI] {
            writeln!(text, "{country}").unwrap();
            let of_country: Vec<&TownEntry> = entries
                .iter()
                .filter(|entry| entry.country == country)
                .collect();
            let (mut code, mut region, mut municipalities) = (0_u16, "", String::new());
            for place in of_country.chunk_by(|left, right| left.postal_code == right.postal_code) {
                let next: u16 = place[0].postal_code.parse().unwrap();
                if next - code != 1 {
                    write!(text, "{}", next - code).unwrap();
                }
                code = next;
                for entry in place {
                    let mark = match entry.kind {
                        TownKind::Official => "",
                        TownKind::PoBox => "+",
                        TownKind::Other => "*",
                    };
                    write!(text, ";{mark}{}", entry.town).unwrap();
                    if entry.region != region {
                        region = &entry.region;
                        write!(text, "@{region}").unwrap();
                    }
                    let named = entry.municipalities.join("&");
                    if !named.is_empty() {
                        let written = if named == municipalities { "" } else { &named };
                        write!(text, "&{written}").unwrap();
                        municipalities = named;
                    }
                }
                text.push('\n');
            }
        }
        text
    }

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the test writes the data file on request"
    )]
    fn the_built_in_data_is_made_from_the_table() {
        let table = table();
        let made = encoded(&reduced(&table));
        if std::env::var_os("UPDATE_TOWNS").is_some() {
            std::fs::write(BUILT_IN, made).unwrap();
            return;
        }
        assert_eq!(std::fs::read_to_string(BUILT_IN).unwrap(), made);
        assert_eq!(
            Directory::switzerland_and_liechtenstein().entries(),
            reduced(&table)
        );
    }

    #[test]
    fn the_built_in_data_is_small_when_compressed() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder
            .write_all(std::fs::read_to_string(BUILT_IN).unwrap().as_bytes())
            .unwrap();
        let compressed = encoder.finish().unwrap().len();
        println!("built-in towns: {compressed} bytes compressed");
        assert!(compressed <= BYTES_ALLOWED, "{compressed}");
        assert!(
            compressed > BYTES_ALLOWED / 2,
            "the data is not complete: {compressed}"
        );
    }

    #[test]
    fn municipalities_left_out_change_no_outcome() {
        let table = table();
        let built_in = Directory::switzerland_and_liechtenstein();
        for entry in table.entries() {
            for municipality in &entry.municipalities {
                let typed = municipality.to_uppercase();
                assert_eq!(
                    built_in
                        .check(entry.country, &entry.postal_code, &typed)
                        .outcome,
                    table
                        .check(entry.country, &entry.postal_code, &typed)
                        .outcome,
                    "{} {municipality}",
                    entry.postal_code
                );
            }
        }
    }

    #[test]
    fn all_of_both_countries_is_there() {
        let entries = Directory::switzerland_and_liechtenstein().entries();
        let count = |country, kind| {
            let is_counted = |entry: &&TownEntry| entry.country == country && entry.kind == kind;
            entries.iter().filter(is_counted).count()
        };
        assert_eq!(count(Country::CH, TownKind::Official), 4_059);
        assert_eq!(count(Country::CH, TownKind::PoBox), 346);
        assert_eq!(count(Country::CH, TownKind::Other), 64);
        assert_eq!(count(Country::LI, TownKind::Official), 13);
        let codes: BTreeSet<&str> = entries
            .iter()
            .map(|entry| entry.postal_code.as_str())
            .collect();
        println!("built-in towns: {} postal codes", codes.len());
        assert!(codes.contains("1000") && codes.contains("8021") && codes.contains("9498"));
    }
}
