//! Apportionment by largest remainder.

// rule: R-TOT-08, D-PRI-12
/// Splits `total` into whole parts as close to `numerators` / `denominator` as possible.
///
/// Example: 10 in the proportions 1/3 each, exact parts 3.33: cut down to 3, 3, 3; the missing unit goes to the
/// first part, because all remainders are equal: 4, 3, 3.
///
/// The exact parts must sum to `total` within less than one unit, which holds when `total` is their rounded sum.
/// Every part differs from its exact value by less than one unit, a whole exact part is unchanged, and ties go to
/// the earlier part. A negative total is split as the mirror image of the positive one. `None` on overflow or when
/// the parts do not match the total.
pub(super) fn apportion(total: i128, numerators: &[i128], denominator: i128) -> Option<Vec<i128>> {
    if total >= 0 {
        return apportion_from_below(total, numerators, denominator);
    }
    let mirrored: Option<Vec<_>> = numerators.iter().map(|part| part.checked_neg()).collect();
    let parts = apportion_from_below(total.checked_neg()?, &mirrored?, denominator)?;
    parts.into_iter().map(i128::checked_neg).collect()
}

fn apportion_from_below(total: i128, numerators: &[i128], denominator: i128) -> Option<Vec<i128>> {
    let mut parts = Vec::with_capacity(numerators.len());
    let mut remainders = Vec::with_capacity(numerators.len());
    let mut missing = total;
    for (index, numerator) in numerators.iter().enumerate() {
        let floor = numerator.checked_div_euclid(denominator)?;
        missing = missing.checked_sub(floor)?;
        parts.push(floor);
        remainders.push((numerator.checked_rem_euclid(denominator)?, index));
    }
    let missing = usize::try_from(missing)
        .ok()
        .filter(|missing| *missing <= parts.len())?;
    // The sort is stable, so equal remainders keep their order.
    remainders.sort_by_key(|(remainder, _)| std::cmp::Reverse(*remainder));
    for (_, index) in remainders.into_iter().take(missing) {
        let part = parts.get_mut(index)?;
        *part = part.checked_add(1)?;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::apportion;

    // rule: R-TOT-08
    #[test]
    fn the_largest_remainders_take_the_missing_units() {
        assert_eq!(apportion(10, &[33, 33, 34], 10), Some(vec![3, 3, 4]));
        assert_eq!(apportion(1, &[5, 5], 10), Some(vec![1, 0]));
        assert_eq!(apportion(0, &[0, 0], 7), Some(vec![0, 0]));
        assert_eq!(apportion(0, &[], 7), Some(vec![]));
    }

    // rule: D-PRI-12
    #[test]
    fn a_negative_total_is_the_mirror_image() {
        assert_eq!(apportion(-1, &[-5, -5], 10), Some(vec![-1, 0]));
        assert_eq!(apportion(-10, &[-33, -33, -34], 10), Some(vec![-3, -3, -4]));
    }

    #[test]
    fn parts_that_do_not_belong_to_the_total_are_refused() {
        assert_eq!(apportion(9, &[10, 10], 10), None);
        assert_eq!(apportion(1, &[], 10), None);
        assert_eq!(apportion(1, &[10], 0), None);
    }
}
