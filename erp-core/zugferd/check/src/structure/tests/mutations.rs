//! Changed invoices of all kinds: the check ends with a report within its bounds.

use std::ops::Range;

use super::{first_fault, part};
use crate::facturx::Profile;
use crate::structure::{STRUCTURE, Schema};
use crate::tests::sample::SAMPLES;
use crate::xml::{Tree, XmlLimits};
use crate::{CheckLimits, check};

const SCHEMAS: [Schema; 6] = [
    Schema::D16B,
    Schema::FacturX(Profile::Minimum),
    Schema::FacturX(Profile::BasicWithoutLines),
    Schema::FacturX(Profile::Basic),
    Schema::FacturX(Profile::En16931),
    Schema::FacturX(Profile::Extended),
];

/// The places of all elements below the root.
fn places(xml: &str) -> Vec<Range<usize>> {
    let tree = Tree::parse(xml, &XmlLimits::DEFAULT).expect("XML");
    tree.elements()
        .skip(1)
        .map(|element| element.span())
        .collect()
}

#[test]
fn an_unknown_element_or_attribute_is_found_anywhere() {
    let xml = SAMPLES[0].xml();
    for place in places(&xml) {
        let before = part(&xml, 0..place.start);
        let element = part(&xml, place.clone());
        let after = part(&xml, place.end..xml.len());
        let name = element.split(['<', ' ', '>', '/']).nth(1).expect("name");
        let unknown = element.replace(name, "ram:Unknown");
        let twice = format!("{before}{element}{element}{after}");
        for changed in [format!("{before}{after}"), twice] {
            for schema in SCHEMAS {
                first_fault(changed.as_bytes(), schema);
            }
        }
        let changed = format!("{before}{unknown}{after}");
        let (_, path, kind) = first_fault(changed.as_bytes(), Schema::D16B).expect("fault");
        assert!(
            path.ends_with("/ram:Unknown") && kind == "element-unexpected",
            "{path}"
        );
        let changed = format!(
            "{before}{}{after}",
            element.replacen('>', " unknown=''>", 1)
        );
        let (.., kind) = first_fault(changed.as_bytes(), Schema::D16B).expect("fault");
        assert_eq!(kind, "attribute-unknown", "{element}");
    }
}

/// Bytes of one invoice are put anywhere into it, and parts of it are left out.
#[test]
fn mixed_invoices_are_judged_without_a_panic() {
    let xml = SAMPLES[0].xml();
    let places = places(&xml);
    let mut state = 1_u64;
    let mut number = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).expect("number") % below
    };
    let mut judged = 0;
    for _ in 0..400 {
        let mut changed = xml.clone();
        let (from, to) = (
            places[number(places.len())].clone(),
            places[number(places.len())].clone(),
        );
        match number(3) {
            // Elements at other places.
            0 => changed.insert_str(to.start, part(&xml, from)),
            1 => changed.replace_range(to, part(&xml, from)),
            // Bytes at other places: mostly no XML.
            _ => changed.insert(to.start + 1, ['<', '>', '/', ' ', 'x', '&'][number(6)]),
        }
        let report = check(changed.as_bytes(), &CheckLimits::DEFAULT);
        judged += usize::from(report.structure != "not checked");
        assert!(report.fatal + report.warnings + report.information >= report.findings.len());
    }
    assert!(judged > 200, "{judged}");
}

#[test]
fn many_faults_are_counted_and_a_bounded_number_is_kept() {
    const COUNT: usize = 50_000;
    let wrong = "<ram:IncludedNote>x</ram:IncludedNote>".repeat(COUNT);
    let xml = SAMPLES[0].xml();
    let xml = xml.replacen(
        "<ram:IncludedNote>",
        &format!("{wrong}<ram:IncludedNote>"),
        1,
    );
    let report = check(xml.as_bytes(), &CheckLimits::DEFAULT);
    assert_eq!(report.findings.len(), 10_000);
    assert!(report.fatal >= COUNT);
    let last = report
        .findings
        .iter()
        .rfind(|found| found.rule == STRUCTURE);
    assert!(last.is_some());
    // As many steps as there are elements are not enough.
    let limits = CheckLimits {
        steps: 1_000,
        ..CheckLimits::DEFAULT
    };
    let report = check(xml.as_bytes(), &limits);
    assert_eq!(report.findings[0].rule, "ERP-LIMIT");
}
