//! Payment: which group belongs to which means, and whether accounts are IBANs.

use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::node::Node;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        neither_transfer_nor_card, creditor_iban, has_debit,
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
        debtor_iban = |subject| is_iban(subject.node, subject.node.syntax().debtor_account);
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

fn creditor_iban(subject: &Subject<'_>) -> Holds {
    Ok(!means_are(subject, &["58"])?
        || is_iban(subject.node, subject.node.syntax().creditor_account)?)
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
