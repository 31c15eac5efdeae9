//! `erp-server company init`, and the company of a new folder: with the tax codes of its country.

use std::fs;
use std::path::Path;

use clap::{Args, Subcommand};
use erp_core::codes::{Currency, Language};
use erp_core::erp::{ImportRow, Office};
use erp_core::import::Row;
use erp_core::json;
use erp_core::storage::Storage;
use erp_core::text::Text;
use hyper::Method;
use hyper::body::Bytes;
use jiff::Zoned;
use secrecy::ExposeSecret as _;
use serde_json::{Map, Value, json};

use super::backend::{Backend, ChangeArgs};
use super::failure::Failure;
use super::json::{entries, with};
use super::new::{accepted, answer};
use super::open::Opening;
use super::remote::bytes_of;
use super::user::random_password;
use crate::cli::demo::TAXES;

/// Country, its time zone, its usual currency, and the beginning of its tax codes.
const COUNTRIES: [(&str, &str, &str, &str); 4] = [
    ("CH", "Europe/Zurich", "CHF", "CH-"),
    ("LI", "Europe/Vaduz", "CHF", "CH-"),
    ("DE", "Europe/Berlin", "EUR", "DE-"),
    ("AT", "Europe/Vienna", "EUR", "AT-"),
];

/// Begin with a company
#[derive(Debug, Subcommand)]
pub(super) enum CompanyCommand {
    Init(Box<Init>),
}

impl CompanyCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self::Init(command) = self;
        command.run()
    }
}

/// What a company is called and where it is.
#[derive(Debug, Args)]
pub(super) struct CompanyArgs {
    /// Name of the company
    #[arg(long, value_name = "NAME")]
    company: Option<String>,
    /// Country of the company: CH, LI, DE or AT
    #[arg(long, value_name = "CODE")]
    country: Option<String>,
    /// Currency of the company
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
    /// First number of its invoices
    #[arg(long, value_name = "NUMBER")]
    first_invoice_number: Option<String>,
}

impl CompanyArgs {
    /// The company of the options and answers; `None` for an empty name.
    pub(super) fn ask(self) -> Result<Option<FirstCompany>, Failure> {
        let question = "What is the company called (empty: none yet)?";
        let name = answer(self.company, question, "", |name| {
            accepted(Text::<255>::new(name))
        })?;
        if name.is_empty() {
            return Ok(None);
        }
        let question = "In which country is it: CH, LI, DE or AT?";
        let country = answer(self.country, question, "CH", check_country)?;
        let question = "Which currency does it use?";
        let usual = usual_currency(&country);
        let currency = answer(self.currency, question, usual, check_currency)?;
        let question = "Which number has its first invoice?";
        let usual = format!("{}0001", Zoned::now().year());
        let first = answer(self.first_invoice_number, question, &usual, check_number)?;
        Ok(FirstCompany::new(&name, &country, &currency, &first))
    }
}

/// Store a company with the tax rates of its country, its first article and the user of its shop
///
/// Asks at a terminal for what no option gives; an empty line takes the answer in brackets. A store without users gets an admin, too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server company init --config /etc/erp/erp.toml\n  \
        erp-server company init --company 'Muster AG' --country CH --server https://erp.example.com --login admin")]
pub(super) struct Init {
    #[command(flatten)]
    company: CompanyArgs,
    /// Street and number of the company, which its invoices need; empty for none
    #[arg(long, value_name = "STREET")]
    street: Option<String>,
    /// Postal code
    #[arg(long, value_name = "CODE")]
    postal_code: Option<String>,
    /// Town
    #[arg(long, value_name = "TOWN")]
    town: Option<String>,
    /// VAT identifier, which its invoices need; empty for none
    #[arg(long, value_name = "NUMBER")]
    vat_id: Option<String>,
    /// IBAN for payments; empty for none
    #[arg(long, value_name = "IBAN")]
    iban: Option<String>,
    /// Number of the first article; empty for none
    #[arg(long, value_name = "NUMBER")]
    article: Option<String>,
    /// What the first article is called
    #[arg(long, value_name = "NAME")]
    article_name: Option<String>,
    /// Price of the first article without tax
    #[arg(long, value_name = "AMOUNT")]
    price: Option<String>,
    /// Name of the shop's user, who gets a random password
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Init {
    fn run(self) -> Result<(), Failure> {
        let change = &self.change;
        change.backend.require_stdin("the answers")?;
        let any = |_: &str| Ok(());
        let company = self.company.ask()?;
        let mut company = company.ok_or_else(|| Failure::usage("a company has a name"))?;
        for (member, given, question) in [
            ("AdrAdresse1", self.street, "Street and number?"),
            ("OrtPLZ", self.postal_code, "Postal code?"),
            ("OrtName", self.town, "Town?"),
            ("UStIdNr", self.vat_id, "VAT identifier (empty: none yet)?"),
            ("IBAN", self.iban, "IBAN (empty: none yet)?"),
        ] {
            company.set(member, &answer(given, question, "", any)?);
        }
        let question = "Number of the first article (empty: none yet)?";
        let article = answer(self.article, question, "", |text| {
            accepted(Text::<15>::new(text))
        })?;
        let mut rows = company.lines();
        if !article.is_empty() {
            let name = answer(self.article_name, "What is it called?", &article, any)?;
            let question = "What does it cost without tax?";
            let price = answer(self.price, question, "", check_price)?;
            rows.extend(company.article(&article, &name, &price)?);
        }
        let user = answer(self.user, "Name of the shop's user?", "shop1", |_| Ok(()))?;
        let made = change
            .backend
            .run_on(Opening::InFolder, async |backend| {
                store(backend, &rows, &user).await
            })?;
        let words = made.iter().map(|(name, password)| format!("password of {name}: {password}"));
        let words: Vec<String> = words.collect();
        let users = made.iter().map(|(name, password)| json!({"name": name, "password": password}));
        let result = with(json!({}), "company", company.name());
        let result = with(result, "users", users.collect::<Vec<Value>>());
        let head = format!("{} is stored, with its tax rates", company.name());
        change.output.print(&result, format!("{head}\n{}", words.join("\n")));
        Ok(())
    }
}

/// Stores the rows, all or nothing, then the users: their names and passwords.
async fn store(
    backend: &Backend,
    rows: &[String],
    shop: &str,
) -> Result<Vec<(String, String)>, Failure> {
    let response = backend.open("/admin/export?company=true").await?;
    let known = bytes_of(response).await?;
    if known.starts_with(b"{\"Firma\"") {
        return Err(Failure::new(
            "there is a company already; `erp-server import` and the console change it",
        ));
    }
    let body = Bytes::from(format!("{}\n", rows.join("\n")));
    let content = Some(("application/x-ndjson", body));
    let sent = backend.send(Method::POST, "/admin/import", content, false);
    backend.successful(sent.await?).await?;
    let users = backend.data(Method::GET, "/admin/users", None).await?;
    let admin = entries(&users).is_empty().then_some(("admin", "admin"));
    let mut made = Vec::new();
    for (name, role) in admin.into_iter().chain([(shop, "shop")]) {
        let secret = random_password()?;
        let password = secret.expose_secret();
        let restwebshop = (role == "shop").then_some("SHOP1");
        let body = json!({"name": name, "role": role, "password": password, "restwebshop": restwebshop});
        backend.call(Method::POST, "/admin/users", Some(&body)).await?;
        made.push((name.to_owned(), password.to_owned()));
    }
    Ok(made)
}

/// A company with the tax rates of its country.
pub(super) struct FirstCompany {
    company: Map<String, Value>,
    taxes: Vec<String>,
}

pub(super) fn check_country(code: &str) -> Result<(), String> {
    let known = COUNTRIES.iter().any(|(country, ..)| *country == code);
    known
        .then_some(())
        .ok_or_else(|| "expected CH, LI, DE or AT; a company elsewhere is imported".to_owned())
}

fn check_currency(code: &str) -> Result<(), String> {
    accepted(code.parse::<Currency>())
}

fn check_number(text: &str) -> Result<(), String> {
    let number = text.parse::<i32>().ok().filter(|number| *number > 0);
    number
        .map(drop)
        .ok_or_else(|| format!("expected a number from 1 to {}", i32::MAX))
}

fn check_price(text: &str) -> Result<(), String> {
    accepted(text.replace(',', ".").parse::<rust_decimal::Decimal>())
}

fn usual_currency(country: &str) -> &'static str {
    let found = COUNTRIES.iter().find(|(code, ..)| *code == country);
    found.map_or("EUR", |(_, _, currency, _)| currency)
}

impl FirstCompany {
    /// A company with the rates of its country; `None` for a country without known ones.
    fn new(name: &str, country: &str, currency: &str, first_invoice: &str) -> Option<Self> {
        let (_, zone, _, codes) = COUNTRIES.iter().find(|(code, ..)| *code == country)?;
        let is_of_country = |line: &&str| line.contains(&format!("\"WUSTCode\": \"{codes}"));
        let taxes = TAXES.lines().filter(is_of_country).map(str::to_owned);
        let normal = format!("{codes}NORMAL");
        let company = json!({
            "FirmaBez": name, "OrtLand": country, "WaehrAbk": currency, "AdrSprache": "ger", "Zeitzone": zone,
            "RESTPreisliste": "STANDARD", "Preisart": "N", "WUSTCode": normal, "LiefKostWUSTCode": normal,
            "ZahlFrist": 30, "RechNrAb": first_invoice.parse::<i32>().ok()?,
            "Zahlungsbedingungen": [{"KundBedTyp": 1, "Texte": [
                {"AdrSprache": "ger", "Text": "30 Tage netto"}, {"AdrSprache": "eng", "Text": "30 days net"},
            ]}],
            "attributes": [{"PHKey": "REST_Auft", "Contents": "1"}, {"PHKey": "REST_Kunde", "Contents": "1"}],
        });
        Some(Self {
            company: company.as_object()?.clone(),
            taxes: taxes.collect(),
        })
    }

    fn name(&self) -> &str {
        let name = self.company.get("FirmaBez").and_then(Value::as_str);
        name.unwrap_or_default()
    }

    /// Sets a member of its row; an empty text is none.
    fn set(&mut self, member: &str, text: &str) {
        if !text.is_empty() {
            self.company.insert(member.to_owned(), text.into());
        }
    }

    /// The rows of the company and its tax codes.
    fn lines(&self) -> Vec<String> {
        let company = json!({"Firma": self.company}).to_string();
        self.taxes.iter().cloned().chain([company]).collect()
    }

    /// The rows of an article that every shop sees, with its price in the company's list.
    fn article(&self, number: &str, name: &str, price: &str) -> Result<[String; 2], Failure> {
        let price: Value = serde_json::from_str(&price.replace(',', "."))?;
        let article = json!({"Artikel": {"ArtNr": number, "ArtBez": name,
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}});
        let price = json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": number,
            "WaehrAbk": self.company.get("WaehrAbk"), "PreisList": price, "Preisart": "N"}});
        Ok([article.to_string(), price.to_string()])
    }

    pub(super) async fn store(&self, office: Office<'_, impl Storage>) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for (text, line) in self.lines().iter().zip(1..) {
            let row = Row::read(&json::read(text)?, Language::GERMAN)?;
            rows.push(ImportRow { line, row });
        }
        office.import(&rows).await?;
        Ok(())
    }

    /// Writes the lines into files of a folder, to look at, to change and to import again.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        for (name, lines) in [
            ("firma.ndjson", &vec![json!({"Firma": self.company}).to_string()]),
            ("steuern.ndjson", &self.taxes),
        ] {
            let file = folder.join(name);
            fs::write(&file, format!("{}\n", lines.join("\n")))
                .map_err(|error| Failure::cannot_write(&file, &error))?;
        }
        Ok(())
    }
}
