//! Helpers for stores: read a whole store, and forward calls to an inner one.

use std::collections::BTreeMap;

use erp_core::storage::{Entry, Key, Scan, Storage, StorageError};

/// Every record of a store.
pub type Content = BTreeMap<Key, Entry>;

/// Everything that a reader can see, page by page.
///
/// # Errors
/// When a page cannot be read.
pub async fn content(store: &impl Storage) -> Result<Content, StorageError> {
    let mut content = Content::new();
    let mut next = Some(Scan {
        from: Key::from_bytes(vec![0]),
        until: Key::from_bytes(vec![255; 8]),
        backwards: false,
        limit: 1000,
    });
    while let Some(scan) = next {
        let page = store.scan(scan).await?;
        content.extend(page.entries);
        next = page.next;
    }
    Ok(content)
}

/// The named methods of `impl Storage`, forwarded to the store in a field.
///
/// With `forward_storage!(store: get, scan, next_numbers);` only `commit` is left to write.
#[macro_export]
macro_rules! forward_storage {
    ($field:tt: $($method:ident),+) => {
        $($crate::forward_storage!(@$method $field);)+
    };
    (@get $field:tt) => {
        async fn get(
            &self,
            keys: &[::erp_core::storage::Key],
        ) -> Result<Vec<Option<::erp_core::storage::Entry>>, ::erp_core::storage::StorageError> {
            self.$field.get(keys).await
        }
    };
    (@scan $field:tt) => {
        async fn scan(
            &self,
            scan: ::erp_core::storage::Scan,
        ) -> Result<::erp_core::storage::Page, ::erp_core::storage::StorageError> {
            self.$field.scan(scan).await
        }
    };
    (@next_numbers $field:tt) => {
        async fn next_numbers(
            &self,
            wanted: &[(::erp_core::storage::Sequence, u64)],
        ) -> Result<Vec<u64>, ::erp_core::storage::StorageError> {
            self.$field.next_numbers(wanted).await
        }
    };
    (@commit $field:tt) => {
        async fn commit(
            &self,
            changes: ::erp_core::storage::ChangeSet,
        ) -> Result<::erp_core::storage::Revision, ::erp_core::storage::CommitError> {
            self.$field.commit(changes).await
        }
    };
}
