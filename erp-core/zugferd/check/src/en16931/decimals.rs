//! Rules on decimal places: at most two characters after the point.

use super::amounts::{accounting_tax_has_cents, tax_has_cents};
use crate::table::{Table, rules};

pub(super) const ALLOWANCE: Table = rules! {
    fatal "BR-DEC-01" "BT-92", FirstDecimals("../ActualAmount");
    fatal "BR-DEC-02" "BT-93", Decimals("../BasisAmount");
};

pub(super) const CHARGE: Table = rules! {
    fatal "BR-DEC-05" "BT-99", FirstDecimals("../ActualAmount");
    fatal "BR-DEC-06" "BT-100", Decimals("../BasisAmount");
};

pub(super) const LINE_ALLOWANCE: Table = rules! {
    fatal "BR-DEC-24" "BT-136", FirstDecimals("../ActualAmount");
    fatal "BR-DEC-25" "BT-137", Decimals("../BasisAmount");
};

pub(super) const LINE_CHARGE: Table = rules! {
    fatal "BR-DEC-27" "BT-141", FirstDecimals("../ActualAmount");
    fatal "BR-DEC-28" "BT-142", Decimals("../BasisAmount");
};

pub(super) const SUMMATION: Table = rules! {
    fatal "BR-DEC-09" "BT-106", Decimals("LineTotalAmount");
    fatal "BR-DEC-10" "BT-107", Decimals("AllowanceTotalAmount");
    fatal "BR-DEC-11" "BT-108", Decimals("ChargeTotalAmount");
    fatal "BR-DEC-12" "BT-109", Decimals("TaxBasisTotalAmount");
    fatal "BR-DEC-14" "BT-112", Decimals("GrandTotalAmount");
    fatal "BR-DEC-13" "BT-110", Is(tax_has_cents)
        => "{term} has more than two decimal places."
        | "{term} hat mehr als zwei Nachkommastellen.";
    fatal "BR-DEC-15" "BT-111", Is(accounting_tax_has_cents)
        => "{term} is missing or has more than two decimal places."
        | "{term} fehlt oder hat mehr als zwei Nachkommastellen.";
    fatal "BR-DEC-16" "BT-113", Decimals("TotalPrepaidAmount");
    fatal "BR-DEC-17" "BT-114", Decimals("RoundingAmount");
    fatal "BR-DEC-18" "BT-115", Decimals("DuePayableAmount");
};

pub(super) const LINE: Table = rules! {
    fatal "BR-DEC-23" "BT-131",
        Decimals("SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount");
};

pub(super) const BREAKDOWN: Table = rules! {
    fatal "BR-DEC-19" "BT-116", Decimals("BasisAmount");
    fatal "BR-DEC-20" "BT-117", Decimals("CalculatedAmount");
};
