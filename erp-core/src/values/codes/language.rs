//! Languages: the bibliographic codes of ISO 639-2 (639-2/B).

use super::{CodeError, code_text, lower_case, shown};

// rule: R-REQ-14
/// A language by its ISO 639-2/B code, for example `ger`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language([u8; 3]);

code_text!(Language);

/// German, the language of the interface.
impl Default for Language {
    fn default() -> Self {
        Self::GERMAN
    }
}

impl Language {
    /// German.
    pub const GERMAN: Self = Self(*b"ger");
    /// English.
    pub const ENGLISH: Self = Self(*b"eng");
    /// French.
    pub const FRENCH: Self = Self(*b"fre");
    /// Italian.
    pub const ITALIAN: Self = Self(*b"ita");

    /// Every language, by its code.
    pub fn all() -> impl Iterator<Item = Self> {
        BIBLIOGRAPHIC.into_iter().map(Self)
    }

    /// Reads a code; letter case and blanks at the end do not matter.
    ///
    /// ```
    /// use erp_core::codes::Language;
    /// assert_eq!(Language::parse("ger"), Ok(Language::GERMAN));
    /// let error = Language::parse("deu").unwrap_err();
    /// assert_eq!(error.to_string(), "`deu` is the terminology code; the interface wants `ger`");
    /// ```
    ///
    /// # Errors
    /// When it is no bibliographic code; for a terminology or two-letter code the error names the
    /// right one.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        if let Some(code) = lower_case::<3>(text) {
            if BIBLIOGRAPHIC.binary_search(&code).is_ok() {
                return Ok(Self(code));
            }
            if let Some(wanted) = found(&TERMINOLOGY, &code) {
                let given = shown(text.trim_end_matches(' '));
                return Err(CodeError::TerminologyCode { given, wanted });
            }
        }
        if let Some(wanted) = lower_case::<2>(text).and_then(|code| found(&TWO_LETTER, &code)) {
            let given = shown(text.trim_end_matches(' '));
            return Err(CodeError::TwoLetterCode { given, wanted });
        }
        Err(CodeError::UnknownLanguage(shown(text)))
    }
}

fn found<const N: usize>(table: &[([u8; N], [u8; 3])], code: &[u8; N]) -> Option<Language> {
    let at = table.binary_search_by_key(code, |(key, _)| *key).ok()?;
    table.get(at).map(|(_, wanted)| Language(*wanted))
}

/// Every bibliographic code (ISO 639-2/B), sorted.
const BIBLIOGRAPHIC: [[u8; 3]; 486] = [
    *b"aar", *b"abk", *b"ace", *b"ach", *b"ada", *b"ady", *b"afa", *b"afh", *b"afr", *b"ain",
    *b"aka", *b"akk", *b"alb", *b"ale", *b"alg", *b"alt", *b"amh", *b"ang", *b"anp", *b"apa",
    *b"ara", *b"arc", *b"arg", *b"arm", *b"arn", *b"arp", *b"art", *b"arw", *b"asm", *b"ast",
    *b"ath", *b"aus", *b"ava", *b"ave", *b"awa", *b"aym", *b"aze", *b"bad", *b"bai", *b"bak",
    *b"bal", *b"bam", *b"ban", *b"baq", *b"bas", *b"bat", *b"bej", *b"bel", *b"bem", *b"ben",
    *b"ber", *b"bho", *b"bih", *b"bik", *b"bin", *b"bis", *b"bla", *b"bnt", *b"bos", *b"bra",
    *b"bre", *b"btk", *b"bua", *b"bug", *b"bul", *b"bur", *b"byn", *b"cad", *b"cai", *b"car",
    *b"cat", *b"cau", *b"ceb", *b"cel", *b"cha", *b"chb", *b"che", *b"chg", *b"chi", *b"chk",
    *b"chm", *b"chn", *b"cho", *b"chp", *b"chr", *b"chu", *b"chv", *b"chy", *b"cmc", *b"cnr",
    *b"cop", *b"cor", *b"cos", *b"cpe", *b"cpf", *b"cpp", *b"cre", *b"crh", *b"crp", *b"csb",
    *b"cus", *b"cze", *b"dak", *b"dan", *b"dar", *b"day", *b"del", *b"den", *b"dgr", *b"din",
    *b"div", *b"doi", *b"dra", *b"dsb", *b"dua", *b"dum", *b"dut", *b"dyu", *b"dzo", *b"efi",
    *b"egy", *b"eka", *b"elx", *b"eng", *b"enm", *b"epo", *b"est", *b"ewe", *b"ewo", *b"fan",
    *b"fao", *b"fat", *b"fij", *b"fil", *b"fin", *b"fiu", *b"fon", *b"fre", *b"frm", *b"fro",
    *b"frr", *b"frs", *b"fry", *b"ful", *b"fur", *b"gaa", *b"gay", *b"gba", *b"gem", *b"geo",
    *b"ger", *b"gez", *b"gil", *b"gla", *b"gle", *b"glg", *b"glv", *b"gmh", *b"goh", *b"gon",
    *b"gor", *b"got", *b"grb", *b"grc", *b"gre", *b"grn", *b"gsw", *b"guj", *b"gwi", *b"hai",
    *b"hat", *b"hau", *b"haw", *b"heb", *b"her", *b"hil", *b"him", *b"hin", *b"hit", *b"hmn",
    *b"hmo", *b"hrv", *b"hsb", *b"hun", *b"hup", *b"iba", *b"ibo", *b"ice", *b"ido", *b"iii",
    *b"ijo", *b"iku", *b"ile", *b"ilo", *b"ina", *b"inc", *b"ind", *b"ine", *b"inh", *b"ipk",
    *b"ira", *b"iro", *b"ita", *b"jav", *b"jbo", *b"jpn", *b"jpr", *b"jrb", *b"kaa", *b"kab",
    *b"kac", *b"kal", *b"kam", *b"kan", *b"kar", *b"kas", *b"kau", *b"kaw", *b"kaz", *b"kbd",
    *b"kha", *b"khi", *b"khm", *b"kho", *b"kik", *b"kin", *b"kir", *b"kmb", *b"kok", *b"kom",
    *b"kon", *b"kor", *b"kos", *b"kpe", *b"krc", *b"krl", *b"kro", *b"kru", *b"kua", *b"kum",
    *b"kur", *b"kut", *b"lad", *b"lah", *b"lam", *b"lao", *b"lat", *b"lav", *b"lez", *b"lim",
    *b"lin", *b"lit", *b"lol", *b"loz", *b"ltz", *b"lua", *b"lub", *b"lug", *b"lui", *b"lun",
    *b"luo", *b"lus", *b"mac", *b"mad", *b"mag", *b"mah", *b"mai", *b"mak", *b"mal", *b"man",
    *b"mao", *b"map", *b"mar", *b"mas", *b"may", *b"mdf", *b"mdr", *b"men", *b"mga", *b"mic",
    *b"min", *b"mis", *b"mkh", *b"mlg", *b"mlt", *b"mnc", *b"mni", *b"mno", *b"moh", *b"mon",
    *b"mos", *b"mul", *b"mun", *b"mus", *b"mwl", *b"mwr", *b"myn", *b"myv", *b"nah", *b"nai",
    *b"nap", *b"nau", *b"nav", *b"nbl", *b"nde", *b"ndo", *b"nds", *b"nep", *b"new", *b"nia",
    *b"nic", *b"niu", *b"nno", *b"nob", *b"nog", *b"non", *b"nor", *b"nqo", *b"nso", *b"nub",
    *b"nwc", *b"nya", *b"nym", *b"nyn", *b"nyo", *b"nzi", *b"oci", *b"oji", *b"ori", *b"orm",
    *b"osa", *b"oss", *b"ota", *b"oto", *b"paa", *b"pag", *b"pal", *b"pam", *b"pan", *b"pap",
    *b"pau", *b"peo", *b"per", *b"phi", *b"phn", *b"pli", *b"pol", *b"pon", *b"por", *b"pra",
    *b"pro", *b"pus", *b"que", *b"raj", *b"rap", *b"rar", *b"roa", *b"roh", *b"rom", *b"rum",
    *b"run", *b"rup", *b"rus", *b"sad", *b"sag", *b"sah", *b"sai", *b"sal", *b"sam", *b"san",
    *b"sas", *b"sat", *b"scn", *b"sco", *b"sel", *b"sem", *b"sga", *b"sgn", *b"shn", *b"sid",
    *b"sin", *b"sio", *b"sit", *b"sla", *b"slo", *b"slv", *b"sma", *b"sme", *b"smi", *b"smj",
    *b"smn", *b"smo", *b"sms", *b"sna", *b"snd", *b"snk", *b"sog", *b"som", *b"son", *b"sot",
    *b"spa", *b"srd", *b"srn", *b"srp", *b"srr", *b"ssa", *b"ssw", *b"suk", *b"sun", *b"sus",
    *b"sux", *b"swa", *b"swe", *b"syc", *b"syr", *b"tah", *b"tai", *b"tam", *b"tat", *b"tel",
    *b"tem", *b"ter", *b"tet", *b"tgk", *b"tgl", *b"tha", *b"tib", *b"tig", *b"tir", *b"tiv",
    *b"tkl", *b"tlh", *b"tli", *b"tmh", *b"tog", *b"ton", *b"tpi", *b"tsi", *b"tsn", *b"tso",
    *b"tuk", *b"tum", *b"tup", *b"tur", *b"tut", *b"tvl", *b"twi", *b"tyv", *b"udm", *b"uga",
    *b"uig", *b"ukr", *b"umb", *b"und", *b"urd", *b"uzb", *b"vai", *b"ven", *b"vie", *b"vol",
    *b"vot", *b"wak", *b"wal", *b"war", *b"was", *b"wel", *b"wen", *b"wln", *b"wol", *b"xal",
    *b"xho", *b"yao", *b"yap", *b"yid", *b"yor", *b"ypk", *b"zap", *b"zbl", *b"zen", *b"zgh",
    *b"zha", *b"znd", *b"zul", *b"zun", *b"zxx", *b"zza",
];

/// Terminology codes (ISO 639-2/T) that differ, with their bibliographic code; sorted.
const TERMINOLOGY: [([u8; 3], [u8; 3]); 20] = [
    (*b"bod", *b"tib"),
    (*b"ces", *b"cze"),
    (*b"cym", *b"wel"),
    (*b"deu", *b"ger"),
    (*b"ell", *b"gre"),
    (*b"eus", *b"baq"),
    (*b"fas", *b"per"),
    (*b"fra", *b"fre"),
    (*b"hye", *b"arm"),
    (*b"isl", *b"ice"),
    (*b"kat", *b"geo"),
    (*b"mkd", *b"mac"),
    (*b"mri", *b"mao"),
    (*b"msa", *b"may"),
    (*b"mya", *b"bur"),
    (*b"nld", *b"dut"),
    (*b"ron", *b"rum"),
    (*b"slk", *b"slo"),
    (*b"sqi", *b"alb"),
    (*b"zho", *b"chi"),
];

/// Two-letter codes (ISO 639-1) with the bibliographic code of the same language; sorted.
const TWO_LETTER: [([u8; 2], [u8; 3]); 184] = [
    (*b"aa", *b"aar"),
    (*b"ab", *b"abk"),
    (*b"ae", *b"ave"),
    (*b"af", *b"afr"),
    (*b"ak", *b"aka"),
    (*b"am", *b"amh"),
    (*b"an", *b"arg"),
    (*b"ar", *b"ara"),
    (*b"as", *b"asm"),
    (*b"av", *b"ava"),
    (*b"ay", *b"aym"),
    (*b"az", *b"aze"),
    (*b"ba", *b"bak"),
    (*b"be", *b"bel"),
    (*b"bg", *b"bul"),
    (*b"bh", *b"bih"),
    (*b"bi", *b"bis"),
    (*b"bm", *b"bam"),
    (*b"bn", *b"ben"),
    (*b"bo", *b"tib"),
    (*b"br", *b"bre"),
    (*b"bs", *b"bos"),
    (*b"ca", *b"cat"),
    (*b"ce", *b"che"),
    (*b"ch", *b"cha"),
    (*b"co", *b"cos"),
    (*b"cr", *b"cre"),
    (*b"cs", *b"cze"),
    (*b"cu", *b"chu"),
    (*b"cv", *b"chv"),
    (*b"cy", *b"wel"),
    (*b"da", *b"dan"),
    (*b"de", *b"ger"),
    (*b"dv", *b"div"),
    (*b"dz", *b"dzo"),
    (*b"ee", *b"ewe"),
    (*b"el", *b"gre"),
    (*b"en", *b"eng"),
    (*b"eo", *b"epo"),
    (*b"es", *b"spa"),
    (*b"et", *b"est"),
    (*b"eu", *b"baq"),
    (*b"fa", *b"per"),
    (*b"ff", *b"ful"),
    (*b"fi", *b"fin"),
    (*b"fj", *b"fij"),
    (*b"fo", *b"fao"),
    (*b"fr", *b"fre"),
    (*b"fy", *b"fry"),
    (*b"ga", *b"gle"),
    (*b"gd", *b"gla"),
    (*b"gl", *b"glg"),
    (*b"gn", *b"grn"),
    (*b"gu", *b"guj"),
    (*b"gv", *b"glv"),
    (*b"ha", *b"hau"),
    (*b"he", *b"heb"),
    (*b"hi", *b"hin"),
    (*b"ho", *b"hmo"),
    (*b"hr", *b"hrv"),
    (*b"ht", *b"hat"),
    (*b"hu", *b"hun"),
    (*b"hy", *b"arm"),
    (*b"hz", *b"her"),
    (*b"ia", *b"ina"),
    (*b"id", *b"ind"),
    (*b"ie", *b"ile"),
    (*b"ig", *b"ibo"),
    (*b"ii", *b"iii"),
    (*b"ik", *b"ipk"),
    (*b"io", *b"ido"),
    (*b"is", *b"ice"),
    (*b"it", *b"ita"),
    (*b"iu", *b"iku"),
    (*b"ja", *b"jpn"),
    (*b"jv", *b"jav"),
    (*b"ka", *b"geo"),
    (*b"kg", *b"kon"),
    (*b"ki", *b"kik"),
    (*b"kj", *b"kua"),
    (*b"kk", *b"kaz"),
    (*b"kl", *b"kal"),
    (*b"km", *b"khm"),
    (*b"kn", *b"kan"),
    (*b"ko", *b"kor"),
    (*b"kr", *b"kau"),
    (*b"ks", *b"kas"),
    (*b"ku", *b"kur"),
    (*b"kv", *b"kom"),
    (*b"kw", *b"cor"),
    (*b"ky", *b"kir"),
    (*b"la", *b"lat"),
    (*b"lb", *b"ltz"),
    (*b"lg", *b"lug"),
    (*b"li", *b"lim"),
    (*b"ln", *b"lin"),
    (*b"lo", *b"lao"),
    (*b"lt", *b"lit"),
    (*b"lu", *b"lub"),
    (*b"lv", *b"lav"),
    (*b"mg", *b"mlg"),
    (*b"mh", *b"mah"),
    (*b"mi", *b"mao"),
    (*b"mk", *b"mac"),
    (*b"ml", *b"mal"),
    (*b"mn", *b"mon"),
    (*b"mr", *b"mar"),
    (*b"ms", *b"may"),
    (*b"mt", *b"mlt"),
    (*b"my", *b"bur"),
    (*b"na", *b"nau"),
    (*b"nb", *b"nob"),
    (*b"nd", *b"nde"),
    (*b"ne", *b"nep"),
    (*b"ng", *b"ndo"),
    (*b"nl", *b"dut"),
    (*b"nn", *b"nno"),
    (*b"no", *b"nor"),
    (*b"nr", *b"nbl"),
    (*b"nv", *b"nav"),
    (*b"ny", *b"nya"),
    (*b"oc", *b"oci"),
    (*b"oj", *b"oji"),
    (*b"om", *b"orm"),
    (*b"or", *b"ori"),
    (*b"os", *b"oss"),
    (*b"pa", *b"pan"),
    (*b"pi", *b"pli"),
    (*b"pl", *b"pol"),
    (*b"ps", *b"pus"),
    (*b"pt", *b"por"),
    (*b"qu", *b"que"),
    (*b"rm", *b"roh"),
    (*b"rn", *b"run"),
    (*b"ro", *b"rum"),
    (*b"ru", *b"rus"),
    (*b"rw", *b"kin"),
    (*b"sa", *b"san"),
    (*b"sc", *b"srd"),
    (*b"sd", *b"snd"),
    (*b"se", *b"sme"),
    (*b"sg", *b"sag"),
    (*b"si", *b"sin"),
    (*b"sk", *b"slo"),
    (*b"sl", *b"slv"),
    (*b"sm", *b"smo"),
    (*b"sn", *b"sna"),
    (*b"so", *b"som"),
    (*b"sq", *b"alb"),
    (*b"sr", *b"srp"),
    (*b"ss", *b"ssw"),
    (*b"st", *b"sot"),
    (*b"su", *b"sun"),
    (*b"sv", *b"swe"),
    (*b"sw", *b"swa"),
    (*b"ta", *b"tam"),
    (*b"te", *b"tel"),
    (*b"tg", *b"tgk"),
    (*b"th", *b"tha"),
    (*b"ti", *b"tir"),
    (*b"tk", *b"tuk"),
    (*b"tl", *b"tgl"),
    (*b"tn", *b"tsn"),
    (*b"to", *b"ton"),
    (*b"tr", *b"tur"),
    (*b"ts", *b"tso"),
    (*b"tt", *b"tat"),
    (*b"tw", *b"twi"),
    (*b"ty", *b"tah"),
    (*b"ug", *b"uig"),
    (*b"uk", *b"ukr"),
    (*b"ur", *b"urd"),
    (*b"uz", *b"uzb"),
    (*b"ve", *b"ven"),
    (*b"vi", *b"vie"),
    (*b"vo", *b"vol"),
    (*b"wa", *b"wln"),
    (*b"wo", *b"wol"),
    (*b"xh", *b"xho"),
    (*b"yi", *b"yid"),
    (*b"yo", *b"yor"),
    (*b"za", *b"zha"),
    (*b"zh", *b"chi"),
    (*b"zu", *b"zul"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_point_to_bibliographic_codes() {
        assert!(BIBLIOGRAPHIC.is_sorted_by(|a, b| a < b));
        assert!(TERMINOLOGY.is_sorted_by(|a, b| a.0 < b.0));
        assert!(TWO_LETTER.is_sorted_by(|a, b| a.0 < b.0));
        for wanted in TERMINOLOGY
            .iter()
            .map(|(_, b)| b)
            .chain(TWO_LETTER.iter().map(|(_, b)| b))
        {
            assert!(
                BIBLIOGRAPHIC.binary_search(wanted).is_ok(),
                "{:?}",
                Language(*wanted)
            );
        }
        assert!(
            TERMINOLOGY
                .iter()
                .all(|(t, _)| BIBLIOGRAPHIC.binary_search(t).is_err())
        );
    }

    // rule: R-REQ-14
    #[test]
    fn all_twenty_languages_with_two_codes_are_named_by_the_bibliographic_one() {
        let pairs = [
            ("sqi", "alb"),
            ("hye", "arm"),
            ("eus", "baq"),
            ("mya", "bur"),
            ("zho", "chi"),
            ("ces", "cze"),
            ("nld", "dut"),
            ("fra", "fre"),
            ("kat", "geo"),
            ("deu", "ger"),
            ("ell", "gre"),
            ("isl", "ice"),
            ("mkd", "mac"),
            ("mri", "mao"),
            ("msa", "may"),
            ("fas", "per"),
            ("ron", "rum"),
            ("slk", "slo"),
            ("bod", "tib"),
            ("cym", "wel"),
        ];
        assert_eq!(pairs.len(), TERMINOLOGY.len());
        for (terminology, bibliographic) in pairs {
            let language = Language::parse(bibliographic).unwrap();
            let expected = CodeError::TerminologyCode {
                given: terminology.into(),
                wanted: language,
            };
            assert_eq!(Language::parse(terminology), Err(expected));
        }
    }

    // rule: R-REQ-14
    #[test]
    fn a_two_letter_code_is_answered_with_the_right_one() {
        for (two, three) in [("de", "ger"), ("FR", "fre"), ("it", "ita"), ("en", "eng")] {
            let error = Language::parse(two).unwrap_err();
            let expected = format!("`{two}` is the two-letter code; the interface wants `{three}`");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn codes_are_read_in_any_case_and_others_refused() {
        assert_eq!(Language::parse("GER "), Ok(Language::GERMAN));
        for text in ["", "xxx", "qaa", "xy", "german", " ger", "gër"] {
            assert!(
                matches!(Language::parse(text), Err(CodeError::UnknownLanguage(_))),
                "{text}"
            );
        }
    }
}
