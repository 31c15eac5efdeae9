//! What handlers share.

mod app;

pub use app::{Admin, App, Options, SettingValue, User};
