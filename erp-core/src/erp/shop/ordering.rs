//! Sorts article lists by the cached ranks.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::article::{Ranking, Sort, Sorter, View};
use crate::domain::master::{ArticleNumber, Caller};
use crate::erp::engine::article_table::{ArticleTable, OrderingKey, RankingKey, Rows};
use crate::erp::engine::catalogue::MasterData;
use crate::erp::engine::work::{SLICE, yield_now};
use crate::storage::{Storage, StorageError};

impl<S: Storage> MasterData<'_, S> {
    // rule: R-END-29
    /// Numbers of the articles that the caller may see, in sort order. It is not bounded by `scan_entries`, as no
    /// criterion can narrow it.
    pub(super) async fn ordering(
        &self,
        caller: &Caller,
        view: &View<'_>,
        sorts: &[Sort],
    ) -> Result<Arc<[ArticleNumber]>, StorageError> {
        let table = self.article_table().await?;
        let sorts = table.keys(view, sorts);
        let key = OrderingKey::new(self.article_version(), caller, sorts);
        let sorted = async {
            let visible = table.rows.visible(caller);
            self.sorted(&table, view, None, &key.sorts, &visible).await
        };
        let orderings = &self.catalogue().orderings;
        orderings.get_or_insert_async(&key, sorted).await
    }

    /// Numbers of the positions that are shown, in sort order: by `first` before anything else.
    pub(super) async fn sorted(
        &self,
        table: &ArticleTable,
        view: &View<'_>,
        first: Option<Arc<[u32]>>,
        sorts: &[(RankingKey, bool)],
        shown: &[bool],
    ) -> Result<Arc<[ArticleNumber]>, StorageError> {
        let mut sorter = Sorter::default();
        if let Some(ranks) = first {
            sorter.then_by(ranks, false);
        }
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
            Ok(Arc::new(ArticleTable::new(rows)))
        };
        tables
            .get_or_insert_async(&self.article_version(), read)
            .await
    }
}
