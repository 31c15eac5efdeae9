//! Unit prices of packaging units and of mixed documents.

use rust_decimal::Decimal;

use super::exact::{Ratio, from_units, power_of_ten, product_over};
use crate::values::limits::FRACTION_DIGITS;

/// The price of one base unit, as information for a position in packages (`PosPreisEinzel`):
/// `package_price` / `factor` × `price_basis` with at most six fraction digits.
///
/// The line itself is computed from the package price. A basis of 0 counts as 1. `None` when the factor is not
/// positive or the result does not fit.
///
/// ```
/// use erp_core::totals::packaged_unit_price;
/// use rust_decimal::Decimal;
/// let price = packaged_unit_price(Decimal::new(1000, 2), Decimal::from(12), Decimal::ONE);
/// assert_eq!(price, Some(Decimal::new(833_333, 6)));
/// ```
pub fn packaged_unit_price(
    package_price: Decimal,
    factor: Decimal,
    price_basis: Decimal,
) -> Option<Decimal> {
    let basis = if price_basis.is_zero() {
        Decimal::ONE
    } else {
        price_basis
    };
    let units = product_over(package_price, basis, factor, FRACTION_DIGITS)?;
    from_units(units, FRACTION_DIGITS).map(|price| price.normalize())
}

// rule: R-TOT-03
/// Number of packages of `factor` base units in `quantity` (`VPEAnzBest`).
///
/// `None` when it is not a whole number of packages, or the factor is not positive.
pub fn whole_packages(quantity: Decimal, factor: Decimal) -> Option<Decimal> {
    let packages = Ratio::of(quantity)?.over(Ratio::of(factor)?)?;
    if packages.numerator.checked_rem(packages.denominator)? != 0 {
        return None;
    }
    from_units(packages.numerator.checked_div(packages.denominator)?, 0)
}

/// `quantity` × `price` / `basis`, rounded once to `digits` fraction digits. A basis of 0 counts as 1. `None` when the basis is
/// negative or the result does not fit.
pub fn amount_of(
    quantity: Decimal,
    price: Decimal,
    basis: Decimal,
    digits: u32,
) -> Option<Decimal> {
    let basis = if basis.is_zero() { Decimal::ONE } else { basis };
    from_units(product_over(quantity, price, basis, digits)?, digits)
}

/// Converts a gross price to a net unit price with six fraction digits, for a document that uses net and gross price
/// lists. `rate` is in percent.
///
/// `None` when the rate is not above −100 or the result does not fit.
pub fn net_unit_price(gross_unit_price: Decimal, rate: Decimal) -> Option<Decimal> {
    let hundred = Decimal::from(power_of_ten(2)?);
    let divisor = hundred.checked_add(rate)?;
    let units = product_over(gross_unit_price, hundred, divisor, FRACTION_DIGITS)?;
    from_units(units, FRACTION_DIGITS).map(|price| price.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    // rule: R-TOT-03
    #[test]
    fn the_unit_price_of_a_package_has_six_digits() {
        for (price, factor, basis, expected) in [
            ("10.00", "12", "1", Some("0.833333")),
            ("10.00", "12", "0", Some("0.833333")),
            ("18.00", "200", "100", Some("9")),
            ("0.01", "7", "1", Some("0.001429")),
            ("10.00", "0", "1", None),
            ("10.00", "-12", "1", None),
        ] {
            let found = packaged_unit_price(decimal(price), decimal(factor), decimal(basis));
            assert_eq!(found, expected.map(decimal), "{price} / {factor} × {basis}");
        }
    }

    // rule: R-TOT-03
    #[test]
    fn half_a_package_is_none() {
        for (quantity, factor, expected) in [
            ("36", "12", Some("3")),
            ("37", "12", None),
            ("0.75", "0.25", Some("3")),
            ("1", "0.3", None),
            ("-24", "12", Some("-2")),
            ("0", "12", Some("0")),
            ("12", "0", None),
            ("12", "-12", None),
        ] {
            let found = whole_packages(decimal(quantity), decimal(factor));
            assert_eq!(found, expected.map(decimal), "{quantity} / {factor}");
        }
        assert_eq!(whole_packages(Decimal::MAX, decimal("0.0000001")), None);
    }

    // rule: R-TOT-10
    #[test]
    fn a_gross_price_becomes_net_with_six_digits() {
        for (gross, rate, expected) in [
            ("9.95", "8.1", Some("9.204440")),
            ("1.19", "19", Some("1")),
            ("5", "0", Some("5")),
            ("5", "-100", None),
        ] {
            let found = net_unit_price(decimal(gross), decimal(rate));
            assert_eq!(found, expected.map(decimal), "{gross} at {rate}");
        }
    }
}
