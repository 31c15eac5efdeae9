//! The check of invoices by `POST /www/zugferd`, and what they say: the report, the header in responses of every operation, and the
//! setting that requires valid invoices.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::zugferd::{CheckLimits, CombineOptions, check, combine, read};
use erp_tests::exchange::Exchange;
use erp_tests::invoice::{VALID, broken, cut, with_warning};
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zugferd");
    let path = folder.join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn post(server: &Server, operation: &str, pdf: &[u8], xml: &[u8]) -> Exchange {
    let mut body = json!({"Operation": operation});
    for (name, bytes) in [("PDF", pdf), ("XML", xml)] {
        if !bytes.is_empty() {
            body[name] = STANDARD.encode(bytes).into();
        }
    }
    server.send("POST", "/www/zugferd", &body)
}

fn hybrid(xml: &[u8]) -> Vec<u8> {
    let options = CombineOptions::default();
    combine(&fixture("a3b.pdf"), xml, &options).unwrap().pdf
}

fn rules(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    let rules = findings.iter().map(|finding| &finding["rule"]);
    rules.map(|rule| rule.as_str().unwrap()).collect()
}

// rule: R-ZUG-40
#[test]
fn an_xml_and_the_invoice_of_a_pdf_have_the_same_report() {
    let server = Server::shared();
    let valid = post(&server, "check", b"", VALID.as_bytes()).expect(200);
    assert_eq!(
        valid.header("content-type"),
        Some(erp_tests::exchange::JSON)
    );
    assert_eq!(valid.header("content-disposition"), None);
    let report = &valid.json()["data"];
    assert_eq!(report["valid"], true, "{report}");
    assert_eq!(report["profile"], "urn:cen.eu:en16931:2017");
    assert!(!report["rules"].as_array().unwrap().is_empty());

    let xml = broken().into_bytes();
    let checked = post(&server, "Check", b"", &xml).expect(200);
    let report = &checked.json()["data"];
    assert_eq!(report["valid"], false);
    assert!(rules(report).contains(&"BR-02"), "{report}");
    let expected = check(&xml, &CheckLimits::DEFAULT);
    assert_eq!(*report, serde_json::to_value(&expected).unwrap());
    let found = &report["findings"][0];
    for name in ["rule", "severity", "path", "en", "de"] {
        assert!(!found[name].as_str().unwrap().is_empty(), "{found}");
    }
    assert!(found["line"].as_u64().unwrap() > 0 && found["terms"].is_array());

    let of_pdf = post(&server, "Check", &hybrid(&xml), b"").expect(200);
    assert_eq!(of_pdf.json()["data"], *report);
    assert_eq!(of_pdf.header("x-invoice-files"), Some("\"factur-x.xml\""));
    // The body of a `Combine`: its XML is checked.
    let both = post(&server, "Check", &fixture("a3b.pdf"), &xml).expect(200);
    assert_eq!(both.json()["data"], *report);
}

#[test]
fn other_xml_has_a_report_and_a_pdf_without_an_invoice_fails() {
    let server = Server::shared();
    for (xml, rule) in [
        (cut().into(), "ERP-XML"),
        (b"no XML".to_vec(), "ERP-XML"),
        (fixture("xml/order-x-basic.xml"), "ERP-CII"),
        (fixture("xml/no-entity-bomb.xml"), "ERP-XML"),
    ] {
        let checked = post(&server, "Check", b"", &xml).expect(200);
        let report = &checked.json()["data"];
        assert_eq!(report["valid"], false);
        assert_eq!(rules(report), [rule]);
        let header = checked.header("x-invoice-check").unwrap();
        assert!(header.starts_with("not-checked; reason=\"The "), "{header}");
    }
    for pdf in [&fixture("a3b.pdf")[..], b"no PDF"] {
        let refused = post(&server, "Check", pdf, b"").expect(400).json();
        assert_eq!(refused["error"], "endpoint");
        let steps = refused["info"]["subprocess_output"].as_array().unwrap();
        let first = steps[0].as_str().unwrap();
        assert!(first.starts_with("Check: a PDF of "), "{first}");
    }
    let problems = post(&server, "Check", b"", b"").expect(422).problems();
    assert_eq!(problems, [("XML".to_owned(), "required".to_owned())]);
}

// rule: R-ZUG-40
// rule: D-ZUG-12
#[test]
fn ubl_is_checked_with_its_structure() {
    let server = Server::shared();
    for (name, verdict) in [
        ("ubl-invoice.xml", "valid"),
        ("ubl-credit-note.xml", "valid"),
        ("ubl-broken.xml", "invalid; fatal=4; warnings=1"),
    ] {
        let xml = fixture(&format!("../check/{name}"));
        let checked = post(&server, "Check", b"", &xml).expect(200);
        assert_eq!(checked.header("x-invoice-check"), Some(verdict), "{name}");
        let report = &checked.json()["data"];
        let expected = check(&xml, &CheckLimits::DEFAULT);
        assert_eq!(*report, serde_json::to_value(&expected).unwrap());
        assert_eq!(report["structure"], "UBL 2.1");
        let sets = ["EN 16931 UBL 1.3.16", "XRechnung 3.0.2 UBL 2.5.0"];
        assert_eq!(report["rules"], json!(sets));
        let fatal = rules(report)
            .into_iter()
            .filter(|rule| !rule.starts_with("UBL-CR"));
        let expected: &[&str] = match verdict {
            "valid" => &[],
            _ => &["BR-07", "BR-CL-14", "BR-CO-16", "PEPPOL-EN16931-R008"],
        };
        let mut told: Vec<_> = fatal.collect();
        told.sort_unstable();
        assert_eq!(told, expected);
    }
    let xml = fixture("../check/ubl-invoice.xml");
    let xml = String::from_utf8(xml).unwrap();
    let xml = xml.replace("xrechnung_3.0", "xrechnung_4.0");
    let checked = post(&server, "Check", b"", xml.as_bytes()).expect(200);
    let verdict = checked.header("x-invoice-check");
    assert_eq!(verdict, Some("valid; warnings=1"));
    assert_eq!(rules(&checked.json()["data"]), ["ERP-GUIDELINE"]);
}

#[test]
fn what_an_invoice_says_is_read_from_cii_ubl_and_pdf() {
    let server = Server::shared();
    let xml = broken().into_bytes();
    let ubl = fixture("../check/ubl-credit-note.xml");
    for (pdf, xml, of) in [
        (&b""[..], &xml[..], &xml),
        (&hybrid(&xml), b"", &xml),
        // The body of a `Combine`: its XML is read.
        (&fixture("a3b.pdf"), &xml, &xml),
        (b"", &ubl, &ubl),
    ] {
        let said = post(&server, "Read", pdf, xml).expect(200);
        assert_eq!(said.header("content-type"), Some(erp_tests::exchange::JSON));
        assert_eq!(said.header("content-disposition"), None);
        let checked = post(&server, "check", pdf, xml).expect(200);
        for name in ["x-invoice-check", "x-invoice-files", "x-invoice-profile"] {
            assert_eq!(said.header(name), checked.header(name));
        }
        let expected = read(of, &CheckLimits::DEFAULT).unwrap();
        assert_eq!(said.json()["data"], expected);
    }
    let said = post(&server, "Read", b"", &ubl).expect(200).json();
    assert_eq!(said["data"]["syntax"], "UBL");
    assert_eq!(said["data"]["BG-22"]["BT-112"], "234.00");
}

#[test]
fn what_cannot_be_read_is_named() {
    let server = Server::shared();
    for (pdf, xml, why) in [
        (&fixture("a3b.pdf")[..], &b""[..], "has no embedded invoice"),
        (b"no PDF", b"", "not a PDF"),
        (
            &fixture("enc-aes256-user-password.pdf"),
            b"",
            "protected by a password",
        ),
        (
            b"",
            &fixture("xml/order-x-basic.xml"),
            "`SCRDMCCBDACIOMessageStructure`",
        ),
    ] {
        let refused = post(&server, "Read", pdf, xml).expect(400).json();
        assert_eq!(refused["error"], "endpoint");
        let told = refused["error_description"].as_str().unwrap();
        assert!(told.contains(why), "{told}");
    }
    for (xml, code) in [(cut().as_bytes(), "malformed"), (b"", "required")] {
        let problems = post(&server, "Read", b"", xml).expect(422).problems();
        assert_eq!(problems, [("XML".to_owned(), code.to_owned())]);
    }
    let body = json!({
        "Operation": "Read",
        "PDF": STANDARD.encode(fixture("enc-aes256-user-password.pdf")),
        "Passwort": "wrong",
    });
    let refused = server.send("POST", "/www/zugferd", &body).expect(400);
    assert_eq!(refused.json()["error"], "endpoint");
}

// rule: R-ZUG-40
#[test]
fn a_report_is_a_document_to_save_in_the_language_of_the_client() {
    let server = Server::shared();
    let pdf = STANDARD.encode(hybrid(&broken().into_bytes()));
    let body = json!({"Operation": "Report", "PDF": pdf});
    for (tag, language) in [("de-AT", "de"), ("fr", "en")] {
        let call = server.call("POST", "/www/zugferd").by(SHOP1);
        let call = call.header("accept-language", tag.as_bytes()).json(&body);
        let report = call.send().expect(200);
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("content-language", language),
            (
                "content-disposition",
                r#"attachment; filename="factur-x.xml.html""#,
            ),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(report.header(name), Some(value));
        }
        let verdict = report.header("x-invoice-check").unwrap();
        assert!(verdict.starts_with("invalid; fatal="), "{verdict}");
        let (expected, html) = (
            check(broken().as_bytes(), &CheckLimits::DEFAULT),
            report.text(),
        );
        assert!(html.contains(&format!("<html lang=\"{language}\"")));
        for text in ["factur-x.xml", &expected.findings[0].rule] {
            assert!(html.contains(text), "{text} is missing in {html}");
        }
    }
}

// rule: D-ZUG-13, R-ZUG-37
#[test]
fn another_invoice_of_a_pdf_can_be_chosen() {
    let server = Server::shared();
    let name = |march: &str| format!("{march} & Co {}.xml", "x".repeat(200));
    // `factur-x.xml` gets another name; the offsets in the file are wrong then, which is repaired.
    let units = name("M\u{e4}rz");
    let units = units.encode_utf16().map(|unit| format!("{unit:04x}"));
    let becomes = format!("feff{}", units.collect::<String>());
    let pdf = fixture("odd-two-invoices.pdf");
    let pdf: String = pdf.into_iter().map(char::from).collect();
    let pdf = pdf.replace("6661637475722d782e786d6c", &becomes);
    let pdf: Vec<u8> = pdf
        .chars()
        .map(|byte| u8::try_from(byte).unwrap())
        .collect();
    let pdf = STANDARD.encode(pdf);
    let send = |body: &Value| {
        let checked = server.post("/www/zugferd").by(SHOP1).json(body);
        let checked = checked.send().expect(200);
        let files = checked.header("x-invoice-files").unwrap().to_owned();
        (files, checked.json()["data"]["profile"].clone())
    };
    let (files, first) = send(&json!({"Operation": "Check", "PDF": pdf}));
    let other = files.split(", ").nth(1).unwrap().trim_matches('"');
    assert_eq!(other, name("M%C3%A4rz"));
    let body = json!({"Operation": "Check", "PDF": pdf, "Datei": name("M\u{e4}rz")});
    assert_ne!(send(&body).1, first);
}

// rule: R-ZUG-40
#[test]
fn every_operation_says_the_result_in_a_header() {
    let server = Server::shared();
    let plain = fixture("a3b.pdf");
    for xml in [VALID.to_owned(), with_warning(), broken()].map(String::into_bytes) {
        let report = check(&xml, &CheckLimits::DEFAULT);
        let expected = match report.valid {
            true if report.warnings > 0 => format!("valid; warnings={}", report.warnings),
            true => "valid".to_owned(),
            false => format!(
                "invalid; fatal={}; warnings={}",
                report.fatal, report.warnings
            ),
        };
        assert_eq!(report.warnings > 0, xml == with_warning().into_bytes());
        let combined = post(&server, "Combine", &plain, &xml).expect(200);
        assert_eq!(combined.header("x-invoice-check"), Some(&*expected));
        let extracted = post(&server, "Extract", &combined.body, b"").expect(200);
        assert_eq!(extracted.header("x-invoice-check"), Some(&*expected));
        assert!(extracted.body == xml);
        let checked = post(&server, "Check", &combined.body, b"").expect(200);
        assert_eq!(checked.header("x-invoice-check"), Some(&*expected));
    }
    // An order is not an invoice.
    let order = fixture("xml/order-x-basic.xml");
    let combined = post(&server, "Combine", &plain, &order).expect(200);
    let header = combined.header("x-invoice-check").unwrap();
    assert!(header.starts_with("not-checked; reason=\""), "{header}");
}

// rule: R-ZUG-41
#[test]
fn a_setting_refuses_invalid_invoices() {
    let server = Server::with(&[("zugferd_require", "valid")]);
    let plain = fixture("a3b.pdf");
    let combined = post(&server, "Combine", &plain, VALID.as_bytes()).expect(200);
    assert_eq!(combined.header("x-invoice-check"), Some("valid"));

    let xml = broken().into_bytes();
    let refused = post(&server, "Combine", &plain, &xml).expect(422).json();
    assert_eq!(refused["error"], "invalid");
    let problems = refused["info"]["problems"].as_array().unwrap();
    let report = check(&xml, &CheckLimits::DEFAULT);
    assert_eq!(problems.len(), report.fatal, "{refused}");
    let number = problems
        .iter()
        .find(|problem| {
            problem["message"]
                .as_str()
                .unwrap()
                .starts_with("BR-02, line ")
        })
        .unwrap_or_else(|| panic!("{refused}"));
    assert_eq!(number["code"], "invoice_rule");
    let path = number["path"].as_str().unwrap();
    assert!(path.starts_with("XML/rsm:CrossIndustryInvoice"), "{path}");

    // An invoice that cannot be checked is not known to be valid.
    let order = fixture("xml/order-x-basic.xml");
    let problems = post(&server, "Combine", &plain, &order)
        .expect(422)
        .problems();
    assert_eq!(problems, [("XML".to_owned(), "invoice_rule".to_owned())]);
    // Unknown XML and XML that is not well-formed are refused, as without the setting.
    let other = fixture("xml/no-ubl-invoice.xml");
    assert_eq!(
        post(&server, "Combine", &plain, &other).expect(400).json()["error"],
        "endpoint"
    );
    let problems = post(&server, "Combine", &plain, cut().as_bytes())
        .expect(422)
        .problems();
    assert_eq!(problems, [("XML".to_owned(), "malformed".to_owned())]);
    // The setting does not affect reading: only `Combine` creates new invoices.
    let _ = post(&server, "Extract", &hybrid(&xml), b"").expect(200);
    let _ = post(&server, "Check", b"", &xml).expect(200);
}
