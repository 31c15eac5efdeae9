//! The sentences of business rules: those of EN 16931 where it has the rule, own ones for the others.

use std::sync::OnceLock;

use crate::check::en16931::RULES;
use crate::check::facts::Facts;
use crate::check::message;
use crate::check::node::Node;
use crate::check::rule::{Category, Rule, Subject};
use crate::check::texts::TextMap;

type Known = (&'static Rule, Option<&'static Category>);

/// The rules of EN 16931 by their ids.
fn standard() -> &'static TextMap<'static, Option<Known>> {
    static RULES_BY_ID: OnceLock<TextMap<'static, Option<Known>>> = OnceLock::new();
    RULES_BY_ID.get_or_init(|| {
        let mut rules = TextMap::default();
        for ready in RULES.contexts() {
            let category = ready.context.category;
            for rule in &ready.rules {
                let id = rule.id_of(category).into();
                rules.change(id, |known| *known = Some((rule, category)));
            }
        }
        rules
    })
}

fn known(name: &str) -> Option<Known> {
    standard().get(name).copied().flatten()
}

/// The business terms of a rule.
pub(super) fn terms(name: &str) -> &'static str {
    match (known(name), own(name)) {
        (Some((rule, _)), _) => rule.terms,
        (None, Some((terms, ..))) => terms,
        (None, None) => "",
    }
}

/// The sentences of a rule that is broken at an element, in English and German.
pub(super) fn of(name: &str, node: Node<'_>, facts: &Facts) -> (String, String) {
    if let Some((rule, category)) = known(name) {
        let subject = Subject {
            node,
            facts,
            category,
        };
        // The rule of the standard knows the values that disagree, unless it is the profile that is stricter.
        if let Ok(Some(values)) = rule.test.judge(&subject) {
            return message::broken(rule, &subject, &values);
        }
    }
    if let Some((_, en, de)) = own(name).or_else(|| by_family(name)) {
        return (en.to_owned(), de.to_owned());
    }
    (
        format!("The rule {name} of EN 16931 is broken, as this profile reads it."),
        format!("Die Regel {name} der EN 16931 ist verletzt, wie dieses Profil sie liest."),
    )
}

type Own = (&'static str, &'static str, &'static str);

/// Terms and sentences of rules that EN 16931 does not have.
fn own(name: &str) -> Option<Own> {
    let mut own = OWN.iter();
    own.find(|(known, ..)| *known == name)
        .map(|(_, terms, en, de)| (*terms, *en, *de))
}

/// The rules of each VAT category that compare with a tolerance.
fn by_family(name: &str) -> Option<Own> {
    let end = name.rsplit('-').next()?;
    Some(match end {
        "01" => (
            "BG-23",
            "Every VAT category that is used needs a breakdown, and every breakdown a use.",
            "Jede verwendete Umsatzsteuerkategorie braucht eine Aufschlüsselung und jede Aufschlüsselung eine Verwendung.",
        ),
        "08" | "08b" | "S08b" => (
            "BT-116",
            "The basis is not the sum of the amounts with this category, rate and reason, give or take a cent for each.",
            "Die Bemessungsgrundlage ist nicht die Summe der Beträge mit dieser Kategorie, diesem Satz und Grund, auf einen Cent je Betrag.",
        ),
        "08ini" => (
            "BT-116",
            "The basis is not the sum of the amounts with this category and rate, give or take a cent for each.",
            "Die Bemessungsgrundlage ist nicht die Summe der Beträge mit dieser Kategorie und diesem Satz, auf einen Cent je Betrag.",
        ),
        "08rev" => (
            "BT-116",
            "The basis is not the sum of the amounts with this category, rate and reason of exemption, give or take a cent for each.",
            "Die Bemessungsgrundlage ist nicht die Summe der Beträge mit dieser Kategorie, diesem Satz und Befreiungsgrund, auf einen Cent je Betrag.",
        ),
        "09b" => (
            "BT-117",
            "The VAT amount is not basis times rate, give or take a cent for each amount in the basis.",
            "Der Umsatzsteuerbetrag ist nicht Grundlage mal Satz, auf einen Cent je Betrag der Grundlage.",
        ),
        _ => return None,
    })
}

#[rustfmt::skip]
const OWN: [(&str, &str, &str, &str); 30] = [
    ("PEPPOL-EN16931-R008", "", "The element is empty.", "Das Element ist leer."),
    ("BR-CO-25", "BT-115 BT-9 BT-20", "A positive amount due needs a due date or payment terms.", "Ein positiver Zahlbetrag braucht ein Fälligkeitsdatum oder Zahlungsbedingungen."),
    ("BR-CO-27", "BT-84", "A credit transfer needs either an IBAN or another account number, not both.", "Eine Überweisung braucht entweder eine IBAN oder eine andere Kontonummer, nicht beides."),
    ("BR-FX-EN-04", "BT-72 BG-14 BG-26", "An invoice inside Germany should have a delivery date or a period.", "Eine Rechnung innerhalb Deutschlands sollte ein Lieferdatum oder einen Zeitraum haben."),
    ("BR-FXEXT-01", "BT-21 BT-22", "A note with a subject needs a text or a code.", "Eine Anmerkung mit Betreff braucht einen Text oder einen Code."),
    ("BR-FXEXT-02", "BT-127", "A note with a subject needs a text or a code.", "Eine Anmerkung mit Betreff braucht einen Text oder einen Code."),
    ("BR-FXEXT-03", "", "Only the seller may have another registration than a VAT identifier (VA).", "Nur der Verkäufer darf eine andere Registrierung als eine Umsatzsteuer-ID (VA) haben."),
    ("BR-FXEXT-04", "BT-160", "The code of the characteristic is not in the list of this profile.", "Der Code der Eigenschaft steht nicht in der Liste dieses Profils."),
    ("BR-FXEXT-06", "BG-25", "A line inside another needs a status (`LineStatusReasonCode`).", "Eine Position in einer anderen braucht einen Status (`LineStatusReasonCode`)."),
    ("BR-FXEXT-08", "BG-25 BT-131", "The total of a group is not the sum of the lines inside.", "Die Summe einer Gruppe ist nicht die der Positionen darin."),
    ("BR-FXEXT-11", "BG-25 BT-126", "The line is inside a line that is not there.", "Die Position liegt in einer Position, die es nicht gibt."),
    ("BR-FXEXT-12", "BG-25 BT-131", "In a group with a total every group inside needs one.", "In einer Gruppe mit Summe braucht jede Gruppe darin eine."),
    ("BR-FXEXT-BR-22", "BT-129", "The invoiced quantity of the line is missing.", "Die berechnete Menge der Position fehlt."),
    ("BR-FXEXT-BR-23", "BT-130", "The unit of the invoiced quantity is missing.", "Die Einheit der berechneten Menge fehlt."),
    ("BR-FXEXT-BR-24", "BT-131", "The net amount of the line is missing.", "Der Nettobetrag der Position fehlt."),
    ("BR-FXEXT-BR-26", "BT-146", "The net price of the item is missing.", "Der Nettopreis des Artikels fehlt."),
    ("BR-FXEXT-BR-38", "BG-21 BT-104 BT-105", "The charge has neither a reason nor a reason code.", "Der Zuschlag hat weder einen Grund noch einen Code dafür."),
    ("BR-FXEXT-BR-44", "BG-28 BT-144 BT-145", "The charge has neither a reason nor a reason code.", "Der Zuschlag hat weder einen Grund noch einen Code dafür."),
    ("BR-FXEXT-BR-54-1", "BT-160", "The characteristic has neither a name nor a code.", "Die Eigenschaft hat weder Namen noch Code."),
    ("BR-FXEXT-BR-54-2", "BT-161", "The characteristic needs either a value or a measure with a unit.", "Die Eigenschaft braucht entweder einen Wert oder ein Maß mit Einheit."),
    ("BR-FXEXT-CO-04", "BT-151", "The VAT category of the line is missing.", "Die Umsatzsteuerkategorie der Position fehlt."),
    ("BR-FXEXT-CO-10", "BT-106 BT-131", "The sum of the lines is wrong by more than a cent for each line.", "Die Summe der Positionen ist um mehr als einen Cent je Position falsch."),
    ("BR-FXEXT-CO-11", "BT-107 BT-92", "The sum of the allowances is wrong by more than a cent for each.", "Die Summe der Nachlässe ist um mehr als einen Cent je Nachlass falsch."),
    ("BR-FXEXT-CO-12", "BT-108 BT-99", "The sum of the charges is wrong by more than a cent for each.", "Die Summe der Zuschläge ist um mehr als einen Cent je Zuschlag falsch."),
    ("BR-FXEXT-CO-13", "BT-109", "The total without VAT is wrong by more than a cent for each amount in it.", "Der Gesamtbetrag ohne Umsatzsteuer ist um mehr als einen Cent je Betrag darin falsch."),
    ("BR-FXEXT-CO-15", "BT-112 BT-109 BT-110", "The total with VAT is wrong by more than a cent for each amount in it.", "Der Gesamtbetrag mit Umsatzsteuer ist um mehr als einen Cent je Betrag darin falsch."),
    ("BR-FXEXT-CO-16", "BT-115 BT-112 BT-113 BT-114", "The amount due is not the total with VAT without what is paid, rounded and adjusted.", "Der Zahlbetrag ist nicht der Gesamtbetrag mit Umsatzsteuer abzüglich des Gezahlten, mit Rundung und Anpassungen."),
    ("BR-FXEXT-CII-DT-097a", "", "The date is not in the form YYYYMMDDhhmm that its format 205 says.", "Das Datum hat nicht die Form JJJJMMTThhmm, die sein Format 205 nennt."),
    ("CII-DT-097", "", "The date is not in the form YYYYMMDD that its format 102 says.", "Das Datum hat nicht die Form JJJJMMTT, die sein Format 102 nennt."),
    ("BR-16", "BG-25", "The invoice has no line.", "Die Rechnung hat keine Position."),
];
