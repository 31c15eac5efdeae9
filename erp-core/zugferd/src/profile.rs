//! What each standard and profile of a hybrid invoice writes where.

use std::fmt;

/// A standard of invoices and orders as XML inside a PDF, the one to prefer first.
///
/// Invoices come before orders of the same age, because callers look for an e-invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standard {
    /// The XRECHNUNG profile of ZUGFeRD 2.1 and later, in its own file name.
    XRechnung,
    /// Factur-X 1.x, the same as ZUGFeRD 2.1 and later.
    FacturX,
    /// ZUGFeRD 2.0 and 2.0.1.
    Zugferd2,
    /// Order-X 1.0: orders, order responses and order changes.
    OrderX,
    /// ZUGFeRD 1.0.
    Zugferd1,
    /// The release candidate of ZUGFeRD 1.0 (2013 and 2014).
    ZugferdRc,
}

impl Standard {
    /// All standards in their order.
    pub const NEWEST_FIRST: [Self; 6] = [
        Self::XRechnung,
        Self::FacturX,
        Self::Zugferd2,
        Self::OrderX,
        Self::Zugferd1,
        Self::ZugferdRc,
    ];

    // rule: R-ZUG-26
    /// The name of the attachment.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::ZugferdRc | Self::Zugferd1 => "ZUGFeRD-invoice.xml",
            Self::Zugferd2 => "zugferd-invoice.xml",
            Self::FacturX => "factur-x.xml",
            Self::XRechnung => "xrechnung.xml",
            Self::OrderX => "order-x.xml",
        }
    }

    // rule: R-ZUG-27
    /// The namespace of the four properties in the XMP metadata.
    ///
    /// For Factur-X the form of its chapter 6.3.1 and of all real files, not the one of rule
    /// BR-HYBRID-04.
    pub const fn xmp_namespace(self) -> &'static str {
        match self {
            Self::ZugferdRc => "urn:ferd:pdfa:invoice:rc#",
            Self::Zugferd1 => "urn:ferd:pdfa:CrossIndustryDocument:invoice:1p0#",
            Self::Zugferd2 => "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#",
            Self::FacturX | Self::XRechnung => {
                "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
            }
            Self::OrderX => "urn:factur-x:pdfa:CrossIndustryDocument:1p0#",
        }
    }

    /// The prefix of the four properties.
    pub const fn xmp_prefix(self) -> &'static str {
        match self {
            Self::ZugferdRc | Self::Zugferd1 => "zf",
            Self::Zugferd2 | Self::FacturX | Self::XRechnung | Self::OrderX => "fx",
        }
    }

    /// The name of the standard in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ZugferdRc => "ZUGFeRD RC",
            Self::Zugferd1 => "ZUGFeRD 1.0",
            Self::Zugferd2 => "ZUGFeRD 2.0",
            Self::FacturX => "Factur-X",
            Self::XRechnung => "XRechnung",
            Self::OrderX => "Order-X",
        }
    }

    /// The standard whose attachment has this name.
    ///
    /// Case matters only if two names do not differ otherwise: `ZUGFeRD-invoice.xml` is 1.0 and any other spelling is
    /// 2.0.
    pub fn from_file_name(name: &str) -> Option<Self> {
        if name == Self::Zugferd1.file_name() {
            return Some(Self::Zugferd1);
        }
        let mut standards = Self::NEWEST_FIRST.into_iter();
        standards.find(|standard| standard.file_name().eq_ignore_ascii_case(name))
    }

    /// The standard that writes its XMP properties in this namespace.
    ///
    /// XRechnung and Factur-X share one: that is [`Standard::FacturX`]. A missing `#` and another
    /// case are forgiven.
    pub fn from_namespace(namespace: &str) -> Option<Self> {
        let mut known = known_namespaces().into_iter();
        known.find_map(|(uri, standard)| same_namespace(uri, namespace).then_some(standard))
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How much of an invoice the XML carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Head data for booking only.
    Minimum,
    /// `BASIC WL`: without lines.
    BasicWl,
    /// `BASIC`.
    Basic,
    /// `COMFORT` of ZUGFeRD 1.0 and Order-X.
    Comfort,
    /// `EN 16931`, the successor of `COMFORT`.
    En16931,
    /// `EXTENDED`.
    Extended,
    /// `XRECHNUNG`, the German rules for public authorities.
    XRechnung,
}

impl Level {
    /// The text of `ConformanceLevel` in the XMP metadata.
    pub const fn xmp_text(self) -> &'static str {
        match self {
            Self::Minimum => "MINIMUM",
            Self::BasicWl => "BASIC WL",
            Self::Basic => "BASIC",
            Self::Comfort => "COMFORT",
            Self::En16931 => "EN 16931",
            Self::Extended => "EXTENDED",
            Self::XRechnung => "XRECHNUNG",
        }
    }
}

/// What kind of document the XML is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentType {
    /// An invoice, a credit note and the like.
    Invoice,
    /// An order (type code 220).
    Order,
    /// The response to an order (type code 231).
    OrderResponse,
    /// The change of an order (type code 230).
    OrderChange,
}

impl DocumentType {
    /// The text of `DocumentType` in the XMP metadata.
    pub const fn xmp_text(self) -> &'static str {
        match self {
            Self::Invoice => "INVOICE",
            Self::Order => "ORDER",
            Self::OrderResponse => "ORDER_RESPONSE",
            Self::OrderChange => "ORDER_CHANGE",
        }
    }

    /// The kind of order of an Order-X type code (UNTDID 1001).
    pub fn from_order_code(code: &str) -> Option<Self> {
        match code {
            "220" => Some(Self::Order),
            "231" => Some(Self::OrderResponse),
            "230" => Some(Self::OrderChange),
            _ => None,
        }
    }
}

/// How the attachment relates to the pages: the value of `/AFRelationship` (Factur-X 1.08, 6.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relationship {
    /// The XML is data that the pages are based on.
    Data,
    /// The XML says the same as the pages.
    Alternative,
}

impl Relationship {
    /// The PDF name, without the slash.
    pub const fn pdf_name(self) -> &'static str {
        match self {
            Self::Data => "Data",
            Self::Alternative => "Alternative",
        }
    }
}

/// The standard and the profile of one XML, as its guideline (BT-24) names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The standard.
    pub standard: Standard,
    /// How much the XML carries.
    pub level: Level,
    /// The guideline as found, without the white space around it.
    pub guideline: String,
    /// What kind of document it is.
    pub document_type: DocumentType,
}

impl Profile {
    // rule: R-ZUG-25
    /// The profile of a guideline (BT-24), an invoice or an order.
    ///
    /// Known families are read leniently: additions are ignored and the level is used. Unknown additions to EN 16931
    /// are `EN 16931` when they call themselves compliant and `EXTENDED` when they call themselves conformant, as the
    /// standard defines these words.
    pub fn from_guideline(guideline: &str) -> Option<Self> {
        let guideline = guideline.trim();
        let (standard, level) = classify(&guideline.to_ascii_lowercase())?;
        let document_type = match standard {
            Standard::OrderX => DocumentType::Order,
            _ => DocumentType::Invoice,
        };
        Some(Self {
            standard,
            level,
            guideline: guideline.to_owned(),
            document_type,
        })
    }

    /// The name of the attachment.
    pub const fn file_name(&self) -> &'static str {
        self.standard.file_name()
    }

    // rule: R-ZUG-28
    /// The text of `Version` in the XMP metadata.
    ///
    /// `1.0`, except for the release candidate, which has `RC`, and XRechnung, which has the version of its guideline.
    /// ZUGFeRD 2.0 requires `2p0`, but all samples of the standard have `1.0`.
    pub fn xmp_version(&self) -> &str {
        match self.standard {
            Standard::ZugferdRc => "RC",
            Standard::XRechnung => xrechnung_version(&self.guideline).unwrap_or("1.0"),
            _ => "1.0",
        }
    }

    // rule: R-ZUG-29
    /// The text of `ConformanceLevel` in the XMP metadata.
    pub const fn xmp_level(&self) -> &'static str {
        self.level.xmp_text()
    }

    /// The text of `DocumentType` in the XMP metadata.
    pub const fn document_type(&self) -> &'static str {
        self.document_type.xmp_text()
    }

    // rule: R-ZUG-30
    /// How the attachment relates to the pages, in the form that all countries accept.
    pub const fn relationship(&self) -> Relationship {
        match self.level {
            Level::Minimum | Level::BasicWl => Relationship::Data,
            _ => Relationship::Alternative,
        }
    }
}

/// All namespaces of the four XMP properties ever written, each with its standard.
pub fn known_namespaces() -> [(&'static str, Standard); 6] {
    [
        (Standard::FacturX.xmp_namespace(), Standard::FacturX),
        (Standard::Zugferd2.xmp_namespace(), Standard::Zugferd2),
        // Also what rule BR-HYBRID-04 of Factur-X 1.08 prints for invoices.
        (Standard::OrderX.xmp_namespace(), Standard::OrderX),
        (
            "urn:zugferd:pdfa:CrossIndustryDocument:invoice:1p0#",
            Standard::Zugferd2,
        ),
        (Standard::Zugferd1.xmp_namespace(), Standard::Zugferd1),
        (Standard::ZugferdRc.xmp_namespace(), Standard::ZugferdRc),
    ]
}

fn same_namespace(known: &str, found: &str) -> bool {
    let bare = |uri: &str| uri.trim().trim_end_matches('#').to_ascii_lowercase();
    bare(known) == bare(found)
}

fn classify(guideline: &str) -> Option<(Standard, Level)> {
    if guideline.contains("xrechnung") {
        return Some((Standard::XRechnung, Level::XRechnung));
    }
    let standard = family(guideline);
    let level = guideline.rsplit([':', '#']).next().and_then(level);
    match (standard, level) {
        (Some(standard), Some(level)) => level_of(standard, level).map(|level| (standard, level)),
        (Some(_), None) => None,
        (None, _) => plain_en16931(guideline).map(|level| (Standard::FacturX, level)),
    }
}

/// The standard by the piece of the guideline that only it uses.
fn family(guideline: &str) -> Option<Standard> {
    const FAMILIES: [(&str, Standard); 7] = [
        ("order-x.eu:", Standard::OrderX),
        ("factur-x.eu:", Standard::FacturX),
        ("cpro.gouv.fr:", Standard::FacturX),
        ("zugferd.de:2p0", Standard::Zugferd2),
        ("zugferd.de:", Standard::FacturX),
        ("urn:ferd:invoice:rc", Standard::ZugferdRc),
        ("urn:ferd:", Standard::Zugferd1),
    ];
    let mut families = FAMILIES.into_iter();
    families.find_map(|(piece, standard)| guideline.contains(piece).then_some(standard))
}

fn level(piece: &str) -> Option<Level> {
    match piece {
        "minimum" => Some(Level::Minimum),
        "basicwl" | "basic-wl" | "basic_wl" | "basic wl" => Some(Level::BasicWl),
        "basic" => Some(Level::Basic),
        "comfort" | "komfort" => Some(Level::Comfort),
        "en16931" | "en 16931" => Some(Level::En16931),
        "extended" => Some(Level::Extended),
        // Extensions of a country, as `extended-ctc-fr`.
        _ if piece.starts_with("extended-") => Some(Level::Extended),
        _ => None,
    }
}

/// The level in the words of the standard, when the standard has it.
fn level_of(standard: Standard, level: Level) -> Option<Level> {
    let has_comfort = matches!(
        standard,
        Standard::ZugferdRc | Standard::Zugferd1 | Standard::OrderX
    );
    match level {
        Level::Comfort | Level::En16931 if has_comfort => Some(Level::Comfort),
        Level::Comfort | Level::En16931 => Some(Level::En16931),
        Level::Minimum | Level::BasicWl if has_comfort => None,
        other => Some(other),
    }
}

fn plain_en16931(guideline: &str) -> Option<Level> {
    let added = guideline.strip_prefix("urn:cen.eu:en16931:2017")?;
    if added.is_empty() || added.starts_with("#compliant#") {
        Some(Level::En16931)
    } else if added.starts_with("#conformant#") {
        Some(Level::Extended)
    } else {
        None
    }
}

/// The digits and points after `xrechnung_`.
fn xrechnung_version(guideline: &str) -> Option<&str> {
    let start = guideline.to_ascii_lowercase().find("xrechnung_")?;
    let after = guideline.get(start..)?.split_once('_')?.1;
    let mut parts = after.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    parts.next().filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EN: &str = "urn:cen.eu:en16931:2017";

    fn found(guideline: &str) -> Option<(Standard, Level)> {
        Profile::from_guideline(guideline).map(|profile| (profile.standard, profile.level))
    }

    use Level::{Basic, BasicWl, Comfort, En16931, Extended, Minimum};
    use Standard::{FacturX, OrderX, XRechnung, Zugferd1, Zugferd2, ZugferdRc};

    const FORMS: &[(&str, Standard, Level)] = &[
        ("urn:factur-x.eu:1p0:minimum", FacturX, Minimum),
        ("urn:factur-x.eu:1p0:basicwl", FacturX, BasicWl),
        ("{EN}#compliant#urn:factur-x.eu:1p0:basic", FacturX, Basic),
        ("{EN}:compliant:factur-x.eu:1p0:basic", FacturX, Basic),
        ("{EN}:compliant:factur-x.eu:1p0:basicwl", FacturX, BasicWl),
        ("{EN}:compliant:factur-x.eu:1p0:extended", FacturX, Extended),
        (
            "{EN}:conformant:factur-x.eu:1p0:extended",
            FacturX,
            Extended,
        ),
        ("{EN}", FacturX, En16931),
        (" {EN}\n", FacturX, En16931),
        (
            "{EN}#conformant#urn:factur-x.eu:1p0:extended",
            FacturX,
            Extended,
        ),
        (
            "{EN}#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr",
            FacturX,
            Extended,
        ),
        (
            "{EN}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0",
            FacturX,
            En16931,
        ),
        ("{EN}#conformant#urn:example.org:own:1.0", FacturX, Extended),
        (
            "{EN}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
            XRechnung,
            Level::XRechnung,
        ),
        (
            "{EN}#compliant#urn:xoev-de:kosit:standard:xrechnung_1.2",
            XRechnung,
            Level::XRechnung,
        ),
        (
            "{EN}#compliant#urn:xoev-de:kosit:standard:xrechnung_2.1",
            XRechnung,
            Level::XRechnung,
        ),
        (
            "{EN}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0",
            XRechnung,
            Level::XRechnung,
        ),
        ("urn:zugferd.de:2p0:minimum", Zugferd2, Minimum),
        ("urn:zugferd.de:2p0:basicwl", Zugferd2, BasicWl),
        ("urn:zugferd.de:2p0:en16931", Zugferd2, En16931),
        ("{EN}#compliant#urn:zugferd.de:2p0:basic", Zugferd2, Basic),
        (
            "{EN}#conformant#urn:zugferd.de:2p0:extended",
            Zugferd2,
            Extended,
        ),
        (
            "urn:ferd:CrossIndustryDocument:invoice:1p0:basic",
            Zugferd1,
            Basic,
        ),
        (
            "urn:ferd:CrossIndustryDocument:invoice:1p0:comfort",
            Zugferd1,
            Comfort,
        ),
        (
            "urn:ferd:CrossIndustryDocument:invoice:1p0:komfort",
            Zugferd1,
            Comfort,
        ),
        (
            "urn:ferd:CrossIndustryDocument:invoice:1p0:extended",
            Zugferd1,
            Extended,
        ),
        (
            "urn:ferd:CrossIndustryDocument:order:1p0:extended",
            Zugferd1,
            Extended,
        ),
        ("urn:ferd:invoice:rc:basic", ZugferdRc, Basic),
        ("urn:ferd:invoice:rc:comfort", ZugferdRc, Comfort),
        ("urn:ferd:invoice:rc:extended", ZugferdRc, Extended),
        ("urn:order-x.eu:1p0:basic", OrderX, Basic),
        ("urn:order-x.eu:1p0:comfort", OrderX, Comfort),
        ("urn:order-x.eu:1p0:extended", OrderX, Extended),
    ];

    // rule: R-ZUG-25, R-ZUG-29
    #[test]
    fn every_known_guideline_has_its_standard_and_level() {
        for (form, standard, level) in FORMS.iter().copied() {
            let guideline = form.replace("{EN}", EN);
            assert_eq!(found(&guideline), Some((standard, level)), "{guideline}");
        }
    }

    #[test]
    fn unknown_guidelines_have_no_profile() {
        for guideline in [
            "",
            "urn:cen.eu:en16931:2018",
            "urn:cen.eu:en16931:2017:other",
            "urn:factur-x.eu:1p0:premium",
            "urn:cpro.gouv.fr:1p0:einvoicingextract#Base",
            "urn:order-x.eu:1p0:minimum",
            "urn:ferd:CrossIndustryDocument:invoice:1p0:minimum",
            "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
        ] {
            assert_eq!(found(guideline), None, "{guideline}");
        }
    }

    // rule: R-ZUG-26, R-ZUG-27, R-ZUG-28
    #[test]
    fn a_profile_writes_what_its_standard_asks_for() {
        let cases = [
            (
                "urn:ferd:invoice:rc:comfort",
                "ZUGFeRD-invoice.xml",
                "zf",
                "RC",
                "COMFORT",
            ),
            (
                "urn:ferd:CrossIndustryDocument:invoice:1p0:basic",
                "ZUGFeRD-invoice.xml",
                "zf",
                "1.0",
                "BASIC",
            ),
            (
                "urn:zugferd.de:2p0:en16931",
                "zugferd-invoice.xml",
                "fx",
                "1.0",
                "EN 16931",
            ),
            (
                "urn:factur-x.eu:1p0:basicwl",
                "factur-x.xml",
                "fx",
                "1.0",
                "BASIC WL",
            ),
            (
                "urn:factur-x.eu:1p0:minimum",
                "factur-x.xml",
                "fx",
                "1.0",
                "MINIMUM",
            ),
            (
                "x#urn:xeinkauf.de:kosit:xrechnung_3.0",
                "xrechnung.xml",
                "fx",
                "3.0",
                "XRECHNUNG",
            ),
            (
                "x#urn:xoev-de:kosit:standard:xrechnung_2.1",
                "xrechnung.xml",
                "fx",
                "2.1",
                "XRECHNUNG",
            ),
            (
                "urn:order-x.eu:1p0:extended",
                "order-x.xml",
                "fx",
                "1.0",
                "EXTENDED",
            ),
        ];
        for (guideline, file, prefix, version, level) in cases {
            let profile = Profile::from_guideline(guideline).unwrap();
            assert_eq!(profile.file_name(), file, "{guideline}");
            assert_eq!(profile.standard.xmp_prefix(), prefix, "{guideline}");
            assert_eq!(profile.xmp_version(), version, "{guideline}");
            assert_eq!(profile.xmp_level(), level, "{guideline}");
        }
    }

    // rule: R-ZUG-30
    #[test]
    fn only_profiles_without_lines_are_data() {
        let relationship = |guideline| Profile::from_guideline(guideline).unwrap().relationship();
        assert_eq!(
            relationship("urn:factur-x.eu:1p0:minimum"),
            Relationship::Data
        );
        assert_eq!(
            relationship("urn:factur-x.eu:1p0:basicwl"),
            Relationship::Data
        );
        assert_eq!(
            relationship("urn:zugferd.de:2p0:minimum"),
            Relationship::Data
        );
        assert_eq!(relationship(EN), Relationship::Alternative);
        assert_eq!(
            relationship("urn:order-x.eu:1p0:basic"),
            Relationship::Alternative
        );
    }

    // rule: R-ZUG-26
    #[test]
    fn file_names_are_known_in_any_case() {
        assert_eq!(
            Standard::from_file_name("Factur-X.XML"),
            Some(Standard::FacturX)
        );
        assert_eq!(
            Standard::from_file_name("ZUGFeRD-invoice.xml"),
            Some(Standard::Zugferd1)
        );
        assert_eq!(
            Standard::from_file_name("zugferd-invoice.xml"),
            Some(Standard::Zugferd2)
        );
        assert_eq!(
            Standard::from_file_name("ZUGFERD-INVOICE.XML"),
            Some(Standard::Zugferd2)
        );
        assert_eq!(
            Standard::from_file_name("order-x.xml"),
            Some(Standard::OrderX)
        );
        assert_eq!(Standard::from_file_name("invoice.xml"), None);
    }

    #[test]
    fn the_standard_to_prefer_is_the_first() {
        assert!(Standard::NEWEST_FIRST.is_sorted());
    }

    // rule: R-ZUG-27
    #[test]
    fn namespaces_of_all_versions_are_known() {
        for (uri, standard) in known_namespaces() {
            assert_eq!(Standard::from_namespace(uri), Some(standard));
            assert_eq!(
                Standard::from_namespace(uri.trim_end_matches('#')),
                Some(standard)
            );
        }
        assert_eq!(
            Standard::from_namespace("http://purl.org/dc/elements/1.1/"),
            None
        );
    }

    // rule: R-ZUG-29
    #[test]
    fn order_codes_are_the_three_of_the_standard() {
        assert_eq!(
            DocumentType::from_order_code("220"),
            Some(DocumentType::Order)
        );
        assert_eq!(
            DocumentType::from_order_code("230"),
            Some(DocumentType::OrderChange)
        );
        assert_eq!(
            DocumentType::from_order_code("231"),
            Some(DocumentType::OrderResponse)
        );
        assert_eq!(DocumentType::from_order_code("380"), None);
        assert_eq!(DocumentType::OrderResponse.xmp_text(), "ORDER_RESPONSE");
    }
}
