//! Files that the program creates are only for its own user, whatever the `umask`. A backup is never written through a
//! file that another user has prepared.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use erp_tests::process::{self, Ran, Server};
use tempfile::TempDir;

/// The same command, run with a `umask` of 0.
fn open_to_all(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$@\"", "-"]);
    shell.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// Checks that only the owner has any right on files in a folder; returns the number of files.
#[track_caller]
fn is_private(path: &Path) -> usize {
    let found = fs::symlink_metadata(path).unwrap();
    assert_eq!(mode(path) & 0o077, 0, "{} {:o}", path.display(), mode(path));
    if !found.is_dir() {
        return 1;
    }
    let entries = fs::read_dir(path).unwrap();
    entries
        .map(|entry| is_private(&entry.unwrap().path()))
        .sum()
}

#[test]
fn data_log_and_credentials_are_private_whatever_the_umask() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let demo = process::command([
        "demo",
        "--listen",
        "127.0.0.1:0",
        "--data",
        &path("data"),
        "--log-dir",
        &path("log"),
        "--credentials",
        &path("users.json"),
    ]);
    let mut server = Server::spawn(open_to_all(&demo)).ready();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
    fs::create_dir(path("other")).unwrap();
    fs::set_permissions(path("other"), Permissions::from_mode(0o700)).unwrap();
    let added = process::command([
        "user",
        "add",
        "anna",
        "--role",
        "admin",
        "--data",
        &path("other"),
    ]);
    let _ = Ran::of(open_to_all(&added).output().unwrap()).success();
    let backup = process::command([
        "backup",
        "--data",
        &path("data"),
        "--output",
        &path("backup.tar.gz"),
    ]);
    let _ = Ran::of(open_to_all(&backup).output().unwrap()).success();
    let restore = process::command([
        "restore",
        &path("backup.tar.gz"),
        "--data",
        &path("restored"),
    ]);
    let _ = Ran::of(open_to_all(&restore).output().unwrap()).success();
    for name in ["data", "other", "restored"] {
        assert!(is_private(&folder.path().join(name)) > 5, "{name}");
    }
    assert!(folder.path().join("data/media").exists());
    assert!(is_private(&folder.path().join("log")) > 0);
    assert_eq!(mode(&folder.path().join("users.json")), 0o600);
    assert_eq!(mode(&folder.path().join("backup.tar.gz")), 0o600);
}

/// On an existing folder other users lose their rights; the rights of its group are left to the administrator. For a
/// new folder nothing is reported, because it was never readable.
#[test]
fn a_data_folder_that_all_may_read_is_closed_and_that_is_said() {
    let folder = TempDir::new().unwrap();
    for (before, after, is_new) in [
        (0o755, 0o750, true),
        (0o755, 0o750, false),
        (0o750, 0o750, false),
        (0o700, 0o700, false),
    ] {
        let data = folder.path().join(format!("data-{before:o}-{is_new}"));
        fs::create_dir(&data).unwrap();
        let shown = data.to_str().unwrap();
        let add = |name| process::run(["user", "add", name, "--role", "admin", "--data", shown]);
        if !is_new {
            assert_eq!(add("otto").code, Some(0));
        }
        fs::set_permissions(&data, Permissions::from_mode(before)).unwrap();
        let listed = add("anna");
        assert_eq!(listed.code, Some(0), "{listed:?}");
        assert_eq!(mode(&data), after);
        let said = listed
            .stderr
            .contains("other users could read the data folder");
        assert_eq!(said, before != after && !is_new, "{}", listed.stderr);
    }
}

/// The same for the NDJSON and media files of an export.
#[test]
fn an_export_does_not_write_through_prepared_files() {
    const NAME: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let shown = |name: &str| path(name).display().to_string();
    let rows = [
        r#"{"Artikel": {"ArtNr": "A-1", "ArtBez": "Locher"}}"#,
        r#"{"ArtikelMedia": {"ArtNr": "A-1", "AMDDateiName": "a.png", "Base64": "YWJj"}}"#,
    ];
    fs::write(path("in.ndjson"), rows.join("\n")).unwrap();
    fs::create_dir(path("data")).unwrap();
    let import = ["import", "--data", &shown("data"), &shown("in.ndjson")];
    let _ = process::run(import).success();
    fs::create_dir_all(path("out/media")).unwrap();
    fs::write(path("victim"), "precious").unwrap();
    let media = format!("out/media/{NAME}");
    for name in ["out/export.ndjson", &media] {
        symlink(path("victim"), path(&format!("{name}.part"))).unwrap();
    }
    let export = [
        "export",
        "--data",
        &shown("data"),
        "--output",
        &shown("out"),
    ];
    let _ = process::run(export).success();
    assert_eq!(fs::read(path("victim")).unwrap(), b"precious");
    for name in ["out/export.ndjson", &media] {
        assert!(
            fs::symlink_metadata(path(name)).unwrap().is_file(),
            "{name}"
        );
        assert_eq!(mode(&path(name)), 0o600, "{name}");
    }
}

/// A file with the name of the unfinished backup is replaced, not written to.
#[test]
fn a_prepared_part_file_is_not_written_to() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let data = path("data").display().to_string();
    fs::create_dir(&data).unwrap();
    let _ = process::run(["user", "add", "anna", "--role", "admin", "--data", &data]).success();
    let backup = |name: &str| {
        let output = path(name).display().to_string();
        let _ = process::run(["backup", "--data", &data, "--output", &output]).success();
        assert_eq!(mode(&path(name)), 0o600);
        assert!(!path(&format!("{name}.part")).exists());
    };
    fs::write(path("victim"), "precious").unwrap();
    symlink(path("victim"), path("one.tar.gz.part")).unwrap();
    backup("one.tar.gz");
    assert_eq!(fs::read(path("victim")).unwrap(), b"precious");
    assert!(
        !fs::symlink_metadata(path("one.tar.gz"))
            .unwrap()
            .is_symlink()
    );
    fs::write(path("two.tar.gz.part"), "prepared").unwrap();
    fs::set_permissions(path("two.tar.gz.part"), Permissions::from_mode(0o666)).unwrap();
    let prepared = fs::File::open(path("two.tar.gz.part")).unwrap();
    backup("two.tar.gz");
    assert_eq!(prepared.metadata().unwrap().len(), 8, "it was written to");
}
