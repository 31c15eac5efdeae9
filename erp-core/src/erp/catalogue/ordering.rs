//! Sorts article lists by the cached ranks.

use std::sync::Arc;

use super::MasterData;
use super::article_table::{ArticleTable, OrderingKey, RankingKey};
use super::slices::{Begun, SLICE, yield_now};
use crate::domain::article::{Sort, Sorter, View};
use crate::domain::master::{ArticleNumber, Caller};
use crate::storage::{Storage, StoreResult};

/// Unfinished reads of a kind that are kept: those of a few languages or fields that are asked for in turn.
pub(super) const UNFINISHED: usize = 8;

impl<S: Storage> MasterData<'_, S> {
    // rule: R-END-29
    /// Numbers of the articles that the caller may see, in sort order. It is not bounded by `scan_entries`, as no
    /// criterion can narrow it.
    pub(crate) async fn ordering(
        &self,
        caller: &Caller,
        view: &View<'_>,
        sorts: &[Sort],
    ) -> StoreResult<Arc<[ArticleNumber]>> {
        let table = self.article_table().await?;
        let sorts = table.keys(view, sorts);
        let key = OrderingKey::new(self.article_version(), caller, sorts);
        let sorted = async {
            let mut sorter = Sorter::default();
            self.sort_by(&mut sorter, &table, view, &key.sorts).await?;
            Ok(sorted(sorter, &table, &table.rows.visible(caller)).await)
        };
        let orderings = &self.catalogue.orderings;
        orderings.get_or_insert_async(&key, sorted).await
    }

    /// Adds the criteria of a list to those of a sorter.
    pub(super) async fn sort_by(
        &self,
        sorter: &mut Sorter,
        table: &ArticleTable,
        view: &View<'_>,
        sorts: &[(RankingKey, bool)],
    ) -> StoreResult<()> {
        for (ranking, descending) in sorts {
            let ranks = table
                .rankings
                .get_or_insert_async(ranking, self.ranked(table, view, ranking));
            sorter.then_by(ranks.await?, *descending);
        }
        Ok(())
    }

    /// The rank of each article by one sort field.
    async fn ranked(
        &self,
        table: &ArticleTable,
        view: &View<'_>,
        key: &RankingKey,
    ) -> StoreResult<Arc<[u32]>> {
        let mut begun = Begun::of(&table.unfinished_ranking, key.clone(), UNFINISHED);
        let rest = table.rows.numbers.get(begun.read.len()..);
        for numbers in rest.unwrap_or_default().chunks(SLICE) {
            for article in self.articles(numbers).await? {
                begun.read.push(view, article.as_deref(), key.member);
            }
            yield_now().await;
        }
        Ok(begun.finish().ranks().into())
    }

    /// All articles, read once per version.
    pub(crate) async fn article_table(&self) -> StoreResult<Arc<ArticleTable>> {
        let tables = &self.catalogue.tables;
        let read = async {
            let rows = self.all_articles().await?;
            Ok(Arc::new(ArticleTable::new(rows)))
        };
        tables
            .get_or_insert_async(&self.article_version(), read)
            .await
    }
}

/// Numbers of the positions that are shown, in the order of the sorter.
pub(super) async fn sorted(
    mut sorter: Sorter,
    table: &ArticleTable,
    shown: &[bool],
) -> Arc<[ArticleNumber]> {
    for (position, shown) in shown.iter().enumerate() {
        if *shown {
            sorter.push(position);
        }
        if position % SLICE == 0 {
            yield_now().await;
        }
    }
    let numbers = sorter.positions();
    numbers
        .filter_map(|position| table.rows.numbers.get(position).cloned())
        .collect()
}
