//! Schemes of identifiers of parties.

use super::list::CodeList;

/// Identifiers of organisations.
pub(in crate::check) static ISO_6523: CodeList = CodeList {
    name: "ISO 6523 ICD",
    codes: "0002..9 0010..9 0020..9 0030..9 0040..9 0050..9 0060..9 0070..9 0080..9 0090 0091 0093..9 0100..2 0104..9 \
        0110..9 0120..9 0130..9 0140..9 0150..9 0160..9 0170..9 0180 0183..9 0190..9 0200..9 0210..9 0220..9 0230..9 \
        0240..8",
};

/// Electronic addresses.
pub(in crate::check) static EAS: CodeList = CodeList {
    name: "CEF EAS",
    codes: "0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0154 0158 0170 0177 0183 0184 0188 \
        0190..6 0198 0199 0200..5 0208 0209 0210..3 0215..9 0220 0221 0225 0230 0235 0240 0242 0244..6 0248 9910 \
        9913..5 9918 9919 9920 9922..9 9930..9 9940..9 9950..3 9957 9959 AN AQ AS AU EM",
};
