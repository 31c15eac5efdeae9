//! `erp-server config check` explains every mistake at once, and the program documents itself.

use std::fs;

use erp_server::config::Settings;
use erp_tests::process::{self, Ran};
use tempfile::TempDir;

fn check(folder: &TempDir, text: &str) -> Ran {
    let file = folder.path().join("erp.toml");
    fs::write(&file, text).unwrap();
    process::run(["config", "check", "--config", file.to_str().unwrap()])
}

#[test]
fn every_error_is_reported_at_once() {
    let folder = TempDir::new().unwrap();
    let text = format!(
        "listne = \"127.0.0.1:0\"\nlog_days = \"ten\"\nrate_limits = 7\n\
         page_dir = \"{0}/no-page\"\ntown_directory = \"{0}/no-towns.csv\"\n\
         tls_certificate = \"{0}/no.pem\"\ndata_dir = \"/proc/erp\"\nzzz = 1\n\
         cors_origins = [\"https://shop.example.com\", \"shop.example.com\"]\nbase_url = \"https://h/#shop\"\n",
        folder.path().display()
    );
    let ran = check(&folder, &text);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    let mistakes: Vec<&str> = ran
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("mistake: "))
        .collect();
    for expected in [
        "`listne` in `",
        "is not a setting; is `listen` meant?",
        "`log_days` in `",
        "`cors_origins` in `",
        "`base_url` in `",
        "`rate_limits` in `",
        "`zzz` in `",
        "`erp-server settings` lists them",
        "`data_dir`: `/proc/erp` cannot be written to",
        "no-page",
        "no-towns.csv",
        "`tls_certificate` needs `tls_key` beside it",
    ] {
        let found = mistakes.iter().any(|mistake| mistake.contains(expected));
        assert!(found, "`{expected}` is not reported: {mistakes:#?}");
    }
    let count = format!("erp-server: {} mistakes in the settings\n", mistakes.len());
    assert_eq!(ran.stderr, count);
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_an_error() {
    use std::os::unix::ffi::OsStrExt as _;
    let path = std::ffi::OsStr::from_bytes(b"/etc/schl\xFCssel.pem");
    let mut command = process::command(["config", "check"]);
    let ran = Ran::of(command.env("ERP_TLS_KEY", path).output().unwrap());
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    let expected = "`tls_key` in the variable `ERP_TLS_KEY` must be UTF-8, not `other bytes`";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
}

#[test]
fn a_file_that_is_no_toml_is_shown_at_its_line() {
    let folder = TempDir::new().unwrap();
    let ran = check(&folder, "listen = \"127.0.0.1:0\"\nlog_days = = 3\n");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stdout.contains("line 2"), "{}", ran.stdout);
}

#[test]
fn sound_settings_are_sound_and_risks_are_noted() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let text = format!(
        "data_dir = \"{}\"\nlisten = \"0.0.0.0:0\"\nmetrics_listen = \"0.0.0.0:0\"\n\
         trusted_proxies = [\"unix\"]\n",
        data.display()
    );
    let printed = check(&folder, &text).success();
    assert!(printed.ends_with("the settings are sound\n"), "{printed}");
    assert!(
        printed.contains("passwords travel in the clear"),
        "{printed}"
    );
    assert!(
        printed.contains("`metrics_listen` 0.0.0.0:0 can be reached"),
        "{printed}"
    );
    assert!(!data.exists(), "a check makes nothing");
    let shipped = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../erp-server/packaging/erp.toml"
    );
    let shipped = fs::read_to_string(shipped).unwrap();
    let here = shipped.replace("/var/l", &format!("{}/l", folder.path().display()));
    let printed = check(&folder, &here).success();
    assert_eq!(printed, "the settings are sound\n");
}

#[test]
fn manual_and_completions_know_every_command() {
    let folder = TempDir::new().unwrap();
    let pages = folder.path().join("man");
    let _ = process::run(["manual", pages.to_str().unwrap()]).success();
    let read = |name: &str| fs::read_to_string(pages.join(name)).unwrap();
    let first = read("man1/erp-server.1");
    assert!(first.starts_with(".ie"), "{first}");
    // The page of a command has its options, and of the settings only those that locate the store.
    let import = read("man1/erp-server-import.1");
    assert!(
        import.contains("dry\\-run") && import.contains("data\\-dir"),
        "{import}"
    );
    for page in ["serve", "import", "user-list"] {
        let page = read(&format!("man1/erp-server-{page}.1"));
        assert!(!page.contains("log\\-days"), "{page}");
        assert!(page.contains("erp\\-server\\-settings(5)"), "{page}");
    }
    let zugferd = read("man1/erp-server-zugferd-check.1");
    assert!(!zugferd.contains("settings(5)"), "{zugferd}");
    let settings = read("man5/erp-server-settings.5");
    for setting in Settings::describe() {
        let option = format!("\\-\\-{}", setting.flag().replace('-', "\\-"));
        assert!(settings.contains(&option), "{option}: {settings}");
    }
    for command in ["serve", "backup", "recover", "user", "zugferd"] {
        assert!(
            pages.join(format!("man1/erp-server-{command}.1")).exists(),
            "{command}"
        );
        for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
            let completions = process::run(["completions", shell]).success();
            assert!(completions.contains(command), "{command} in {shell}");
        }
    }
}
