//! Converts import rows to domain values.

mod media;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::rows::{
    AddressRow, ArticleRow, ArticleTextRow, CompanyRow, CustomerRow, DeclarationRow,
    PackagingUnitRow, PriceListRow, PriceRow, PriceTierRow, StockRow, TaxCodeRow, TaxRateRow,
    TextRow,
};
use super::{Price, Removal, Row, RowKind};
use crate::Number;
use crate::address::Address;
use crate::codes::{Country, Currency, Language};
use crate::master::{
    Article, Attribute, Attributes, Company, Customer, CustomerAddress, Declaration, PackagingUnit,
    PaymentCondition, PriceTier, StockEntry, TaxClass, TaxCode, TaxRate,
};
use crate::problem::{Code, Path, Problems};
use crate::request::PaymentMethod;
use crate::request::members::{Members, Range};
use crate::text::Text;
use crate::totals::PriceKind;
use crate::wire::json::Json;
use crate::wire::{self, Reading, Record};

/// Reads the fields of one row and collects problems.
struct Reader<'a> {
    path: &'a Path<'a>,
    language: Language,
    problems: &'a mut Problems,
}

/// The body of a row as a domain value; `None` if it has a problem.
pub(super) fn row(
    kind: RowKind,
    body: &Json,
    how: Reading,
    path: &Path<'_>,
    language: Language,
    problems: &mut Problems,
) -> Option<Row> {
    fn read<T: Record>(
        body: &Json,
        how: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<T> {
        T::read_member(body, &wire::Kind::Object(T::SCHEMA), how, path, problems)
    }
    match kind {
        RowKind::Company => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .company(row)
            .map(|company| Row::Company(Box::new(company)))
        }
        RowKind::TaxCode => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .tax_code(row)
            .map(Row::TaxCode)
        }
        RowKind::Article => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .article_row(row)
        }
        RowKind::PackagingUnit => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .unit_row(row)
        }
        RowKind::ArticleText => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .text_row(row)
        }
        RowKind::Declaration => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .declaration_row(row)
        }
        RowKind::PriceList => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .price_list(row)
        }
        RowKind::Price => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .price_row(row)
        }
        RowKind::Stock => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .stock_row(row)
        }
        RowKind::Customer => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .customer(row)
            .map(|customer| Row::Customer(Box::new(customer)))
        }
        RowKind::Media => {
            let row = read(body, how, path, problems)?;
            Reader {
                path,
                language,
                problems,
            }
            .media_row(row)
        }
    }
}

impl Reader<'_> {
    fn at<'p>(&'p mut self, path: &'p Path<'p>) -> Reader<'p> {
        Reader {
            path,
            language: self.language,
            problems: self.problems,
        }
    }

    fn members(&mut self) -> Members<'_, '_> {
        Members::new(self.path, self.problems)
    }

    fn missing<T>(&mut self, name: &str) -> Option<T> {
        self.members().required(name, None)
    }

    fn refuse<T>(&mut self, name: &str, code: Code, message: impl Into<String>) -> Option<T> {
        self.members().refuse(name, code, message);
        None
    }

    /// An optional text; blank counts as absent, trailing blanks are padding.
    fn text<const MAX: usize>(&mut self, name: &str, value: Option<SmolStr>) -> Option<Text<MAX>> {
        self.members().padded(name, value.as_ref())
    }

    /// An optional key, without invisible characters.
    fn key<const MAX: usize>(&mut self, name: &str, value: Option<SmolStr>) -> Option<Text<MAX>> {
        self.members().key(name, value.as_ref())
    }

    fn required_key<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        let key = self.key(name, value);
        self.members().required(name, key)
    }

    fn required_text<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        let text = self.text(name, value);
        self.members().required(name, text)
    }

    fn currency(&mut self, name: &str, value: Option<SmolStr>) -> Option<Currency> {
        self.members().currency(name, value.as_ref())
    }

    fn language(&mut self, name: &str, value: Option<SmolStr>) -> Option<Language> {
        self.members().language(name, value.as_ref())
    }

    fn country(&mut self, name: &str, value: Option<SmolStr>) -> Option<Country> {
        self.members().country(name, value.as_ref())
    }

    fn yes_or_no(&mut self, name: &str, value: Option<SmolStr>) -> Option<bool> {
        match value.as_deref().map(str::trim) {
            None | Some("" | "N") => Some(false),
            Some("J") => Some(true),
            Some(other) => {
                let message = format!("`{other}` is neither J nor N");
                self.refuse(name, Code::UnknownValue, message)
            }
        }
    }

    fn price_kind(&mut self, name: &str, value: Option<SmolStr>) -> Option<PriceKind> {
        let value = value.filter(|value| !value.trim().is_empty())?;
        match PriceKind::parse(value.trim()) {
            Some(kind) => Some(kind),
            None => {
                let message = format!("`{value}` is neither N (net) nor B (gross)");
                self.refuse(name, Code::UnknownValue, message)
            }
        }
    }

    fn number(&mut self, name: &str, value: Option<Number>, range: Range) -> Option<Decimal> {
        self.members().decimal(name, value, range)
    }

    fn required_number(
        &mut self,
        name: &str,
        value: Option<Number>,
        range: Range,
    ) -> Option<Decimal> {
        let number = self.number(name, value, range);
        self.members().required(name, number)
    }

    fn day(&mut self, name: &str, value: Option<SmolStr>) -> Option<Date> {
        let value = value.filter(|value| !value.trim().is_empty())?;
        match value.parse() {
            Ok(day) => Some(day),
            Err(_) => {
                let message = format!("`{value}` is no day `YYYY-MM-DD`");
                self.refuse(name, Code::Malformed, message)
            }
        }
    }

    fn attributes(&mut self, list: Option<Vec<wire::Attribute>>) -> Attributes {
        let name = "attributes";
        let mut attributes = Vec::new();
        for (at, row) in list.unwrap_or_default().into_iter().enumerate() {
            let path = *self.path;
            let member = path.member(name);
            let place = member.index(at);
            let mut reader = self.at(&place);
            let key = reader.required_key("PHKey", row.key);
            let contents = reader.text("Contents", row.contents);
            if let Some(key) = key {
                attributes.push(Attribute {
                    key,
                    contents: contents.unwrap_or_default(),
                });
            }
        }
        Attributes::new(attributes)
    }

    /// Texts per language, from a default text and a list of translations.
    fn texts<const MAX: usize>(
        &mut self,
        name: &str,
        default: Option<SmolStr>,
        list: Option<Vec<TextRow>>,
        of: impl Fn(&TextRow) -> Option<SmolStr>,
    ) -> BTreeMap<Language, Text<MAX>> {
        let mut texts = BTreeMap::new();
        if let Some(text) = self.text(name, default) {
            texts.insert(self.language, text);
        }
        for (at, row) in list.unwrap_or_default().iter().enumerate() {
            let path = *self.path;
            let member = path.member("Texte");
            let place = member.index(at);
            let mut reader = self.at(&place);
            let text = reader.required_text(name, of(row));
            let language = match row.language.clone() {
                Some(language) => reader.language("AdrSprache", Some(language)),
                None => reader.missing("AdrSprache"),
            };
            if let (Some(language), Some(text)) = (language, text) {
                texts.insert(language, text);
            }
        }
        texts
    }

    fn company(&mut self, row: CompanyRow) -> Option<Company> {
        let default = Company::default();
        let language = self
            .language("AdrSprache", row.language)
            .unwrap_or(default.language);
        self.language = language;
        let mut payment_conditions = BTreeMap::new();
        for (at, condition) in row
            .payment_conditions
            .unwrap_or_default()
            .into_iter()
            .enumerate()
        {
            let path = *self.path;
            let member = path.member("Zahlungsbedingungen");
            let place = member.index(at);
            let mut reader = self.at(&place);
            let texts = reader.texts("Text", None, condition.texts, |row| row.text.clone());
            match condition.payment_condition {
                Some(number) => drop(payment_conditions.insert(number, PaymentCondition(texts))),
                None => reader.missing("KundBedTyp")?,
            }
        }
        let time_zone = row.time_zone.filter(|name| !name.trim().is_empty());
        Some(Company {
            name: self.required_text("FirmaBez", row.name)?,
            currency: self
                .currency("WaehrAbk", row.currency)
                .unwrap_or(default.currency),
            language,
            country: self
                .country("OrtLand", row.country)
                .unwrap_or(default.country),
            time_zone: time_zone.unwrap_or(default.time_zone),
            price_kind: self
                .price_kind("Preisart", row.price_kind)
                .unwrap_or(default.price_kind),
            price_list: self.key("RESTPreisliste", row.price_list),
            tax_code: self.key("WUSTCode", row.tax_code),
            delivery_tax_code: self.key("LiefKostWUSTCode", row.delivery_tax_code),
            location: row.location.unwrap_or(default.location),
            payment_conditions,
            attributes: self.attributes(row.attributes),
        })
    }

    fn tax_code(&mut self, row: TaxCodeRow) -> Option<TaxCode> {
        let id = self.required_key("WUSTCode", row.code);
        let class = row.class.as_deref().map(str::trim);
        let class = match class.map(|class| (class, TaxClass::parse(class))) {
            None => self.missing("PosWUSTKlasse"),
            Some((_, Some(class))) => Some(class),
            Some((other, None)) => {
                let message = format!("`{other}` is none of D, C, X");
                self.refuse("PosWUSTKlasse", Code::UnknownValue, message)
            }
        };
        let names = self.texts("Text", None, row.texts, |row| row.text.clone());
        let rows = row.rates.unwrap_or_default();
        let mut rates = Vec::new();
        for (at, rate) in rows.into_iter().enumerate() {
            let path = *self.path;
            let member = path.member("Saetze");
            let place = member.index(at);
            rates.extend(self.at(&place).tax_rate(rate));
        }
        Some(TaxCode {
            id: id?,
            class: class?,
            names,
            rates,
        })
    }

    fn tax_rate(&mut self, row: TaxRateRow) -> Option<TaxRate> {
        let valid_from = match row.valid_from {
            None => self.missing("GueltigAb"),
            some => self.day("GueltigAb", some),
        };
        let valid_until = self.day("GueltigBis", row.valid_until);
        let rate = self.required_number("WUSTSatz", row.rate, Range::PERCENT);
        Some(TaxRate {
            valid_from: valid_from?,
            valid_until,
            rate: rate?,
            turnover_figure: self.text("PosUSTUZiffer", row.turnover_figure),
            sales_tax_figure: self.text("PosUSTSZiffer", row.sales_tax_figure),
            input_tax_figure: self.text("PosVSTSZiffer", row.input_tax_figure),
        })
    }

    fn article_row(&mut self, row: ArticleRow) -> Option<Row> {
        let number: Option<Text<15>> = self.required_key("ArtNr", row.number.clone());
        if row.remove == Some(true) {
            return Some(Row::Remove(Removal::Article(number?)));
        }
        let texts = self.texts("ArtBez", row.description, row.texts, |row| {
            row.article_text.clone()
        });
        let units = self.units(row.units);
        let declarations = self.declarations(row.declarations);
        let article = Article {
            stock_managed: self.yes_or_no("AnLager", row.stock_managed)?,
            status: row.status.unwrap_or(1),
            unit: self.text("Einheit", row.unit),
            colour: self.colour(row.colour),
            tax_code: self.key("WUSTCode", row.tax_code),
            group: self.text("ArtGruppe", row.group),
            class: self.text("ArtKlasse", row.class),
            procurement: self.text("BeschaffungsArt", row.procurement),
            processing: self.processing(row.processing),
            weight: self.number("ArtGewicht", row.weight, Range::AMOUNT),
            price_basis: self.number("PosPreisBasis", row.price_basis, Range::AMOUNT),
            texts,
            attributes: self.attributes(row.attributes),
            units,
            declarations,
            changed_at: Timestamp::UNIX_EPOCH,
            number: number?,
        };
        Some(Row::Article(Box::new(article)))
    }

    fn colour(&mut self, value: Option<SmolStr>) -> Option<Text<12>> {
        let colour: Text<12> = self.text("Farbe", value)?;
        let digits = colour.strip_prefix('#').unwrap_or_default();
        if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(colour);
        }
        self.refuse(
            "Farbe",
            Code::Malformed,
            format!("`{colour}` is no colour `#rrggbb`"),
        )
    }

    fn processing(&mut self, value: Option<SmolStr>) -> Option<Text<1>> {
        let processing: Text<1> = self.text("VerarbeitungsArt", value)?;
        if matches!(processing.as_str(), "C" | "N") {
            return Some(processing);
        }
        let message = format!("`{processing}` is neither C (batch-managed) nor N");
        self.refuse("VerarbeitungsArt", Code::UnknownValue, message)
    }

    fn units(&mut self, rows: Option<Vec<PackagingUnitRow>>) -> Vec<PackagingUnit> {
        let mut units: Vec<PackagingUnit> = Vec::new();
        for (at, row) in rows.unwrap_or_default().into_iter().enumerate() {
            let path = *self.path;
            let member = path.member("Verpackungen");
            let place = member.index(at);
            let mut reader = self.at(&place);
            let Some(unit) = reader.unit(row) else {
                continue;
            };
            if units.iter().any(|known| known.code == unit.code) {
                let message = format!("packaging unit `{}` is given twice", unit.code);
                let _: Option<()> = reader.refuse("VPEinheit", Code::Contradiction, message);
            }
            units.push(unit);
        }
        units
    }

    fn unit(&mut self, row: PackagingUnitRow) -> Option<PackagingUnit> {
        let code = self.required_key("VPEinheit", row.code);
        let factor = self.required_number("Faktor", row.factor, Range::QUANTITY);
        Some(PackagingUnit {
            ean: self.text("VPEEANNr", row.ean),
            names: self.texts("VPBezeichnung", row.name, row.texts, |row| {
                row.unit_text.clone()
            }),
            weight_factor: self.number("Gewicht", row.weight_factor, Range::AMOUNT),
            weight: self.number("VPEGewicht", row.weight, Range::AMOUNT),
            content_weight: self.number("GewichtInhalt", row.content_weight, Range::AMOUNT),
            factor: factor?,
            code: code?,
        })
    }

    fn unit_row(&mut self, row: PackagingUnitRow) -> Option<Row> {
        let article = self.required_key("ArtNr", row.article.clone());
        if row.remove == Some(true) {
            let code = self.required_key("VPEinheit", row.code);
            return Some(Row::Remove(Removal::PackagingUnit(article?, code?)));
        }
        let unit = self.unit(row)?;
        Some(Row::PackagingUnit {
            article: article?,
            unit,
        })
    }

    fn text_row(&mut self, row: ArticleTextRow) -> Option<Row> {
        let article = self.required_key("ArtNr", row.article);
        let language = match row.language {
            None => self.missing("AdrSprache"),
            some => self.language("AdrSprache", some),
        };
        if row.remove == Some(true) {
            return Some(Row::Remove(Removal::ArticleText(article?, language?)));
        }
        let text = self.required_text("ArtBez", row.text);
        Some(Row::ArticleText {
            article: article?,
            language: language?,
            text: text?,
        })
    }

    fn declarations(&mut self, rows: Option<Vec<DeclarationRow>>) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        for (at, row) in rows.unwrap_or_default().into_iter().enumerate() {
            let path = *self.path;
            let member = path.member("Deklaration");
            let place = member.index(at);
            declarations.extend(self.at(&place).declaration(row));
        }
        declarations
    }

    fn declaration(&mut self, row: DeclarationRow) -> Option<Declaration> {
        let number = match row.number {
            None => self.missing("Nr"),
            some => some,
        };
        let language = self
            .language("AdrSprache", row.language)
            .or(Some(self.language));
        Some(Declaration {
            designation: self.text("Bezeichnung1", row.designation),
            designation_addition: self.text("Bezeichnung2", row.designation_addition),
            short_designation: self.text("KurzBezeichnung", row.short_designation),
            country: self.country("OrtLand", row.country),
            number: number?,
            language: language?,
        })
    }

    fn declaration_row(&mut self, row: DeclarationRow) -> Option<Row> {
        let article = self.required_key("ArtNr", row.article.clone());
        let remove = row.remove == Some(true);
        let declaration = self.declaration(row);
        let (article, declaration) = (article?, declaration?);
        if remove {
            return Some(Row::Remove(Removal::Declaration(
                article,
                declaration.number,
                declaration.language,
            )));
        }
        Some(Row::Declaration {
            article,
            declaration,
        })
    }

    fn price_list(&mut self, row: PriceListRow) -> Option<Row> {
        let list = self.required_key("PreisListe", row.list);
        let article = self.required_key("ArtNr", row.article);
        let mut prices = Vec::new();
        for (at, tier) in row.prices.unwrap_or_default().into_iter().enumerate() {
            let path = *self.path;
            let member = path.member("Preis");
            let place = member.index(at);
            prices.extend(self.at(&place).price(tier));
        }
        Some(Row::PriceList {
            list: list?,
            article: article?,
            prices,
        })
    }

    fn price(&mut self, row: PriceTierRow) -> Option<Price> {
        let currency = match row.currency {
            None => self.missing("WaehrAbk"),
            some => self.currency("WaehrAbk", some),
        };
        let kind = match row.kind {
            None => self.missing("Preisart"),
            some => self.price_kind("Preisart", some),
        };
        let price = self.required_number("PreisList", row.price, Range::AMOUNT);
        let from = self
            .number("AbAnzahl", row.from, Range::AMOUNT)
            .unwrap_or_default();
        let tier = PriceTier {
            from,
            until: self.number("BisAnzahl", row.until, Range::AMOUNT),
            price: price?,
            basis: self.number("PosPreisBasis", row.basis, Range::AMOUNT),
            range: self.text("Bereich", row.range),
            changed_at: Timestamp::UNIX_EPOCH,
        };
        Some(Price {
            unit: self.key("VPEinheit", row.unit),
            currency: currency?,
            kind: kind?,
            tier,
        })
    }

    fn price_row(&mut self, row: PriceRow) -> Option<Row> {
        let list = self.required_key("PreisListe", row.list);
        let article = self.required_key("ArtNr", row.article);
        if row.remove == Some(true) {
            let unit = self.key("VPEinheit", row.unit);
            let currency = match row.currency {
                None => self.missing("WaehrAbk"),
                some => self.currency("WaehrAbk", some),
            };
            let from = self
                .number("AbAnzahl", row.from, Range::AMOUNT)
                .unwrap_or_default();
            return Some(Row::Remove(Removal::Price(
                list?, article?, unit, currency?, from,
            )));
        }
        let tier = PriceTierRow {
            unit: row.unit,
            currency: row.currency,
            range: row.range,
            from: row.from,
            until: row.until,
            price: row.price,
            kind: row.kind,
            basis: row.basis,
        };
        let price = self.price(tier)?;
        Some(Row::Price {
            list: list?,
            article: article?,
            price,
        })
    }

    fn stock_row(&mut self, row: StockRow) -> Option<Row> {
        let article = self.required_key("ArtNr", row.article);
        let place = self.required_text("LagerOrt", row.place);
        let location = match row.location {
            None => self.missing("StaoNr"),
            some => some,
        };
        let unit = self.key("VPEinheit", row.unit);
        if row.remove == Some(true) {
            return Some(Row::Remove(Removal::Stock(
                article?, place?, location?, unit,
            )));
        }
        // Stored stock may be negative, so only its absolute value is limited.
        let size = row.quantity.map(|Number(quantity)| Number(quantity.abs()));
        let size = self.required_number("LagerBestand", size, Range::CHANGED_QUANTITY);
        let quantity = size.and(row.quantity).map(|Number(quantity)| quantity);
        let entry = StockEntry {
            place: place?,
            location: location?,
            quantity: quantity?,
            unit,
            range: self.text("Bereich", row.range),
            released: row.released.unwrap_or(true),
        };
        Some(Row::Stock {
            article: article?,
            entry,
        })
    }

    fn customer(&mut self, row: CustomerRow) -> Option<Customer> {
        let number = self.customer_number(row.number);
        let contact = match row.contact {
            None => self.missing("KontaktAdr"),
            Some(row) => self.address(row, "KontaktAdr", None),
        };
        let delivery = self.addresses(row.delivery, "LiefAdr");
        let billing = self.addresses(row.billing, "RechAdr");
        let currency = match row.currency {
            None => self.missing("WaehrAbk"),
            some => self.currency("WaehrAbk", some),
        };
        let language = self.language("AdrSprache", row.language);
        let contact = contact?;
        Some(Customer {
            designation: self
                .members()
                .name("KundBez", row.designation.as_ref())
                .unwrap_or_else(|| Customer::designation_of(&contact.address)),
            currency: currency?,
            language: language.unwrap_or(contact.address.language),
            payment_type: self.text("FAKTZahlArt", row.payment_type),
            payment_methods: self.payment_methods(row.payment_methods),
            industry: self.text("BrancheID", row.industry),
            shipping_condition: self.text("VBTyp", row.shipping_condition),
            transport_insurance: self.text("TVTyp", row.transport_insurance),
            expense_calculation: self.text("AUFT_SPESEN", row.expense_calculation),
            comment: self.text("Kommentar", row.comment),
            tax_number: self.text("SteuerNummer", row.tax_number),
            website: self.text("FirmenURL", row.website),
            credit_limit: self.credit_limit(row.credit_limit)?,
            price_list: self.key("PreisListe", row.price_list),
            cost_bearer: self.key("KTNr", row.cost_bearer),
            tax_code: self.key("WUSTCode", row.tax_code),
            payment_condition: row.payment_condition,
            attributes: self.attributes(row.attributes),
            number: number?,
            contact,
            delivery,
            billing,
        })
    }

    fn credit_limit(&mut self, value: Option<i32>) -> Option<i32> {
        match value.unwrap_or_default() {
            limit if limit < 0 => self.refuse(
                "KreditLimit",
                Code::OutOfRange,
                "a credit limit is not below 0",
            ),
            limit => Some(limit),
        }
    }

    fn customer_number(&mut self, value: Option<SmolStr>) -> Option<Text<8>> {
        let number: Text<8> = self.required_key("KundNr", value)?;
        let is_number =
            number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        if is_number {
            return Some(number);
        }
        self.refuse(
            "KundNr",
            Code::Malformed,
            format!("`{number}` is no number of decimal digits"),
        )
    }

    fn payment_methods(&mut self, value: Option<SmolStr>) -> Vec<PaymentMethod> {
        let parse = PaymentMethod::parse_list;
        let parsed =
            self.members()
                .parsed("ZahlungsMethode", value.as_ref(), Code::UnknownValue, parse);
        parsed.unwrap_or_default()
    }

    fn address(
        &mut self,
        row: AddressRow,
        name: &str,
        at: Option<usize>,
    ) -> Option<CustomerAddress> {
        let path = *self.path;
        let member = path.member(name);
        let place = at.map_or(member, |at| member.index(at));
        let number = self.at(&place).address_number(row.number);
        let (body, attributes) = row.split();
        let attributes = self.at(&place).attributes(attributes);
        let address = Address::check(&body, &place, self.problems)?;
        Some(CustomerAddress {
            number: number?,
            address,
            attributes,
        })
    }

    /// The number of an address; 0 if the row has none.
    fn address_number(&mut self, value: Option<i32>) -> Option<i32> {
        match value {
            Some(number) if number < 1 => self.refuse(
                "AdrNr",
                Code::OutOfRange,
                "an address number is a number from 1 on",
            ),
            value => Some(value.unwrap_or_default()),
        }
    }

    fn addresses(&mut self, list: Option<Vec<AddressRow>>, name: &str) -> Vec<CustomerAddress> {
        let list = list.unwrap_or_default();
        list.into_iter()
            .enumerate()
            .filter_map(|(at, row)| self.address(row, name, Some(at)))
            .collect()
    }
}
