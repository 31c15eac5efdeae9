//! Article media on the command line: files next to the import file, maintenance, checks, a killed import.

use erp_tests::place::Place;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use erp_core::media::BodyHash;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The path of the stored file with these bytes.
fn kept(place: &Place, bytes: &[u8]) -> PathBuf {
    let name = hash_of(bytes);
    let folder = place.path("data/media");
    folder.join(&name[..2]).join(&name[2..4]).join(&name)
}

/// Makes the stored files look old.
fn age(place: &Place) {
    let then = SystemTime::now() - Duration::from_secs(48 * 3_600);
    for path in files_below(&place.path("data/media")) {
        File::open(path).unwrap().set_modified(then).unwrap();
    }
}

/// Makes the files that were moved aside look as if that was long ago: their names are times.
fn a_day_passes(place: &Place) {
    for path in files_below(&place.path("data/media/aside")) {
        let at: u64 = path.file_name().unwrap().to_str().unwrap().parse().unwrap();
        fs::rename(&path, path.with_file_name((at - 25 * 3_600).to_string())).unwrap();
    }
}

fn hash_of(bytes: &[u8]) -> String {
    BodyHash::new(Sha256::digest(bytes).into()).to_string()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

const ARTICLE: &str = "{\"Artikel\": {\"ArtNr\": \"A-1\", \"ArtBez\": \"Locher\"}}\n";

fn row(members: &str) -> String {
    format!("{{\"ArtikelMedia\": {{\"ArtNr\": \"A-1\", {members}}}}}\n")
}

#[test]
fn files_beside_the_import_file_are_imported() {
    let place = Place::begun();
    let _ = place.write("import/bilder/vorn.png", b"vorn");
    let _ = place.write("import/rück.PNG", b"hinten");
    let rows = [
        ARTICLE.to_owned(),
        row(r#""Datei": "bilder/vorn.png", "AdrSprache": "ger""#),
        row(r#""AMDText": "so gross", "AdrSprache": "ger""#),
    ];
    let first = place.write("import/medien.ndjson", rows.concat());
    let csv = place.write(
        "import/ArtikelMedia.csv",
        "IDKey;ArtNr;Datei;AMDVerwendung\n77;A-1;rück.PNG;WEB\n",
    );
    let printed = place.run(&["import", &first, &csv]).success();
    assert!(printed.starts_with("4 rows: 4 added, "), "{printed}");
    assert_eq!(fs::read(kept(&place, b"vorn")).unwrap(), b"vorn");
    assert_eq!(fs::read(kept(&place, b"hinten")).unwrap(), b"hinten");
    let again = place.run(&["import", &first, &csv]).success();
    let nothing = " 0 added, 0 changed, 0 removed, ";
    assert!(again.lines().all(|line| line.contains(nothing)), "{again}");
    let checked = place.run(&["check"]).success();
    for count in ["3 media", "1 articles with media", "2 media files"] {
        let found = checked.lines().any(|line| line.trim() == count);
        assert!(found, "{count} in {checked}");
    }
}

#[test]
fn a_file_that_cannot_be_had_is_named_and_nothing_is_imported() {
    let place = Place::begun();
    let _ = place.write("secret.png", b"secret");
    let _ = place.write("import/good.png", b"good");
    let rows = [
        ARTICLE.to_owned(),
        row(r#""Datei": "good.png""#),
        row(r#""Datei": "../secret.png""#),
        row(r#""Datei": "fehlt.png""#),
        row(r#""SHA256": "00", "AMDBildFormat": "png""#),
    ];
    let file = place.write("import/medien.ndjson", rows.concat());
    let ran = place.run(&["import", &file]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    ran.says("medien.ndjson:5: ");
    let file = place.write("import/medien.ndjson", rows[..4].concat());
    let ran = place.run(&["import", &file]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    for told in [
        "medien.ndjson:3: ArtikelMedia.Datei: `../secret.png` must name a file in the folder",
        "medien.ndjson:4: ArtikelMedia.Datei: `fehlt.png` is not there (unknown_file)",
    ] {
        assert!(ran.stderr.contains(told), "{told} in {}", ran.stderr);
    }
    assert!(!kept(&place, b"secret").exists());
    let checked = place.run(&["check"]).success();
    assert!(!checked.contains(" articles\n"), "{checked}");
}

#[test]
fn files_without_a_record_are_listed_and_removed() {
    let place = Place::begun();
    let _ = place.write("a.png", b"named");
    let _ = place.write("b.png", b"changed");
    let rows = [
        ARTICLE.to_owned(),
        row(r#""IDKey": 1, "Datei": "a.png""#),
        row(r#""IDKey": 2, "Datei": "b.png""#),
    ];
    let file = place.write("medien.ndjson", rows.concat());
    let _ = place.run(&["import", &file]).success();
    let removal = place.write("weg.ndjson", row(r#""IDKey": 2, "Loeschen": true"#));
    let _ = place.run(&["import", &removal]).success();
    let young = place.run(&["media", "collect"]).success();
    assert_eq!(
        young,
        "1 files named by records, 0 not named moved aside (0 bytes), 0 of earlier days removed\n"
    );
    age(&place);
    let listed = place.run(&["media", "collect", "--dry-run"]).success();
    let line = format!("{} 7 bytes\n", hash_of(b"changed"));
    let end = "1 files named by records, 1 not named would be moved aside (7 bytes), 0 of earlier days removed\n";
    assert_eq!(listed, format!("{line}{end}"));
    let listed = place.run(&["media", "collect", "--dry-run", "--json"]);
    let listed: Value = serde_json::from_str(&listed.success()).unwrap();
    let file = json!({"sha256": hash_of(b"changed"), "bytes": 7});
    assert_eq!(
        listed,
        json!({"named": 1, "unnamed": [file], "removed": false})
    );
    assert!(kept(&place, b"changed").exists());
    let removed = place.run(&["media", "collect"]).success();
    assert_eq!(removed, format!("{line}{}", end.replace("would be ", "")));
    assert!(!kept(&place, b"changed").exists() && kept(&place, b"named").exists());
    assert!(place.run(&["check"]).success().contains("1 media files\n"));
    let aside = place.path("data/media/aside").join(hash_of(b"changed"));
    assert_eq!(files_below(&aside).len(), 1);
    let _ = place.run(&["media", "collect"]).success();
    assert_eq!(files_below(&aside).len(), 1);
    a_day_passes(&place);
    let removed = place.run(&["media", "collect"]).success();
    assert!(
        removed.ends_with(", 1 of earlier days removed\n"),
        "{removed}"
    );
    assert_eq!(files_below(&aside).len(), 0);
    // What another process may be receiving stays.
    let _ = place.write("data/media/new/left-over", b"x");
    let files = || files_below(&place.path("data/media")).len();
    let _ = place.run(&["media", "collect"]).success();
    assert_eq!(files(), 2);
    age(&place);
    let _ = place.run(&["media", "collect"]).success();
    assert_eq!(files(), 1);
}

#[test]
fn a_check_proves_every_file() {
    let place = Place::begun();
    let _ = place.write("a.png", b"eins");
    let _ = place.write("b.png", b"zwei");
    let rows = [
        ARTICLE.to_owned(),
        row(r#""Datei": "a.png""#),
        row(r#""Datei": "b.png""#),
    ];
    let file = place.write("medien.ndjson", rows.concat());
    let _ = place.run(&["import", &file]).success();
    fs::write(kept(&place, b"eins"), b"eIns").unwrap();
    fs::remove_file(kept(&place, b"zwei")).unwrap();
    let ran = place.run(&["check"]);
    assert_eq!(ran.code, Some(4));
    for told in ["does not match its name\n", "is missing\n"] {
        assert!(ran.stdout.contains(told), "{told} in {}", ran.stdout);
    }
    let ran = place.run(&["check", "--json"]);
    assert_eq!(ran.code, Some(4));
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["media_files"], 0);
    assert_eq!(found["findings"].as_array().unwrap().len(), 2);
    assert_eq!(
        ran.stderr,
        "erp-server: 2 findings; import the files again, or restore the last backup\n"
    );
    // The same import again repairs both, although it changes no record.
    let again = place.run(&["import", &file]).success();
    assert!(again.contains(" 0 added, 0 changed"), "{again}");
    assert!(place.run(&["check"]).success().contains("2 media files\n"));
}

#[test]
fn a_killed_import_leaves_a_sound_store() {
    let place = Place::begun();
    let mut rows = vec![ARTICLE.to_owned()];
    for at in 0..400 {
        let bytes = format!("picture {at} ").repeat(500);
        let _ = place.write(&format!("bilder/{at}.png"), bytes);
        rows.push(row(&format!(r#""Datei": "bilder/{at}.png""#)));
    }
    let file = place.write("medien.ndjson", rows.concat());
    let media = place.path("data/media");
    for wanted in [1, 60, 250] {
        let mut import = place.command(&["import", &file]);
        let mut child = import
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while files_below(&media).len() < wanted && begun.elapsed() < Duration::from_secs(30) {
            if child.try_wait().unwrap().is_some() {
                break;
            }
        }
        child.kill().unwrap();
        let _ = child.wait().unwrap();
        let checked = place.run(&["check"]).success();
        assert!(checked.ends_with("the store is sound\n"), "{checked}");
    }
    let _ = place.run(&["import", &file]).success();
    let checked = place.run(&["check"]).success();
    assert!(checked.contains(" 400 media\n") && checked.contains(" 400 media files\n"));
    // The files that the killed imports left are collected, and nothing else.
    age(&place);
    let _ = place.run(&["media", "collect"]).success();
    a_day_passes(&place);
    let _ = place.run(&["media", "collect"]).success();
    assert_eq!(files_below(&media).len(), 400);
}
