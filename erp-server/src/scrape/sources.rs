//! What the metrics are read from.

use std::path::PathBuf;
use std::sync::Arc;

use erp_core::Erp;

use crate::store::Store;
use crate::web::HttpState;

#[derive(Clone)]
pub struct Sources {
    /// The counters.
    pub http_state: Arc<HttpState>,
    /// Store and events.
    pub erp: Arc<Erp<Store>>,
    /// Folder of the embedded store.
    pub data_dir: PathBuf,
}
