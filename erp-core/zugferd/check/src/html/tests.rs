//! What any invoice may do to its report: nothing but be shown, within bounds.

use super::values::number;
use super::*;
use crate::tests::sample::SAMPLES;
use crate::tests::ubl;

/// Far above what a report has that says everything, far below what a hostile one might have.
const MOST: usize = 8 << 20;

fn html(xml: &str) -> String {
    check_html(
        xml.as_bytes(),
        &CheckLimits::DEFAULT,
        Language::English,
        "a.xml",
    )
    .1
}

/// The part of a report between its `<main>` and `</main>`, which is XML too.
fn main_of(html: &str) -> &str {
    let (_, rest) = html.split_once("<main ").unwrap();
    let (main, _) = rest.split_once("</main>").unwrap();
    main.split_once('>').unwrap().1
}

/// The names of the elements in a report.
fn elements(html: &str) -> Vec<String> {
    let main = format!("<main>{}</main>", main_of(html));
    let tree = Tree::parse(&main, &CheckLimits::DEFAULT.xml);
    let tree = tree.unwrap_or_else(|error| panic!("{error:?}: {main}"));
    tree.elements()
        .map(|element| element.local().to_owned())
        .collect()
}

fn samples() -> [String; 2] {
    [SAMPLES[0].xml(), ubl::invoice(&SAMPLES[0])]
}

/// Each text and each attribute of an invoice is this.
fn hostile(xml: &str) -> String {
    const TEXT: &str = "&lt;img src=x onerror=alert(1)&gt;`&lt;b&gt;`&quot;'&amp;lt;";
    let mut made = String::new();
    for (at, part) in xml.split('>').enumerate() {
        let (text, tag) = part.split_once('<').unwrap_or((part, ""));
        made.push_str(if at > 0 { ">" } else { "" });
        made.push_str(if text.trim().is_empty() { text } else { TEXT });
        if part.contains('<') {
            made.push('<');
            made.push_str(&tag.replace("ID=\"EUR", &format!("ID=\"{TEXT}")));
        }
    }
    made.replace("unitCode=\"", &format!("unitCode=\"{TEXT}"))
}

#[test]
fn texts_of_an_invoice_stay_texts() {
    for sample in samples() {
        let page = html(&hostile(&sample));
        assert!(
            page.contains("&lt;img src=x onerror=alert(1)&gt;"),
            "{page}"
        );
        let names = elements(&page);
        let known = [
            "main", "h1", "h2", "h3", "section", "dl", "div", "dt", "dd", "table", "thead",
            "tbody", "tr", "th", "td", "small", "mark", "a", "p", "ol", "li", "strong", "code",
            "pre", "span",
        ];
        let strange: Vec<_> = names
            .iter()
            .filter(|name| !known.contains(&name.as_str()))
            .collect();
        assert!(strange.is_empty(), "{strange:?}");
        assert!(names.len() > 100);
    }
    for xml in [
        "<a><b>&lt;img&gt;</b><img/></a>",
        "<a>\n<img src='x'>&",
        "<img>",
    ] {
        assert!(!elements(&html(xml)).contains(&"img".to_owned()), "{xml}");
    }
}

#[test]
fn names_of_files_stay_texts() {
    let name = "</title><script>\"'&";
    let limits = CheckLimits::DEFAULT;
    let (report, page) = check_html(b"<a/>", &limits, Language::German, name);
    let entries = [
        IndexEntry::checked(name, name, &report, Language::German),
        IndexEntry::failed(name, name),
    ];
    for page in [page, index_html(&entries, Language::German)] {
        assert!(
            !page.contains("<script") && page.contains("&lt;script&gt;"),
            "{page}"
        );
        assert_eq!(page.matches("</title>").count(), 1);
        assert!(!elements(&page).contains(&"script".to_owned()));
    }
    let index = index_html(&entries, Language::German);
    assert!(
        index.contains("href=\"./%3C%2Ftitle%3E%3Cscript%3E%22%27%26\""),
        "{index}"
    );
    assert!(index.contains("0 / 2 gültig"), "{index}");
}

/// Values of each term are shown, in both syntaxes, but for codes and schemes beside them.
#[test]
fn every_term_of_the_standard_has_a_place() {
    let shown: Vec<&str> = Model::get()
        .sections
        .iter()
        .flat_map(|section| &section.fields)
        .flat_map(|field| {
            assert!(
                field
                    .label
                    .iter()
                    .chain(&field.paths)
                    .all(|text| !text.is_empty()),
                "{}",
                field.terms
            );
            field
                .terms
                .split(' ')
                .map(|term| term.trim_end_matches('*'))
        })
        .collect();
    let terms = include_str!("../findings/terms.txt").lines();
    let missing: Vec<&str> = terms
        .filter_map(|line| line.split(' ').next())
        .filter(|term| term.starts_with("BT") && term.matches('-').count() == 1)
        .filter(|term| !shown.contains(term))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn values_are_written_for_people_and_keep_their_digits() {
    for (text, written) in [
        ("1234567.50", "1\u{202F}234\u{202F}567.50"),
        ("-1000", "-1\u{202F}000"),
        ("999.0001", "999.0001"),
        ("1e3", "1e3"),
        ("1.", "1."),
        ("", ""),
        ("12,5", "12,5"),
    ] {
        assert_eq!(number(text), written);
    }
    let [cii, ubl] = samples();
    for page in [html(&cii), html(&ubl)] {
        for piece in [
            "Invoice R-1 of 2026-03-01",
            "<dd>Invoice (380)</dd>",
            "standard rate (S)",
            "Totals (EUR)",
        ] {
            assert!(page.contains(piece), "{piece}: {page}");
        }
    }
}

/// A place with a finding has a link to it, and where something is missing the report says so.
#[test]
fn findings_are_beside_what_they_are_about() {
    let page = html(&samples()[0].replace("<ram:ID>R-1</ram:ID>", ""));
    let field =
        "<dt>Number</dt><dd><mark class=\"fatal\">missing</mark> <a class=\"mark fatal\" href=\"#f";
    assert!(page.contains(field), "{page}");
    assert!(
        page.contains("<h2>Document of 2026-03-01</h2>")
            || page.contains("<h2>Invoice of 2026-03-01</h2>"),
        "{page}"
    );
}

fn cii(content: &str) -> String {
    let [cii, _] = samples();
    let end = "</rsm:SupplyChainTradeTransaction>";
    cii.replace(end, &format!("{content}{end}"))
}

/// Each has about 10 MB.
fn large() -> Vec<(&'static str, String)> {
    let line = |text: &str| {
        format!(
            "<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID>\
         </ram:AssociatedDocumentLineDocument><ram:SpecifiedTradeProduct><ram:Name>{text}</ram:Name>\
         </ram:SpecifiedTradeProduct></ram:IncludedSupplyChainTradeLineItem>"
        )
    };
    let [_, ubl] = samples();
    let note = "<cbc:Note>&amp;</cbc:Note>".repeat(400_000);
    vec![
        ("many lines", cii(&line("x").repeat(30_000))),
        (
            "long lines",
            cii(&line(&"&amp;".repeat(2_000)).repeat(1_000)),
        ),
        (
            "many notes",
            ubl.replace(
                "<cbc:DocumentCurrencyCode>",
                &format!("{note}<cbc:DocumentCurrencyCode>"),
            ),
        ),
        (
            "one long text",
            ubl.replace("Seller", &"&quot;".repeat(1_600_000)),
        ),
        (
            "another document",
            format!("<a>{}</a>", "<b>&amp;</b>".repeat(800_000)),
        ),
        (
            "one long text of another document",
            format!("<a>{}</a>", "&amp;".repeat(2_000_000)),
        ),
        (
            "one broken line",
            format!("<a>{}", "&amp;".repeat(2_000_000)),
        ),
    ]
}

#[test]
fn a_report_is_bounded_and_says_what_it_left_out() {
    for (name, xml) in large() {
        let limits = CheckLimits::DEFAULT;
        let (report, page) = check_html(xml.as_bytes(), &limits, Language::English, name);
        assert!(page.len() < MOST, "{name}: {}", page.len());
        let _ = elements(&page);
        let all = report.fatal + report.warnings + report.information;
        let says = match name {
            "many lines" => [
                "Lines: 10".to_owned(),
                format!("{} more findings are not listed.", all - MOST_FINDINGS),
            ],
            "many notes" => [" … +399991".to_owned(), "Note".to_owned()],
            _ => ["…".to_owned(), String::new()],
        };
        for piece in says.iter().filter(|_| name != "another document") {
            assert!(page.contains(piece.as_str()), "{name}: {piece}");
        }
        assert_eq!(page.matches("<li ").count(), listed(&report), "{name}");
    }
}

fn listed(report: &Report) -> usize {
    if report.rules.is_empty() {
        0
    } else {
        report.findings.len().min(MOST_FINDINGS)
    }
}
