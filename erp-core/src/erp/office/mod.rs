//! What the back office does: master data, users, lists of customers and orders, imports, the audit trail.

mod administration;
mod audit;
#[cfg(feature = "internal")]
mod choices;
mod customer_list;
mod forget;
mod import;
mod import_runs;
#[cfg(feature = "zugferd")]
mod invoices;
mod low_stock;
mod orders;
mod records;
mod users;

pub use audit::{AuditPage, AuditQuery, Audited};
#[cfg(feature = "internal")]
pub use choices::Choices;
pub use customer_list::{CustomerPage, CustomerPlace, CustomerQuery, ListedCustomer};
pub use import::{ChangedMembers, ImportReport, ImportRow, Restoring, RowError, Stated};
pub use import_runs::{IMPORT_RUNS_KEPT, ImportRun, ImportState};
#[cfg(feature = "zugferd")]
pub use invoices::MadeInvoice;
pub use low_stock::{LowStock, LowStockPage, LowStockQuery};
pub use users::{IssuedToken, UserChange};
