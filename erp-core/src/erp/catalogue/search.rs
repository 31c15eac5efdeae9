//! Searching the article list by words and by group, in memory.
//!
//! The folded texts of all articles of one version are kept per language, so that a search reads no article. It runs
//! in slices so that other tasks can run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::MasterData;
use super::article_table::{ArticleTable, ArticleTexts};
use super::ordering::{UNFINISHED, sorted};
use super::slices::{Begun, SLICE, yield_now};
use crate::domain::article::{SearchWord, Sort, Sorter, View};
use crate::domain::master::{ArticleNumber, Caller};
use crate::storage::{Storage, StoreResult};
use crate::values::codes::Language;
use crate::values::text::Text;

/// What restricts an article list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleFilter {
    /// `artgruppe`: only articles of this group.
    pub group: Option<String>,
    /// `suche`: only articles whose number, description, group or class contain these words.
    pub words: Vec<SearchWord>,
}

#[derive(Debug)]
pub(crate) struct FoundArticles {
    pub(crate) numbers: Arc<[ArticleNumber]>,
    /// How many articles of each group the words found, whatever group is asked for.
    pub(crate) groups: BTreeMap<Text<12>, usize>,
}

impl<S: Storage> MasterData<'_, S> {
    // rule: D-CTR-15
    /// The articles that the caller may see and that a filter leaves, in sort order; without one, the words decide.
    pub(crate) async fn found(
        &self,
        caller: &Caller,
        view: &View<'_>,
        sorts: &[Sort],
        filter: &ArticleFilter,
    ) -> StoreResult<FoundArticles> {
        let table = self.article_table().await?;
        let texts = self.texts(&table, view).await?;
        let visible = table.rows.visible(caller);
        let mut ranks: Vec<_> = visible.iter().map(|visible| visible.then_some(0)).collect();
        for word in &filter.words {
            texts.narrow(word, &visible, &mut ranks).await;
        }
        let groups = texts.group_counts(&ranks);
        if let Some(wanted) = &filter.group {
            for (rank, group) in ranks.iter_mut().zip(&texts.groups) {
                *rank = rank.filter(|_| group.as_deref() == Some(wanted));
            }
        }
        let mut sorter = Sorter::default();
        if sorts.is_empty() {
            sorter.then_by(texts.relevance(&filter.words, &ranks), false);
        }
        let shown: Vec<bool> = ranks.iter().map(Option::is_some).collect();
        let sorts = table.keys(view, sorts);
        self.sort_by(&mut sorter, &table, view, &sorts).await?;
        let numbers = sorted(sorter, &table, &shown).await;
        Ok(FoundArticles { numbers, groups })
    }

    /// The texts of a view's language, read once per version.
    async fn texts(&self, table: &ArticleTable, view: &View<'_>) -> StoreResult<Arc<ArticleTexts>> {
        let language = table.language(view);
        let read = self.read_texts(table, view, language);
        table.texts.get_or_insert_async(&language, read).await
    }

    async fn read_texts(
        &self,
        table: &ArticleTable,
        view: &View<'_>,
        language: Option<Language>,
    ) -> StoreResult<Arc<ArticleTexts>> {
        let mut begun = Begun::of(&table.unfinished_texts, language, UNFINISHED);
        let rest = table.rows.numbers.get(begun.read.groups.len()..);
        for numbers in rest.unwrap_or_default().chunks(SLICE) {
            for article in self.articles(numbers).await? {
                begun.read.push(view, article.as_deref());
            }
            yield_now().await;
        }
        Ok(Arc::new(begun.finish()))
    }
}
