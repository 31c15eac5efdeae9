//! Converts import rows to domain values.

mod media;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::rows::{DeclarationRow, RemovedPart};
use super::{LeftParts, Removal, Row, RowKind};
use crate::domain::master::{Article, Attributes, Customer};
use crate::domain::request::language_of;
use crate::values::json::Json;
use crate::values::problem::Code;
use crate::wire::record::read_record;
use crate::wire::{Reading, Record, Scope, view};

fn removes(body: &Json) -> bool {
    body.get("Loeschen") == Some(&Json::Bool(true))
}

impl Scope<'_> {
    /// The body of a row as a domain value; `None` if it has a problem.
    pub(super) fn row(&mut self, kind: RowKind, body: &Json) -> Option<Row> {
        match kind {
            RowKind::Article
            | RowKind::PackagingUnit
            | RowKind::ArticleText
            | RowKind::Declaration
            | RowKind::Price
            | RowKind::Stock
                if removes(body) =>
            {
                self.removal(kind, body)
            }
            _ => self.record_of(kind, body),
        }
    }

    fn record_of(&mut self, kind: RowKind, body: &Json) -> Option<Row> {
        Some(match kind {
            RowKind::Company => Row::Company(Box::new(self.record(body)?)),
            RowKind::TaxCode => Row::TaxCode(self.record(body)?),
            RowKind::Article => {
                let article = self.record::<Article>(body);
                self.refuse_repeated_units(body);
                let article = article?;
                self.refuse_repeated_shop_units(&article);
                Row::Article(Box::new(article), LeftParts::of(body))
            }
            RowKind::PackagingUnit => Row::PackagingUnit(self.record(body)?),
            RowKind::ArticleText => Row::ArticleText(self.record(body)?),
            RowKind::Declaration => Row::Declaration(self.record(body)?),
            RowKind::PriceList => Row::PriceList(self.record(body)?),
            RowKind::Price => Row::Price(self.record(body)?),
            RowKind::Stock => Row::Stock(self.record(body)?),
            RowKind::Customer if body.get("Vergessen") == Some(&Json::Bool(true)) => {
                Row::ForgottenCustomer(self.record(body)?)
            }
            RowKind::Customer => {
                self.language = language_of(body.get("KontaktAdr"));
                let mut customer: Customer = self.record(body)?;
                if customer.designation.is_empty() {
                    customer.designation = Customer::designation_of(&customer.contact.address);
                }
                Row::Customer(Box::new(customer))
            }
            RowKind::Media => {
                let row = self.record(body)?;
                return if removes(body) {
                    self.media_removal(row)
                } else {
                    self.media_row(row)
                };
            }
        })
    }

    /// What a row removes. Its other members may be missing, but not have a wrong form.
    fn removal(&mut self, kind: RowKind, body: &Json) -> Option<Row> {
        let forms = [
            Code::WrongType,
            Code::TooLong,
            Code::TooMany,
            Code::UnknownMember,
        ];
        let before = self.problems.len();
        self.record_of(kind, body);
        let mut at = 0;
        self.problems.retain(|problem| {
            at += 1;
            at <= before || forms.contains(&problem.code)
        });
        self.how = Reading::default();
        if kind == RowKind::Declaration {
            let DeclarationRow {
                article,
                declaration: known,
            } = self.record(body)?;
            let removal = Removal::Declaration(article, known.number, known.language);
            return Some(Row::Remove(removal));
        }
        let named: RemovedPart = self.record(body)?;
        let list = match kind {
            RowKind::Price => self.required("PreisListe", named.list),
            _ => None,
        };
        let article = self.required("ArtNr", named.article);
        Some(Row::Remove(match kind {
            RowKind::Article => Removal::Article(article?),
            RowKind::PackagingUnit => {
                let unit = self.required("VPEinheit", named.unit);
                Removal::PackagingUnit(article?, unit?)
            }
            RowKind::ArticleText => {
                let language = self.required("AdrSprache", named.language);
                Removal::ArticleText(article?, language?)
            }
            RowKind::Price => {
                let currency = self.required("WaehrAbk", named.currency);
                Removal::Price(list?, article?, named.unit, currency?, named.from)
            }
            RowKind::Stock => {
                let place = self.required("LagerOrt", named.place);
                let location = self.required("StaoNr", named.location);
                Removal::Stock(article?, place?, location?, named.unit)
            }
            _ => return None,
        }))
    }

    /// Two packaging units of an article with one code.
    fn refuse_repeated_units(&mut self, body: &Json) {
        let units = body.get("Verpackungen").and_then(Json::as_array);
        let mut codes = BTreeSet::new();
        let list = self.path.member("Verpackungen");
        for (at, unit) in units.into_iter().flatten().enumerate() {
            let code = unit
                .get("VPEinheit")
                .and_then(Json::as_str)
                .map(str::trim_end);
            if let Some(code) = code
                && !codes.insert(code)
            {
                let message = sentence!("contradiction.unit", code);
                let path = list.index(at);
                self.problems
                    .add(&path.member("VPEinheit"), Code::Contradiction, message);
            }
        }
    }

    /// Two entries of `WEBSHOPVPE` with one code.
    fn refuse_repeated_shop_units(&mut self, article: &Article) {
        let mut units = BTreeSet::new();
        for unit in article.attributes.list(Attributes::PACKAGING_UNITS) {
            if !units.insert(unit.to_ascii_lowercase()) {
                let message = sentence!("contradiction.shop_unit", unit);
                let _: Option<()> = self.refuse_member("attributes", Code::Contradiction, message);
            }
        }
    }

    fn record<T: Record<view::Row>>(&mut self, body: &Json) -> Option<T> {
        read_record(body, self)
    }
}
