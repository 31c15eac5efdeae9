//! In-memory cache of sorted article lists.
//!
//! For each version of the articles and each sort field, every article gets a rank (a plain number) once. Sorting by
//! any combination of fields then compares ranks only: it reads no article and folds no text. So a new `sorts` costs
//! a small part of reading all articles, and it runs in slices so that other tasks can run.
//!
//! Example: the groups `b, a, b` give the ranks `1, 0, 1` and the prices `5, 7, 4` the ranks `1, 2, 0`. Sorting by
//! group and then price compares the pairs `(1, 1), (0, 2), (1, 0)`: second article, third, first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;
use quick_cache::sync::Cache;
use smol_str::SmolStr;

use super::article_search::ArticleTexts;
use super::catalogue::MasterData;
use super::work::{SLICE, yield_now};
use crate::article::{Ranking, Sort, Sorter, View, depends_on_language};
use crate::codes::Language;
use crate::master::{Article, ArticleNumber, Attributes, Caller, Role};
use crate::storage::{Storage, StorageError};

/// Versions of articles and settings that a sorted list is valid for.
pub(super) type ArticleVersion = (i64, i64);

/// Rankings cached per version: every sort field, and descriptions in a few dozen languages.
const RANKINGS: usize = 64;

/// Languages in which articles have been searched per version.
const SEARCHED: usize = 8;

/// Cache key of a sorted article list: who sees it and how it is sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OrderingKey {
    version: ArticleVersion,
    /// The caller's selection value. `None`: sees all articles; `Some(None)`: only those open to everyone.
    selection: Option<Option<SmolStr>>,
    /// Sort criteria; `true` is descending.
    sorts: Vec<(RankingKey, bool)>,
}

/// One sort criterion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RankingKey {
    member: &'static str,
    language: Option<Language>,
    /// Part of the key because the rate of a tax code depends on the day.
    day: Date,
}

/// All articles of one version.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Article numbers in key order; elsewhere an article is identified by its position in this list.
    pub(super) numbers: Vec<ArticleNumber>,
    /// Group of each position: articles with the same selection attributes, visible to the same callers.
    groups: Vec<usize>,
    /// The attributes of one article per group.
    attributes: Vec<Attributes>,
    /// All languages that any description has.
    languages: BTreeSet<Language>,
}

impl Rows {
    fn push(&mut self, known: &mut BTreeMap<Option<SmolStr>, usize>, article: &Article) {
        let selection = article.attributes.get(Attributes::SELECTION);
        let next = self.attributes.len();
        let group = *known.entry(selection.map(Into::into)).or_insert(next);
        if group == next {
            self.attributes.push(article.attributes.clone());
        }
        self.numbers.push(article.number.clone());
        self.groups.push(group);
        self.languages.extend(article.texts.keys());
    }

    /// Whether the caller may see each position.
    pub(super) fn visible(&self, caller: &Caller) -> Vec<bool> {
        let sees = |attributes| caller.sees(attributes);
        let seen: Vec<bool> = self.attributes.iter().map(sees).collect();
        let visible = |group: &usize| seen.get(*group) == Some(&true);
        self.groups.iter().map(visible).collect()
    }
}

/// All articles of one version, with the rankings computed so far.
#[derive(Debug)]
pub(super) struct ArticleTable {
    pub(super) rows: Rows,
    rankings: Cache<RankingKey, Arc<[u32]>>,
    /// What a search compares, by the language of the descriptions.
    pub(super) texts: Cache<Option<Language>, Arc<ArticleTexts>>,
}

impl ArticleTable {
    /// Cache keys of sort criteria; `true` is descending.
    pub(super) fn keys(&self, view: &View<'_>, sorts: &[Sort]) -> Vec<(RankingKey, bool)> {
        let key = |sort: &Sort| (self.key(view, sort.member), sort.descending);
        sorts.iter().map(key).collect()
    }

    /// The language whose descriptions a view shows.
    pub(super) fn language(&self, view: &View<'_>) -> Option<Language> {
        self.key(view, "ArtBez").language
    }

    fn key(&self, view: &View<'_>, member: &'static str) -> RankingKey {
        // A language that no article has falls back to the company's, so it shares that ranking.
        let language = if self.rows.languages.contains(&view.language) {
            view.language
        } else {
            view.company.language
        };
        RankingKey {
            member,
            language: depends_on_language(member).then_some(language),
            day: view.day,
        }
    }
}

impl<S: Storage> MasterData<'_, S> {
    // rule: R-END-29, D-WRK-04
    /// Numbers of the articles that the caller may see, in sort order.
    pub(super) async fn ordering(
        &self,
        caller: &Caller,
        view: &View<'_>,
        sorts: &[Sort],
    ) -> Result<Arc<[ArticleNumber]>, StorageError> {
        let table = self.article_table().await?;
        let key = OrderingKey {
            version: self.article_version(),
            selection: selection(caller),
            sorts: table.keys(view, sorts),
        };
        let sorted = async {
            let visible = table.rows.visible(caller);
            self.sorted(&table, view, &key.sorts, &visible).await
        };
        let orderings = &self.catalogue().orderings;
        orderings.get_or_insert_async(&key, sorted).await
    }

    /// Numbers of the positions that are shown, in sort order.
    pub(super) async fn sorted(
        &self,
        table: &ArticleTable,
        view: &View<'_>,
        sorts: &[(RankingKey, bool)],
        shown: &[bool],
    ) -> Result<Arc<[ArticleNumber]>, StorageError> {
        let mut sorter = Sorter::default();
        for (ranking, descending) in sorts {
            let ranks = table
                .rankings
                .get_or_insert_async(ranking, self.ranked(&table.rows, view, ranking));
            sorter.then_by(ranks.await?, *descending);
        }
        let rows = &table.rows;
        for (position, shown) in shown.iter().enumerate() {
            if *shown {
                sorter.push(position);
            }
            if position % SLICE == 0 {
                yield_now().await;
            }
        }
        let numbers = sorter.positions();
        Ok(numbers
            .filter_map(|position| rows.numbers.get(position).cloned())
            .collect())
    }

    /// The rank of each article by one sort field.
    async fn ranked(
        &self,
        rows: &Rows,
        view: &View<'_>,
        key: &RankingKey,
    ) -> Result<Arc<[u32]>, StorageError> {
        let mut ranking = Ranking::default();
        for numbers in rows.numbers.chunks(SLICE) {
            for article in self.articles(numbers).await? {
                ranking.push(view, article.as_deref(), key.member);
            }
            yield_now().await;
        }
        Ok(ranking.ranks().into())
    }

    /// All articles, read once per version.
    pub(super) async fn article_table(&self) -> Result<Arc<ArticleTable>, StorageError> {
        let tables = &self.catalogue().tables;
        let read = async {
            let mut rows = Rows::default();
            let mut groups = BTreeMap::new();
            self.each_article(|article| rows.push(&mut groups, article))
                .await?;
            Ok(Arc::new(ArticleTable {
                rows,
                rankings: Cache::new(RANKINGS),
                texts: Cache::new(SEARCHED),
            }))
        };
        tables
            .get_or_insert_async(&self.article_version(), read)
            .await
    }
}

/// The selection value; callers with the same value share one sorted list.
fn selection(caller: &Caller) -> Option<Option<SmolStr>> {
    match (&caller.shop, caller.role) {
        (None, Role::Admin) => None,
        (shop, _) => Some(shop.as_ref().map(|shop| shop.to_lowercase().into())),
    }
}
