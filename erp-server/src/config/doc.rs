/// The description of a setting, for `docs/settings.md`, `--help` and tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingDoc {
    pub name: &'static str,
    /// The heading of its section in the help.
    pub section: &'static str,
    /// The default as it would be written; empty means not set.
    pub default: &'static str,
    pub unit: &'static str,
    pub text: &'static str,
}

impl SettingDoc {
    /// The environment variable, for example `ERP_DATA_DIR`.
    pub fn environment(&self) -> String {
        format!("ERP_{}", self.name.to_ascii_uppercase())
    }

    /// The flag without its dashes, for example `data-dir`.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }
}
