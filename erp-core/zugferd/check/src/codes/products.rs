//! Schemes of item classifications.

use super::list::CodeList;

/// Schemes of item classifications.
pub(crate) static CLASSIFICATIONS: CodeList = CodeList {
    name: "UNTDID 7143",
    codes: "AA..Z BA..Z CC CG CL CR CV DR DW EC EF EMD EN FS GB GMN GN GS HS IB IN IS IT IZ MA MF MN MP NB ON PD PL PO \
        PPI PV QS RC RN RU RY SA SG SK SN SRS..Z SS SSA..Z ST STA..Z SUA..M TG TSN..U UA UP VN VP VS VX ZZZ",
};
