//! Payment means and reasons of allowances and charges.

use super::list::CodeList;

/// Payment means.
pub(crate) static PAYMENT_MEANS: CodeList = CodeList {
    name: "UNTDID 4461",
    codes: "1 10..9 2 20..9 3 30..9 4 40..9 5 50..9 6 60..9 7 70 74..8 8 9 91..8 ZZZ",
};

/// Reasons of allowances.
pub(crate) static ALLOWANCE_REASONS: CodeList = CodeList {
    name: "UNTDID 5189",
    codes: "100 102..5 41 42 60 62..8 70 71 88 95",
};

/// Reasons of charges.
pub(crate) static CHARGE_REASONS: CodeList = CodeList {
    name: "UNTDID 7161",
    codes: "AA AAA AAC..F AAH AAI AAS AAT AAV AAY AAZ ABA..D ABF ABK ABL ABN ABR..U ACF..M ACS ADC ADE ADJ..R ADT ADW \
        ADY ADZ AEA..D AEF AEH..P AES..Z AJ AU CA CAB CAD..F CAI..Z CD CG CS CT DAB..D DAF..Q DL EG EP ER FAA..C FC FH \
        FI GAA HAA HD HH IAA IAB ID IF IR IS KO L1 LA LAA LAB LF MAE MI ML NAA OA PA PAA PC PL PRV RAB..D RAF RE RF RH \
        RV SA SAA SAD SAE SAI SG SH SM SU TAB TAC TT TV V1 V2 WH XAA YY ZZZ",
};
