//! Languages: the bibliographic codes of ISO 639-2 (639-2/B).

use super::{CodeError, code_text, in_case, shown};

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
        BIBLIOGRAPHIC.iter().map(|&[a, b, c, _]| Self([a, b, c]))
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
        in_case(text, u8::to_ascii_lowercase)
            .filter(|&[a, b, c]| BIBLIOGRAPHIC.binary_search(&[a, b, c, b' ']).is_ok())
            .map(Self)
            .ok_or_else(|| Self::error(text))
    }

    /// Why a text is no bibliographic code.
    fn error(text: &str) -> CodeError {
        let trimmed = text.trim_end_matches(' ');
        let code = trimmed.to_ascii_lowercase();
        let wanted = |table| {
            let (_, wanted) = pairs(table).find(|(other, _)| *other == code)?;
            in_case(wanted, |byte| *byte).map(Self)
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
const BIBLIOGRAPHIC: &[[u8; 4]] = b"\
    aar abk ace ach ada ady afa afh afr ain aka akk alb ale alg alt amh ang anp apa ara arc arg \
    arm arn arp art arw asm ast ath aus ava ave awa aym aze bad bai bak bal bam ban baq bas bat \
    bej bel bem ben ber bho bih bik bin bis bla bnt bos bra bre btk bua bug bul bur byn cad cai \
    car cat cau ceb cel cha chb che chg chi chk chm chn cho chp chr chu chv chy cmc cnr cop cor \
    cos cpe cpf cpp cre crh crp csb cus cze dak dan dar day del den dgr din div doi dra dsb dua \
    dum dut dyu dzo efi egy eka elx eng enm epo est ewe ewo fan fao fat fij fil fin fiu fon fre \
    frm fro frr frs fry ful fur gaa gay gba gem geo ger gez gil gla gle glg glv gmh goh gon gor \
    got grb grc gre grn gsw guj gwi hai hat hau haw heb her hil him hin hit hmn hmo hrv hsb hun \
    hup iba ibo ice ido iii ijo iku ile ilo ina inc ind ine inh ipk ira iro ita jav jbo jpn jpr \
    jrb kaa kab kac kal kam kan kar kas kau kaw kaz kbd kha khi khm kho kik kin kir kmb kok kom \
    kon kor kos kpe krc krl kro kru kua kum kur kut lad lah lam lao lat lav lez lim lin lit lol \
    loz ltz lua lub lug lui lun luo lus mac mad mag mah mai mak mal man mao map mar mas may mdf \
    mdr men mga mic min mis mkh mlg mlt mnc mni mno moh mon mos mul mun mus mwl mwr myn myv nah \
    nai nap nau nav nbl nde ndo nds nep new nia nic niu nno nob nog non nor nqo nso nub nwc nya \
    nym nyn nyo nzi oci oji ori orm osa oss ota oto paa pag pal pam pan pap pau peo per phi phn \
    pli pol pon por pra pro pus que raj rap rar roa roh rom rum run rup rus sad sag sah sai sal \
    sam san sas sat scn sco sel sem sga sgn shn sid sin sio sit sla slo slv sma sme smi smj smn \
    smo sms sna snd snk sog som son sot spa srd srn srp srr ssa ssw suk sun sus sux swa swe syc \
    syr tah tai tam tat tel tem ter tet tgk tgl tha tib tig tir tiv tkl tlh tli tmh tog ton tpi \
    tsi tsn tso tuk tum tup tur tut tvl twi tyv udm uga uig ukr umb und urd uzb vai ven vie vol \
    vot wak wal war was wel wen wln wol xal xho yao yap yid yor ypk zap zbl zen zgh zha znd zul \
    zun zxx zza "
    .as_chunks()
    .0;

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
        assert_eq!(BIBLIOGRAPHIC.len(), 486);
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
