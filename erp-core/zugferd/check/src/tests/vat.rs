//! Each rule of each VAT category, broken.

use super::judge;
use super::sample::{SAMPLES, Sample};

/// The letters of the rules of a category.
fn letters(category: &str) -> &str {
    match category {
        "K" => "IC",
        "L" => "AF",
        "M" => "AG",
        category => category,
    }
}

pub(super) fn sample(category: &str) -> String {
    let mut samples = SAMPLES.iter();
    samples
        .find(|sample| sample.category == category)
        .expect("sample")
        .xml()
}

/// Category rules from `-01` to `-10` with documents that break them.
fn mutants_of(sample: &Sample) -> Vec<(&'static str, String)> {
    let (category, xml) = (sample.category, sample.xml());
    let code = format!("<ram:CategoryCode>{category}</ram:CategoryCode>");
    let basis = "<ram:BasisAmount>195.00</ram:BasisAmount>";
    let others = super::vat::sample(if category == "S" { "Z" } else { "S" });
    let other = if category == "S" { "Z" } else { "S" };
    let other_code = format!("<ram:CategoryCode>{other}</ram:CategoryCode>");
    let without_breakdown = match category {
        // A breakdown without a use.
        "O" => others.replace(&format!("{basis}{other_code}"), &format!("{basis}{code}")),
        _ => others.replacen(&other_code, &code, 1),
    };
    let registration = "<ram:SpecifiedTaxRegistration><ram:ID schemeID=\"VA\">DE1</ram:ID></ram:SpecifiedTaxRegistration>";
    let ids = match category {
        "O" => xml.replace(
            "</ram:SellerTradeParty>",
            &format!("{registration}</ram:SellerTradeParty>"),
        ),
        _ => xml.replace("schemeID=\"VA\"", "schemeID=\"XX\""),
    };
    let rate =
        |rate: &str| format!("<ram:RateApplicablePercent>{rate}</ram:RateApplicablePercent>");
    let rates = match sample.rate {
        None => xml.replace(&code, &format!("{code}{}", rate("0"))),
        Some("0") => xml.replace(&rate("0"), &rate("5")),
        Some(other) => xml.replace(&rate(other), &rate("-1")),
    };
    let reason = format!(
        "<ram:ExemptionReasonCode>{}</ram:ExemptionReasonCode>",
        sample.reason
    );
    let reasons = match sample.reason {
        "" => xml.replace(
            basis,
            &format!("{basis}<ram:ExemptionReason>x</ram:ExemptionReason>"),
        ),
        _ => xml.replace(&reason, ""),
    };
    let mut mutants = vec![
        ("01", without_breakdown),
        ("02", ids.clone()),
        ("03", ids.clone()),
        ("04", ids),
        ("05", rates.clone()),
        ("06", rates.clone()),
        ("07", rates),
        ("10", reasons),
    ];
    // The official conditions on these amounts of L and M are always true.
    if !matches!(category, "L" | "M") {
        let tax = format!("<ram:CalculatedAmount>{}<", sample.tax);
        mutants.push((
            "08",
            xml.replace("<ram:BasisAmount>195.00<", "<ram:BasisAmount>196.00<"),
        ));
        mutants.push(("09", xml.replace(&tax, "<ram:CalculatedAmount>41.00<")));
    }
    mutants
}

/// Rule ids with documents that break them.
pub(super) fn mutants() -> impl Iterator<Item = (String, String)> {
    SAMPLES.iter().flat_map(|sample| {
        let letters = letters(sample.category);
        let mutants = mutants_of(sample).into_iter();
        mutants.map(move |(number, xml)| (format!("BR-{letters}-{number}"), xml))
    })
}

#[test]
fn each_rule_of_a_category_is_broken() {
    let mut count = 0;
    for (rule, xml) in mutants() {
        let report = judge(&xml);
        let mut findings = report.findings.iter();
        assert!(
            findings.any(|finding| finding.rule == rule),
            "{rule}: {:#?}",
            report.findings
        );
        count += 1;
    }
    assert_eq!(count, 9 * 8 + 7 * 2);
}

#[test]
fn basis_amounts_have_the_tolerance_of_their_category() {
    for (category, basis, tax_free, breaks) in [
        ("S", "195.01", false, true),
        ("O", "195.01", true, true),
        ("Z", "195.99", true, false),
        ("Z", "196.00", true, true),
        ("K", "194.01", true, false),
        ("K", "194.00", true, true),
        ("L", "1.00", false, false),
    ] {
        let from = "<ram:BasisAmount>195.00<";
        let xml = sample(category).replace(from, &format!("<ram:BasisAmount>{basis}<"));
        let rule = format!("BR-{}-08", letters(category));
        let found = judge(&xml)
            .findings
            .iter()
            .any(|finding| finding.rule == rule);
        assert_eq!(found, breaks, "{category} {basis} {tax_free}");
    }
}
