//! The amounts of each VAT category in the invoice: lines, allowances, charges and service charges, by rate and reason
//! of exemption. They are collected once, so that many breakdowns stay cheap.

use std::borrow::Cow;

use super::abort::Abort;
use super::categories::CATEGORIES;
use super::decimal::Decimal;
use super::line_tree::is_detail;
use super::node::Node;
use super::texts::{TextMap, Texts};

/// A rate as text without superfluous digits: equal rates have equal texts.
type Rate = String;
/// Code and text of a reason of exemption, with a line end between, which neither has.
type Reason = String;

/// What amounts are summed for. Rates and reasons are numbers in [`CategorySums`]: each text is kept once, however long it is.
#[derive(Clone, Copy)]
struct Key {
    category: &'static str,
    rate: Option<usize>,
    reason: Option<usize>,
    /// Only lines that are neither groups nor information.
    detail: bool,
}

impl Key {
    fn text(self) -> Cow<'static, str> {
        let number = |text: Option<usize>| text.map_or(0, |number| number + 1);
        let (rate, reason, detail) = (number(self.rate), number(self.reason), self.detail);
        format!("{} {rate} {reason} {detail}", self.category).into()
    }
}

/// The rate and the reason of a breakdown, as far as they count.
pub(crate) struct BreakdownPart {
    rate: Option<Rate>,
    reason: Option<Reason>,
}

/// Amounts of the same kind.
#[derive(Clone)]
pub(crate) struct CategoryTotal {
    lines: Result<Decimal, Abort>,
    allowances: Result<Decimal, Abort>,
    charges: Result<Decimal, Abort>,
    logistics: Result<Decimal, Abort>,
    /// Why the newer rules, which read all amounts of an allowance or charge, cannot be judged.
    several: Option<Abort>,
    /// Why categories O and Z, which want one indicator, cannot be judged.
    indicator: Option<Abort>,
    count: usize,
}

#[derive(Default)]
pub(crate) struct CategorySums {
    /// By the texts of keys.
    totals: TextMap<'static, CategoryTotal>,
    rates: Texts<'static>,
    reasons: Texts<'static>,
    /// Rates (true) or reasons of a category that cannot be read; of all lines or of ordinary ones only.
    failures: Vec<((&'static str, bool, bool), Abort)>,
}

impl Default for CategoryTotal {
    fn default() -> Self {
        Self {
            lines: Ok(Decimal::ZERO),
            allowances: Ok(Decimal::ZERO),
            charges: Ok(Decimal::ZERO),
            logistics: Ok(Decimal::ZERO),
            several: None,
            indicator: None,
            count: 0,
        }
    }
}

impl CategoryTotal {
    fn each(self) -> Result<[Decimal; 4], Abort> {
        let (lines, charges) = (self.lines?, self.charges?);
        let parts = [lines, charges, self.logistics?, self.allowances?];
        Ok(parts.map(|part| part.round(2)))
    }

    /// Lines and charges without allowances.
    pub(crate) fn without_logistics(self) -> Result<Decimal, Abort> {
        let [lines, charges, _, allowances] = self.each()?;
        lines.plus(charges)?.minus(allowances)
    }

    /// Lines and all charges without allowances, and how many amounts that are.
    pub(crate) fn with_logistics(self) -> Result<(Decimal, usize), Abort> {
        let count = self.count()?;
        let [lines, charges, logistics, allowances] = self.each()?;
        let sum = lines.plus(charges)?.plus(logistics)?.minus(allowances)?;
        Ok((sum, count))
    }

    /// Whether the charges can be summed.
    pub(crate) fn check_charges(self) -> Result<(), Abort> {
        self.charges.map(|_| ())
    }

    pub(crate) fn count(&self) -> Result<usize, Abort> {
        self.several.clone().map_or(Ok(self.count), Err)
    }
}

fn plus(sum: &mut Result<Decimal, Abort>, amount: &Result<Decimal, Abort>) {
    *sum = match (&*sum, amount) {
        (Ok(sum), Ok(amount)) => sum.plus(*amount),
        (Err(abort), _) | (_, Err(abort)) => Err(abort.clone()),
    };
}

fn plus_if(
    sum: &mut Result<Decimal, Abort>,
    counts: &Result<bool, Abort>,
    amount: &Result<Decimal, Abort>,
) {
    match counts {
        Ok(true) => plus(sum, amount),
        Ok(false) => {}
        Err(abort) => *sum = Err(abort.clone()),
    }
}

impl BreakdownPart {
    /// The part of a breakdown; `None` if its rate is missing.
    pub(crate) fn of(tax: Node<'_>, rate: bool, reason: bool) -> Result<Option<Self>, Abort> {
        let found = tax.decimal("RateApplicablePercent")?;
        if rate && found.is_none() {
            return Ok(None);
        }
        Ok(Some(Self {
            rate: found.filter(|_| rate).map(|rate| rate.to_string()),
            reason: reason.then(|| reason_of(&[tax])).transpose()?,
        }))
    }
}

fn reason_of(taxes: &[Node<'_>]) -> Result<Reason, Abort> {
    let text = |name: &str| {
        let mut texts = taxes.iter().filter(|tax| tax.has(name));
        match (texts.next(), texts.next()) {
            (None, _) => Ok(String::new()),
            (Some(tax), None) => tax.words(name),
            _ => Err(Abort::several(name)),
        }
    };
    let code = text("ExemptionReasonCode")?;
    Ok(code + "\n" + &text("ExemptionReason")?)
}

/// The number of a rate or reason; `None` for one that no amount has.
fn known(numbers: &Texts<'_>, value: Option<&String>) -> Option<Option<usize>> {
    value.map_or(Some(None), |value| numbers.number(value).map(Some))
}

/// CategorySums that something counts for: of all lines, and those of ordinary lines only if it is one.
fn kinds_of_lines(detail: bool) -> impl Iterator<Item = bool> {
    [false, true].into_iter().take(1 + usize::from(detail))
}

impl CategorySums {
    pub(super) fn gather(root: Node<'_>) -> Self {
        let mut sums = Self::default();
        for line in root.all("rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem") {
            sums.line(line);
        }
        let settlement = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement";
        for group in root.all(&format!("{settlement}/SpecifiedTradeAllowanceCharge")) {
            sums.group(group);
        }
        for charge in root.all(&format!("{settlement}/SpecifiedLogisticsServiceCharge")) {
            let amount = charge.decimal("AppliedAmount");
            let amount = amount.map(Option::unwrap_or_default);
            let keys = sums.keys(&charge.all("AppliedTradeTax"), true);
            sums.add(charge, keys, |total| {
                plus(&mut total.logistics, &amount);
                total.count += 1;
            });
        }
        sums
    }

    fn line(&mut self, line: Node<'_>) {
        let detail = is_detail(line);
        let taxes = line.all("SpecifiedLineTradeSettlement/ApplicableTradeTax");
        let keys = self.keys(&taxes, detail);
        self.add(line, keys, |total| total.count += 1);
        for settlement in line.all("SpecifiedLineTradeSettlement") {
            let keys = self.keys(&settlement.all("ApplicableTradeTax"), detail);
            let mut amount = Ok(Decimal::ZERO);
            for summation in settlement.all("SpecifiedTradeSettlementLineMonetarySummation") {
                let total = summation.decimal("LineTotalAmount");
                plus(&mut amount, &total.map(Option::unwrap_or_default));
            }
            self.add(line, keys, |total| plus(&mut total.lines, &amount));
        }
    }

    fn group(&mut self, group: Node<'_>) {
        let charge = group.indicates(true);
        let allowance = group.indicates(false);
        let indicator = group.must_indicate(true).err();
        let amount = group.first("ActualAmount");
        let amount = amount.map_or(Ok(Decimal::ZERO), |node| Decimal::parse(&node.text()));
        let several = group.only("ActualAmount").err();
        let keys = self.keys(&group.all("CategoryTradeTax"), true);
        self.add(group, keys, |total| {
            plus_if(&mut total.charges, &charge, &amount);
            plus_if(&mut total.allowances, &allowance, &amount);
            total.indicator = total.indicator.take().or_else(|| indicator.clone());
            total.several = total.several.take().or_else(|| several.clone());
            total.count += 1;
        });
    }

    fn add(&mut self, node: Node<'_>, keys: Vec<Key>, change: impl Fn(&mut CategoryTotal)) {
        let known = self.totals.len();
        for key in keys {
            self.totals.change(key.text(), &change);
        }
        // A total takes memory.
        let new = self.totals.len() - known;
        node.work(64 * new as u64);
    }

    /// What something with these taxes counts for: its categories, with and without its rates and its reason.
    fn keys(&mut self, taxes: &[Node<'_>], detail: bool) -> Vec<Key> {
        let has = |code: &&'static str| taxes.iter().any(|tax| tax.has_text("CategoryCode", code));
        let codes = CATEGORIES.iter().map(|category| category.code);
        let found: Vec<_> = codes.filter(has).collect();
        let mut rates = vec![None];
        for tax in taxes {
            match tax.decimal("RateApplicablePercent") {
                Ok(rate) => {
                    rates.extend(rate.map(|rate| Some(self.rates.insert(rate.to_string().into()))));
                }
                Err(abort) => self.fail(&found, true, detail, &abort),
            }
        }
        let mut reasons = vec![None];
        match reason_of(taxes) {
            Ok(reason) => reasons.push(Some(self.reasons.insert(reason.into()))),
            Err(abort) => self.fail(&found, false, detail, &abort),
        }
        rates.sort_unstable();
        rates.dedup();
        let mut keys = Vec::new();
        for category in found {
            for rate in &rates {
                for reason in &reasons {
                    keys.extend(kinds_of_lines(detail).map(|detail| Key {
                        category,
                        rate: *rate,
                        reason: *reason,
                        detail,
                    }));
                }
            }
        }
        keys
    }

    fn fail(&mut self, categories: &[&'static str], rate: bool, detail: bool, abort: &Abort) {
        for category in categories {
            for only_detail in kinds_of_lines(detail) {
                let key = (*category, rate, only_detail);
                // There are few, and the last one counts.
                self.failures.retain(|(known, _)| *known != key);
                self.failures.push((key, abort.clone()));
            }
        }
    }

    /// What belongs to the part of a breakdown.
    pub(crate) fn of_part(
        &self,
        category: &'static str,
        part: &BreakdownPart,
        detail: bool,
    ) -> Result<CategoryTotal, Abort> {
        let failed = |rate| {
            let mut failures = self.failures.iter();
            let found = failures.find(|(known, _)| *known == (category, rate, detail));
            found.map(|(_, abort)| abort.clone())
        };
        let of_rate = part.rate.as_ref().and_then(|_| failed(true));
        if let Some(abort) = of_rate.or_else(|| part.reason.as_ref().and_then(|_| failed(false))) {
            return Err(abort);
        }
        let key = || {
            Some(Key {
                category,
                rate: known(&self.rates, part.rate.as_ref())?,
                reason: known(&self.reasons, part.reason.as_ref())?,
                detail,
            })
        };
        let total = key().and_then(|key| self.totals.get(&key.text()));
        Ok(total.cloned().unwrap_or_default())
    }

    /// All of a category, or all of a rate.
    pub(crate) fn of_category(
        &self,
        category: &'static str,
        rate: Option<Decimal>,
        detail: bool,
    ) -> Result<CategoryTotal, Abort> {
        let part = BreakdownPart {
            rate: rate.map(|rate| rate.to_string()),
            reason: None,
        };
        let total = self.of_part(category, &part, detail)?;
        match &total.indicator {
            Some(abort) if matches!(category, "O" | "Z") => Err(abort.clone()),
            _ => Ok(total),
        }
    }
}
