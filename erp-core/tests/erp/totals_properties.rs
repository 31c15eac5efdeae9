//! Properties of the totals of every document.

use erp_core::totals::{Line, PriceKind, Totals, TotalsError, TotalsInput, totals};
use proptest::prelude::*;
use rust_decimal::Decimal;

const RATES: [(i64, u32); 5] = [(81, 1), (26, 1), (19, 0), (0, 0), (1075, 2)];

fn rate(key: usize) -> Decimal {
    let (mantissa, scale) = RATES[key % RATES.len()];
    Decimal::new(mantissa, scale)
}

#[derive(Clone, Debug)]
struct Cart {
    kind: PriceKind,
    digits: u32,
    lines: Vec<Line<usize>>,
    delivery: Decimal,
    step: Option<Decimal>,
}

impl Cart {
    fn totals(&self) -> Result<Totals<usize>, TotalsError> {
        totals(&TotalsInput {
            kind: self.kind,
            minor_digits: self.digits,
            lines: &self.lines,
            rates: &|key| rate(*key),
            delivery_costs: self.delivery,
            delivery_tax: Some(0),
            cash_rounding_step: self.step,
        })
    }

    fn turned(&self) -> Self {
        let mut turned = self.clone();
        turned.delivery = -turned.delivery;
        for line in &mut turned.lines {
            line.quantity = -line.quantity;
        }
        turned
    }
}

fn line(quantity: impl Strategy<Value = i64>) -> impl Strategy<Value = Line<usize>> {
    let discount = prop_oneof![Just(0_i64), 0..10_000_i64];
    let basis = prop_oneof![Just(0_i64), Just(1), Just(12), Just(100)];
    (quantity, 0..10_000_000_i64, basis, discount, 0..RATES.len()).prop_map(
        |(quantity, price, basis, discount, tax)| Line {
            quantity: Decimal::new(quantity, 3),
            unit_price: Decimal::new(price, 4),
            price_basis: Decimal::from(basis),
            discount_rate: Decimal::new(discount, 2),
            tax,
        },
    )
}

fn cart(quantity: impl Strategy<Value = i64> + Clone) -> impl Strategy<Value = Cart> {
    let kind = prop_oneof![Just(PriceKind::Net), Just(PriceKind::Gross)];
    let delivery = prop_oneof![Just(0_i64), 0..100_000_i64];
    let step = prop_oneof![
        Just(None),
        Just(Some(Decimal::ONE)),
        Just(Some(Decimal::from(5)))
    ];
    let lines = prop::collection::vec(line(quantity), 0..40);
    (
        kind,
        prop_oneof![Just(0_u32), Just(2), Just(3)],
        lines,
        delivery,
        step,
    )
        .prop_map(|(kind, digits, lines, delivery, step)| Cart {
            kind,
            digits,
            lines,
            delivery: Decimal::new(delivery, digits),
            step,
        })
}

fn carts() -> impl Strategy<Value = Cart> {
    prop_oneof![cart(0..100_000_i64), cart(-100_000..100_000_i64)]
}

fn sum(values: impl Iterator<Item = Decimal>) -> Decimal {
    values.sum()
}

proptest! {
    // rule: R-RES-08, D-PRI-10
    #[test]
    fn the_recap_sums_to_the_totals(cart in carts()) {
        let found = cart.totals().unwrap();
        prop_assert_eq!(sum(found.recap.iter().map(|entry| entry.net)), found.sums.net);
        prop_assert_eq!(sum(found.recap.iter().map(|entry| entry.tax)), found.sums.tax);
        prop_assert_eq!(found.sums.net + found.sums.tax, found.sums.gross);
        prop_assert_eq!(found.sums.gross + found.sums.cash_rounding, found.payable);
        for entry in &found.recap {
            prop_assert_eq!(entry.net + entry.tax, entry.gross);
            prop_assert_eq!(entry.rate, rate(entry.key));
        }
        prop_assert!(found.recap.windows(2).all(|pair| pair[0].key < pair[1].key));
    }

    // rule: R-TOT-08
    #[test]
    fn lines_and_delivery_share_sum_to_the_recap(cart in carts()) {
        let found = cart.totals().unwrap();
        for entry in &found.recap {
            let own = || found.lines.iter().zip(&cart.lines).filter(|(_, line)| line.tax == entry.key);
            let net = sum(own().map(|(line, _)| line.net));
            let tax = sum(own().map(|(line, _)| line.tax));
            prop_assert_eq!(net + entry.delivery_net_share, entry.net);
            prop_assert_eq!(tax + entry.delivery_tax_share, entry.tax);
        }
        let delivery = |entry: &erp_core::totals::RecapEntry<usize>| match cart.kind {
            PriceKind::Net => entry.delivery_net_share,
            PriceKind::Gross => entry.delivery_net_share + entry.delivery_tax_share,
        };
        prop_assert_eq!(sum(found.recap.iter().map(delivery)), cart.delivery);
    }

    // rule: D-PRI-10
    #[test]
    fn the_customer_pays_the_listed_sum(cart in carts()) {
        let found = cart.totals().unwrap();
        let listed = sum(found.lines.iter().map(|line| line.total)) + cart.delivery;
        prop_assert_eq!(listed, match cart.kind {
            PriceKind::Net => found.sums.net,
            PriceKind::Gross => found.sums.gross,
        });
        for line in &found.lines {
            prop_assert_eq!(line.before_discount - line.discount, line.total);
            prop_assert_eq!(line.total, match cart.kind {
                PriceKind::Net => line.net,
                PriceKind::Gross => line.net + line.tax,
            });
        }
    }

    // rule: R-TOT-08
    #[test]
    fn the_tax_of_a_line_is_within_one_unit_of_its_exact_tax(cart in carts()) {
        let unit = Decimal::new(1, cart.digits);
        let found = cart.totals().unwrap();
        for (line, input) in found.lines.iter().zip(&cart.lines) {
            let rate = rate(input.tax);
            let divisor = match cart.kind {
                PriceKind::Net => Decimal::ONE_HUNDRED,
                PriceKind::Gross => Decimal::ONE_HUNDRED + rate,
            };
            let distance = (line.tax - line.total * rate / divisor).abs();
            prop_assert!(distance < unit, "{} at {}: {}", line.total, rate, line.tax);
        }
    }

    // rule: D-PRI-10
    #[test]
    fn the_order_of_lines_changes_no_total(
        (cart, shuffled) in carts().prop_flat_map(|cart| {
            let lines = Just(cart.lines.clone()).prop_shuffle();
            (Just(cart), lines)
        })
    ) {
        let first = cart.totals().unwrap();
        let second = Cart { lines: shuffled, ..cart }.totals().unwrap();
        prop_assert_eq!(first.recap, second.recap);
        prop_assert_eq!(
            (first.sums, first.payable),
            (second.sums, second.payable)
        );
    }

    // rule: D-PRI-12
    #[test]
    fn a_full_return_turns_every_amount(cart in cart(1..100_000_i64)) {
        let sold = cart.totals().unwrap();
        let returned = cart.turned().totals().unwrap();
        prop_assert_eq!(sold.payable, -returned.payable);
        for (sold, returned) in sold.recap.iter().zip(&returned.recap) {
            prop_assert_eq!((sold.net, sold.tax), (-returned.net, -returned.tax));
            prop_assert_eq!(sold.delivery_net_share, -returned.delivery_net_share);
        }
        for (sold, returned) in sold.lines.iter().zip(&returned.lines) {
            prop_assert_eq!((sold.net, sold.tax), (-returned.net, -returned.tax));
        }
    }

    #[test]
    fn extreme_numbers_are_an_error_and_no_panic(
        numbers in prop::collection::vec((any::<i128>(), 0_u32..=28), 8),
        gross in any::<bool>(),
        digits in 0_u32..40,
    ) {
        let number = |index: usize| {
            let (mantissa, scale) = numbers[index];
            let mantissa = mantissa >> (mantissa.unsigned_abs() % 128);
            Decimal::try_from_i128_with_scale(mantissa, scale).unwrap_or(Decimal::MAX)
        };
        let line = |first: usize| Line {
            quantity: number(first),
            unit_price: number(first + 1),
            price_basis: number(first + 2),
            discount_rate: number(first + 3),
            tax: number(7),
        };
        let found = totals(&TotalsInput {
            kind: if gross { PriceKind::Gross } else { PriceKind::Net },
            minor_digits: digits,
            lines: &[line(0), line(1), line(2)],
            rates: &|rate| *rate,
            delivery_costs: number(6),
            delivery_tax: None,
            cash_rounding_step: Some(number(4)),
        });
        if let Ok(found) = found {
            prop_assert_eq!(found.sums.net + found.sums.tax, found.sums.gross);
        }
    }
}

fn single(quantity: Decimal, price: Decimal, delivery: Decimal) -> Cart {
    let line = Line {
        quantity,
        unit_price: price,
        price_basis: Decimal::ONE,
        discount_rate: Decimal::ZERO,
        tax: 1,
    };
    Cart {
        kind: PriceKind::Net,
        digits: 2,
        lines: vec![line],
        delivery,
        step: None,
    }
}

// rule: D-PRI-06
#[test]
fn the_largest_line_within_the_limits_is_exact() {
    let largest: Decimal = "999999999.999999".parse().unwrap();
    let found = single(largest, largest, Decimal::ZERO).totals().unwrap();
    assert_eq!(found.sums.net.to_string(), "999999999999998000.00");
    assert_eq!(found.sums.tax.to_string(), "25999999999999948.00");
}

// rule: R-TOT-11
#[test]
fn delivery_costs_without_lines_fall_on_their_own_code() {
    let twelve = Decimal::from(12);
    for lines in [vec![], single(Decimal::ONE, Decimal::ZERO, twelve).lines] {
        let mut cart = single(Decimal::ONE, Decimal::ONE, twelve);
        cart.lines = lines;
        let found = cart.totals().unwrap();
        let own = &found.recap[0];
        assert_eq!(
            (own.key, own.net.to_string(), own.tax.to_string()),
            (0, "12.00".into(), "0.97".into())
        );
        assert_eq!(found.sums.gross.to_string(), "12.97");
    }
}

// rule: D-PRI-12
#[test]
fn a_returned_line_takes_no_delivery_costs() {
    let mut cart = single(Decimal::ONE, Decimal::from(100), Decimal::from(12));
    let mut returned = cart.lines[0].clone();
    (returned.quantity, returned.tax) = (Decimal::new(-99, 2), 0);
    cart.lines.push(returned);
    let found = cart.totals().unwrap();
    let shares: Vec<_> = found
        .recap
        .iter()
        .map(|e| e.delivery_net_share.to_string())
        .collect();
    assert_eq!(shares, ["0.00", "12.00"]);
}

// rule: R-TOT-08
#[test]
fn ties_between_codes_go_to_the_smaller_key() {
    let mut cart = single(Decimal::ONE, Decimal::TEN, Decimal::new(501, 2));
    let mut other = cart.lines[0].clone();
    other.tax = 0;
    cart.lines.push(other);
    let found = cart.totals().unwrap();
    let shares: Vec<_> = found
        .recap
        .iter()
        .map(|e| (e.key, e.delivery_net_share.to_string()))
        .collect();
    assert_eq!(shares, [(0, "2.51".into()), (1, "2.50".into())]);
}

#[test]
fn invalid_settings_are_named() {
    let base = single(Decimal::ONE, Decimal::ONE, Decimal::ZERO);
    let with = |change: fn(&mut Cart)| {
        let mut cart = base.clone();
        change(&mut cart);
        cart.totals().unwrap_err()
    };
    assert_eq!(
        with(|c| c.lines[0].price_basis = -Decimal::ONE),
        TotalsError::PriceBasis
    );
    assert_eq!(
        with(|c| c.step = Some(Decimal::ZERO)),
        TotalsError::CashRoundingStep
    );
    assert_eq!(
        with(|c| c.step = Some(Decimal::new(5, 3))),
        TotalsError::CashRoundingStep
    );
    assert_eq!(
        with(|c| c.lines[0].quantity = Decimal::MAX),
        TotalsError::TooLarge
    );
    let input = TotalsInput {
        kind: PriceKind::Net,
        minor_digits: 2,
        lines: &[],
        rates: &|()| -Decimal::ONE,
        delivery_costs: Decimal::ONE,
        delivery_tax: None,
        cash_rounding_step: None,
    };
    assert_eq!(totals(&input), Err(TotalsError::NoDeliveryTax));
    let input = TotalsInput {
        delivery_tax: Some(()),
        ..input
    };
    assert_eq!(totals(&input), Err(TotalsError::TaxRate));
}
