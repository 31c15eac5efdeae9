//! Finds the comments in the sources that mark the code and the tests of a rule or a clause.
//!
//! A comment `// rule: R-CON-01, R-CON-02` or `// clause: 6.1.3` is directly above an item: above its doc comment
//! and its attributes.

use std::collections::BTreeSet;

use super::page::{files, root};

const FOLDERS: [&str; 5] = ["erp-core", "erp-server", "erp-wasm", "examples", "tests"];

/// Rust, and TypeScript of the npm package with its tests.
const ENDINGS: [&str; 3] = [".rs", ".ts", ".mjs"];

const ITEM_WORDS: [&str; 17] = [
    "async",
    "class",
    "const",
    "enum",
    "export",
    "fn",
    "function",
    "impl",
    "macro_rules!",
    "mod",
    "pub",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "unsafe",
];

/// The ids in comments of one kind.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) code: BTreeSet<String>,
    pub(crate) tests: BTreeSet<String>,
    /// Comments that are not above an item, or have a wrong form.
    pub(crate) wrong: Vec<String>,
}

impl Places {
    /// Reads all sources. `word` is `rule` or `clause`.
    pub(crate) fn of_sources(word: &str) -> Self {
        let mut places = Self::default();
        for path in FOLDERS.iter().flat_map(|folder| files(folder, &ENDINGS)) {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            places.add(word, &name, &text);
        }
        places
    }

    fn add(&mut self, word: &str, path: &str, text: &str) {
        let mark = format!("// {word}: ");
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (number, line) in lines.iter().enumerate() {
            let Some(ids) = line.strip_prefix(&mark) else {
                continue;
            };
            let below = Below::of(&lines[number + 1..]);
            let is_written_well = ids.split(", ").all(|id| {
                let is_part =
                    |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "-.".contains(c);
                !id.is_empty() && id.chars().all(is_part)
            });
            if !below.is_item || !is_written_well {
                self.wrong
                    .push(format!("{path}:{}: `{line}` is above no item", number + 1));
            }
            let ids = ids.split(", ").map(str::to_owned);
            if below.is_test {
                self.tests.extend(ids);
            } else if is_test_file(path) {
                self.wrong
                    .push(format!("{path}:{}: `{line}` is above no test", number + 1));
            } else {
                for id in ids {
                    // A rule has one place in the code; a clause may be checked at several.
                    if self.code.replace(id.clone()).is_some() && word == "rule" {
                        self.wrong
                            .push(format!("{path}:{}: {id} has a place", number + 1));
                    }
                }
            }
        }
    }
}

fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

struct Below {
    is_item: bool,
    is_test: bool,
}

impl Below {
    fn of(lines: &[&str]) -> Self {
        let (mut is_test, mut in_attribute) = (false, false);
        for line in lines {
            let marks = ["#[test]", "#[tokio::test", "test(\""];
            is_test |= marks.iter().any(|mark| line.starts_with(mark));
            let is_attribute = in_attribute || line.starts_with("#[");
            if is_attribute {
                in_attribute = !line.trim_end().ends_with(']');
            } else if !line.starts_with("//") {
                return Self {
                    is_item: is_item(line) || line.starts_with("test(\""),
                    is_test,
                };
            }
        }
        Self {
            is_item: false,
            is_test,
        }
    }
}

/// Whether a line starts an item or an entry of a macro's table (`name: type = ...`).
fn is_item(line: &str) -> bool {
    let first = line.split([' ', '(', '<']).next().unwrap_or_default();
    ITEM_WORDS.contains(&first) || (first.ends_with(':') && line.contains(" = "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, text: &str) -> Places {
        let mut places = Places::default();
        places.add("rule", path, text);
        places
    }

    #[test]
    fn a_comment_belongs_to_the_item_below_it() {
        let text = [
            "// rule: R-A-01, R-A-02",
            "/// What it does.",
            "#[expect(",
            "    dead_code,",
            ")]",
            "fn code() {}",
            "    // rule: R-A-03",
            "    #[tokio::test]",
            "    async fn test() {}",
        ];
        let places = places("erp-core/src/lib.rs", &text.join("\n"));
        assert_eq!(places.wrong, Vec::<String>::new());
        assert_eq!(places.code, ["R-A-01", "R-A-02"].map(str::to_owned).into());
        assert_eq!(places.tests, ["R-A-03"].map(str::to_owned).into());
    }

    #[test]
    fn comments_in_typescript_are_read() {
        let text =
            "// rule: R-A-01\nasync #sent() {}\n// rule: R-A-02\ntest(\"it works\", () => {});\n";
        let places = places("tests/wasm/some.mjs", text);
        assert_eq!(places.wrong, Vec::<String>::new());
        assert_eq!(places.code, ["R-A-01"].map(str::to_owned).into());
        assert_eq!(places.tests, ["R-A-02"].map(str::to_owned).into());
    }

    #[test]
    fn a_comment_above_nothing_and_a_second_place_are_wrong() {
        for text in [
            "// rule: R-A-01\n\nfn code() {}\n",
            "// rule: R-A-01\nlet value = 1;\n",
            "// rule: R-A-01,R-A-02\nfn code() {}\n",
            "// rule: R-A-01 and more\nfn code() {}\n",
            "// rule: R-A-01\n",
            "// rule: R-A-01\nfn code() {}\n// rule: R-A-01\nfn more() {}\n",
        ] {
            assert_eq!(places("erp-core/src/lib.rs", text).wrong.len(), 1, "{text}");
        }
        let helper = "// rule: R-A-01\nfn helper() {}\n";
        assert_eq!(places("tests/tests/http/main.rs", helper).wrong.len(), 1);
    }
}
