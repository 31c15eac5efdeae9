//! Response headers of an e-invoice.

use erp_core::zugferd::{PdfaOutcome, Profile, Report};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::web::encode;

/// Maximum length of a quoted header text, so that no proxy rejects the response.
const QUOTED_CHARACTERS: usize = 1_000;

const NAME_CHARACTERS: usize = 120;

// rule: R-ZUG-03
/// `kept`, `upgraded`, `lifted`, or `not-claimed; reasons="..."`.
pub(super) fn pdf_a(outcome: &PdfaOutcome) -> String {
    let (word, reasons) = (outcome.word(), outcome.reasons().iter());
    let reasons: Vec<String> = reasons.map(ToString::to_string).collect();
    match reasons.as_slice() {
        [] => word.to_owned(),
        reasons => format!("{word}; reasons={}", quoted(&reasons.join("; "))),
    }
}

/// `standard="Factur-X"; level="EN 16931"; type="INVOICE"; guideline="urn:cen.eu:en16931:2017"`.
pub(super) fn profile(profile: &Profile) -> String {
    format!(
        "standard={}; level={}; type={}; guideline={}",
        quoted(profile.standard.name()),
        quoted(profile.xmp_level()),
        quoted(profile.document_type()),
        quoted(&profile.guideline),
    )
}

/// What is coded in a file name of a list; all that is not ASCII is too.
const CODED: &AsciiSet = &CONTROLS.add(b'"').add(b'%').add(b'\\');

// rule: D-ZUG-13
/// `"factur-x.xml", "M%C3%A4rz.xml"`: a list of quoted names, cut as a whole where it is long. Decoded, each is a `Datei`.
pub(super) fn files(names: &[String]) -> Option<String> {
    let mut text = String::new();
    for name in names {
        let name = format!("\"{}\"", utf8_percent_encode(name, CODED));
        if text.len() + name.len() > QUOTED_CHARACTERS {
            break;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&name);
    }
    (!text.is_empty()).then_some(text)
}

/// `valid`, `valid; warnings=1`, `invalid; fatal=3; warnings=1`, or `not-checked; reason="The XML is not well-formed: line 3, ..."`.
pub(super) fn check(report: &Report) -> String {
    let (fatal, warnings) = (report.fatal, report.warnings);
    match report.not_checked() {
        Some(why) => format!("not-checked; reason={}", quoted(&why.en)),
        None if report.valid && warnings == 0 => "valid".to_owned(),
        None if report.valid => format!("valid; warnings={warnings}"),
        None => format!("invalid; fatal={fatal}; warnings={warnings}"),
    }
}

/// `attachment` with a file name (RFC 6266): in ASCII, and additionally in UTF-8 if it has other characters.
pub(super) fn attachment(name: &str) -> String {
    let ascii = name.replace(|character: char| !character.is_ascii(), "_");
    let text = format!("attachment; filename={}", quoted(&ascii));
    if ascii == name {
        return text;
    }
    let coded = encode(name).replace(',', "%2C");
    format!("{text}; filename*=UTF-8''{coded}")
}

/// A file name that is safe to save: without folders, special characters of systems or shells, and invisible
/// characters; never hidden, never empty.
pub(super) fn safe_file_name(name: &str, otherwise: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let visible = last.chars().filter(|character| !is_unseen(*character));
    let plain = visible.map(|character| match character {
        '"' | '<' | '>' | ':' | '|' | '?' | '*' | '%' | '\'' | '`' | '$' | ';' | '&' => '_',
        other => other,
    });
    let plain: String = plain.collect();
    let trimmed = plain
        .trim_start_matches(['.', '-', ' '])
        .trim_end_matches(['.', ' ']);
    if trimmed.is_empty() {
        return otherwise.to_owned();
    }
    // The end of a long name is kept for its extension.
    let count = trimmed.chars().count();
    trimmed
        .chars()
        .skip(count.saturating_sub(NAME_CHARACTERS))
        .collect()
}

/// Control characters and marks that hide or reorder the text next to them.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A quoted header text (RFC 9110, section 5.6.4), in ASCII and of limited length.
fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for (count, character) in text.chars().enumerate() {
        if count == QUOTED_CHARACTERS {
            out.push_str("...");
            break;
        }
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            ' '..='~' => out.push(character),
            character if character.is_whitespace() => out.push(' '),
            character if character.is_control() => {}
            _ => out.push('?'),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use erp_core::zugferd::{CheckLimits, Reason, check as check_invoice};

    fn reason(text: &str) -> Reason {
        Reason {
            clause: "",
            page: Some(2),
            object: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn all_invoices_are_listed() {
        let names = ["a & 'b'.xml", "\"\u{e4}%\\\r\n.xml"].map(str::to_owned);
        let listed = "\"a & 'b'.xml\", \"%22%C3%A4%25%5C%0D%0A.xml\"";
        assert_eq!(files(&names).unwrap(), listed);
        assert_eq!(files(&[]), None);
        let long = vec!["n".repeat(100); 100];
        assert!(files(&long).unwrap().len() <= QUOTED_CHARACTERS + 40);
    }

    // rule: R-ZUG-40
    #[test]
    fn a_check_is_one_word_with_counts_or_a_reason() {
        let mut report = check_invoice(b"<a>", &CheckLimits::DEFAULT);
        assert_eq!(
            check(&report),
            "not-checked; reason=\"The XML is not well-formed: line 1, column 4: the document ends inside an element.\""
        );
        report.findings[0].source = "EN 16931";
        (report.fatal, report.warnings) = (3, 1);
        assert_eq!(check(&report), "invalid; fatal=3; warnings=1");
        (report.fatal, report.valid) = (0, true);
        assert_eq!(check(&report), "valid; warnings=1");
        report.warnings = 0;
        assert_eq!(check(&report), "valid");
    }

    fn not_claimed(texts: &[&str]) -> String {
        let reasons = texts.iter().map(|text| reason(text)).collect();
        pdf_a(&PdfaOutcome::NotClaimed { reasons })
    }

    // rule: R-ZUG-03
    #[test]
    fn the_outcome_is_one_word_and_its_reasons() {
        assert_eq!(pdf_a(&PdfaOutcome::Kept), "kept");
        assert_eq!(pdf_a(&PdfaOutcome::Upgraded), "upgraded");
        assert_eq!(pdf_a(&PdfaOutcome::Repaired), "lifted");
        assert_eq!(
            not_claimed(&["font `A` is not embedded", "colours"]),
            "not-claimed; reasons=\"font `A` is not embedded (page 2); colours (page 2)\""
        );
    }

    // rule: R-ZUG-03
    #[test]
    fn reasons_cannot_break_out_of_their_header() {
        let value = not_claimed(&["font `a\"; x=\\\r\nSet-Cookie: b` Müller\u{0}\u{1b}[1m"]);
        assert_eq!(
            value,
            "not-claimed; reasons=\"font `a\\\"; x=\\\\  Set-Cookie: b` M?ller[1m (page 2)\""
        );
        let long = not_claimed(&[&"\"".repeat(100_000)]);
        assert!(
            long.len() < 2_100 && long.ends_with("...\""),
            "{}",
            long.len()
        );
    }

    // rule: R-ZUG-02
    #[test]
    fn a_profile_is_reported_in_parts() {
        let value = profile(&Profile::from_guideline("urn:cen.eu:en16931:2017").unwrap());
        assert_eq!(
            value,
            "standard=\"Factur-X\"; level=\"EN 16931\"; type=\"INVOICE\"; guideline=\"urn:cen.eu:en16931:2017\""
        );
    }

    // rule: R-ZUG-02
    #[test]
    fn names_keep_their_letters_beside_an_ascii_form() {
        assert_eq!(
            attachment("factur-x.xml"),
            "attachment; filename=\"factur-x.xml\""
        );
        assert_eq!(
            attachment("Größe €.xml"),
            "attachment; filename=\"Gr__e _.xml\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%82%AC.xml"
        );
    }

    // rule: R-ZUG-02
    #[test]
    fn hostile_names_are_made_safe() {
        let safe = |name: &str| safe_file_name(name, "invoice.xml");
        assert_eq!(safe("factur-x.xml"), "factur-x.xml");
        assert_eq!(safe("../../etc/passwd"), "passwd");
        assert_eq!(safe("C:\\Windows\\x.xml"), "x.xml");
        assert_eq!(safe("..\\.bashrc"), "bashrc");
        assert_eq!(safe("a\r\nSet-Cookie: b.xml"), "aSet-Cookie_ b.xml");
        assert_eq!(safe("x\u{202e}lmx.exe"), "xlmx.exe");
        assert_eq!(safe("a\";filename=b.exe"), "a__filename=b.exe");
        assert_eq!(safe("Größe €.xml"), "Größe €.xml");
        for nothing in ["", "..", "/", "...", "\u{200b}", " . "] {
            assert_eq!(safe(nothing), "invoice.xml", "{nothing:?}");
        }
        let long = safe(&format!("{}.xml", "ä".repeat(5_000)));
        assert!(long.ends_with("ä.xml") && long.chars().count() == 120);
    }
}
