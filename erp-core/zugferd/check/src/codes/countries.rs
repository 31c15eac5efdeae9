//! Countries.

use super::list::CodeList;

/// Countries; also 1A (Kosovo) and XI (Northern Ireland).
pub(crate) static COUNTRIES: CodeList = CodeList {
    name: "ISO 3166-1",
    codes: "1A AD..G AI AL..O AQ..U AW AX AZ BA BB BD..J BL..O BQ..T BV BW BY BZ CA CC CD CF..I CK..O CR CU..Z DE DJ \
        DK DM DO DZ EC EE EG EH ER..T FI..K FM FO FR GA GB GD..I GL..N GP..U GW GY HK HM HN HR HT HU ID IE IL..O IQ..T \
        JE JM JO JP KE KG..I KM KN KP KR KW KY KZ LA..C LI LK LR..V LY MA MC..H MK..Z NA NC NE..G NI NL NO NP NR NU NZ \
        OM PA PE..H PK..N PR..T PW PY QA RE RO RS RU RW SA..E SG..O SR ST SV SX..Z TC TD TF..H TJ..O TR TT TV TW TZ UA \
        UG UM US UY UZ VA VC VE VG VI VN VU WF WS XI YE YT ZA ZM ZW",
};

/// As [`COUNTRIES`] for UBL, whose rules know South Sudan and not the Netherlands Antilles.
pub(crate) static COUNTRIES_IN_UBL: CodeList = CodeList {
    name: "ISO 3166-1",
    codes: "1A AD..G AI AL AM AO AQ..U AW AX AZ BA BB BD..J BL..O BQ..T BV BW BY BZ CA CC CD CF..I CK..O CR CU..Z DE \
        DJ DK DM DO DZ EC EE EG EH ER..T FI..K FM FO FR GA GB GD..I GL..N GP..U GW GY HK HM HN HR HT HU ID IE \
        IL..O IQ..T JE JM JO JP KE KG..I KM KN KP KR KW KY KZ LA..C LI LK LR..V LY MA MC..H MK..Z NA NC NE..G NI \
        NL NO NP NR NU NZ OM PA PE..H PK..N PR..T PW PY QA RE RO RS RU RW SA..E SG..O SR..T SV SX..Z TC TD TF..H \
        TJ..O TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XI YE YT ZA ZM ZW",
};
