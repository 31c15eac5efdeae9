//! Codes of the document, its notes, references and attachments.

use super::list::CodeList;

/// Types of invoices and credit notes.
pub(crate) static DOCUMENT_TYPES: CodeList = CodeList {
    name: "UNTDID 1001",
    codes: "71 80..4 102 130 202..4 211 218 219 261 262 295 296 308 325 326 331 380..9 390 393..6 420 456..8 471..3 \
        500..3 527 532 553 575 623 633 751 780 817 870 875..7 935",
};

/// Kinds of references.
pub(crate) static REFERENCE_TYPES: CodeList = CodeList {
    name: "UNTDID 1153",
    codes: "AAA..Z ABA..Z AC ACA..L ACN..R ACT..Z ADA..G ADI..Q ADT..Z AE AEA..Z AF AFA..Z AGA..Z AHA..V AHX..Z AIA..Z \
        AJA..Z AKA..Z ALA..Z AMA..Z ANA..Y AOA AOD..Z AP APA..Z AQA..Z ARA..Z ASA..Z ATA..Z AU AUA..Z AV AVA..Z AWA..Z \
        AXA..S AXU BA BC..E BH BM..O BR BT BTP BW CAS..Z CBA CBB CD CEC CED CFE CFF CFO CG CH CK CKN CM CMR CN CNO COF \
        CP CR CRN CS CST CT..W CZ DA DAN DB DI DL DM DQ DR EA EB ED EE EEP EI EN EQ ER ERN ET EX FC FF FI FLW FN FO FS \
        FT FV FX GA GC GD GDN GN HS HWB IA IB ICA ICE ICO II IL INB INN INO IP IS IT IV JB JE LA LAN LAR LB LC LI LO \
        LRC LS MA MB MF..H MR MRN MS MSS MWB NA NF OH OI ON OP OR PB..F PI PK PL POR PP..S PW PY RA RC RCN RE REN RF \
        RR RT SA SB SD SE SEA SF SH SI SM SN SP SQ SRN SS STA SW SZ TB TCR TE TF TI TIN TL TN TP UAR UC UCN UN UO URI \
        VA VC VGR VM VN VON VOR VP VR..T VV WE WM WN WR WS WY XA XC XP ZZZ",
};

/// Subjects of notes.
pub(crate) static SUBJECTS: CodeList = CodeList {
    name: "UNTDID 4451",
    codes: "AAA..G AAI..Z ABA..X ABZ ACA..Z ADA..Z AEA..Z AFA..Z AGA..Z AHA..Z AIA..Z AJA AJB ALC..Q ARR ARS AUT..Z \
        AVA..F BAG..Z BBA BBB BLC..Z BMA..H CCI..O CEX CHG CIP CLP CLR COI CUR CUS DAR DCL DEL DIN DOC DUT EUR FBC GBL \
        GEN GS7 HAN HAZ ICN IIN IMI IND INS INV IRP ITR ITS LAN LIN LOI MCO MDH MKS ORI OSI PAC PAI PAY PKG PKT PMD \
        PMT PRD PRF PRI PUR QIN QQD QUT RAH REG RET REV RQR SAF SIC SIN SLR SPA SPG SPH SPP SPT SRN SSR SUR TCA TDT \
        TRA TRR TXD WHI ZZZ",
};

/// Kinds of attachments.
pub(crate) static MIME_TYPES: CodeList = CodeList {
    name: "MIME",
    codes: "application/pdf application/vnd.oasis.opendocument.spreadsheet \
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet image/jpeg image/png text/csv",
};

/// Types of UBL invoices.
pub(crate) static INVOICE_TYPES: CodeList = CodeList {
    name: "UNTDID 1001",
    codes: "102 130 202..4 211 218 219 295 325 326 331 380 382..9 390 393..5 456 457 471..3 500 501 527 553 575 623 \
        633 71 751 780 80 81 817 82 84 870 875..7 935",
};

/// Types of UBL credit notes.
pub(crate) static CREDIT_NOTE_TYPES: CodeList = CodeList {
    name: "UNTDID 1001",
    codes: "261 262 296 308 381 396 420 458 502 503 532 81 83",
};

/// Subjects of notes in UBL, whose rules have fewer.
pub(crate) static SUBJECTS_IN_UBL: CodeList = CodeList {
    name: "UNTDID 4451",
    codes: "AAA..G AAI..Z ABA..X ABZ ACA..Z ADA..Z AEA..Z AFA..Z AGA..Z AHA..Z AIA..Z AJA AJB ALC..Q ARR ARS AUT..Z \
        AVA..F BAG..S BLC..Z BMA..E CCI CEX CHG CIP CLP CLR COI CUR CUS DAR DCL DEL DIN DOC DUT EUR FBC GBL GEN \
        GS7 HAN HAZ ICN IIN IMI IND INS INV IRP ITR ITS LAN LIN LOI MCO MDH MKS ORI OSI PAC PAI PAY PKG PKT PMD \
        PMT PRD PRF PRI PUR QIN QQD QUT RAH REG RET REV RQR SAF SIC SIN SLR SPA SPG SPH SPP SPT SRN SSR SUR TCA \
        TDT TRA TRR TXD WHI ZZZ",
};
