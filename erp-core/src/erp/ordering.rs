//! The order of article lists, kept ready in memory.
//!
//! Articles are ranked by each member once per version of the articles. An order by any combination of
//! members compares ranks, which are plain numbers: it reads no article and folds no text. So a new
//! `sorts` costs a small part of reading all articles, and all of it is done in slices.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;
use quick_cache::sync::Cache;
use smol_str::SmolStr;

use super::catalogue::MasterData;
use super::work::{SLICE, yield_now};
use crate::article::{Ranking, Sort, Sorter, View, depends_on_language};
use crate::codes::Language;
use crate::master::{Article, ArticleNumber, Attributes, Caller, Role};
use crate::storage::{Storage, StorageError};

/// The versions of articles and settings that an order belongs to.
pub(super) type ArticleVersion = (i64, i64);

/// Ranks kept for one version: every member, and descriptions in a few dozen languages.
const RANKINGS: usize = 64;

/// The order of an article list: who sees it, sorted how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OrderingKey {
    version: ArticleVersion,
    /// The caller's selection value; `None` sees all, `Some(None)` only what is open to all.
    selection: Option<Option<SmolStr>>,
    /// What is ranked by, and whether from high to low.
    sorts: Vec<(RankingKey, bool)>,
}

/// What articles are ranked by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RankingKey {
    member: &'static str,
    language: Option<Language>,
    /// The rate of a tax code depends on the day.
    day: Date,
}

/// All articles of one version.
#[derive(Debug, Default)]
struct Rows {
    /// In the order of their keys. The position of an article in this list stands for it.
    numbers: Vec<ArticleNumber>,
    /// The group of each position: articles with the same selection are seen by the same callers.
    groups: Vec<usize>,
    /// The attributes of an article of each group.
    attributes: Vec<Attributes>,
    /// The languages of all descriptions.
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
}

/// All articles of one version with the ranks that were needed so far.
#[derive(Debug)]
pub(super) struct ArticleTable {
    rows: Rows,
    rankings: Cache<RankingKey, Arc<[u32]>>,
}

impl ArticleTable {
    fn key(&self, view: &View<'_>, member: &'static str) -> RankingKey {
        // A language that no article has is answered in the company's, so it sorts like that.
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
    /// The numbers of the articles that the caller sees, in order.
    pub(super) async fn ordering(
        &self,
        caller: &Caller,
        view: &View<'_>,
        sorts: &[Sort],
    ) -> Result<Arc<[ArticleNumber]>, StorageError> {
        let table = self.article_table().await?;
        let keys = sorts
            .iter()
            .map(|sort| (table.key(view, sort.member), sort.descending));
        let key = OrderingKey {
            version: self.article_version(),
            selection: selection(caller),
            sorts: keys.collect(),
        };
        let orderings = &self.catalogue().orderings;
        let made = orderings.get_or_insert_async(&key, self.sorted(&table, caller, view, &key));
        made.await
    }

    async fn sorted(
        &self,
        table: &ArticleTable,
        caller: &Caller,
        view: &View<'_>,
        key: &OrderingKey,
    ) -> Result<Arc<[ArticleNumber]>, StorageError> {
        let mut sorter = Sorter::default();
        for (ranking, descending) in &key.sorts {
            let ranks = table
                .rankings
                .get_or_insert_async(ranking, self.ranked(&table.rows, view, ranking));
            sorter.then_by(ranks.await?, *descending);
        }
        let rows = &table.rows;
        let sees = |attributes| caller.sees(attributes);
        let seen: Vec<bool> = rows.attributes.iter().map(sees).collect();
        for (position, group) in rows.groups.iter().enumerate() {
            if seen.get(*group) == Some(&true) {
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

    /// The rank of each article by one member.
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

    /// All articles, read once for each version.
    async fn article_table(&self) -> Result<Arc<ArticleTable>, StorageError> {
        let tables = &self.catalogue().tables;
        let read = async {
            let mut rows = Rows::default();
            let mut groups = BTreeMap::new();
            self.each_article(|article| rows.push(&mut groups, article))
                .await?;
            Ok(Arc::new(ArticleTable {
                rows,
                rankings: Cache::new(RANKINGS),
            }))
        };
        tables
            .get_or_insert_async(&self.article_version(), read)
            .await
    }
}

/// What an order is shared by: callers who see the same.
fn selection(caller: &Caller) -> Option<Option<SmolStr>> {
    match (&caller.shop, caller.role) {
        (None, Role::Admin) => None,
        (shop, _) => Some(shop.as_ref().map(|shop| shop.to_lowercase().into())),
    }
}
