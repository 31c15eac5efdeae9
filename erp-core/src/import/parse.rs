//! Converts import rows to domain values.

mod article;
mod company;
mod customer;
mod fields;
mod media;
mod price;
#[cfg(test)]
mod tests;

use super::{Row, RowKind};
use crate::values::codes::Language;
use crate::values::json::Json;
use crate::values::problem::{Code, Path, Problems};
use crate::wire::members::Members;
use crate::wire::{Kind, Reading, Record};

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
    let mut reader = Reader {
        path,
        language,
        problems,
    };
    match kind {
        RowKind::Company => {
            let row = reader.read(body, how)?;
            let company = reader.company(row)?;
            Some(Row::Company(Box::new(company)))
        }
        RowKind::TaxCode => {
            let row = reader.read(body, how)?;
            reader.tax_code(row).map(Row::TaxCode)
        }
        RowKind::Article => {
            let row = reader.read(body, how)?;
            reader.article_row(row)
        }
        RowKind::PackagingUnit => {
            let row = reader.read(body, how)?;
            reader.unit_row(row)
        }
        RowKind::ArticleText => {
            let row = reader.read(body, how)?;
            reader.text_row(row)
        }
        RowKind::Declaration => {
            let row = reader.read(body, how)?;
            reader.declaration_row(row)
        }
        RowKind::PriceList => {
            let row = reader.read(body, how)?;
            reader.price_list(row)
        }
        RowKind::Price => {
            let row = reader.read(body, how)?;
            reader.price_row(row)
        }
        RowKind::Stock => {
            let row = reader.read(body, how)?;
            reader.stock_row(row)
        }
        RowKind::Customer => {
            let row = reader.read(body, how)?;
            let customer = reader.customer(row)?;
            Some(Row::Customer(Box::new(customer)))
        }
        RowKind::Media => {
            let row = reader.read(body, how)?;
            reader.media_row(row)
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

    /// The wire record of the row.
    fn read<T: Record>(&mut self, body: &Json, how: Reading) -> Option<T> {
        T::read_member(
            body,
            &Kind::Object(T::SCHEMA),
            how,
            self.path,
            self.problems,
        )
    }

    /// Reads each entry of a list at its own path. Entries with a problem are left out; the row is rejected then.
    fn each<R, T>(
        &mut self,
        name: &str,
        rows: Option<Vec<R>>,
        mut read: impl FnMut(&mut Reader<'_>, R) -> Option<T>,
    ) -> Vec<T> {
        let path = *self.path;
        let list = path.member(name);
        let rows = rows.unwrap_or_default().into_iter().enumerate();
        rows.filter_map(|(at, row)| read(&mut self.at(&list.index(at)), row))
            .collect()
    }

    fn members(&mut self) -> Members<'_, '_> {
        Members::new(self.path, self.problems)
    }

    /// Reports a field without a value, unless it has a problem already. Without a problem the row would be accepted
    /// with a part of it left out.
    fn required<T>(&mut self, name: &str, value: Option<T>) -> Option<T> {
        self.members().required(name, value)
    }

    fn refuse<T>(&mut self, name: &str, code: Code, message: impl Into<String>) -> Option<T> {
        self.members().refuse(name, code, message);
        None
    }
}
