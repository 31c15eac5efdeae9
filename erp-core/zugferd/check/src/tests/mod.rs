//! Every rule is broken by one document and kept by another.

mod generated;
mod growth;
mod hostile;
mod mutations;
mod profiles;
mod quirks;
mod report;
pub(crate) mod sample;
pub(crate) mod ubl;
mod vat;
mod xrechnung;

use std::collections::BTreeSet;

use super::en16931::RULES;
use super::engine::judge_set;
use super::invoice::document::Document;
use super::{CheckLimits, Report, check};
use crate::engine::context::Context;
use crate::engine::rule::Test;
use crate::engine::rule_set::RuleSet;
use crate::invoice::facts::Facts;
use crate::invoice::node::Node;
use crate::invoice::view::View;
use crate::xml::{Tree, XmlLimits};

/// Rules whose official condition is always true, or that another context always precedes.
const NEVER_BROKEN: [&str; 11] = [
    "BR-CO-05",
    "BR-CO-06",
    "BR-CO-07",
    "BR-CO-08",
    "BR-AF-08",
    "BR-AF-09",
    "BR-AG-08",
    "BR-AG-09",
    "CII-DT-010",
    "CII-DT-011",
    "CII-DT-012",
];

/// A text of a sample and what it is replaced by.
type Change = (&'static str, &'static str);

/// What became of the rules in some documents.
#[derive(Default)]
struct Outcomes {
    broken: BTreeSet<String>,
    kept: BTreeSet<String>,
}

impl Outcomes {
    fn take(&mut self, set: &'static RuleSet, xml: &str) {
        let tree = Tree::parse(xml, &XmlLimits::DEFAULT).expect(xml);
        let view = View::new(&tree, &CheckLimits::DEFAULT);
        let root = Node::new(&view, tree.root());
        let facts = Facts::gather(root);
        let document = Document::new(root, &facts, false);
        judge_set(&document, set, |rule, subject, verdict| {
            let id = rule.id_of(subject.category);
            match verdict {
                Ok(None) => self.kept.insert(id),
                Ok(Some(_)) => self.broken.insert(id),
                Err(_) => false,
            };
        });
    }
}

fn judge(xml: &str) -> Report {
    check(xml.as_bytes(), &CheckLimits::DEFAULT)
}

fn contexts() -> impl Iterator<Item = &'static Context> {
    RULES.contexts()
}

#[test]
fn the_samples_keep_every_rule() {
    for sample in sample::SAMPLES {
        let report = judge(&sample.xml());
        // Their guideline is one that only the rules of EN 16931 judge.
        let rules: Vec<_> = report.findings.iter().map(|found| &found.rule).collect();
        assert_eq!(rules, ["ERP-GUIDELINE"], "{}", sample.category);
        assert!(report.valid && report.rules == ["EN 16931 CII 1.3.16"]);
        let profile = "urn:cen.eu:en16931:2017#compliant#urn:example.org:plain";
        assert_eq!(report.profile.as_deref(), Some(profile));
    }
}

fn mutants() -> impl Iterator<Item = (&'static str, String)> {
    let mutate = |(category, rule, from, to): &mutations::Mutation, count: usize| {
        let mut samples = sample::SAMPLES.iter();
        let sample = samples
            .find(|sample| sample.category == *category)
            .expect("sample");
        let xml = sample.xml();
        assert!(xml.contains(from), "{rule}: {from}");
        (*rule, xml.replacen(from, to, count))
    };
    let ones = mutations::MUTATIONS
        .iter()
        .map(move |mutation| mutate(mutation, 1));
    let alls = mutations::MUTATIONS_OF_ALL.iter();
    ones.chain(alls.map(move |mutation| mutate(mutation, usize::MAX)))
}

#[test]
fn each_mutation_breaks_its_rule() {
    for (rule, xml) in mutants() {
        let report = judge(&xml);
        let mut findings = report.findings.iter();
        assert!(
            findings.any(|finding| finding.rule == rule),
            "{rule}: {:#?}",
            report.findings
        );
    }
}

#[test]
fn every_rule_is_broken_once_and_kept_once() {
    let mut outcomes = Outcomes::default();
    sample::SAMPLES
        .iter()
        .for_each(|sample| outcomes.take(&RULES, &sample.xml()));
    mutants().for_each(|(_, xml)| outcomes.take(&RULES, &xml));
    vat::mutants().for_each(|(_, xml)| outcomes.take(&RULES, &xml));
    generated::documents().for_each(|xml| outcomes.take(&RULES, &xml));
    let mut missing = Vec::new();
    let mut count = 0;
    for context in contexts() {
        for rule in &context.rules {
            let id = rule.id_of(context.category);
            count += 1;
            let never = NEVER_BROKEN.contains(&id.as_str());
            if outcomes.broken.contains(&id) == never {
                missing.push(format!("{id} is broken by none, or though it never should"));
            }
            if !outcomes.kept.contains(&id) && !id.starts_with("CII-DT-01") {
                missing.push(format!("{id} is kept by none"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    // Of the 806 rules one, on units, has two contexts here: of billed and of base quantities.
    assert_eq!(count, 807);
}

#[test]
fn every_rule_has_sentences_without_gaps() {
    for rule in contexts().flat_map(|context| &context.rules) {
        let has_none = matches!(
            rule.test,
            Test::Any(_) | Test::All(_) | Test::NotBoth(..) | Test::Is(_) | Test::Judge(_)
        );
        assert!(!has_none || rule.says.is_some(), "{}", rule.id);
    }
    let mut shown = 0;
    let documents = mutants().map(|(_, xml)| xml);
    for xml in documents.chain(vat::mutants().map(|(_, xml)| xml)) {
        for finding in judge(&xml).findings {
            for sentence in [&finding.en, &finding.de] {
                let is_whole = sentence.ends_with('.') && !sentence.contains(['{', '}']);
                assert!(
                    is_whole && !sentence.contains("``"),
                    "{}: {sentence}",
                    finding.rule
                );
            }
            assert!(
                finding.line > 0 && finding.path.starts_with('/'),
                "{finding:?}"
            );
            for term in finding.terms {
                assert!(
                    crate::findings::terms::find(term).is_some(),
                    "{term} has no name"
                );
            }
            shown += 1;
        }
    }
    assert!(shown > 200, "{shown}");
}
