//! Searching the article list by words and by group, in memory.
//!
//! The folded texts of all articles of one version are kept per language, so that a search reads no article. It runs
//! in slices so that other tasks can run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::catalogue::MasterData;
use super::ordering::{ArticleTable, Rows};
use super::work::{SLICE, yield_now};
use crate::article::{Sort, View, Word, words};
use crate::fold::fold;
use crate::master::{Article, ArticleNumber, Caller};
use crate::storage::{Storage, StorageError};
use crate::text::Text;

/// What restricts an article list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleFilter {
    /// `artgruppe`: only articles of this group.
    pub group: Option<String>,
    /// `suche`: only articles whose number, description, group or class contain these words.
    pub words: Option<String>,
}

/// The articles that a search found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) numbers: Arc<[ArticleNumber]>,
    /// How many articles of each group the words found, whatever group is asked for.
    pub(super) groups: BTreeMap<Text<12>, usize>,
}

/// What a search compares, by the position of the article.
#[derive(Debug, Default)]
pub(super) struct ArticleTexts {
    texts: Vec<Box<str>>,
    groups: Vec<Option<Text<12>>>,
}

impl ArticleTexts {
    /// Adds the article at the next position; `None` if it was removed in the meantime.
    fn push(&mut self, view: &View<'_>, article: Option<&Article>) {
        let text = article.map(|article| {
            let description = view.company.translation(&article.texts, view.language);
            let parts = [
                Some(article.number.as_str()),
                description.map(|text| text.as_str()),
                article.group.as_deref(),
                article.class.as_deref(),
            ];
            let parts: Vec<&str> = parts.into_iter().flatten().collect();
            fold(&parts.join(" "))
        });
        self.texts.push(text.unwrap_or_default().into());
        self.groups
            .push(article.and_then(|article| article.group.clone()));
    }

    // rule: D-CTR-15
    /// Keeps the shown positions whose text has the word: exactly, or else with the fewest typing errors that a shown
    /// text has, if so many are tolerated.
    async fn keep(&self, word: &Word, visible: &[bool], shown: &mut [bool]) {
        let mut errors = self
            .compared(visible, |text| u32::from(!word.is_in(text)))
            .await;
        if !errors.contains(&Some(0)) {
            errors = self.compared(visible, |text| word.errors(text)).await;
        }
        let least = errors.iter().flatten().min().copied();
        let least = least.filter(|least| *least <= word.tolerated());
        for (shown, errors) in shown.iter_mut().zip(errors) {
            *shown = *shown && errors.is_some() && errors == least;
        }
    }

    /// What a comparison says of each visible text.
    async fn compared(&self, visible: &[bool], compare: impl Fn(&str) -> u32) -> Vec<Option<u32>> {
        let mut all = Vec::with_capacity(self.texts.len());
        for (text, visible) in self.texts.iter().zip(visible) {
            all.push(visible.then(|| compare(text)));
            if all.len() % SLICE == 0 {
                yield_now().await;
            }
        }
        all
    }

    fn groups(&self, shown: &[bool]) -> BTreeMap<Text<12>, usize> {
        let mut groups = BTreeMap::new();
        for (group, _) in self.groups.iter().zip(shown).filter(|(_, shown)| **shown) {
            if let Some(group) = group {
                let count: &mut usize = groups.entry(group.clone()).or_default();
                *count = count.saturating_add(1);
            }
        }
        groups
    }
}

impl<S: Storage> MasterData<'_, S> {
    // rule: D-CTR-15
    /// The articles that the caller may see and that a filter leaves, in sort order.
    pub(super) async fn found(
        &self,
        caller: &Caller,
        view: &View<'_>,
        sorts: &[Sort],
        filter: &ArticleFilter,
    ) -> Result<Found, StorageError> {
        let table = self.article_table().await?;
        let texts = self.texts(&table, view).await?;
        let visible = table.rows.visible(caller);
        let mut shown = visible.clone();
        for word in words(filter.words.as_deref().unwrap_or_default()) {
            texts.keep(&word, &visible, &mut shown).await;
        }
        let groups = texts.groups(&shown);
        if let Some(wanted) = &filter.group {
            for (shown, group) in shown.iter_mut().zip(&texts.groups) {
                *shown = *shown && group.as_deref() == Some(wanted);
            }
        }
        let sorts = table.keys(view, sorts);
        let numbers = self.sorted(&table, view, &sorts, &shown).await?;
        Ok(Found { numbers, groups })
    }

    /// The texts of a view's language, read once per version.
    async fn texts(
        &self,
        table: &ArticleTable,
        view: &View<'_>,
    ) -> Result<Arc<ArticleTexts>, StorageError> {
        let read = self.read_texts(&table.rows, view);
        let language = table.language(view);
        table.texts.get_or_insert_async(&language, read).await
    }

    async fn read_texts(
        &self,
        rows: &Rows,
        view: &View<'_>,
    ) -> Result<Arc<ArticleTexts>, StorageError> {
        let mut texts = ArticleTexts::default();
        for numbers in rows.numbers.chunks(SLICE) {
            for article in self.articles(numbers).await? {
                texts.push(view, article.as_deref());
            }
            yield_now().await;
        }
        Ok(Arc::new(texts))
    }
}
