//! The first company of a new folder, with the tax codes of its country.

use std::fs;
use std::path::Path;

use erp_core::codes::{Currency, Language};
use erp_core::erp::{ImportRow, Office};
use erp_core::import::Row;
use erp_core::json;
use erp_core::storage::Storage;
use serde_json::json;

use super::accepted;
use crate::cli::demo::TAXES;
use crate::cli::failure::Failure;

/// Country, its time zone, its usual currency, and the beginning of its tax codes.
const COUNTRIES: [(&str, &str, &str, &str); 4] = [
    ("CH", "Europe/Zurich", "CHF", "CH-"),
    ("LI", "Europe/Vaduz", "CHF", "CH-"),
    ("DE", "Europe/Berlin", "EUR", "DE-"),
    ("AT", "Europe/Vienna", "EUR", "AT-"),
];

pub(super) struct FirstCompany {
    company: Vec<String>,
    taxes: Vec<String>,
}

pub(super) fn check_country(code: &str) -> Result<(), String> {
    let known = COUNTRIES.iter().any(|(country, ..)| *country == code);
    known
        .then_some(())
        .ok_or_else(|| "expected CH, LI, DE or AT; a company elsewhere is imported".to_owned())
}

pub(super) fn check_currency(code: &str) -> Result<(), String> {
    accepted(code.parse::<Currency>())
}

pub(super) fn usual_currency(country: &str) -> &'static str {
    let found = COUNTRIES.iter().find(|(code, ..)| *code == country);
    found.map_or("EUR", |(_, _, currency, _)| currency)
}

impl FirstCompany {
    /// A company with the rates of its country; `None` for a country without known ones.
    pub(super) fn new(name: &str, country: &str, currency: &str) -> Option<Self> {
        let (_, zone, _, codes) = COUNTRIES.iter().find(|(code, ..)| *code == country)?;
        let is_of_country = |line: &&str| line.contains(&format!("\"WUSTCode\": \"{codes}"));
        let taxes = TAXES.lines().filter(is_of_country).map(str::to_owned);
        let normal = format!("{codes}NORMAL");
        let company = json!({"Firma": {
            "FirmaBez": name, "OrtLand": country, "WaehrAbk": currency, "AdrSprache": "ger", "Zeitzone": zone,
            "RESTPreisliste": "STANDARD", "Preisart": "N", "WUSTCode": normal, "LiefKostWUSTCode": normal,
            "ZahlFrist": 30,
            "Zahlungsbedingungen": [{"KundBedTyp": 1, "Texte": [
                {"AdrSprache": "ger", "Text": "30 Tage netto"}, {"AdrSprache": "eng", "Text": "30 days net"},
            ]}],
            "attributes": [{"PHKey": "REST_Auft", "Contents": "1"}, {"PHKey": "REST_Kunde", "Contents": "1"}],
        }});
        Some(Self {
            company: vec![company.to_string()],
            taxes: taxes.collect(),
        })
    }

    pub(super) async fn store(&self, office: Office<'_, impl Storage>) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for (text, line) in self.taxes.iter().chain(&self.company).zip(1..) {
            let row = Row::read(&json::read(text)?, Language::GERMAN)?;
            rows.push(ImportRow { line, row });
        }
        office.import(&rows).await?;
        Ok(())
    }

    /// Writes the lines into files of a folder, to look at, to change and to import again.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        for (name, lines) in [
            ("firma.ndjson", &self.company),
            ("steuern.ndjson", &self.taxes),
        ] {
            let file = folder.join(name);
            fs::write(&file, format!("{}\n", lines.join("\n")))
                .map_err(|error| Failure::cannot_write(&file, &error))?;
        }
        Ok(())
    }
}
