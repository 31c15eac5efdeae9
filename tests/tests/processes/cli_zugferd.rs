//! `erp-server zugferd` of the real binary, on files in a temporary folder.

use std::fs;
use std::path::Path;

use erp_core::zugferd::{ExtractOptions, extract};
use erp_tests::invoice;
use erp_tests::process::{self, Ran};
use serde_json::Value;
use tempfile::TempDir;

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zugferd");
    let path = folder.join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

struct Place(TempDir);

impl Place {
    fn with(copies: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, source) in copies {
            fs::write(place.0.path().join(name), fixture(source)).unwrap();
        }
        place
    }

    fn zugferd(&self, arguments: &[&str]) -> Ran {
        let mut command = process::command(["zugferd"].iter().chain(arguments));
        command.current_dir(self.0.path()).env("LC_ALL", "C");
        Ran::of(command.output().unwrap())
    }

    fn read(&self, name: &str) -> Vec<u8> {
        let path = self.0.path().join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.path().join(folder)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn xml_of(pdf: &[u8]) -> Vec<u8> {
    extract(pdf, &ExtractOptions::default()).unwrap().xml
}

#[test]
fn an_invoice_goes_into_a_pdf_and_out_again() {
    let place = Place::with(&[("a.pdf", "a3b.pdf"), ("b.xml", "xml/facturx-en16931.xml")]);
    let said = place.zugferd(&["combine", "a.pdf", "b.xml"]).success();
    assert!(
        said.starts_with("a.pdf: a-hybrid.pdf: Factur-X EN 16931, PDF/A kept, invoice "),
        "{said}"
    );
    let hybrid = place.read("a-hybrid.pdf");
    assert!(hybrid.starts_with(&place.read("a.pdf")));
    assert!(xml_of(&hybrid) == place.read("b.xml"));
    let said = place.zugferd(&["extract", "a-hybrid.pdf"]).success();
    assert_eq!(
        said,
        "a-hybrid.pdf: a-hybrid.xml: Factur-X EN 16931, embedded as `factur-x.xml`\n"
    );
    assert!(place.read("a-hybrid.xml") == place.read("b.xml"));
    assert_eq!(
        place.names("."),
        ["a-hybrid.pdf", "a-hybrid.xml", "a.pdf", "b.xml"]
    );
}

#[test]
fn results_go_beside_into_a_folder_to_a_file_or_to_standard_output() {
    let place = Place::with(&[
        ("a.pdf", "a3b.pdf"),
        ("b.pdf", "plain-helvetica.pdf"),
        ("a.xml", "xml/facturx-basic.xml"),
        ("b.XML", "xml/facturx-minimum.xml"),
    ]);
    // Each PDF with the XML of the same name.
    let said = place
        .zugferd(&["combine", "--output-dir", "out/in", "a.pdf", "b.pdf"])
        .success();
    assert_eq!(place.names("out/in"), ["a.pdf", "b.pdf"]);
    assert!(xml_of(&place.read("out/in/a.pdf")) == place.read("a.xml"));
    assert!(xml_of(&place.read("out/in/b.pdf")) == place.read("b.XML"));
    assert!(
        said.contains("b.pdf: out/in/b.pdf: Factur-X MINIMUM, PDF/A not-claimed, invoice "),
        "{said}"
    );
    assert!(said.contains("Helvetica"), "{said}");
    // One XML for all.
    let _ = place
        .zugferd(&["combine", "--xml", "a.xml", "a.pdf", "b.pdf"])
        .success();
    assert!(xml_of(&place.read("b-hybrid.pdf")) == place.read("a.xml"));
    // To a file, and to standard output, which has only the bytes of the PDF.
    let _ = place
        .zugferd(&["combine", "a.pdf", "a.xml", "--output", "x.bin"])
        .success();
    assert!(xml_of(&place.read("x.bin")) == place.read("a.xml"));
    let ran = place.zugferd(&["extract", "out/in/a.pdf", "-o", "-"]);
    ran.says("Factur-X BASIC");
    assert!(ran.success().into_bytes() == place.read("a.xml"));
    let _ = place
        .zugferd(&[
            "extract",
            "--output-dir",
            "xml",
            "out/in/a.pdf",
            "out/in/b.pdf",
        ])
        .success();
    assert_eq!(place.names("xml"), ["a.xml", "b.xml"]);
}

#[test]
fn a_batch_goes_on_after_a_bad_file() {
    let place = Place::with(&[
        ("1.pdf", "hybrid-facturx-basic.pdf"),
        ("2.pdf", "a3b.pdf"),
        ("3.pdf", "no-pdf.pdf"),
        ("5.pdf", "hybrid-zugferd-2.0-basic.pdf"),
    ]);
    let ran = place.zugferd(&["extract", "1.pdf", "2.pdf", "3.pdf", "4.pdf", "5.pdf"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
    ran.says("2.pdf: the PDF has no embedded invoice");
    ran.says("4.pdf: ");
    assert!(
        ran.stderr.ends_with("erp-server: 3 of 5 files failed\n"),
        "{}",
        ran.stderr
    );
    assert!(place.read("1.xml") == fixture("xml/facturx-basic.xml"));
    assert!(place.read("5.xml") == fixture("xml/zugferd-2.0-basic.xml"));
    // The XML with the name of the PDF is missing.
    let ran = place.zugferd(&["combine", "2.pdf"]);
    assert_eq!(ran.code, Some(1));
    ran.says("2.pdf: 2.xml: ");
}

#[test]
fn nothing_is_replaced_without_force() {
    let place = Place::with(&[
        ("a.pdf", "hybrid-facturx-basic.pdf"),
        ("a.xml", "xml/facturx-minimum.xml"),
    ]);
    let before = place.read("a.xml");
    let ran = place.zugferd(&["extract", "a.pdf"]);
    assert_eq!(ran.code, Some(1));
    ran.says("a.xml: it exists already; `--force` replaces it");
    assert!(place.read("a.xml") == before);
    assert_eq!(
        place.names("."),
        ["a.pdf", "a.xml"],
        "no part of a file is left"
    );
    let _ = place.zugferd(&["extract", "--force", "a.pdf"]).success();
    assert!(place.read("a.xml") == fixture("xml/facturx-basic.xml"));
    // With the option, even the input itself.
    fs::write(place.0.path().join("m.xml"), &before).unwrap();
    let arguments = ["combine", "a.pdf", "m.xml", "-o", "a.pdf"];
    assert_eq!(place.zugferd(&arguments).code, Some(1));
    let _ = place
        .zugferd(&[&arguments[..], &["--force"]].concat())
        .success();
    assert!(xml_of(&place.read("a.pdf")) == before);
    assert_eq!(place.names("."), ["a.pdf", "a.xml", "m.xml"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |name: &str| {
            fs::metadata(place.0.path().join(name))
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(mode("a.pdf"), mode("m.xml"), "as files are made here");
    }
}

#[test]
fn a_run_replaces_none_of_its_own_results() {
    let place = Place::with(&[]);
    for (folder, name) in [("a", "basic"), ("b", "minimum")] {
        let folder = place.0.path().join(folder);
        fs::create_dir(&folder).unwrap();
        let hybrid = fixture(&format!("hybrid-facturx-{name}.pdf"));
        fs::write(folder.join("i.pdf"), hybrid).unwrap();
        let xml = fixture(&format!("xml/facturx-{name}.xml"));
        fs::write(folder.join("i.xml"), xml).unwrap();
    }
    let basic = fixture("xml/facturx-basic.xml");
    for (command, result) in [("extract", "r/i.xml"), ("combine", "r/i.pdf")] {
        let inputs = ["a/i.pdf", "b/i.pdf", "--output-dir", "r", "--force"];
        let ran = place.zugferd(&[&[command][..], &inputs].concat());
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        ran.says(&format!(
            "b/i.pdf: {result}: it was written in this run for `a/i.pdf`"
        ));
        let kept = place.read(result);
        assert!(kept == basic || xml_of(&kept) == basic);
    }
}

#[test]
fn pdf_a_can_be_required_and_encryption_taken_off() {
    let place = Place::with(&[
        ("plain.pdf", "plain-helvetica.pdf"),
        ("enc.pdf", "enc-aes256-owner-only.pdf"),
        ("i.xml", "xml/facturx-basic.xml"),
    ]);
    let ran = place.zugferd(&["combine", "plain.pdf", "i.xml", "--require-pdfa"]);
    assert_eq!(ran.code, Some(1));
    ran.says("cannot become PDF/A-3");
    ran.says("Helvetica");
    let ran = place.zugferd(&["combine", "enc.pdf", "i.xml"]);
    assert_eq!(ran.code, Some(1));
    ran.says("encrypted");
    let _ = place
        .zugferd(&["combine", "enc.pdf", "i.xml", "--decrypt"])
        .success();
    assert!(xml_of(&place.read("enc-hybrid.pdf")) == place.read("i.xml"));
}

// rule: R-ZUG-20
#[test]
fn a_file_with_a_password_is_read_with_it() {
    let place = Place::with(&[
        ("e.pdf", "enc-aes256-user-password.pdf"),
        ("i.xml", "xml/facturx-basic.xml"),
    ]);
    for (name, line) in [
        ("right", "user\nmore\n"),
        ("wrong", "falsch\n"),
        ("empty", "\n"),
    ] {
        fs::write(place.0.path().join(name), line).unwrap();
    }
    for command in [&["combine", "e.pdf", "i.xml"][..], &["extract", "e.pdf"]] {
        let ran = place.zugferd(command);
        assert_eq!(ran.code, Some(1));
        ran.says("protected by a password, and none is given");
    }
    let with =
        |command: &[&str], file| place.zugferd(&[command, &["--password-file", file]].concat());
    for command in ["extract", "inspect", "check", "read"] {
        let ran = with(&[command, "e.pdf"], "wrong");
        assert_eq!(ran.code, Some(1), "{command}");
        ran.says("another password than the one that is given");
        assert!(!ran.stderr.contains("falsch"));
        let ran = with(&[command, "e.pdf"], "empty");
        assert_eq!(ran.code, Some(2), "{command}");
        ran.says("must be a password of 1 to 127 characters");
    }
    let _ = with(&["combine", "e.pdf", "i.xml"], "right").success();
    assert!(xml_of(&place.read("e-hybrid.pdf")) == place.read("i.xml"));
    let _ = with(&["extract", "e.pdf"], "right").success();
    let said = with(&["read", "e.pdf"], "right").success();
    assert!(said.contains("\"BT-1\": "), "{said}");
    let said = with(&["inspect", "e.pdf"], "right").success();
    assert!(
        said.contains("1 page") && said.contains("needs a password"),
        "{said}"
    );
}

#[test]
fn files_are_reported_for_people_and_programs() {
    let place = Place::with(&[
        ("h.pdf", "hybrid-facturx-en16931.pdf"),
        ("p.pdf", "plain-helvetica.pdf"),
        ("s.pdf", "a3b-signed.pdf"),
        ("e.pdf", "enc-aes256-user-password.pdf"),
    ]);
    let said = place
        .zugferd(&["inspect", "h.pdf", "p.pdf", "s.pdf", "e.pdf"])
        .success();
    for piece in [
        "h.pdf:\n  PDF 1.",
        "claims PDF/A-3b\n  nothing found against PDF/A-3b\n",
        "metadata name Factur-X: INVOICE EN 16931, version 1.0, file `factur-x.xml`",
        "invoice: Factur-X EN 16931, urn:cen.eu:en16931:2017",
        "p.pdf:\n",
        "claims no PDF/A\n",
        "Helvetica",
        "nothing is attached",
        "signed",
        "encrypted, needs a password",
    ] {
        assert!(said.contains(piece), "`{piece}` in {said}");
    }
    let ran = place.zugferd(&["inspect", "--json", "h.pdf", "none.pdf", "p.pdf"]);
    assert_eq!(ran.code, Some(1));
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["file"], "h.pdf");
    assert_eq!(lines[0]["pages"], 1);
    assert_eq!(lines[0]["attachments"][0]["invoice"]["level"], "EN 16931");
    assert_eq!(lines[0]["pdfa_faults"].as_array().unwrap().len(), 0);
    assert!(!lines[1]["pdfa_faults"].as_array().unwrap().is_empty());
    assert!(lines[1]["encryption"].is_null());
}

/// `valid.xml`, `broken.xml`, `cut.xml`, and PDFs `valid.pdf` and `broken` with the first two.
fn with_invoices() -> Place {
    let place = Place::with(&[("p.pdf", "a3b.pdf"), ("order.xml", "xml/order-x-basic.xml")]);
    for (name, xml) in [
        ("valid.xml", invoice::VALID),
        ("broken.xml", &invoice::broken()),
        ("cut.xml", invoice::cut()),
    ] {
        fs::write(place.0.path().join(name), xml).unwrap();
    }
    for (xml, pdf) in [("valid.xml", "valid.pdf"), ("broken.xml", "broken")] {
        let _ = place
            .zugferd(&["combine", "p.pdf", xml, "-o", pdf])
            .success();
    }
    place
}

#[test]
fn valid_invoices_have_a_line_each() {
    let place = with_invoices();
    let said = place
        .zugferd(&["check", "valid.xml", "valid.pdf"])
        .success();
    let rules = "valid, EN 16931 CII 1.3.16, Factur-X 1.09 (structure: Factur-X 1.09 EN 16931)\n";
    assert!(said.starts_with(&format!("valid.xml: {rules}")), "{said}");
    assert!(said.ends_with(&format!("valid.pdf: {rules}")), "{said}");
    assert_eq!(said.lines().count(), 2);
}

#[test]
fn an_invoice_that_is_not_valid_fails_with_its_findings() {
    let place = with_invoices();
    let ran = place.zugferd(&["check", "broken.xml"]);
    assert_eq!(ran.code, Some(1));
    let (stdout, stderr) = (&ran.stdout, &ran.stderr);
    assert!(
        stdout.starts_with("broken.xml: invalid, fatal: "),
        "{stdout}"
    );
    assert!(stdout.contains(" fatal BR-02 (BT-1): "), "{stdout}");
    assert!(stderr.contains("1 of 1 invoices are not valid"), "{stderr}");
    // A PDF is recognised by its content.
    let of_pdf = place.zugferd(&["check", "broken"]);
    assert_eq!(of_pdf.stdout, stdout.replace("broken.xml", "broken"));
}

#[test]
fn the_language_is_the_one_asked_for() {
    let place = with_invoices();
    let ran = place.zugferd(&["check", "--lang", "de", "broken.xml"]);
    let said = &ran.stderr;
    assert!(said.contains("1 von 1 Rechnungen ungültig"), "{said}");
    let german = ran.stdout;
    for piece in [
        "broken.xml: ungültig, Fehler: ",
        "(Struktur: Factur-X 1.09 EN 16931)\n",
        ": Fehler BR-02 (BT-1): ",
        "\n    /rsm:CrossIndustryInvoice\n",
    ] {
        assert!(german.contains(piece), "{piece}: {german}");
    }
    let of = |name: &str, value: &str| {
        let mut command = process::command(["zugferd", "check", "broken.xml"]);
        command.current_dir(place.0.path());
        command
            .env_remove("LC_ALL")
            .env_remove("LC_MESSAGES")
            .env(name, value);
        Ran::of(command.output().unwrap()).stdout
    };
    assert_eq!(of("LANG", "de_CH.UTF-8"), german);
    assert!(of("LANG", "fr_CH.UTF-8").contains("invalid, fatal: "));
}

#[test]
fn ubl_is_checked_with_its_structure() {
    let place = with_invoices();
    for (name, says) in [
        ("ubl-invoice.xml", "ubl-invoice.xml: gültig, "),
        ("ubl-credit-note.xml", "ubl-credit-note.xml: gültig, "),
        (
            "ubl-broken.xml",
            "ubl-broken.xml: ungültig, Fehler: 4, Warnungen: 1, ",
        ),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/check");
        fs::copy(folder.join(name), place.0.path().join(name)).unwrap();
        let told = place.zugferd(&["check", "--lang", "de", name]).stdout;
        let rules = "EN 16931 UBL 1.3.16, XRechnung 3.0.2 UBL 2.5.0 (Struktur: UBL 2.1)\n";
        assert!(told.starts_with(&format!("{says}{rules}")), "{told}");
    }
}

#[test]
fn equal_findings_are_told_once_and_a_guideline_without_rules_first() {
    let place = with_invoices();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/check");
    let xml = fs::read_to_string(folder.join("ubl-invoice.xml")).unwrap();
    let xml = xml.replace("xrechnung_3.0", "xrechnung_4.0");
    let xml = xml.replace("</cac:InvoiceLine>", "\n<cbc:Note/></cac:InvoiceLine>");
    fs::write(place.0.path().join("new.xml"), xml).unwrap();
    let told = place.zugferd(&["check", "--lang", "de", "new.xml"]).stdout;
    let lines: Vec<&str> = told.lines().collect();
    assert!(
        lines[1].contains(": Warnung ERP-GUIDELINE (BT-24): "),
        "{told}"
    );
    let number = lines.iter().position(|line| line.contains("ERP-STRUCTURE"));
    let again = lines[number.unwrap() + 2];
    assert!(again.starts_with("    2-mal, auch in Zeilen "), "{told}");
    assert_eq!(told.matches("ERP-STRUCTURE").count(), 1, "{told}");
}

#[test]
fn an_invoice_is_read_from_standard_input() {
    let place = with_invoices();
    for (name, verdict) in [
        ("valid.xml", "-: valid, "),
        ("valid.pdf", "-: valid, "),
        ("broken.xml", "-: invalid, "),
    ] {
        let mut command = process::command(["zugferd", "check", "-"]);
        command.stdin(fs::File::open(place.0.path().join(name)).unwrap());
        let ran = Ran::of(command.output().unwrap());
        assert!(ran.stdout.starts_with(verdict), "{}", ran.stdout);
    }
}

/// `a.xml` and `b.PDF` in the folder `in`, `cut.xml` in a folder inside it, and what is not searched for.
fn with_folder() -> Place {
    let place = with_invoices();
    let at = |name: &str| place.0.path().join(name);
    fs::create_dir_all(at("in/c/d")).unwrap();
    for (from, to) in [
        ("valid.xml", "in/a.xml"),
        ("broken", "in/b.PDF"),
        ("cut.xml", "in/c/d/cut.xml"),
        ("valid.xml", "in/c/notes.txt"),
    ] {
        fs::copy(at(from), at(to)).unwrap();
    }
    #[cfg(unix)]
    for (target, link) in [("..", "in/c/up"), ("../a.xml", "in/c/link.xml")] {
        std::os::unix::fs::symlink(target, at(link)).unwrap();
    }
    place
}

#[test]
fn a_folder_is_checked_with_the_folders_inside_it() {
    let place = with_folder();
    let ran = place.zugferd(&["check", "in"]);
    assert_eq!(ran.code, Some(1));
    let verdicts = ran.stdout.lines().filter(|line| !line.starts_with(' '));
    let verdicts: Vec<&str> = verdicts
        .filter_map(|line| line.split([',', '(']).next())
        .collect();
    let expected = [
        "in/a.xml: valid",
        "in/b.PDF: invalid",
        "in/c/d/cut.xml: not checked",
    ];
    assert_eq!(verdicts, expected);
    let ran = place.zugferd(&["check", "--json", "in/c", "in/a.xml"]);
    let files: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let files: Vec<_> = files
        .iter()
        .map(|line| line["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["in/c/d/cut.xml", "in/a.xml"]);
    fs::create_dir(place.0.path().join("empty")).unwrap();
    let ran = place.zugferd(&["check", "empty", "in/a.xml"]);
    assert_eq!(ran.code, Some(1));
    ran.says("empty: there is no `*.xml` or `*.pdf` in this folder");
    assert!(ran.stdout.starts_with("in/a.xml: valid"), "{}", ran.stdout);
}

#[test]
fn a_report_as_html_is_beside_its_document_or_where_it_is_asked_for() {
    let place = with_invoices();
    let text = |name: &str| String::from_utf8(place.read(name)).unwrap();
    let said = place.zugferd(&["check", "--html", "valid.xml"]).success();
    assert_eq!(said, "valid.xml: valid.xml.html: valid\n");
    let page = text("valid.xml.html");
    for piece in [
        "<!DOCTYPE html>",
        "<h1>valid.xml</h1>",
        "<h2>Valid</h2>",
        "Sägewerk Müller &amp; Söhne",
    ] {
        assert!(page.contains(piece), "{piece}: {page}");
    }
    // Nothing is replaced.
    let ran = place.zugferd(&["check", "--html", "--lang", "de", "valid.xml"]);
    assert_eq!(ran.code, Some(1));
    ran.says("valid.xml.html: it exists already; `--force` replaces it");
    assert_eq!(text("valid.xml.html"), page);
    let _ = place
        .zugferd(&["check", "--html", "--force", "--lang", "de", "valid.xml"])
        .success();
    assert!(text("valid.xml.html").contains("<h2>Gültig</h2>"));
    let ran = place.zugferd(&["check", "--html", "-o", "-", "valid.pdf"]);
    ran.says("valid.pdf: -: valid");
    assert_eq!(ran.success(), page.replace("valid.xml", "valid.pdf"));
    let ran = place.zugferd(&["check", "--html", "--json", "-o", "r.html", "broken.xml"]);
    assert_eq!(ran.code, Some(1));
    let line: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&line["output"], &line["valid"]),
        (&"r.html".into(), &false.into())
    );
    assert!(text("r.html").contains("<code>BR-02</code>"));
}

#[test]
fn a_report_on_standard_input_is_on_standard_output() {
    let place = with_invoices();
    let ran = |arguments: &[&str]| {
        let mut command = process::command(["zugferd", "check", "--html"].iter().chain(arguments));
        command.current_dir(place.0.path()).env("LC_ALL", "C");
        command.stdin(fs::File::open(place.0.path().join("broken")).unwrap());
        Ran::of(command.output().unwrap())
    };
    let page = ran(&["-"]);
    assert_eq!(page.code, Some(1));
    assert!(page.stdout.starts_with("<!DOCTYPE html>") && page.stdout.ends_with("</html>\n"));
    page.says("-: -: invalid, fatal: ");
    let filed = ran(&["--output-dir", "out", "-", "valid.xml"]);
    assert!(
        filed
            .stdout
            .starts_with("-: out/standard-input.html: invalid"),
        "{}",
        filed.stdout
    );
    assert_eq!(
        place.names("out"),
        ["index.html", "standard-input.html", "valid.xml.html"]
    );
    assert_eq!(
        place.read("out/standard-input.html"),
        page.stdout.into_bytes()
    );
}

#[test]
fn the_reports_on_a_folder_have_an_index() {
    let place = with_folder();
    let folder = [
        "check",
        "--html",
        "--output-dir",
        "out",
        "in",
        "in/a.xml",
        "none.xml",
    ];
    let ran = place.zugferd(&folder);
    assert_eq!(ran.code, Some(1));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert_eq!(lines[0], "in/a.xml: out/a.xml.html: valid");
    assert_eq!(
        (lines[3], lines[4]),
        ("in/a.xml: out/a.xml-2.html: valid", "out/index.html")
    );
    assert!(
        ran.stderr
            .ends_with("1 of 5 files failed, and 2 invoices are not valid\n"),
        "{}",
        ran.stderr
    );
    let pages = [
        "a.xml-2.html",
        "a.xml.html",
        "b.PDF.html",
        "c-d-cut.xml.html",
        "index.html",
    ];
    assert_eq!(place.names("out"), pages);
    let index = String::from_utf8(place.read("out/index.html")).unwrap();
    for piece in [
        "2 / 5 valid",
        "<a href=\"./b.PDF.html\">b.PDF</a></td><td class=\"invalid\">Invalid: ",
        "<a href=\"./c-d-cut.xml.html\">c/d/cut.xml</a></td><td class=\"unknown\">Not checked",
        "<td>none.xml</td><td class=\"invalid\">No such file",
    ] {
        assert!(index.contains(piece), "{piece}: {index}");
    }
    // A second time everything is there already, and it is said of the index too.
    let ran = place.zugferd(&folder);
    ran.says("index.html: out/index.html: it exists already");
    ran.says("b.PDF: out/b.PDF.html: it exists already");
    assert_eq!(place.read("out/index.html"), index.into_bytes());
    let _ = place.zugferd(&[&folder[..], &["--force"]].concat());
    assert_eq!(place.names("out"), pages);
}

#[test]
fn combining_tells_whether_the_invoice_is_valid_and_may_ask_for_it() {
    let place = with_invoices();
    let said = place
        .zugferd(&["combine", "p.pdf", "valid.xml", "-o", "1.pdf"])
        .success();
    assert_eq!(
        said,
        "p.pdf: 1.pdf: Factur-X EN 16931, PDF/A kept, invoice valid\n"
    );
    let said = place
        .zugferd(&["combine", "p.pdf", "broken.xml", "-o", "2.pdf"])
        .success();
    assert!(said.contains(", invoice invalid, fatal: "), "{said}");
    let said = place
        .zugferd(&["combine", "p.pdf", "order.xml", "-o", "3.pdf"])
        .success();
    assert!(said.ends_with(", invoice not checked\n"), "{said}");
    let json = ["combine", "--json", "p.pdf", "broken.xml", "-o", "4.pdf"];
    let json: Value = serde_json::from_str(&place.zugferd(&json).success()).unwrap();
    assert_eq!(json["check"]["valid"], false);
    for xml in ["broken.xml", "order.xml"] {
        let ran = place.zugferd(&["combine", "--require-valid", "p.pdf", xml, "-o", "5.pdf"]);
        assert_eq!(ran.code, Some(1));
        ran.says(&format!("{xml}: "));
        ran.says(" fatal ");
    }
    assert!(!place.names(".").contains(&"5.pdf".to_owned()));
    let valid = [
        "combine",
        "--require-valid",
        "p.pdf",
        "valid.xml",
        "-o",
        "5.pdf",
    ];
    let _ = place.zugferd(&valid).success();
}

/// One JSON line for each file that can be read. The others are named, and the batch continues.
#[test]
fn a_batch_of_invoices_is_checked_to_its_end() {
    let place = with_invoices();
    let files = [
        "cut.xml",
        "p.pdf",
        "none.xml",
        "order.xml",
        "broken",
        "valid.pdf",
    ];
    let ran = place.zugferd(&[&["check", "--json"], &files[..]].concat());
    assert_eq!(ran.code, Some(1));
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let result = |line: &Value| {
        let file = line["file"].as_str().unwrap().to_owned();
        (file, line["valid"].as_bool().unwrap())
    };
    let results: Vec<_> = lines.iter().map(result).collect();
    let expected = [
        ("cut.xml", false),
        ("order.xml", false),
        ("broken", false),
        ("valid.pdf", true),
    ];
    assert_eq!(
        results,
        expected.map(|(file, valid)| (file.to_owned(), valid))
    );
    assert_eq!(lines[0]["findings"][0]["rule"], "ERP-XML");
    assert!(!lines[2]["findings"][0]["de"].as_str().unwrap().is_empty());
    assert!(
        ran.stderr
            .ends_with("2 of 6 files failed, and 3 invoices are not valid\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_invoices_say_is_printed_as_json() {
    let place = with_invoices();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/check");
    let ubl = folder.join("ubl-invoice.xml");
    for (name, expected) in [
        ("valid.xml", "CII"),
        ("valid.pdf", "CII"),
        (ubl.to_str().unwrap(), "UBL"),
    ] {
        let said = place.zugferd(&["read", name]).success();
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["syntax"], expected);
        let line = place.zugferd(&["read", "--json", name]).success();
        assert_eq!(line.lines().count(), 1);
        let mut line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["file"], name);
        line.as_object_mut().unwrap().remove("file");
        assert_eq!(line, said);
    }
    fs::write(
        place.0.path().join("order.xml"),
        fixture("xml/order-x-basic.xml"),
    )
    .unwrap();
    fs::write(place.0.path().join("cut.xml"), invoice::cut()).unwrap();
    let ran = place.zugferd(&["read", "--json", "order.xml", "valid.xml", "cut.xml"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(1), 1));
    ran.says("order.xml: the root element `SCRDMCCBDACIOMessageStructure` is neither");
    ran.says("cut.xml: the XML is not well-formed: line ");
    ran.says("2 of 3 files failed");
}

#[test]
fn the_invoice_that_is_checked_may_be_named() {
    let place = with_invoices();
    for command in ["check", "read"] {
        let ran = place.zugferd(&[command, "--file-name", "x.xml", "valid.pdf"]);
        assert_eq!(ran.code, Some(1));
        ran.says("x.xml");
    }
}

#[test]
fn a_wrong_command_line_is_reported_as_such() {
    let place = Place::with(&[
        ("a.pdf", "a3b.pdf"),
        ("b.pdf", "a3b.pdf"),
        ("a.xml", "xml/facturx-basic.xml"),
    ]);
    for arguments in [
        &[][..],
        &["split"],
        &["combine"],
        &["extract", "--nothing", "a.pdf"],
        &["combine", "a.pdf", "b.pdf", "a.xml"],
        &["combine", "a.xml"],
        &["combine", "a.pdf", "a.xml", "--xml", "a.xml"],
        &["combine", "a.pdf", "b.pdf", "--xml", "a.xml", "-o", "c.pdf"],
        &["extract", "a.pdf", "-o", "x", "--output-dir", "y"],
        &["check"],
        &["check", "--nothing", "a.xml"],
        &["check", "--lang", "fr", "a.xml"],
        &["check", "-o", "b.html", "a.xml"],
        &["check", "--html", "-o", "b.html", "a.xml", "a.pdf"],
    ] {
        let ran = place.zugferd(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty() && ran.stdout.is_empty());
    }
    assert_eq!(place.names("."), ["a.pdf", "a.xml", "b.pdf"]);
}
