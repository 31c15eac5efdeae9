//! The faults of a document that is not well-formed, in German.

use crate::xml::XmlFault;

pub(super) fn in_german(fault: &XmlFault) -> String {
    match fault {
        XmlFault::UnknownEncoding(name) => format!("die Kodierung `{name}` ist nicht bekannt"),
        XmlFault::WrongBytes(encoding) => format!("die Bytes sind nicht {encoding}"),
        XmlFault::ContradictedEncoding { declared, actual } => format!(
            "angegeben ist die Kodierung `{declared}`, die Bytes sind aber {}",
            phrase(actual)
        ),
        XmlFault::IllegalCharacter(code) => {
            format!("das Zeichen U+{code:04X} ist in XML nicht erlaubt")
        }
        XmlFault::Expected(what) => format!("erwartet wird {}", phrase(what)),
        XmlFault::NotAllowed(what) => format!("hier ist nicht erlaubt: {}", phrase(what)),
        XmlFault::UnexpectedEnd(within) => format!("das Dokument endet in {}", phrase(within)),
        XmlFault::EndTag { expected, found } => {
            format!("das Endtag `{found}` passt nicht zum Starttag `{expected}`")
        }
        XmlFault::DuplicateAttribute(name) => {
            format!("das Attribut `{name}` steht zweimal in einem Tag")
        }
        XmlFault::UnknownEntity(name) => format!("die Entität `{name}` ist nicht deklariert"),
        XmlFault::UndeclaredPrefix(prefix) => {
            format!("das Präfix `{prefix}` ist nicht deklariert")
        }
        XmlFault::NamespaceDeclaration(prefix) => {
            format!("das Präfix `{prefix}` lässt sich so nicht deklarieren")
        }
        XmlFault::DocumentTypeDeclaration => {
            "eine Dokumenttypdeklaration wird nicht angenommen".to_owned()
        }
        XmlFault::TooLarge { what, limit } => {
            format!("das Dokument ist zu groß: {} über {limit}", phrase(what))
        }
    }
}

/// The German for a phrase of the reader of XML (`faults.txt`); other phrases are signs and need none.
fn phrase(english: &'static str) -> &'static str {
    let mut lines = include_str!("faults.txt").lines();
    let german = lines.find_map(|line| line.strip_prefix(english)?.strip_prefix(" | "));
    german.unwrap_or(english)
}

#[cfg(test)]
mod tests {
    use crate::{CheckLimits, check};

    #[test]
    fn faults_are_in_german() {
        for (xml, german) in [
            (
                "<a>",
                "Zeile 1, Spalte 4: das Dokument endet in einem Element.",
            ),
            (
                "<a b='1' b='2'/>",
                "Zeile 1, Spalte 10: das Attribut `b` steht zweimal in einem Tag.",
            ),
            (
                "<a></b>",
                "Zeile 1, Spalte 4: das Endtag `b` passt nicht zum Starttag `a`.",
            ),
            (
                "<a>\n&auml;</a>",
                "Zeile 2, Spalte 2: die Entität `auml` ist nicht deklariert.",
            ),
            (
                "<a>\u{1}</a>",
                "Zeile 1, Spalte 4: das Zeichen U+0001 ist in XML nicht erlaubt.",
            ),
            (
                "<a b=c/>",
                "Zeile 1, Spalte 6: erwartet wird ein Anführungszeichen.",
            ),
            (
                "<a/><b/>",
                "Zeile 1, Spalte 5: hier ist nicht erlaubt: ein zweites Wurzelelement.",
            ),
        ] {
            let report = check(xml.as_bytes(), &CheckLimits::DEFAULT);
            let sentence = format!("Das XML ist nicht wohlgeformt: {german}");
            assert_eq!(report.findings[0].de, sentence, "{xml}");
        }
    }
}
