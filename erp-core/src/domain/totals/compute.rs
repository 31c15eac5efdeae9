//! Computes totals from lines.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::apportion::apportion;
use super::exact::{Ratio, exact, from_units, power_of_ten, product_over, to_units};
use super::group::{Amount, AmountPart, TaxGroup, Taxed};
use super::{Line, RecapEntry, Sums, Totals, TotalsError, TotalsInput};

// rule: D-PRI-06
/// Computes the totals of a document; the rules are in the [module](super) documentation.
///
/// # Errors
/// [`TotalsError`] when an amount does not fit, a setting is invalid or delivery costs have no tax code. It never
/// panics.
pub fn totals<K: Ord + Clone>(input: &TotalsInput<'_, K>) -> Result<Totals<K>, TotalsError> {
    let digits = input.minor_digits;
    let amounts = input.lines.iter().map(|line| line_amount(line, digits));
    let amounts: Vec<Amount> = amounts.collect::<Result<_, _>>()?;
    let groups = with_delivery(input, group(input, &amounts)?)?;
    let mut parts: Vec<AmountPart> = vec![AmountPart::default(); amounts.len()];
    let mut recap = Vec::with_capacity(groups.len());
    let mut sum = AmountPart::default();
    for (key, group) in groups {
        let taxed = group.tax(input.kind, &amounts)?;
        sum = exact(sum.plus(taxed.whole))?;
        for (index, part) in group.members.iter().zip(&taxed.lines) {
            if let Some(slot) = parts.get_mut(*index) {
                *slot = *part;
            }
        }
        recap.push(exact(entry(key, &group, &taxed, digits))?);
    }
    let lines = amounts
        .iter()
        .zip(&parts)
        .map(|(amount, part)| exact(amount.shown(part, digits)));
    let lines = lines.collect::<Result<_, _>>()?;
    let gross = exact(sum.net.checked_add(sum.tax))?;
    let payable = payable(gross, input.cash_rounding_step, digits)?;
    let shown = |units| exact(from_units(units, digits));
    Ok(Totals {
        lines,
        recap,
        sums: Sums {
            net: shown(sum.net)?,
            tax: shown(sum.tax)?,
            gross: shown(gross)?,
            cash_rounding: shown(exact(payable.checked_sub(gross))?)?,
        },
        payable: shown(payable)?,
    })
}

fn line_amount<K>(line: &Line<K>, digits: u32) -> Result<Amount, TotalsError> {
    let basis = if line.price_basis.is_zero() {
        Decimal::ONE
    } else {
        line.price_basis
    };
    if basis.is_sign_negative() {
        return Err(TotalsError::PriceBasis);
    }
    let before_discount = exact(product_over(line.quantity, line.unit_price, basis, digits))?;
    let discount = exact(percent(before_discount, line.discount_rate))?;
    let total = exact(before_discount.checked_sub(discount))?;
    Ok(Amount {
        before_discount,
        discount,
        total,
    })
}

fn percent(units: i128, rate: Decimal) -> Option<i128> {
    let hundredth = Ratio {
        numerator: 1,
        denominator: 100,
    };
    let rate = Ratio::of(rate)?.times(hundredth)?;
    Ratio::whole(units).times(rate)?.round()
}

fn group<K: Ord + Clone>(
    input: &TotalsInput<'_, K>,
    amounts: &[Amount],
) -> Result<BTreeMap<K, TaxGroup>, TotalsError> {
    let mut groups = BTreeMap::new();
    for (index, (line, amount)) in input.lines.iter().zip(amounts).enumerate() {
        let group = entry_for(&mut groups, &line.tax, input.rates)?;
        group.members.push(index);
        group.lines = exact(group.lines.checked_add(amount.total))?;
    }
    Ok(groups)
}

fn entry_for<'g, K: Ord + Clone>(
    groups: &'g mut BTreeMap<K, TaxGroup>,
    key: &K,
    rates: &dyn Fn(&K) -> Decimal,
) -> Result<&'g mut TaxGroup, TotalsError> {
    match groups.entry(key.clone()) {
        std::collections::btree_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
        std::collections::btree_map::Entry::Vacant(entry) => {
            Ok(entry.insert(TaxGroup::empty(rates(key))?))
        }
    }
}

// rule: R-TOT-11
fn with_delivery<K: Ord + Clone>(
    input: &TotalsInput<'_, K>,
    mut groups: BTreeMap<K, TaxGroup>,
) -> Result<BTreeMap<K, TaxGroup>, TotalsError> {
    let costs = exact(to_units(input.delivery_costs, input.minor_digits))?;
    if costs == 0 {
        return Ok(groups);
    }
    let mut sums = groups.values().map(|group| group.lines);
    let sum = exact(sums.try_fold(0, i128::checked_add))?;
    if sum == 0 {
        let key = input.delivery_tax.as_ref();
        let key = key.ok_or(TotalsError::NoDeliveryTax)?;
        entry_for(&mut groups, key, input.rates)?.delivery = costs;
        return Ok(groups);
    }
    exact(spread(costs, sum.signum(), &mut groups))?;
    Ok(groups)
}

/// Spreads delivery costs over the tax keys whose line sum has the sign of the document.
fn spread<K>(costs: i128, sign: i128, groups: &mut BTreeMap<K, TaxGroup>) -> Option<()> {
    let weight = |group: &TaxGroup| group.lines.checked_mul(sign).map(|lines| lines.max(0));
    let weights = groups.values().map(weight).collect::<Option<Vec<_>>>()?;
    let all = weights
        .iter()
        .try_fold(0_i128, |all, weight| all.checked_add(*weight))?;
    let ideal: Option<Vec<_>> = weights
        .iter()
        .map(|weight| weight.checked_mul(costs))
        .collect();
    let shares = apportion(costs, &ideal?, all)?;
    for (group, share) in groups.values_mut().zip(shares) {
        group.delivery = share;
    }
    Some(())
}

fn entry<K>(key: K, group: &TaxGroup, taxed: &Taxed, digits: u32) -> Option<RecapEntry<K>> {
    let gross = taxed.whole.net.checked_add(taxed.whole.tax)?;
    Some(RecapEntry {
        key,
        rate: group.rate,
        net: from_units(taxed.whole.net, digits)?,
        tax: from_units(taxed.whole.tax, digits)?,
        gross: from_units(gross, digits)?,
        delivery_net_share: from_units(taxed.delivery.net, digits)?,
        delivery_tax_share: from_units(taxed.delivery.tax, digits)?,
    })
}

fn payable(gross: i128, step: Option<Decimal>, digits: u32) -> Result<i128, TotalsError> {
    let Some(step) = step else { return Ok(gross) };
    let coin = whole_units(step, digits).ok_or(TotalsError::CashRoundingStep)?;
    let coins = Ratio {
        numerator: gross,
        denominator: coin,
    };
    let coins = exact(coins.round())?;
    exact(coins.checked_mul(coin))
}

/// The step in minor units, if it is a positive whole number of them.
fn whole_units(step: Decimal, digits: u32) -> Option<i128> {
    let units = Ratio::of(step)?.times(Ratio::whole(power_of_ten(digits)?))?;
    (units.numerator > 0 && units.denominator == 1).then_some(units.numerator)
}
