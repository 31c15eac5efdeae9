//! Where settings come from.

use std::ffi::OsString;
use std::path::Path;

use toml::{Table, Value};

use super::error::ConfigError;
use super::sections::{DOCS, Settings};

const PREFIX: &str = "ERP_";

fn table_of(file: &Path) -> Result<Table, ConfigError> {
    let unreadable = |reason: String| ConfigError::Unreadable {
        file: file.display().to_string(),
        reason: reason.trim_end().to_owned(),
    };
    let text = std::fs::read_to_string(file).map_err(|error| unreadable(error.to_string()))?;
    text.parse::<Table>()
        .map_err(|error| unreadable(error.to_string()))
}

/// Settings and what is worth a warning about where they came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub settings: Settings,
    /// `ERP_*` variables that name no setting. They are only warned about, because systems that run
    /// services set such variables themselves.
    pub unknown_variables: Vec<String>,
}

impl Settings {
    /// The settings from all sources, and every mistake in them; a setting with a mistake has what the
    /// source before says.
    /// Errors: when the defaults contradict themselves.
    pub fn gather(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        flags: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Result<(Loaded, Vec<ConfigError>), ConfigError> {
        let mut settings = Self::defaults()?;
        let mut mistakes = Vec::new();
        if let Some(file) = file {
            match table_of(file) {
                Ok(table) => {
                    settings.take_file(&table, &format!("`{}`", file.display()), &mut mistakes);
                }
                Err(mistake) => mistakes.push(mistake),
            }
        }
        let unknown_variables = settings.take_environment(environment, &mut mistakes);
        for (name, text) in flags {
            mistakes.extend(settings.set(name, &text, "the flags").err());
        }
        let loaded = Loaded {
            settings,
            unknown_variables,
        };
        Ok((loaded, mistakes))
    }

    fn take_file(&mut self, table: &Table, place: &str, mistakes: &mut Vec<ConfigError>) {
        let taken = table.iter().map(|(name, value)| {
            let text = match value {
                Value::Table(_) => return Err(ConfigError::unknown(name, place, &DOCS)),
                Value::Array(entries) => {
                    let entries: Vec<String> = entries.iter().map(text_of).collect();
                    entries.join(",")
                }
                single => text_of(single),
            };
            self.set(name, &text, place)
        });
        mistakes.extend(taken.filter_map(Result::err));
    }

    fn take_environment(
        &mut self,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        mistakes: &mut Vec<ConfigError>,
    ) -> Vec<String> {
        let mut unknown = Vec::new();
        for (variable, value) in environment {
            let variable = variable.to_string_lossy();
            let Some(name) = variable.strip_prefix(PREFIX) else {
                continue;
            };
            let name = name.to_ascii_lowercase();
            if DOCS.iter().all(|doc| doc.name != name) {
                unknown.push(variable.into_owned());
                continue;
            }
            let place = format!("the variable `{variable}`");
            let set = match value.to_str() {
                Some(text) => self.set(&name, text, &place),
                None => Err(ConfigError::Value {
                    name,
                    place,
                    allowed: "UTF-8".to_owned(),
                    // It may hold a password.
                    given: "other bytes".to_owned(),
                }),
            };
            mistakes.extend(set.err());
        }
        unknown
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AddressCheck;
    use std::io::Write as _;

    fn load(
        file: &str,
        environment: &[(&str, &str)],
        flags: &[(&'static str, &str)],
    ) -> Result<Loaded, String> {
        let mut written = tempfile::NamedTempFile::new().unwrap();
        written.write_all(file.as_bytes()).unwrap();
        let environment = environment
            .iter()
            .map(|(name, text)| ((*name).into(), (*text).into()));
        let flags = flags.iter().map(|(name, text)| (*name, (*text).to_owned()));
        let (loaded, mistakes) =
            Settings::gather(Some(written.path()), environment, flags).unwrap();
        let path = written.path().display().to_string();
        match mistakes.first() {
            None => Ok(loaded),
            Some(mistake) => Err(mistake.to_string().replace(&path, "erp.toml")),
        }
    }

    #[test]
    fn later_sources_win() {
        let file = "listen = \"127.0.0.1:1\"\njson_body_bytes = 1100\nstrict_bodies = true\n\
                    trusted_proxies = [\"10.0.0.0/8\", \"::1\"]\nlog_level = \"debug\"\n\
                    cash_rounding = 0.05\naddress_check = \"strict\"\n";
        let environment = [
            ("ERP_LISTEN", "127.0.0.1:2"),
            ("ERP_JSON_BODY_BYTES", "2000"),
            ("PATH", "/bin"),
        ];
        let loaded = load(file, &environment, &[("listen", "127.0.0.1:3")]).unwrap();
        let settings = loaded.settings;
        assert_eq!(settings.web.listen.to_string(), "127.0.0.1:3");
        assert_eq!(settings.limits.json_body_bytes, 2000);
        assert!(settings.business.strict_bodies);
        assert_eq!(settings.web.trusted_proxies.len(), 2);
        assert_eq!(settings.observe.log_level, tracing::Level::DEBUG);
        assert_eq!(settings.business.cash_rounding.unwrap().to_string(), "0.05");
        assert_eq!(settings.business.address_check, AddressCheck::Strict);
        assert_eq!(settings.business.token_lifetime_seconds, 3600);
        assert!(loaded.unknown_variables.is_empty());
    }

    #[test]
    fn mistakes_name_source_setting_and_what_is_allowed() {
        let unknown = load("josn_body_bytes = 1", &[], &[]).unwrap_err();
        assert!(unknown.starts_with(
            "`josn_body_bytes` in `erp.toml` is no setting; the settings are `listen`, "
        ));
        assert!(unknown.contains("`json_body_bytes`"));
        assert_eq!(
            load("json_body_bytes = -1", &[], &[]).unwrap_err(),
            "`json_body_bytes` in `erp.toml` must be a whole number from 1024 to 1073741824, not `-1`"
        );
        assert_eq!(
            load("", &[("ERP_STRICT_BODIES", "yes")], &[]).unwrap_err(),
            "`strict_bodies` in the variable `ERP_STRICT_BODIES` must be `true` or `false`, not `yes`"
        );
        assert_eq!(
            load("", &[], &[("listen", "8080")]).unwrap_err(),
            "`listen` in the flags must be an address with a port, like `127.0.0.1:8080`, or a unix socket, like `unix:/run/server.sock`, not `8080`"
        );
        assert!(
            load("[server]\nlisten = 1", &[], &[])
                .unwrap_err()
                .contains("`server` in")
        );
        assert!(
            load("listen = ", &[], &[])
                .unwrap_err()
                .contains("cannot be read")
        );
        let (_, mistakes) = Settings::gather(Some(Path::new("/no/such/file")), [], []).unwrap();
        assert_eq!(mistakes.len(), 1);
    }

    #[test]
    fn foreign_variables_are_only_reported() {
        let loaded = load(
            "",
            &[("ERP_PORT", "tcp://10.0.0.1"), ("ERP_CONFIG", "x")],
            &[],
        )
        .unwrap();
        assert_eq!(loaded.unknown_variables, ["ERP_PORT", "ERP_CONFIG"]);
    }
}
