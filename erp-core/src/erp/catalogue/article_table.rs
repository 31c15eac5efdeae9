//! What sorting and searching article lists keeps in memory.
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

use super::slices::{SLICE, Unfinished, yield_now};
use crate::domain::article::{BY_NAME, Ranking, SearchWord, Sort, View, depends_on_language};
use crate::domain::master::{Article, ArticleNumber, Attributes, Caller};
use crate::values::codes::Language;
use crate::values::fold::{fold, searched_text};
use crate::values::text::Text;

/// Versions of articles and settings that a sorted list is valid for.
pub(crate) type ArticleVersion = (i64, i64);

/// Rankings cached per version: every sort field, and descriptions in a few dozen languages.
const RANKINGS: usize = 64;

/// Languages in which articles have been searched per version.
const SEARCHED: usize = 8;

/// Cache key of a sorted article list: who sees it and how it is sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OrderingKey {
    version: ArticleVersion,
    /// The caller's selection value. `None`: sees all articles; `Some(None)`: only those open to everyone.
    selection: Option<Option<SmolStr>>,
    /// Sort criteria; `true` is descending.
    pub(crate) sorts: Vec<(RankingKey, bool)>,
}

impl OrderingKey {
    pub(crate) fn new(
        version: ArticleVersion,
        caller: &Caller,
        sorts: Vec<(RankingKey, bool)>,
    ) -> Self {
        Self {
            version,
            // Callers with the same selection value share one sorted list.
            selection: caller.selection(),
            sorts,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RankingKey {
    pub(crate) member: &'static str,
    language: Option<Language>,
    /// Part of the key because the rate of a tax code depends on the day.
    day: Date,
}

/// All articles of one version.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// Article numbers in key order; elsewhere an article is identified by its position in this list.
    pub(crate) numbers: Vec<ArticleNumber>,
    /// Group of each position: articles with the same selection attributes, visible to the same callers.
    groups: Vec<usize>,
    /// The group of each selection value.
    known: BTreeMap<Option<SmolStr>, usize>,
    /// The attributes of one article per group.
    attributes: Vec<Attributes>,
    /// All languages that any description has.
    languages: BTreeSet<Language>,
}

impl Rows {
    pub(crate) fn push(&mut self, article: &Article) {
        let selection = article.attributes.get(Attributes::SELECTION);
        let next = self.attributes.len();
        let known = &mut self.known;
        let group = *known.entry(selection.map(Into::into)).or_insert(next);
        if group == next {
            self.attributes.push(article.attributes.clone());
        }
        self.numbers.push(article.number.clone());
        self.groups.push(group);
        self.languages.extend(article.texts.keys());
    }

    pub(crate) fn visible(&self, caller: &Caller) -> Vec<bool> {
        let sees = |attributes| caller.sees(attributes);
        let seen: Vec<bool> = self.attributes.iter().map(sees).collect();
        let visible = |group: &usize| seen.get(*group) == Some(&true);
        self.groups.iter().map(visible).collect()
    }
}

/// All articles of one version, with the rankings computed so far.
#[derive(Debug)]
pub(crate) struct ArticleTable {
    pub(crate) rows: Rows,
    pub(crate) rankings: Cache<RankingKey, Arc<[u32]>>,
    /// What a search compares, by the language of the descriptions.
    pub(crate) texts: Cache<Option<Language>, Arc<ArticleTexts>>,
    pub(crate) unfinished_ranking: Unfinished<RankingKey, Ranking>,
    pub(crate) unfinished_texts: Unfinished<Option<Language>, ArticleTexts>,
}

impl ArticleTable {
    pub(crate) fn new(rows: Rows) -> Self {
        Self {
            rows,
            rankings: Cache::new(RANKINGS),
            texts: Cache::new(SEARCHED),
            unfinished_ranking: Unfinished::default(),
            unfinished_texts: Unfinished::default(),
        }
    }

    /// Cache keys of sort criteria, by name when there are none; `true` is descending.
    pub(crate) fn keys(&self, view: &View<'_>, sorts: &[Sort]) -> Vec<(RankingKey, bool)> {
        let sorts = if sorts.is_empty() { &BY_NAME } else { sorts };
        let key = |sort: &Sort| (self.key(view, sort.member), sort.descending);
        sorts.iter().map(key).collect()
    }

    pub(crate) fn language(&self, view: &View<'_>) -> Option<Language> {
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

/// The texts of an article that a search compares; see [`searched_text`].
#[derive(Debug)]
struct SearchedTexts {
    /// Number and description.
    named: Box<str>,
    number_bytes: usize,
    /// Group and class.
    grouped: Box<str>,
}

impl SearchedTexts {
    fn of(view: &View<'_>, article: &Article) -> Self {
        let number = article.number.as_str();
        let description = view.company.translation(&article.texts, view.language);
        let description = description.map_or("", |text| text.as_str());
        let grouped = [article.group.as_deref(), article.class.as_deref()];
        Self {
            number_bytes: fold(number).len(),
            named: searched_text(&format!("{number} {description}")).into(),
            grouped: searched_text(&grouped.map(Option::unwrap_or_default).join(" ")).into(),
        }
    }

    fn has_number(&self, folded: &str) -> bool {
        self.named.get(..self.number_bytes) == Some(folded)
    }
}

/// What is added to the rank of a word that only group or class have: more than any other difference.
const GROUPED: u32 = 3;

/// What a search compares, by the position of the article.
#[derive(Debug, Default)]
pub(crate) struct ArticleTexts {
    /// `None` for an article that was removed in the meantime.
    texts: Vec<Option<SearchedTexts>>,
    pub(crate) groups: Vec<Option<Text<12>>>,
}

impl ArticleTexts {
    /// Adds the article at the next position; `None` if it was removed in the meantime.
    pub(crate) fn push(&mut self, view: &View<'_>, article: Option<&Article>) {
        self.texts
            .push(article.map(|article| SearchedTexts::of(view, article)));
        self.groups
            .push(article.and_then(|article| article.group.clone()));
    }

    /// Keeps the ranks of the positions whose text has the word: exactly, or else with the fewest typing errors that a
    /// visible text has, if that number is tolerated. Adds how well they have it.
    pub(crate) async fn narrow(
        &self,
        word: &SearchWord,
        visible: &[bool],
        ranks: &mut [Option<u32>],
    ) {
        let mut found = self.compared(visible, |text| word.found_in(text)).await;
        if found.iter().flatten().all(Option::is_none) {
            found = self.compared(visible, |text| word.nearly_in(text)).await;
            let least = found.iter().flatten().flatten().min().copied();
            for errors in found.iter_mut().flatten() {
                *errors = errors.filter(|errors| Some(*errors) == least);
            }
        }
        for (rank, [named, grouped]) in ranks.iter_mut().zip(found) {
            let found = named.or(grouped.map(|level| level.saturating_add(GROUPED)));
            *rank = rank
                .zip(found)
                .map(|(rank, found)| rank.saturating_add(found));
        }
    }

    /// What a comparison says of both texts of each visible article.
    async fn compared(
        &self,
        visible: &[bool],
        compare: impl Fn(&str) -> Option<u32>,
    ) -> Vec<[Option<u32>; 2]> {
        let mut all = Vec::with_capacity(self.texts.len());
        for (text, visible) in self.texts.iter().zip(visible) {
            let text = text.as_ref().filter(|_| *visible);
            let both = text.map(|text| [compare(&text.named), compare(&text.grouped)]);
            all.push(both.unwrap_or_default());
            if all.len() % SLICE == 0 {
                yield_now().await;
            }
        }
        all
    }

    /// The ranks for sorting: an article whose number is searched comes first.
    pub(crate) fn relevance(&self, words: &[SearchWord], ranks: &[Option<u32>]) -> Arc<[u32]> {
        let words: Vec<&str> = words.iter().map(SearchWord::typed).collect();
        let typed = words.join(" ");
        let relevance = |(text, rank): (&Option<SearchedTexts>, &Option<u32>)| match text {
            Some(text) if text.has_number(&typed) => 0,
            _ => rank.map_or(u32::MAX, |rank| rank.saturating_add(1)),
        };
        self.texts.iter().zip(ranks).map(relevance).collect()
    }

    pub(crate) fn group_counts(&self, ranks: &[Option<u32>]) -> BTreeMap<Text<12>, usize> {
        let mut groups = BTreeMap::new();
        for (group, _) in self
            .groups
            .iter()
            .zip(ranks)
            .filter(|(_, rank)| rank.is_some())
        {
            if let Some(group) = group {
                let count: &mut usize = groups.entry(group.clone()).or_default();
                *count += 1;
            }
        }
        groups
    }
}
