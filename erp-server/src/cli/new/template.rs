//! The text of a new configuration file: every setting with what it does and its default.

use std::path::Path;

use toml::Value;

use crate::config::{SettingDoc, Settings};

const COLUMNS: usize = 100;

/// The file with these values set and all other settings as comments.
pub(super) fn render(file: &Path, given: &[(&str, String)]) -> String {
    let file = file.display();
    let mut text = format!(
        "# Settings of erp-server.\n\
         #   erp-server serve --config {file}\n\
         #   erp-server config check --config {file}\n\
         # A setting behind `#` has its default. Remove the `#` to change it.\n"
    );
    let mut section = "";
    for doc in Settings::describe() {
        if doc.section != section {
            section = doc.section;
            text.push_str(&format!("\n# ==== {section} ====\n"));
        }
        text.push('\n');
        text.push_str(&comment(doc));
        let value = given.iter().find(|(name, _)| *name == doc.name);
        text.push_str(&match value {
            Some((name, value)) if !value.is_empty() => format!("{name} = {}\n", literal(value)),
            _ => format!("#{} = {}\n", doc.name, literal(doc.default)),
        });
    }
    text
}

/// What a setting does and its unit, in lines of comments.
fn comment(doc: &SettingDoc) -> String {
    let words = format!("{} ({})", doc.text, doc.unit);
    let mut lines = vec!["#".to_owned()];
    for word in words.split_whitespace() {
        let fits = |line: &&mut String| line.len() + word.len() < COLUMNS;
        if let Some(line) = lines.last_mut().filter(fits) {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        lines.push(format!("# {word}"));
    }
    lines.join("\n") + "\n"
}

/// A value as TOML: numbers and truth values bare, everything else quoted.
fn literal(text: &str) -> String {
    let is_bare = matches!(text, "true" | "false")
        || text
            .parse::<i64>()
            .is_ok_and(|number| number.to_string() == text);
    if is_bare {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Settings {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("erp.toml");
        std::fs::write(&file, text).unwrap();
        let (loaded, mistakes) = Settings::gather(Some(&file), [], []).unwrap();
        assert!(mistakes.is_empty(), "{mistakes:?}");
        loaded.settings
    }

    fn values(settings: &Settings) -> Vec<String> {
        let values = settings.values();
        values.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn every_setting_is_there_with_its_default() {
        let given = [
            ("listen", "0.0.0.0:80".to_owned()),
            ("data_dir", "/srv/a \"b\"\\c".to_owned()),
            ("database", String::new()),
        ];
        let text = render(Path::new("/srv/erp.toml"), &given);
        let settings = load(&text);
        assert_eq!(settings.web.listen.to_string(), "0.0.0.0:80");
        assert_eq!(
            settings.store.data_dir,
            Path::new("/srv/a \"b\"\\c"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.len() <= COLUMNS), "{text}");
        // With every `#` removed the defaults are the same.
        let all = render(Path::new("/srv/erp.toml"), &[]);
        let lines = all.lines().filter_map(|line| line.strip_prefix('#'));
        let set: Vec<&str> = lines
            .filter(|line| !line.is_empty() && !line.starts_with(' '))
            .collect();
        assert_eq!(set.len(), Settings::describe().len(), "{all}");
        let defaults = Settings::defaults().unwrap();
        assert_eq!(values(&load(&set.join("\n"))), values(&defaults));
    }
}
