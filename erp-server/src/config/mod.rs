//! The settings of a server: defaults, a TOML file, `ERP_*` variables, command line flags; what
//! comes later in this list wins.

mod doc;
mod error;
mod options;
mod sections;
mod shown;
mod source;
mod value;

use std::path::PathBuf;

pub use doc::SettingDoc;
pub use error::ConfigError;
pub use options::{TownFileError, core_settings, load_towns};
use sections::DOCS;
pub use sections::{Business, Events, Limits, Media, Observe, Settings, Store, Web, Zugferd};
pub use source::Loaded;
pub use value::{AddressCheck, Requirement};

impl Settings {
    pub fn describe() -> &'static [SettingDoc] {
        &DOCS
    }

    /// All settings as a Markdown table, as `docs/settings.md` prints it.
    pub fn table() -> String {
        let head = "| setting | default | unit | meaning |\n|---|---|---|---|\n".to_owned();
        DOCS.iter().fold(head, |table, doc| {
            let default = match doc.default {
                "" => "not set".to_owned(),
                set => format!("`{set}`"),
            };
            let SettingDoc {
                name, unit, text, ..
            } = doc;
            format!("{table}| `{name}` | {default} | {unit} | {text} |\n")
        })
    }

    pub fn log_folder(&self) -> PathBuf {
        let folder = self.observe.log_dir.clone();
        folder.unwrap_or_else(|| self.store.data_dir.join("log"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_documented_and_its_default_is_valid() {
        let mut settings = Settings::defaults().unwrap();
        assert!(Settings::describe().len() >= 30);
        let mut names: Vec<_> = Settings::describe().iter().map(|doc| doc.name).collect();
        for doc in Settings::describe() {
            assert!(doc.text.ends_with('.') && !doc.unit.is_empty(), "{doc:?}");
            settings.set(doc.name, doc.default, "a test").unwrap();
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Settings::describe().len());
        // The struct's own fields, so that none can be missing from the list.
        let printed = format!("{settings:?}");
        for name in names {
            assert!(printed.contains(&format!("{name}:")), "{name}");
        }
    }

    #[test]
    fn the_texts_of_values_are_values() {
        let defaults = Settings::defaults().unwrap();
        for (doc, text) in defaults.values() {
            assert_eq!(text, doc.default, "{}", doc.name);
        }
        let mut changed = defaults;
        for (name, text) in [
            ("listen", "unix:/run/erp.sock"),
            ("trusted_proxies", "10.0.0.0/8,192.168.1.1/32,unix"),
            ("zugferd_require", "pdfa,valid"),
            ("cors_origins", "https://a.example,https://b.example"),
            ("log_level", "debug"),
            ("address_check", "strict"),
            ("cash_rounding", "0.05"),
            ("base_url", "https://erp.example.com"),
            ("tls_key", "/etc/erp/key.pem"),
            ("metrics_listen", "127.0.0.1:9090"),
        ] {
            changed.set(name, text, "a test").unwrap();
            let values = changed.values();
            let found = values.iter().find(|(doc, _)| doc.name == name).unwrap();
            assert_eq!(found.1, text, "{name}");
        }
    }

    #[test]
    fn the_table_has_a_row_for_each() {
        let table = Settings::table();
        assert_eq!(table.lines().count(), Settings::describe().len() + 2);
        assert!(table.contains("| `json_body_bytes` | `1048576` | bytes | Longest JSON body. |"));
        let data_dir = DOCS.iter().find(|doc| doc.name == "data_dir").unwrap();
        assert_eq!(data_dir.environment(), "ERP_DATA_DIR");
        assert_eq!(data_dir.flag(), "data-dir");
    }

    #[test]
    fn the_log_lies_in_the_data_folder() {
        let mut settings = Settings::defaults().unwrap();
        assert_eq!(settings.log_folder(), PathBuf::from("data/log"));
        settings.set("log_dir", "/var/log/erp", "a test").unwrap();
        assert_eq!(settings.log_folder(), PathBuf::from("/var/log/erp"));
    }
}
