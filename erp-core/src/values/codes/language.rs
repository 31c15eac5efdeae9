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
        let Some(code) =
            lower_case::<3>(text).filter(|code| BIBLIOGRAPHIC.binary_search(code).is_ok())
        else {
            return Err(Self::error(text));
        };
        Ok(Self(code))
    }

    /// Why a text is no bibliographic code.
    fn error(text: &str) -> CodeError {
        let trimmed = text.trim_end_matches(' ');
        let code = trimmed.to_ascii_lowercase();
        let wanted = |table| {
            let (_, wanted) = pairs(table).find(|(other, _)| *other == code)?;
            lower_case(wanted).map(Self)
        };
        let given = shown(trimmed);
        if let Some(wanted) = wanted(TERMINOLOGY) {
            CodeError::TerminologyCode { given, wanted }
        } else if let Some(wanted) = wanted(TWO_LETTER) {
            CodeError::TwoLetterCode { given, wanted }
        } else {
            CodeError::UnknownLanguage(shown(text))
        }
    }
}

fn pairs(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.split(' ').filter_map(|pair| pair.split_once('='))
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

/// Terminology codes (ISO 639-2/T) that differ, with their bibliographic code.
const TERMINOLOGY: &str = "\
    bod=tib ces=cze cym=wel deu=ger ell=gre eus=baq fas=per fra=fre hye=arm isl=ice kat=geo \
    mkd=mac mri=mao msa=may mya=bur nld=dut ron=rum slk=slo sqi=alb zho=chi";

/// Two-letter codes (ISO 639-1) with the bibliographic code of the same language.
const TWO_LETTER: &str = "\
    aa=aar ab=abk ae=ave af=afr ak=aka am=amh an=arg ar=ara as=asm av=ava ay=aym az=aze ba=bak \
    be=bel bg=bul bh=bih bi=bis bm=bam bn=ben bo=tib br=bre bs=bos ca=cat ce=che ch=cha co=cos \
    cr=cre cs=cze cu=chu cv=chv cy=wel da=dan de=ger dv=div dz=dzo ee=ewe el=gre en=eng eo=epo \
    es=spa et=est eu=baq fa=per ff=ful fi=fin fj=fij fo=fao fr=fre fy=fry ga=gle gd=gla gl=glg \
    gn=grn gu=guj gv=glv ha=hau he=heb hi=hin ho=hmo hr=hrv ht=hat hu=hun hy=arm hz=her ia=ina \
    id=ind ie=ile ig=ibo ii=iii ik=ipk io=ido is=ice it=ita iu=iku ja=jpn jv=jav ka=geo kg=kon \
    ki=kik kj=kua kk=kaz kl=kal km=khm kn=kan ko=kor kr=kau ks=kas ku=kur kv=kom kw=cor ky=kir \
    la=lat lb=ltz lg=lug li=lim ln=lin lo=lao lt=lit lu=lub lv=lav mg=mlg mh=mah mi=mao mk=mac \
    ml=mal mn=mon mr=mar ms=may mt=mlt my=bur na=nau nb=nob nd=nde ne=nep ng=ndo nl=dut nn=nno \
    no=nor nr=nbl nv=nav ny=nya oc=oci oj=oji om=orm or=ori os=oss pa=pan pi=pli pl=pol ps=pus \
    pt=por qu=que rm=roh rn=run ro=rum ru=rus rw=kin sa=san sc=srd sd=snd se=sme sg=sag si=sin \
    sk=slo sl=slv sm=smo sn=sna so=som sq=alb sr=srp ss=ssw st=sot su=sun sv=swe sw=swa ta=tam \
    te=tel tg=tgk th=tha ti=tir tk=tuk tl=tgl tn=tsn to=ton tr=tur ts=tso tt=tat tw=twi ty=tah \
    ug=uig uk=ukr ur=urd uz=uzb ve=ven vi=vie vo=vol wa=wln wo=wol xh=xho yi=yid yo=yor za=zha \
    zh=chi zu=zul";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole_and_point_to_bibliographic_codes() {
        let is_known = |code: &str| Language::parse(code).is_ok();
        assert!(BIBLIOGRAPHIC.is_sorted_by(|a, b| a < b));
        assert_eq!(pairs(TWO_LETTER).count(), 184);
        for (code, wanted) in pairs(TERMINOLOGY).chain(pairs(TWO_LETTER)) {
            assert!(is_known(wanted) && !is_known(code), "{code}={wanted}");
        }
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
        assert_eq!(pairs.len(), super::pairs(TERMINOLOGY).count());
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
