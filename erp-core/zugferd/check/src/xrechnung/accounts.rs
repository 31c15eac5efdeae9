//! Payment: which group belongs to which means, and whether accounts are IBANs.

use super::Condition;
use crate::abort::Abort;
use crate::node::Node;
use crate::rule::Subject;
use crate::table::{Table, rules};

const SETTLEMENT: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement";

pub(super) const DIRECT_DEBIT_GROUP: Table = rules! {
    fatal "BR-DE-30" "BG-19 BT-90", Is(debit_has_creditor)
        => "{BG-19} needs {BT-90}."
        | "{BG-19} braucht {BT-90}.";
    fatal "BR-DE-31" "BG-19 BT-91", Is(debit_has_account)
        => "{BG-19} needs {BT-91}."
        | "{BG-19} braucht {BT-91}.";
};

pub(super) const TRANSFER: Table = rules! {
    warning "BR-DE-19" "BT-84", Is(creditor_iban)
        => "{term} should be a correct IBAN for the payment means 58."
        | "{term} sollte bei der Zahlungsart 58 eine richtige IBAN sein.";
    fatal "BR-DE-23-a" "BG-17 BT-81", Present("PayeePartyCreditorFinancialAccount");
    fatal "BR-DE-23-b" "BG-18 BG-19 BT-81", Is(neither_card_nor_debit)
        => "A credit transfer must have neither {BG-18} nor {BG-19}."
        | "Eine Überweisung darf weder {BG-18} noch {BG-19} haben.";
};

pub(super) const CARD: Table = rules! {
    fatal "BR-DE-24-a" "BG-18 BT-81", Present("ApplicableTradeSettlementFinancialCard");
    fatal "BR-DE-24-b" "BG-17 BG-19 BT-81", Is(neither_transfer_nor_debit)
        => "A card payment must have neither {BG-17} nor {BG-19}."
        | "Eine Kartenzahlung darf weder {BG-17} noch {BG-19} haben.";
};

pub(super) const DEBIT: Table = rules! {
    warning "BR-DE-20" "BT-91", Is(debtor_iban)
        => "{term} should be a correct IBAN for the payment means 59."
        | "{term} sollte bei der Zahlungsart 59 eine richtige IBAN sein.";
    fatal "BR-DE-25-a" "BG-19 BT-81", Is(has_debit)
        => "{term} is missing."
        | "{term} fehlt.";
    fatal "BR-DE-25-b" "BG-17 BG-18 BT-81", Is(neither_transfer_nor_card)
        => "A direct debit must have neither {BG-17} nor {BG-18}."
        | "Eine Lastschrift darf weder {BG-17} noch {BG-18} haben.";
};

/// Which parts of a direct debit (BG-19) the invoice has: mandate, creditor and account.
fn debit_parts(node: Node<'_>) -> (bool, bool, bool) {
    let has = |path: &str| node.root().has(&format!("{SETTLEMENT}/{path}"));
    (
        has("SpecifiedTradePaymentTerms/DirectDebitMandateID"),
        has("CreditorReferenceID"),
        has("SpecifiedTradeSettlementPaymentMeans/PayerPartyDebtorFinancialAccount/IBANID"),
    )
}

fn debit_has_creditor(subject: &Subject<'_>) -> Condition {
    let (mandate, creditor, account) = debit_parts(subject.node);
    let others = mandate || account;
    Ok((others && creditor) || !(others || creditor))
}

fn debit_has_account(subject: &Subject<'_>) -> Condition {
    let (mandate, creditor, account) = debit_parts(subject.node);
    let others = mandate || creditor;
    Ok((others && account) || !(others || account))
}

fn means_are(subject: &Subject<'_>, codes: &[&str]) -> Condition {
    Ok(codes.contains(&subject.node.words("TypeCode")?.as_str()))
}

pub(super) fn is_transfer(subject: &Subject<'_>) -> Condition {
    means_are(subject, &["30", "58"])
}

pub(super) fn is_card(subject: &Subject<'_>) -> Condition {
    means_are(subject, &["48", "54", "55"])
}

pub(super) fn is_debit(subject: &Subject<'_>) -> Condition {
    means_are(subject, &["59"])
}

/// Mandate or creditor of the invoice, or an account of these means.
fn debit_of(means: Node<'_>) -> bool {
    let (mandate, creditor, _) = debit_parts(means);
    mandate || creditor || means.has("PayerPartyDebtorFinancialAccount/IBANID")
}

fn neither_card_nor_debit(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.has("ApplicableTradeSettlementFinancialCard") && !debit_of(subject.node))
}

fn neither_transfer_nor_debit(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.has("PayeePartyCreditorFinancialAccount") && !debit_of(subject.node))
}

fn has_debit(subject: &Subject<'_>) -> Condition {
    Ok(debit_of(subject.node))
}

fn neither_transfer_nor_card(subject: &Subject<'_>) -> Condition {
    const OTHERS: [&str; 4] = [
        "PayeePartyCreditorFinancialAccount",
        "PayeeSpecifiedCreditorFinancialInstitution",
        "PayerSpecifiedDebtorFinancialInstitution",
        "ApplicableTradeSettlementFinancialCard",
    ];
    Ok(!OTHERS.iter().any(|other| subject.node.has(other)))
}

fn creditor_iban(subject: &Subject<'_>) -> Condition {
    if !means_are(subject, &["58"])? {
        return Ok(true);
    }
    is_iban(subject.node, "PayeePartyCreditorFinancialAccount/IBANID")
}

fn debtor_iban(subject: &Subject<'_>) -> Condition {
    is_iban(subject.node, "PayerPartyDebtorFinancialAccount/IBANID")
}

/// Whether the account, blanks removed, is an IBAN with the right check digits.
fn is_iban(means: Node<'_>, path: &str) -> Result<bool, Abort> {
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
