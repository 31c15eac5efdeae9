//! The rows that a company begins with: its own, and the tax codes of its country.

use jiff::Zoned;
use serde_json::{Map, Value, json};

/// Country, its time zone, its usual currency, and the beginning of its tax codes.
const COUNTRIES: [(&str, &str, &str, &str); 4] = [
    ("CH", "Europe/Zurich", "CHF", "CH-"),
    ("LI", "Europe/Vaduz", "CHF", "CH-"),
    ("DE", "Europe/Berlin", "EUR", "DE-"),
    ("AT", "Europe/Vienna", "EUR", "AT-"),
];

/// The tax codes of the demo, for companies of the same countries.
const TAXES: &str = include_str!("../../demo/02-steuern.ndjson");

pub struct FirstCompany {
    company: Map<String, Value>,
    taxes: Vec<String>,
}

impl FirstCompany {
    pub fn countries() -> [&'static str; 4] {
        COUNTRIES.map(|(country, ..)| country)
    }

    /// A company without a name, with what is usual in its country; `None` for a country without known rates.
    pub fn of(country: &str) -> Option<Self> {
        let (_, zone, currency, codes) = COUNTRIES.iter().find(|(code, ..)| *code == country)?;
        let is_of_country = |line: &&str| line.contains(&format!("\"WUSTCode\": \"{codes}"));
        let taxes = TAXES.lines().filter(is_of_country).map(str::to_owned);
        let normal = format!("{codes}NORMAL");
        let first = i32::from(Zoned::now().year()) * 10_000 + 1;
        let company = json!({
            "FirmaBez": "", "OrtLand": country, "WaehrAbk": currency, "AdrSprache": "ger", "Zeitzone": zone,
            "RESTPreisliste": "STANDARD", "Preisart": "N", "WUSTCode": normal, "LiefKostWUSTCode": normal,
            "ZahlFrist": 30, "RechNrAb": first,
            "Zahlungsbedingungen": [{"KundBedTyp": 1, "ZahlFrist": 30, "Texte": [
                {"AdrSprache": "ger", "Text": "30 Tage netto"}, {"AdrSprache": "eng", "Text": "30 days net"},
            ]}],
            "attributes": [{"PHKey": "REST_Auft", "Contents": "1"}, {"PHKey": "REST_Kunde", "Contents": "1"}],
        });
        Some(Self {
            company: company.as_object()?.clone(),
            taxes: taxes.collect(),
        })
    }

    /// A member of its row as text; empty for none.
    pub fn text(&self, member: &str) -> String {
        match self.company.get(member) {
            Some(Value::String(text)) => text.clone(),
            value => value.map(Value::to_string).unwrap_or_default(),
        }
    }

    /// Sets a member of its row.
    pub fn set(&mut self, member: &str, value: impl Into<Value>) {
        self.company.insert(member.to_owned(), value.into());
    }

    /// The rows of the company and its tax codes.
    pub fn lines(&self) -> Vec<String> {
        let company = json!({"Firma": self.company}).to_string();
        self.taxes.iter().cloned().chain([company]).collect()
    }
}
