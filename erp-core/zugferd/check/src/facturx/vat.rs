//! The rules that every VAT category has, by the numbers of the standard.

use std::cmp::Ordering;

use super::Found;
use super::sums::{Part, Sums};
use super::values::any_to_zero;
use super::vat_sums::{no_tax, standard_tax, sum, tolerant_tax};
use crate::engine::rule::Holds;
use crate::invoice::categories::{CATEGORIES, Category};
use crate::invoice::document::Document;
use crate::invoice::node::Node;

/// The rules of all categories, run over one document.
pub(super) struct Vat<'r, 'f, 'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) sums: &'r Sums,
    pub(super) found: &'r mut Found<'f, 'a>,
}

impl<'a> Vat<'_, '_, 'a> {
    pub(super) fn run(&mut self) {
        for category in &CATEGORIES {
            self.uses(category);
            self.breakdowns(category);
            self.document_rules(category);
        }
        self.split_payment();
    }

    /// Reports the rule where its verdict says so, if the profile has it.
    fn report(&mut self, name: &str, element: Node<'a>, verdict: &dyn Fn() -> Holds) {
        if !element.is_exhausted() {
            self.found.business(name, element, verdict);
        }
    }

    /// Taxes of lines (rules -02 and -05), allowances (-03, -06) and charges (-04, -07).
    fn uses(&mut self, category: &Category) {
        let line = "rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement/ApplicableTradeTax";
        let group = "SpecifiedTradeAllowanceCharge/CategoryTradeTax";
        let places = [
            (2, line, None),
            (3, group, Some("false")),
            (4, group, Some("true")),
        ];
        for (number, path, indicator) in places {
            let taxes: Vec<_> = self.document.anywhere(path).collect();
            for tax in taxes {
                let applies = indicator.is_none_or(|indicator| {
                    tax.up().is_some_and(|group| {
                        group.has_text("ChargeIndicator/udt:Indicator", indicator)
                    })
                });
                if applies && tax.has_text("CategoryCode", category.code) {
                    let document = self.document;
                    let name = format!("BR-{}-{number:02}", category.letters);
                    self.report(&name, tax, &|| Ok(identified(document, category.code)));
                    let name = format!("BR-{}-{:02}", category.letters, number + 3);
                    self.report(&name, tax, &|| rate(tax, category.code));
                }
            }
        }
    }

    /// Breakdowns: sums (-08), tax (-09), reason (-10) and requirements of single categories.
    fn breakdowns(&mut self, category: &Category) {
        let settlement = "ApplicableHeaderTradeSettlement/ApplicableTradeTax";
        let taxes: Vec<_> = self.document.anywhere(settlement).collect();
        for tax in taxes {
            // Categories L, M and O are checked once per breakdown, the others once per code.
            let once = matches!(category.code, "L" | "M" | "O");
            let mut codes = tax.all("CategoryCode");
            codes.retain(|code| code.text() == category.code);
            if codes.is_empty() {
                continue;
            }
            let places = if once { vec![tax] } else { codes.to_vec() };
            for place in places {
                self.breakdown(category, tax, place);
            }
            self.tolerant(category, tax);
        }
    }

    fn breakdown(&mut self, category: &Category, tax: Node<'a>, place: Node<'a>) {
        let name = |number: &str| format!("BR-{}-{number}", category.letters);
        let (sums, document) = (self.sums, self.document);
        self.report(&name("08"), place, &|| sum(sums, category.code, tax));
        match category.code {
            "S" => self.report(&name("09"), place, &|| standard_tax(tax)),
            _ => self.report(&name("09"), place, &|| no_tax(tax)),
        }
        // Without VAT the breakdown says why, and only then; zero is a rate.
        let is_taxed = matches!(category.code, "L" | "M" | "S" | "Z");
        let reason = tax.has("ExemptionReason") || tax.has("ExemptionReasonCode");
        self.report(&name("10"), place, &|| Ok(reason != is_taxed));
        match category.code {
            "K" => {
                self.report("BR-IC-11", place, &|| Ok(delivered(document, tax)));
                self.report("BR-IC-12", place, &|| Ok(has_delivery_country(document)));
            }
            "O" => {
                let facts = document.facts;
                for number in ["11", "12"] {
                    self.report(&name(number), place, &|| Ok(!facts.has_other_tax_than_o));
                }
                for number in ["13", "14"] {
                    self.report(&name(number), place, &|| {
                        Ok(!facts.has_other_allowance_than_o)
                    });
                }
            }
            "G" => self.report("BR-FXEXT-G-08", place, &|| {
                let totals = sums.of_category(category.code, None, true)?;
                totals.matches(tax)
            }),
            _ => {}
        }
    }

    /// The sums of the newer releases allow a cent for every amount summed, and know reasons of exemption.
    fn tolerant(&mut self, category: &Category, tax: Node<'a>) {
        let sums = self.sums;
        let detail = self.found.profile.has_sub_lines();
        let part = |reason: bool| Part::of(tax, category.code != "O", reason);
        let matches = move |reason: bool| match part(reason)? {
            Some(part) => sums.of_part(category.code, &part, detail)?.matches(tax),
            None => Ok(false),
        };
        if category.code == "S" {
            self.report("BR-FXEXT-S-09b", tax, &|| {
                tolerant_tax(sums, category.code, tax)
            });
        }
        if !matches!(tax.is_vat(), Ok(true)) {
            return;
        }
        let family = category.letters;
        let both = if family == "S" {
            "BR-FXEXT-S08b".into()
        } else {
            format!("BR-FXEXT-{family}-08b")
        };
        self.report(&both, tax, &|| Ok(matches(true)? || matches(false)?));
        self.report(&format!("BR-FXEXT-{family}-08ini"), tax, &|| {
            // The official condition sums the charges of category S too, without use.
            if let Some(part) = part(true)? {
                sums.of_part("S", &part, detail)?.check_charges()?;
            }
            matches(false)
        });
        self.report(&format!("BR-FXEXT-{family}-08rev"), tax, &|| matches(true));
    }

    /// Each use of a category needs its breakdown and each breakdown a use (-01).
    fn document_rules(&mut self, category: &Category) {
        let document = self.document;
        let uses = document.facts.uses(category.code);
        let name = format!("BR-{}-01", category.letters);
        self.report(&name, document.root, &|| {
            Ok(match category.code {
                "S" | "L" | "M" => uses.has_breakdown(),
                "O" => uses.are_outside(),
                _ => uses.go_together(),
            })
        });
        let is_of = |tax: &Node<'_>| tax.has_text("CategoryCode", category.code);
        let logistics = document.anywhere("AppliedTradeTax").filter(is_of).count();
        let of_detail = |tax: &Node<'_>| {
            let line = tax.up().and_then(Node::up);
            is_of(tax) && line.is_some_and(super::sums::is_detail)
        };
        let details = document
            .anywhere("SpecifiedLineTradeSettlement/ApplicableTradeTax")
            .filter(of_detail)
            .count();
        let used = details + uses.allowances + logistics > 0;
        let name = format!("BR-FXEXT-{}-01", category.letters);
        self.report(&name, document.root, &|| Ok((uses.breakdowns > 0) == used));
    }

    /// Category B, for split payment in Italy.
    fn split_payment(&mut self) {
        let (root, facts) = (self.document.root, self.document.facts);
        let split = facts.has_split_payment;
        self.report("BR-B-01", root, &|| {
            Ok(!split || !facts.has_country_other_than_italy)
        });
        self.report("BR-B-02", root, &|| Ok(!split || !facts.has_standard_rate));
    }
}

/// Whether seller and buyer have the identifiers that a category requires.
fn identified(document: &Document<'_>, code: &str) -> bool {
    let facts = document.facts;
    let (ids, header) = (facts.ids, facts.header_ids);
    match code {
        "AE" => ids.identify_seller() && (ids.buyer_vat || ids.buyer_legal),
        "G" => ids.identify_seller_for_vat(),
        "K" => ids.identify_seller_for_vat() && ids.buyer_vat,
        "O" => !header.identify_seller_for_vat() && !ids.buyer_vat,
        _ => header.identify_seller(),
    }
}

fn rate(tax: Node<'_>, code: &str) -> Holds {
    let rates = tax.all("RateApplicablePercent");
    match code {
        "O" => Ok(rates.is_empty()),
        "L" | "S" => any_to_zero(&rates, Ordering::is_gt),
        "M" => any_to_zero(&rates, Ordering::is_ge),
        _ => any_to_zero(&rates, Ordering::is_eq),
    }
}

fn delivered(document: &Document<'_>, tax: Node<'_>) -> bool {
    document.root.has("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime/udt:DateTimeString",
    ) || tax.up().is_some_and(|settlement| {
        settlement.has("BillingSpecifiedPeriod/StartDateTime") || settlement.has("BillingSpecifiedPeriod/EndDateTime")
    })
}

fn has_delivery_country(document: &Document<'_>) -> bool {
    document.root.has("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery/ShipToTradeParty/PostalTradeAddress/CountryID",
    )
}
