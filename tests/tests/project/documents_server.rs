//! The README and the documents in `erp-server/docs`, compared with the server.

use std::path::{Path, PathBuf};

use erp_core::codes::Language;
use erp_core::import::{Row, RowKind};
use erp_server::config::Settings;
use erp_server::import::{Format, is_invalid, read_rows};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

fn server_pages() -> Vec<String> {
    files_in("erp-server/docs")
}

fn files_in(folder: &str) -> Vec<String> {
    let files = std::fs::read_dir(root().join(folder)).unwrap();
    let mut names: Vec<String> = files
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| format!("{folder}/{}", entry.file_name().to_str().unwrap()))
        .collect();
    names.sort_unstable();
    assert!(names.len() >= 9, "{names:?}");
    names
}

fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let blocks = page.split(fence.as_str()).skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

#[test]
fn the_page_of_settings_holds_their_table() {
    let settings = page("erp-server/docs/settings.md");
    let table = settings.split("<!-- settings -->\n").nth(1).unwrap();
    let table = table.split("<!-- end of settings -->").next().unwrap();
    assert_eq!(
        table,
        Settings::table(),
        "`erp-server settings` prints the right one"
    );
}

#[test]
fn the_readme_shows_the_beginning_of_the_demos_session() {
    let readme = page("README.md");
    let session = page("erp-server/demo/session.sh")
        .replace("@BASE@", "http://127.0.0.1:8080")
        .replace("@SHOP_PASSWORD@", "PASSWORD");
    let shown = blocks(&readme, "sh")
        .into_iter()
        .find(|block| block.starts_with("BASE="))
        .unwrap();
    assert!(session.starts_with(shown), "{shown}");
    assert!(shown.lines().count() >= 4);
    let settings = Settings::defaults().unwrap();
    assert_eq!(settings.web.listen.to_string(), "127.0.0.1:8080");
}

#[test]
fn the_two_commands_are_those_of_the_readme() {
    let readme = page("README.md");
    let commands = blocks(&readme, "sh");
    assert_eq!(commands[0], "cargo run -p erp-server -- demo\n");
    assert!(commands.contains(&"./tests/run\n"));
    for script in ["tests/run", ".ci/run"] {
        let found = std::fs::metadata(root().join(script)).unwrap();
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111,
            0o111,
            "{script}"
        );
        assert!(found.is_file());
    }
    assert!(
        page(".ci/run")
            .lines()
            .any(|line| line.ends_with("./tests/run"))
    );
}

#[test]
fn every_command_and_flag_of_the_page_exists() {
    let section = page("erp-server/docs/command-line.md");
    let command = erp_server::cli::command();
    for sub in command.get_subcommands() {
        assert!(
            section.contains(&format!("`erp-server {}", sub.get_name())),
            "{}",
            sub.get_name()
        );
    }
    let mut flags = Vec::new();
    for sub in command
        .get_subcommands()
        .flat_map(|sub| std::iter::once(sub).chain(sub.get_subcommands()))
    {
        for arg in sub.get_arguments() {
            flags.extend(arg.get_long().map(str::to_owned));
            flags.extend(
                arg.get_visible_aliases()
                    .unwrap_or_default()
                    .iter()
                    .map(|name| (*name).to_owned()),
            );
        }
    }
    let named = section
        .split("`")
        .skip(1)
        .step_by(2)
        .flat_map(|code| code.split(['[', ' ', ']', '|']));
    for flag in named.filter_map(|word| word.strip_prefix("--")) {
        assert!(flags.iter().any(|known| known == flag), "--{flag}");
    }
}

#[test]
fn the_programs_of_the_pages_exist() {
    let mut pages = vec![page("README.md")];
    pages.extend(server_pages().iter().map(|name| page(name)));
    let lines: Vec<&str> = pages
        .iter()
        .flat_map(|page| blocks(page, "sh"))
        .flat_map(str::lines)
        .filter(|line| line.contains("cargo run"))
        .collect();
    assert!(lines.len() >= 3, "{lines:?}");
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |flag: &str| {
            let place = words.iter().position(|word| *word == flag)?;
            words.get(place + 1).copied()
        };
        let folder = root().join(match after("-p").unwrap() {
            "erp-examples" => "examples",
            "erp-bench" => "tests/bench",
            package => package,
        });
        let path = match (after("--example"), after("--bin")) {
            (Some(example), _) => folder.join("examples").join(example),
            (None, Some(program)) => folder.join("src/bin").join(program),
            (None, None) => folder.join("src"),
        };
        assert!(
            path.with_extension("rs").exists() || path.join("main.rs").exists(),
            "{line}"
        );
    }
}

#[test]
fn the_import_examples_of_the_page_can_be_imported() {
    let page = page("erp-server/docs/import-export.md");
    let lines: Vec<&str> = blocks(&page, "json")[0].lines().collect();
    assert_eq!(lines.len(), 4);
    for line in lines {
        Row::read(&erp_core::json::read(line).unwrap(), Language::GERMAN).unwrap();
    }
    for csv in blocks(&page, "csv") {
        let format = Format::csv("preis").unwrap();
        let rows = read_rows(format, Language::GERMAN, csv.as_bytes());
        assert!(matches!(rows.as_slice(), [row] if !is_invalid(row)));
    }
    for kind in RowKind::ALL {
        assert!(
            page.contains(&format!("`{}`", kind.as_str())),
            "{}",
            kind.as_str()
        );
    }
}

#[test]
fn every_alarm_that_a_page_names_exists() {
    let rules = page("erp-server/packaging/monitoring/alerts.yml");
    let pages: Vec<String> = server_pages().iter().map(|name| page(name)).collect();
    let quoted = pages
        .iter()
        .flat_map(|page| page.split('`').skip(1).step_by(2));
    let alarms: Vec<&str> = quoted.filter(|word| word.starts_with("Erp")).collect();
    assert!(alarms.len() >= 5, "{alarms:?}");
    for alarm in alarms {
        assert!(rules.contains(&format!("- alert: {alarm}\n")), "{alarm}");
    }
}

#[test]
fn no_page_names_a_machine_or_a_registry_host() {
    let pages = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "NOTICE",
        "deny.toml",
        "tests/run",
        "erp-core/README.md",
        "erp-core/docs/ARCHITECTURE.md",
        "erp-core/docs/DECISIONS.md",
        "erp-core/docs/GLOSSARY.md",
        "erp-core/docs/RULES.md",
        "erp-server/README.md",
    ];
    let folders = server_pages().into_iter().chain(files_in("tests/steps"));
    for name in pages.map(str::to_owned).into_iter().chain(folders) {
        let text = page(&name);
        // Composed at run time, so that this file does not contain the names that it forbids.
        for word in [
            concat!("/", "work/"),
            concat!("/", "root/"),
            concat!("/", "home/"),
            concat!("arti", "factory"),
            concat!("index.", "crates.io"),
            concat!("/", "tmp/"),
        ] {
            assert!(!text.contains(word), "{name} names `{word}`");
        }
    }
}
