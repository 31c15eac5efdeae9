//! VAT categories, tax points and exemptions.

use super::list::CodeList;

/// Times of the tax point.
pub(crate) static TAX_POINTS: CodeList = CodeList {
    name: "UNTDID 2475",
    codes: "29 5 72",
};

/// VAT categories.
pub(crate) static CATEGORIES: CodeList = CodeList {
    name: "UNTDID 5305",
    codes: "AE B E G K..M O S Z",
};

/// Reasons of exemptions from VAT.
pub(crate) static EXEMPTIONS: CodeList = CodeList {
    name: "CEF VATEX",
    codes: "VATEX-EU-132 VATEX-EU-132-1A..Q VATEX-EU-135-1 VATEX-EU-143 VATEX-EU-143-1A..F VATEX-EU-143-1FA \
        VATEX-EU-143-1G..L VATEX-EU-144 VATEX-EU-146-1E VATEX-EU-148 VATEX-EU-148-A..G VATEX-EU-151 VATEX-EU-151-1A \
        VATEX-EU-151-1AA VATEX-EU-151-1B..E VATEX-EU-153 VATEX-EU-159 VATEX-EU-309 VATEX-EU-79-C VATEX-EU-AE \
        VATEX-EU-D VATEX-EU-F VATEX-EU-G VATEX-EU-I VATEX-EU-IC VATEX-EU-J VATEX-EU-O VATEX-FR-298SEXDECIESA \
        VATEX-FR-AE VATEX-FR-CGI261-1..5 VATEX-FR-CGI261-7 VATEX-FR-CGI261-8 VATEX-FR-CGI261A VATEX-FR-CGI261B \
        VATEX-FR-CGI261C-1..3 VATEX-FR-CGI261D-1 VATEX-FR-CGI261D-1BIS VATEX-FR-CGI261D-2..4 VATEX-FR-CGI261E-1 \
        VATEX-FR-CGI261E-2 VATEX-FR-CGI275 VATEX-FR-CGI277A VATEX-FR-CGI295 VATEX-FR-CNWVAT VATEX-FR-FRANCHISE",
};

/// Times of the tax point in UBL.
pub(crate) static TAX_POINTS_IN_UBL: CodeList = CodeList {
    name: "UNTDID 2005",
    codes: "3 35 432",
};
