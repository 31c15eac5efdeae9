//! Puts back what an entry of the audit trail says of a record, by an import of the record as it is now with the old
//! members.

use super::forms::{media, prices, stock, whole};
use super::{ImportReport, ImportRow};
use crate::domain::master::{Article, ArticlePrices, ArticleStock, Company, Customer, TaxCode};
use crate::domain::media::Media;
use crate::erp::engine::{
    AuditEntry, Conflict, Difference, Error, Members, Office, is_part, keys, object, with_list,
};
use crate::erp::keys::AuditId;
use crate::import::{LeftParts, Row, RowKind};
use crate::storage::record::Stored;
use crate::storage::{Key, Revision, Storage};
use crate::values::json::{Json, Object, read};
use crate::values::problem::{Code, Path, Problems};
use crate::values::sentence::Sentence;

/// The rows that put a record back.
#[derive(Clone, Debug, PartialEq)]
pub struct Restoring {
    /// The rows. Who imports them stores the files of media first, as for any import.
    pub rows: Vec<ImportRow>,
    /// The record, and its revision when the rows were made.
    key: Key,
    revision: Option<Revision>,
}

/// A record now: its key and revision, and the members of its row.
type Current = (Key, Option<Revision>, Option<Object>);

impl<S: Storage> Office<'_, S> {
    // rule: D-AUD-01
    /// The rows that put back what an entry of the audit trail says of a record.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such entry, or it names no such record; [`Error::Conflict`] when the record
    /// is not as the entry left it; [`Error::Invalid`] when it was not kept what differed, or the record was added and an
    /// import cannot remove it.
    #[cfg(feature = "internal")]
    pub async fn restoring(self, id: &str, record: &str) -> Result<Restoring, Error> {
        let unknown = || Error::not_found("change", record);
        let id: AuditId = id.parse().map_err(|_| unknown())?;
        let entry = self.erp.load::<AuditEntry>(&keys::audit(&id)).await?;
        let entry = entry.ok_or_else(unknown)?.value;
        let (found, _) = self
            .erp
            .differences(&id, &entry, |named| named == record)
            .await?;
        let found = found.into_iter().next();
        let is_named = entry.records().any(|named| named == record);
        let Some(found) = found.filter(|found| found.before.is_some() || found.after.is_some())
        else {
            let has_row = is_named && AuditEntry::kind_of(record).is_some();
            let not_kept = sentence!("unknown_value.not_kept", record);
            return Err(if has_row { refuse(not_kept) } else { unknown() });
        };
        let (key, revision, members) = self.current(&found).await?;
        let is_as = |side, other| is_as(members.as_ref(), side, other);
        // As it was before when the request is sent again.
        if !is_as(&found.after, &found.before) && !is_as(&found.before, &found.after) {
            return Err(Conflict::ChangedSince(record.to_owned()).into());
        }
        let language = self.erp.company().await?.language;
        let mut rows = Vec::new();
        for (kind, body) in bodies(&found, members)? {
            let row = Row::read_kind(kind, &body, &Path::ROOT.member(kind.as_str()), language)?;
            let row = match row {
                // What the row leaves out was not there.
                Row::Article(article, _) => Row::Article(article, LeftParts::default()),
                other => other,
            };
            rows.push(ImportRow { line: 1, row });
        }
        Ok(Restoring {
            rows,
            key,
            revision,
        })
    }

    /// Imports the rows, if the record has not changed since they were made. `None`: it has, or another writer was faster.
    ///
    /// # Errors
    /// As [`Office::import`].
    #[cfg(feature = "internal")]
    pub async fn restore(self, restoring: &Restoring) -> Result<Option<ImportReport>, Error> {
        let (mut changes, report) = self.importing(&restoring.rows, &[]).await?;
        if !changes.is_empty() {
            changes.guard(restoring.key.clone(), restoring.revision);
        }
        let settled = self.erp.settle(None, (changes, report)).await?;
        Ok(settled.map(|(report, _)| report))
    }

    async fn current(self, found: &Difference) -> Result<Current, Error> {
        let (_, number) = found.record.split_once(' ').unwrap_or_default();
        let unknown = || Error::not_found("change", &found.record);
        match found.kind {
            RowKind::Company => self.form(keys::company(), whole::<Company>).await,
            RowKind::TaxCode => self.form(keys::tax_code(number), whole::<TaxCode>).await,
            RowKind::Article => self.form(keys::article(number), whole::<Article>).await,
            RowKind::Customer => self.form(keys::customer(number), whole::<Customer>).await,
            RowKind::PriceList => {
                let list = found.list.as_deref().unwrap_or_default();
                let article = number.strip_prefix(list);
                let article = article.and_then(|article| article.strip_prefix(' '));
                let article = article.ok_or_else(unknown)?;
                let form = |of: &ArticlePrices| prices(list, article, of);
                self.form(keys::price(list, article), form).await
            }
            RowKind::Stock => {
                let form = |of: &ArticleStock| stock(number, of);
                self.form(keys::stock(number), form).await
            }
            RowKind::Media => {
                let key = number.parse().map_err(|_| unknown())?;
                self.form(keys::media(key), |of: &Media| media(of)).await
            }
            _ => Err(unknown()),
        }
    }

    async fn form<T: Stored>(
        self,
        key: Key,
        form: impl Fn(&T) -> Members,
    ) -> Result<Current, Error> {
        let found = self.erp.load::<T>(&key).await?;
        let revision = found.as_ref().map(|found| found.revision);
        let members = found.and_then(|found| read(&object(&form(&found.value))).ok());
        let members = members.and_then(|members| members.as_object().cloned());
        Ok((key, revision, members))
    }
}

fn refuse(why: Sentence) -> Error {
    let mut problems = Problems::new();
    problems.add("record", Code::UnknownValue, why);
    problems.into()
}

/// Whether a record has the members of one side of a difference.
fn is_as(now: Option<&Object>, side: &Option<Object>, other: &Option<Object>) -> bool {
    let (Some(now), Some(side), Some(other)) = (now, side, other) else {
        // Added or removed: both are whole.
        return now == side.as_ref();
    };
    let mut names = side.keys().chain(other.keys());
    names.all(|name| now.get(name) == side.get(name))
}

/// The rows that make a record as it was before; `now` is as the change left it, or as it was before.
fn bodies(found: &Difference, now: Option<Object>) -> Result<Vec<(RowKind, Json)>, Error> {
    let Some(mut body) = now.clone().or_else(|| found.before.clone()) else {
        return Ok(Vec::new());
    };
    let now = now.unwrap_or_default();
    match (&found.before, found.kind) {
        (Some(before), _) => {
            let after = found.after.as_ref();
            body.retain(|name, _| !after.is_some_and(|after| after.contains_key(name)));
            body.extend(before.clone());
        }
        (None, RowKind::PriceList | RowKind::Stock) => body.retain(|name, _| !is_part(name)),
        (None, RowKind::Media) => {
            body.retain(|name, _| name == "IDKey");
            body.insert("Loeschen".to_owned(), Json::Bool(true));
        }
        (None, _) => {
            let record = &found.record;
            return Err(refuse(sentence!("unknown_value.added", record)));
        }
    }
    Ok(match found.kind {
        RowKind::Stock => stock_rows(&body, &now),
        kind => vec![(kind, Json::Object(with_list(kind, body)))],
    })
}

/// The rows of the places that differ: those that are no more are removed.
fn stock_rows(body: &Object, now: &Object) -> Vec<(RowKind, Json)> {
    let article = (
        "ArtNr".to_owned(),
        body.get("ArtNr").cloned().unwrap_or_default(),
    );
    let row = |place: &Json, removes: bool| {
        let mut row = place.as_object().cloned().unwrap_or_default();
        row.extend([
            article.clone(),
            ("Loeschen".to_owned(), Json::Bool(removes)),
        ]);
        (RowKind::Stock, Json::Object(row))
    };
    let gone = now.iter().filter(|(name, _)| !body.contains_key(*name));
    let parts = body.iter().filter(|(name, _)| is_part(name));
    let parts = parts.filter(|(name, place)| now.get(*name) != Some(*place));
    let gone = gone.map(|(_, place)| row(place, true));
    gone.chain(parts.map(|(_, place)| row(place, false)))
        .collect()
}
