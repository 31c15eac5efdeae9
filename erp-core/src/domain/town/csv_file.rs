//! Reads a directory from CSV.

use serde::Deserialize;
use smol_str::SmolStr;

use super::{TownEntry, TownKind};
use crate::values::codes::Country;
use crate::values::text::Text;
use erp_derive::Say;

/// Why a CSV table is not a valid directory. Lines are counted from 1, including the header.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[non_exhaustive]
pub enum DirectoryError {
    /// The table is malformed or lacks a column.
    #[say("towns.table")]
    Table(SmolStr),
    /// A country is not a code of ISO 3166-1.
    #[say("towns.country")]
    Country {
        /// The line.
        line: u64,
        /// The invalid value.
        given: SmolStr,
    },
    /// A kind other than `official`, `pobox`, `other`.
    #[say("towns.kind")]
    Kind {
        /// The line.
        line: u64,
        /// The invalid value.
        given: SmolStr,
    },
    /// A postal code or town that is empty or too long for an address.
    #[say("towns.value")]
    Value {
        /// The line.
        line: u64,
        /// The invalid value.
        given: SmolStr,
    },
    /// The table has no rows.
    #[say("towns.empty")]
    Empty,
}

#[derive(Deserialize)]
struct TownRow {
    country: SmolStr,
    postal_code: SmolStr,
    town: SmolStr,
    #[serde(default)]
    canton: SmolStr,
    #[serde(default)]
    kind: SmolStr,
    #[serde(default)]
    municipalities: SmolStr,
}

pub(super) fn read(table: &str) -> Result<Vec<TownEntry>, DirectoryError> {
    let table = table.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(table.as_bytes());
    let headers = reader.headers().map_err(in_table)?.clone();
    let mut record = csv::StringRecord::new();
    let mut entries = Vec::new();
    while reader.read_record(&mut record).map_err(in_table)? {
        let line = record.position().map_or(0, csv::Position::line);
        let row = record.deserialize(Some(&headers)).map_err(in_table)?;
        entries.push(entry(row, line)?);
    }
    if entries.is_empty() {
        return Err(DirectoryError::Empty);
    }
    Ok(entries)
}

fn in_table(error: csv::Error) -> DirectoryError {
    DirectoryError::Table(SmolStr::from(error.to_string()))
}

fn entry(row: TownRow, line: u64) -> Result<TownEntry, DirectoryError> {
    let country = Country::parse(&row.country).map_err(|_| DirectoryError::Country {
        line,
        given: row.country.clone(),
    })?;
    let kind = kind(&row.kind).ok_or_else(|| DirectoryError::Kind {
        line,
        given: row.kind.clone(),
    })?;
    Ok(TownEntry {
        country,
        postal_code: fitting::<10>(row.postal_code, line)?,
        town: fitting::<48>(row.town, line)?,
        region: row.canton,
        kind,
        municipalities: municipalities(&row.municipalities),
    })
}

fn kind(given: &str) -> Option<TownKind> {
    match given {
        "official" | "" => Some(TownKind::Official),
        "pobox" => Some(TownKind::PoBox),
        "other" => Some(TownKind::Other),
        _ => None,
    }
}

fn fitting<const MAX: usize>(given: SmolStr, line: u64) -> Result<SmolStr, DirectoryError> {
    if given.is_empty() || Text::<MAX>::new(&given).is_err() {
        return Err(DirectoryError::Value { line, given });
    }
    Ok(given)
}

fn municipalities(given: &str) -> Vec<SmolStr> {
    given
        .split('|')
        .filter(|name| !name.is_empty())
        .map(SmolStr::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_first_columns_are_enough() {
        let entries = read("\u{feff}country,postal_code,town\nDE,10115,Berlin\n").unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].country, Country::DE);
        assert_eq!(
            (entries[0].town.as_str(), entries[0].kind),
            ("Berlin", TownKind::Official)
        );
    }

    #[test]
    fn quotes_kinds_and_municipalities_are_read() {
        let table = "town,country,postal_code,kind,municipalities,extra\n\
                     \"A, B\",ch,1,pobox,X|Y,z\n";
        let entries = read(table).unwrap();
        assert_eq!(
            (entries[0].town.as_str(), entries[0].kind),
            ("A, B", TownKind::PoBox)
        );
        assert_eq!(entries[0].municipalities, ["X", "Y"]);
    }

    #[test]
    fn a_wrong_row_is_named_by_its_line() {
        let row = |row: &str| {
            read(&format!(
                "country,postal_code,town,kind\nCH,1,A,other\n{row}\n"
            ))
        };
        let given = SmolStr::from;
        let (line, country) = (3, given("XX"));
        assert_eq!(
            row("XX,1,A,"),
            Err(DirectoryError::Country {
                line,
                given: country
            })
        );
        assert_eq!(
            row("CH,1,A,b"),
            Err(DirectoryError::Kind {
                line,
                given: given("b")
            })
        );
        assert_eq!(
            row("CH,,A,"),
            Err(DirectoryError::Value {
                line,
                given: given("")
            })
        );
        let long = given(&"a".repeat(49));
        assert_eq!(
            row(&format!("CH,1,{long},")),
            Err(DirectoryError::Value { line, given: long })
        );
        assert!(matches!(row("CH,1"), Err(DirectoryError::Table(_))));
    }

    #[test]
    fn no_rows_or_a_missing_column_are_refused() {
        assert_eq!(
            read("country,postal_code,town\n"),
            Err(DirectoryError::Empty)
        );
        assert_eq!(read(""), Err(DirectoryError::Empty));
        assert!(matches!(
            read("country,town\nCH,A\n"),
            Err(DirectoryError::Table(_))
        ));
    }
}
