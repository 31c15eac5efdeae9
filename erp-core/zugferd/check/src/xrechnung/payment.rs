//! Payment: which group belongs to which means, whether accounts are IBANs, and cash discounts in the payment terms, in the
//! form `#SKONTO#TAGE=14#PROZENT=2.00#BASISBETRAG=100.00#`.

use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::BLANKS;
use crate::invoice::node::Node;
use crate::invoice::values::normalize;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        neither_transfer_nor_card, has_debit, discount_lines,
        debit_has_creditor = |subject| {
            let [mandate, creditor, account] = subject.facts.debit;
            Ok((mandate || account) == creditor)
        },
        debit_has_account = |subject| {
            let [mandate, creditor, account] = subject.facts.debit;
            Ok((mandate || creditor) == account)
        },
        neither_card_nor_debit = |subject| neither_nor_debit(subject, "ApplicableTradeSettlementFinancialCard"),
        neither_transfer_nor_debit = |subject| neither_nor_debit(subject, "PayeePartyCreditorFinancialAccount"),
        is_transfer = |subject| means_are(subject, &["30", "58"]),
        is_card = |subject| means_are(subject, &["48", "54", "55"]),
        is_debit = |subject| means_are(subject, &["59"]),
        debtor_iban = |subject| is_iban(subject.node, subject.node.syntax().debtor_account),
        creditor_iban = |subject| {
            Ok(!means_are(subject, &["58"])? || is_iban(subject.node, subject.node.syntax().creditor_account)?)
        };
};

pub(super) fn means_are(subject: &Subject<'_>, codes: &[&str]) -> Holds {
    let code = subject.node.words(subject.node.syntax().payment_code)?;
    Ok(codes.contains(&code.as_str()))
}

/// Mandate or creditor of the invoice, or an account of these means.
fn has_debit(subject: &Subject<'_>) -> Holds {
    let [mandate, creditor, _] = subject.facts.debit;
    let account = "PayerPartyDebtorFinancialAccount/IBANID";
    Ok(mandate || creditor || subject.node.has(account))
}

fn neither_nor_debit(subject: &Subject<'_>, other: &str) -> Holds {
    Ok(!subject.node.has(other) && !has_debit(subject)?)
}

fn neither_transfer_nor_card(subject: &Subject<'_>) -> Holds {
    const OTHERS: [&str; 4] = [
        "PayeePartyCreditorFinancialAccount",
        "PayeeSpecifiedCreditorFinancialInstitution",
        "PayerSpecifiedDebtorFinancialInstitution",
        "ApplicableTradeSettlementFinancialCard",
    ];
    Ok(!OTHERS.iter().any(|other| subject.node.has(other)))
}

/// Whether the account, blanks removed, is an IBAN with the right check digits.
fn is_iban(means: Node<'_>, path: &str) -> Holds {
    let text: String = means.words(path)?.split(' ').collect();
    let bytes = text.as_bytes();
    let (Some(country), Some(check), Some(account)) =
        (bytes.get(..2), bytes.get(2..4), bytes.get(4..))
    else {
        return Ok(false);
    };
    let is_form = country.iter().all(u8::is_ascii_uppercase)
        && check.iter().all(u8::is_ascii_digit)
        && account.len() <= 30
        && account.iter().all(u8::is_ascii_alphanumeric);
    Ok(is_form && remainder([account, country, check].concat()) == 1)
}

/// The number modulo 97. As in the official artefact letters in lower case count as 42 and more.
fn remainder(bytes: Vec<u8>) -> u32 {
    bytes.into_iter().fold(0, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        letter => (rest * 100 + u32::from(letter.saturating_sub(55))) % 97,
    })
}

/// Every line that starts with `#` is a discount, and a line break follows the last.
fn discount_lines(subject: &Subject<'_>) -> Holds {
    let terms = subject.node.all(subject.node.syntax().payment_terms);
    let path = subject.node.syntax().payment_terms_text;
    let texts = terms.into_iter().filter_map(|terms| terms.first(path));
    let texts: Vec<_> = texts.map(Node::text).collect();
    let lines = texts.iter().flat_map(|text| text.split('\n'));
    let mut lines = lines.map(normalize).filter(|line| line.starts_with('#'));
    let Some(first) = lines.next() else {
        return Ok(true);
    };
    if !is_discount(&first) {
        return Ok(false);
    }
    let [text] = texts.as_slice() else {
        return Err(Abort::several(subject.node.syntax().payment_terms));
    };
    Ok(ends_with_line_break(text) && lines.all(|line| is_discount(&line)))
}

/// After the last `#…#` only white space with a line break may come before further text.
fn ends_with_line_break(text: &str) -> bool {
    let ends = text.split_inclusive(['\n', '\r']).scan(0, |start, line| {
        let offset = *start;
        *start += line.len();
        Some(hash_span(line).map(|end| offset + end))
    });
    let end = ends.flatten().last().unwrap_or(0);
    let rest = text.get(end..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start_matches(BLANKS).len();
    let blanks = rest.get(..blanks);
    blanks.is_some_and(|blanks| blanks.contains('\n'))
}

/// The end of the text from the first to the last `#` of a line, with something between.
fn hash_span(line: &str) -> Option<usize> {
    let (start, end) = (line.find('#')?, line.rfind('#')?);
    (end > start + 1).then_some(end + 1)
}

fn is_discount(line: &str) -> bool {
    let parts = || {
        let inner = line.strip_prefix("#SKONTO#TAGE=")?.strip_suffix('#')?;
        let mut parts = inner.split('#');
        let days = parts.next()?;
        let percent = parts.next()?.strip_prefix("PROZENT=")?;
        let basis = match parts.next() {
            Some(basis) => Some(basis.strip_prefix("BASISBETRAG=")?),
            None => None,
        };
        parts.next().is_none().then_some((days, percent, basis))
    };
    parts().is_some_and(|(days, percent, basis)| {
        let is_basis = |basis: &str| is_amount(basis.strip_prefix('-').unwrap_or(basis));
        is_number(days) && is_amount(percent) && basis.is_none_or(is_basis)
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_amount(text: &str) -> bool {
    let (whole, cents) = text.split_once('.').unwrap_or_default();
    is_number(whole) && cents.len() == 2 && is_number(cents)
}
