//! Articles that cannot be sold, and why.

use std::sync::Arc;

use crate::erp::catalogue::Unsellable;
use crate::erp::engine::{Error, Office};
use crate::storage::Storage;

impl<S: Storage> Office<'_, S> {
    /// Articles that cannot be sold now. They are counted once per change of articles, prices or settings.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn unsellable(self) -> Result<Arc<Unsellable>, Error> {
        let (master, _) = self.erp.load_master(&[]).await?;
        Ok(master.unsellable(self.now).await?)
    }
}
