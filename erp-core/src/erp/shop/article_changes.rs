//! What has changed of the articles since the caller read them: `GET /www/artikel?seit=`.
//!
//! A [`Mark`] is a position in the log of changes. What is returned with it is what the caller sees *at this position*:
//! articles are read as they are now, but one that appeared after it is left for the next read, which would not report
//! its removal otherwise. So the sequence of all reads has every article that the caller sees, and no other, and pages of
//! one read have the same articles whatever happens in between.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;

use super::articles::{ArticleList, ArticleQuery};
use crate::domain::master::{ArticleNumber, Caller};
use crate::erp::catalogue::MasterData;
use crate::erp::engine::changes::{Logged, SeenBefore};
use crate::erp::engine::{Error, Shop};
use crate::storage::{Storage, StorageError, StoreResult};
use crate::values::sentence::Sentence;

// rule: D-ANS-14
/// Up to where a caller knows the articles (`stand`). As text it says nothing to a client.
///
/// What has changed since a mark can be told while the history of the store, company and tax codes are the same, each tax
/// code has the same rate as on the day of the mark, and the caller asks with the same selection, prices and language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    history: u64,
    /// The number of the first change that is not known.
    position: u64,
    settings: i64,
    day: Date,
    /// A hash of what else decides how articles look.
    seen_as: u64,
}

const FORM: &str = "1";

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FORM}.{:x}.{:x}.", self.history, self.position)?;
        write!(f, "{:x}.{}.{:x}", self.settings, self.day, self.seen_as)
    }
}

impl FromStr for Mark {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.strip_prefix(FORM).unwrap_or_default().split('.');
        let mut part = || parts.next().unwrap_or_default();
        let number = |part: &str| u64::from_str_radix(part, 16).ok();
        let mut read = || {
            part();
            Some(Self {
                history: number(part())?,
                position: number(part())?,
                settings: i64::from_str_radix(part(), 16).ok()?,
                day: part().parse().ok()?,
                seen_as: number(part())?,
            })
        };
        read()
            .filter(|mark| mark.to_string() == text)
            .ok_or_else(|| sentence!("allowed.mark"))
    }
}

/// What a caller has to do with its copy of the articles.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArticleChanges {
    /// The articles to add or replace, for [`Shop::article_page`]; in the order of their numbers.
    pub list: ArticleList,
    /// The articles that the caller saw and sees no more. `None` when everything is read.
    pub removed: Option<Vec<ArticleNumber>>,
    /// The mark to go on from, when the list was read to its end.
    pub mark: Mark,
}

impl<S: Storage> Shop<'_, S> {
    // rule: D-ANS-15
    /// The articles that may have changed since a mark, or all of them without one. A further page of the same list is that
    /// of the same call with `until`, the mark of the first page.
    ///
    /// # Errors
    /// [`Error::MarkExpired`]: read everything again. [`Error::NotFound`] when there is no such customer.
    pub async fn article_changes(
        self,
        query: &ArticleQuery,
        since: Option<&Mark>,
        until: Option<&Mark>,
    ) -> Result<ArticleChanges, Error> {
        // The log first, so that all that is read after it is as new as the mark.
        let logged = self.erp.log_changes().await?;
        let (loaded, customer) = self.begin_for(query, &[]).await?;
        let master = loaded.master;
        let view = self.view(&master, query, customer.as_ref());
        let list = ArticleList::empty(&master, &view, customer.as_ref());
        let current = Mark {
            history: logged.history,
            position: logged.log.next,
            settings: master.versions.settings,
            day: view.day,
            seen_as: seen_as(self.caller, &list),
        };
        let mark = until.copied().unwrap_or(current);
        for known in since.into_iter().chain(until) {
            let is_same_tax = master.taxes.is_same_on(known.day, current.day);
            if !is_same_tax || !known.leads_to(&current, &logged) || known.position > mark.position
            {
                return Err(Error::MarkExpired);
            }
        }
        let (numbers, removed) = match since {
            None => (self.seen_at(&master, &mark).await?, None),
            Some(since) => {
                let (numbers, removed) = self.changed_between(&master, since, &mark).await?;
                (numbers, Some(removed))
            }
        };
        Ok(ArticleChanges {
            list: list.of(numbers),
            removed,
            mark,
        })
    }

    async fn seen_at(
        self,
        master: &MasterData<'_, S>,
        mark: &Mark,
    ) -> StoreResult<Vec<ArticleNumber>> {
        let table = master.article_table().await?;
        let visible = table.rows.visible(self.caller);
        let rows = table.rows.numbers.iter().zip(visible);
        let now = rows.filter(|(_, visible)| *visible);
        let now = now.map(|(number, _)| number.clone());
        let later = self.erp.seen_before(mark.position).await?;
        if later.is_empty() {
            return Ok(now.collect());
        }
        let mut numbers: BTreeSet<ArticleNumber> = now.collect();
        for (number, before) in later {
            let number = article_number(&number)?;
            if before.by(self.caller) {
                numbers.insert(number)
            } else {
                numbers.remove(&number)
            };
        }
        Ok(numbers.into_iter().collect())
    }

    /// The changed articles that the caller sees at the end of a part of the log, and those that it saw only at its start.
    async fn changed_between(
        self,
        master: &MasterData<'_, S>,
        since: &Mark,
        until: &Mark,
    ) -> StoreResult<(Vec<ArticleNumber>, Vec<ArticleNumber>)> {
        let part = since.position..until.position;
        let changed = self.erp.logged(part).await?;
        let numbers = changed.keys().map(|number| article_number(number));
        let numbers: Vec<ArticleNumber> = numbers.collect::<Result<_, _>>()?;
        let articles = master.articles(&numbers).await?;
        // Read after the articles: the first change after the mark says how they were at it.
        let mut later = self.erp.seen_before(until.position).await?;
        let (mut seen, mut removed) = (Vec::new(), Vec::new());
        let of_log = changed.into_values().zip(numbers).zip(articles);
        for ((before, number), article) in of_log {
            let at_end = later.remove(number.as_str());
            let at_end = at_end.unwrap_or_else(|| SeenBefore::of(article.as_deref()));
            let at_start = before.as_ref().unwrap_or(&at_end);
            if at_end.by(self.caller) {
                seen.push(number);
            } else if at_start.by(self.caller) {
                removed.push(number);
            }
        }
        Ok((seen, removed))
    }
}

impl Mark {
    /// Whether the log tells everything between this mark and a current one.
    fn leads_to(&self, current: &Self, logged: &Logged) -> bool {
        let same = Self {
            position: current.position,
            day: current.day,
            ..*self
        };
        let kept = logged.log.first..=logged.log.next;
        same == *current && kept.contains(&self.position)
    }
}

/// A hash of what decides how the caller sees articles, the same in every version and on every machine (FNV-1a).
fn seen_as(caller: &Caller, list: &ArticleList) -> u64 {
    let text = format!(
        "{:?} {:?} {} {}",
        caller.selection(),
        list.look.chain,
        list.look.currency,
        list.look.language
    );
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn article_number(text: &str) -> StoreResult<ArticleNumber> {
    ArticleNumber::new(text).map_err(|error| StorageError::Damaged(format!("`{text}`: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_has_one_spelling() {
        let mark = Mark {
            history: 7,
            position: u64::MAX,
            settings: 255,
            day: jiff::civil::date(2026, 11, 25),
            seen_as: 0x12ab,
        };
        let text = "1.7.ffffffffffffffff.ff.2026-11-25.12ab";
        assert_eq!(mark.to_string(), text);
        assert_eq!(text.parse(), Ok(mark));
        for text in [
            "",
            "1",
            "x",
            "2.7.1.ff.2026-11-25.12ab",
            "1.7.1.ff.2026-11-25",
            "1.07.1.ff.2026-11-25.12ab",
            "1.7.1.FF.2026-11-25.12ab",
            "1.7.1.ff.2026-13-25.12ab",
            "1.7.1.ff.2026-11-25.12ab.",
        ] {
            assert!(text.parse::<Mark>().is_err(), "{text}");
        }
    }
}
