//! `erp-server company init`, and what `erp-server new` has of it: a company with the tax rates of its country, and users.

use std::io::{BufRead as _, IsTerminal as _};

use clap::{Args, Subcommand};
use erp_core::codes::Currency;
use erp_core::master::Iban;
use erp_core::text::Text;
use hyper::Method;
use hyper::body::Bytes;
use rust_decimal::Decimal;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::backend::{Backend, ChangeArgs};
use super::failure::Failure;
use super::json::entries;
use super::open::Opening;
use super::remote::bytes_of;
use super::user::random_password;
use crate::import::FirstCompany;

/// Begin with a company
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server company init")]
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
    first_invoice: Option<String>,
}

impl CompanyArgs {
    /// Whether nothing is asked: a script has more commands in its standard input.
    const fn is_whole(&self) -> bool {
        self.company.is_some() && self.country.is_some() && self.currency.is_some()
    }

    /// The company of the options and answers; `None` for an empty name.
    pub(super) fn ask(self) -> Result<Option<FirstCompany>, Failure> {
        let is_whole = self.is_whole();
        let question = "What is the company called (empty: none yet)?";
        let name = answer(self.company, question, "", |name| {
            accepted(Text::<255>::new(name))
        })?;
        if name.is_empty() {
            return Ok(None);
        }
        let question = "In which country is it: CH, LI, DE or AT?";
        let country = answer(self.country, question, "CH", check_country)?;
        let Some(mut company) = FirstCompany::of(&country) else {
            return Ok(None);
        };
        company.set("FirmaBez", name);
        let question = "Which currency does it use?";
        let usual = company.text("WaehrAbk");
        let currency = answer(self.currency, question, &usual, check_currency)?;
        company.set("WaehrAbk", currency);
        let question = "Which number has its first invoice?";
        let usual = company.text("RechNrAb");
        let given = self.first_invoice.or(is_whole.then(|| usual.clone()));
        let first = answer(given, question, &usual, check_number)?;
        company.set("RechNrAb", first.parse::<i32>().ok());
        Ok(Some(company))
    }
}

/// Store a company with the tax rates of its country, its first article and the user of its shop
///
/// Asks for more, in lines of standard input, unless options give name, country and currency; an empty line takes the answer in brackets.
/// A store without users gets an admin, too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server company init --config /etc/erp/erp.toml\n  \
        erp-server company init --company Muster --country CH --currency CHF --server https://erp.example.com --login admin")]
pub(super) struct Init {
    #[command(flatten)]
    company: CompanyArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

/// What is asked for beside, with the member of the company's row.
const QUESTIONS: [(&str, &str); 5] = [
    ("AdrAdresse1", "Street and number, for its invoices?"),
    ("OrtPLZ", "Postal code?"),
    ("OrtName", "Town?"),
    ("UStIdNr", "VAT identifier (empty: none yet)?"),
    ("IBAN", "IBAN (empty: none yet)?"),
];

impl Init {
    fn run(self) -> Result<(), Failure> {
        let Self { company, change } = self;
        let asks = !company.is_whole();
        if asks {
            change.backend.require_stdin("the answers")?;
        }
        let company = company.ask()?;
        let mut company = company.ok_or_else(|| Failure::usage("a company has a name"))?;
        let mut article = Vec::new();
        let mut shop = "shop1".to_owned();
        if asks {
            for (member, question) in QUESTIONS {
                let check = |text: &str| match (member, text) {
                    (_, "") => Ok(()),
                    ("IBAN", text) => accepted(Iban::parse(text).map_err(|wrong| wrong.english())),
                    _ => Ok(()),
                };
                let answer = answer(None, question, "", check)?;
                if !answer.is_empty() {
                    company.set(member, answer);
                }
            }
            article = ask_article(&company)?;
            shop = answer(None, "Name of the shop's user?", "shop1", |_| Ok(()))?;
        }
        let rows = [company.lines(), article].concat();
        let store = async |backend: &Backend| {
            let known = backend.open("/admin/export?company=true").await?;
            if bytes_of(known).await?.starts_with(br#"{"Firma""#) {
                let text =
                    "there is a company already; `erp-server import` and the console change it";
                return Err(Failure::new(text));
            }
            let known = backend.data(Method::GET, "/admin/users", None).await?;
            let known = entries(&known);
            let mut users = vec![(shop.as_str(), "shop")];
            if known.is_empty() {
                users.insert(0, ("admin", "admin"));
            }
            users.retain(|(name, _)| known.iter().all(|known| known["name"] != *name));
            begin(backend, &rows, &users).await
        };
        let users = change.backend.run_on(Opening::InFolder, store)?;
        let lines = users
            .iter()
            .map(|(name, password)| format!("\npassword of {name}: {password}"));
        let words = format!(
            "{} is stored, with its tax rates{}",
            company.text("FirmaBez"),
            lines.collect::<String>()
        );
        let users = users
            .iter()
            .map(|(name, password)| json!({"name": name, "password": password}));
        let users: Vec<Value> = users.collect();
        change.output.print(
            &json!({"company": company.text("FirmaBez"), "users": users}),
            words,
        );
        Ok(())
    }
}

/// Stores rows, all or nothing, and then users with random passwords: their names and passwords.
pub(super) async fn begin(
    backend: &Backend,
    rows: &[String],
    users: &[(&str, &str)],
) -> Result<Vec<(String, String)>, Failure> {
    if !rows.is_empty() {
        let rows = Bytes::from(rows.join("\n"));
        let content = Some(("application/x-ndjson", rows));
        let sent = backend.send(Method::POST, "/admin/import", content, false);
        backend.successful(sent.await?).await?;
    }
    let mut made = Vec::new();
    for (name, role) in users {
        let secret = random_password()?;
        let password = secret.expose_secret();
        let shop = (*role == "shop").then_some("SHOP1");
        let user = json!({"name": name, "role": role, "password": password, "restwebshop": shop});
        backend
            .call(Method::POST, "/admin/users", Some(&user))
            .await?;
        made.push(((*name).to_owned(), password.to_owned()));
    }
    Ok(made)
}

fn check_country(code: &str) -> Result<(), String> {
    FirstCompany::of(code)
        .map(drop)
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

/// An amount with a decimal point or comma.
fn price(text: &str) -> Result<Decimal, String> {
    text.replace(',', ".")
        .parse()
        .map_err(|_| format!("`{text}` is no amount"))
}

/// The rows of a first article, which every shop sees, with its price in the company's list.
fn ask_article(company: &FirstCompany) -> Result<Vec<String>, Failure> {
    let check = |text: &str| accepted(Text::<15>::new(text));
    let number = answer(
        None,
        "Number of the first article (empty: none yet)?",
        "",
        check,
    )?;
    if number.is_empty() {
        return Ok(Vec::new());
    }
    let name = answer(None, "What is it called?", &number, |_| Ok(()))?;
    let cost = answer(None, "What does it cost without tax?", "", |text| {
        accepted(price(text))
    })?;
    let cost: Value = serde_json::from_str(&price(&cost).unwrap_or_default().to_string())?;
    let article = json!({"Artikel": {"ArtNr": number, "ArtBez": name,
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}});
    let price = json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": number,
        "WaehrAbk": company.text("WaehrAbk"), "PreisList": cost, "Preisart": "N"}});
    Ok(vec![article.to_string(), price.to_string()])
}

fn accepted<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

/// The value of an option, or the answer to its question. A wrong answer is asked again on a terminal only.
pub(super) fn answer(
    given: Option<String>,
    question: &str,
    usual: &str,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<String, Failure> {
    if let Some(given) = given {
        check(&given).map_err(Failure::usage)?;
        return Ok(given);
    }
    let stdin = std::io::stdin();
    loop {
        let usually = match usual {
            "" => String::new(),
            usual => format!(" [{usual}]"),
        };
        super::print::error(format_args!("{question}{usually}: "));
        let mut line = String::new();
        let length = stdin.lock().read_line(&mut line)?;
        let text = match line.trim() {
            "" => usual,
            text => text,
        };
        match check(text) {
            Ok(()) => return Ok(text.to_owned()),
            Err(reason) if length > 0 && stdin.is_terminal() => complain!("{reason}"),
            Err(reason) => return Err(Failure::usage(reason)),
        }
    }
}
