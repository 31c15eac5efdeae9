//! The report of the check as an HTML document, of all fixtures: every finding once, no link without a target, and
//! the whole document of a few. `UPDATE_GOLDEN=1` writes these to `golden/reports`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use erp_core::zugferd::xml::text::escape;
use erp_core::zugferd::{CheckLimits, IndexEntry, Language, Report, check, check_html, index_html};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Name and bytes of every XML among the fixtures.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folders = ["fixtures/check", "fixtures/zugferd/xml"].map(folder);
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let xml = paths.filter(|path| path.extension().is_some_and(|ending| ending == "xml"));
    let mut files: Vec<_> = xml
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    assert!(files.len() > 40);
    files
}

/// The texts after each `start`, up to a quotation mark.
fn values<'h>(html: &'h str, start: &str) -> Vec<&'h str> {
    let rests = html.split(start).skip(1);
    rests.map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The sentence without the marks around values.
fn plain(html: &str) -> String {
    html.replace("<code>", "").replace("</code>", "")
}

fn judge(name: &str, report: &Report, html: &str, language: Language) {
    let text = plain(html);
    for finding in &report.findings {
        let sentence = escape(&language.choose(&finding.en, &finding.de).replace('`', ""));
        assert!(text.contains(&sentence), "{name}: {sentence}");
    }
    let listed = if report.rules.is_empty() {
        0
    } else {
        report.findings.len()
    };
    // Those that say the same at one place are one item, with the lines of the others.
    for (number, finding) in report.findings.iter().enumerate().take(listed) {
        let terms = finding.terms.join(", ");
        let code = format!(" <code>{}</code> {terms}</p>", finding.rule);
        assert!(html.contains(&code), "{name}: {code}");
        let (item, line) = (format!("<li id=\"f{number}\""), finding.line);
        let place = format!(" {line} <code>{}</code>", finding.path);
        let other = format!("<span id=\"f{number}\">{line}</span>");
        let is_item = html.contains(&item) && html.contains(&place);
        assert!(is_item != html.contains(&other), "{name}: {place}");
    }
    assert_eq!(html.matches(" id=\"f").count(), listed, "{name}");
    let ids = values(html, " id=\"");
    let targets: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(targets.len(), ids.len(), "{name}: ids are unique");
    let links: BTreeSet<&str> = values(html, " href=\"#").into_iter().collect();
    let missing: Vec<_> = links.difference(&targets).collect();
    assert!(missing.is_empty(), "{name}: {missing:?}");
    for outside in [
        "<script",
        " style=",
        "http-equiv",
        "src=",
        "url(",
        "@import",
    ] {
        let own = html.split("<main ").next().unwrap();
        assert!(!own.contains(outside), "{name}: {outside}");
    }
}

#[test]
fn every_finding_is_in_the_report_once_and_every_link_has_a_target() {
    for (name, xml) in fixtures() {
        let expected = check(&xml, &CheckLimits::DEFAULT);
        for language in [Language::English, Language::German] {
            let (report, html) = check_html(&xml, &CheckLimits::DEFAULT, language, &name);
            assert_eq!(report, expected, "{name}");
            judge(&name, &report, &html, language);
        }
    }
}

#[test]
fn whole_reports_are_the_golden_ones() {
    let fixtures = fixtures();
    let mut entries = Vec::new();
    for (name, language) in [
        ("valid.xml", Language::German),
        ("broken-sums.xml", Language::English),
        ("broken-terms.xml", Language::English),
        ("broken-xml.xml", Language::German),
        ("ubl-broken.xml", Language::German),
        ("ubl-credit-note.xml", Language::English),
        ("no-fatturapa.xml", Language::English),
        ("order-x-comfort.xml", Language::German),
        ("zugferd-1.0-comfort.xml", Language::German),
    ] {
        let (_, xml) = fixtures.iter().find(|(known, _)| known == name).unwrap();
        let (report, html) = check_html(xml, &CheckLimits::DEFAULT, language, name);
        let page = format!("{name}.html");
        compare(&page, &html);
        entries.push(IndexEntry::checked(name, &page, &report, Language::English));
    }
    entries.push(IndexEntry::failed("none.xml", "No such file or directory"));
    compare("index.html", &index_html(&entries, Language::English));
}

fn compare(name: &str, html: &str) {
    let folder = folder("golden/reports");
    let path = folder.join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(&folder).unwrap();
        fs::write(&path, html).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == html,
        "{}: UPDATE_GOLDEN=1 rewrites it",
        path.display()
    );
}

/// An invoice, an order and a document of an older format are shown alike, with their lines and sums.
#[test]
fn what_is_not_checked_is_shown_all_the_same() {
    for (name, pieces) in [
        (
            "zugferd-1.0-comfort.xml",
            &["Rechnung 4711 vom 25.06.2014", "Nicht geprüft"][..],
        ),
        (
            "order-x-comfort.xml",
            &[
                "Bestellung B-12 vom 02.01.2026",
                "Küchen Beispiel AG",
                "Nicht geprüft",
            ],
        ),
        (
            "no-fatturapa.xml",
            &[
                "Was das Dokument ist",
                "Nicht geprüft",
                "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2",
            ],
        ),
        ("no-cut.xml", &["Wo es ist", "Nicht geprüft"]),
    ] {
        let fixtures = fixtures();
        let (_, xml) = fixtures.iter().find(|(known, _)| known == name).unwrap();
        let (_, html) = check_html(xml, &CheckLimits::DEFAULT, Language::German, name);
        for piece in pieces {
            assert!(html.contains(piece), "{name}: {piece}: {html}");
        }
    }
}
