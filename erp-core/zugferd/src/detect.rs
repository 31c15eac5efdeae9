//! Which standard and profile an XML is, read no further than needed.

use super::profile::{DocumentType, Level, Profile, Standard};
use crate::xml::text::{DecodeText, decode_lossy};
use crate::xml::{Element, Tree, XmlFault, XmlLimits};

/// How much of an XML is read to detect its kind.
#[derive(Debug, Clone, Copy)]
pub struct DetectLimits {
    /// Bytes from the start within which root element and guideline must be.
    pub bytes: usize,
    /// Elements inside each other.
    pub depth: usize,
    /// Other encodings than UTF-8 and UTF-16, as in [`XmlLimits::decode_text`].
    pub decode_text: DecodeText,
}

impl DetectLimits {
    /// 1 MiB: in samples of the standard licence texts of some kilobytes are before the root.
    pub const DEFAULT: Self = Self {
        bytes: 1 << 20,
        depth: 64,
        decode_text: XmlLimits::DEFAULT.decode_text,
    };
}

impl Default for DetectLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The reason why an XML is not an invoice or order that can be embedded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnInvoice {
    /// It is not XML, or broken before its kind is known.
    #[error("the data is not XML: {0}")]
    NotXml(String),
    /// It has a document type declaration, through which entities could be expanded.
    #[error("the XML has a document type declaration (`<!DOCTYPE {0}`), which is not accepted")]
    DocumentTypeDeclaration(String),
    /// It is XML of another kind.
    #[error("{}", describe_other(.root, .namespace))]
    OtherDocument {
        /// The name of the root element, without prefix.
        root: String,
        /// Its namespace; empty when it has none.
        namespace: String,
    },
    /// It is of a known kind but names no guideline.
    #[error("the XML is {0} but names no guideline (BT-24)")]
    NoGuideline(Standard),
    /// The guideline is not known.
    #[error("the guideline `{0}` (BT-24) is not a known profile")]
    UnknownGuideline(String),
    /// The guideline belongs to another kind of document than the root element.
    #[error(
        "the guideline `{guideline}` (BT-24) belongs to {standard}, which has not the root element `{root}`"
    )]
    GuidelineMismatch {
        /// The guideline as found.
        guideline: String,
        /// The standard of the guideline.
        standard: Standard,
        /// The name of the root element, without prefix.
        root: String,
    },
    /// The type code of an order is not one of Order-X.
    #[error("the type code `{0}` is none of Order-X: 220, 230 or 231")]
    UnknownOrderCode(String),
    /// A limit is reached before the guideline is found.
    #[error("the XML is too large to be an invoice: {what} over {limit}")]
    TooLarge {
        /// Which limit.
        what: &'static str,
        /// Its value.
        limit: usize,
    },
}

/// The kind of an XML, as far as it can be detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// The standard: by the guideline where it is known, else by the root element.
    pub standard: Standard,
    /// The guideline as found.
    pub guideline: Option<String>,
    /// The profile, where the guideline is known.
    pub profile: Option<Profile>,
}

// rule: R-ZUG-24
/// The standard and profile of an XML: what may be embedded.
///
/// Any encoding that the XML declares or shows by a byte order mark is read. Whether the rest of the
/// XML is well-formed is not looked at: [`well_formed`](crate::xml::well_formed) does that.
pub fn detect(xml: &[u8], limits: &DetectLimits) -> Result<Profile, NotAnInvoice> {
    profile_of(XmlHead::read(xml, limits)?)
}

/// As [`detect`], of a document that was read.
pub(crate) fn detect_in(tree: &Tree<'_>) -> Result<Profile, NotAnInvoice> {
    profile_of(XmlHead::of(tree)?)
}

fn profile_of(head: XmlHead) -> Result<Profile, NotAnInvoice> {
    let Some(guideline) = head.guideline else {
        return Err(NotAnInvoice::NoGuideline(head.root.standard));
    };
    let Some(mut profile) = Profile::from_guideline(&guideline) else {
        return Err(NotAnInvoice::UnknownGuideline(guideline));
    };
    if !head.root.may_be(profile.standard) {
        return Err(NotAnInvoice::GuidelineMismatch {
            guideline,
            standard: profile.standard,
            root: head.root.element.to_owned(),
        });
    }
    if let (true, Some(code)) = (head.root.is_order(), head.type_code) {
        let kind = DocumentType::from_order_code(&code);
        profile.document_type = kind.ok_or(NotAnInvoice::UnknownOrderCode(code))?;
    }
    Ok(profile)
}

/// The kind of an XML that may be extracted; its guideline may be missing or unknown.
///
/// # Errors
/// [`NotAnInvoice`] when it is not XML or its root element is of no known standard.
pub fn detect_loose(xml: &[u8], limits: &DetectLimits) -> Result<Format, NotAnInvoice> {
    let head = XmlHead::read(xml, limits)?;
    let known = head.guideline.as_deref().and_then(Profile::from_guideline);
    let mut profile = known.filter(|profile| head.root.may_be(profile.standard));
    let order = head.type_code.as_deref();
    let kind = order.and_then(DocumentType::from_order_code);
    if let (true, Some(profile), Some(kind)) = (head.root.is_order(), &mut profile, kind) {
        profile.document_type = kind;
    }
    let standard = profile.as_ref().map(|profile| profile.standard);
    Ok(Format {
        standard: standard.unwrap_or(head.root.standard),
        guideline: head.guideline,
        profile,
    })
}

impl Format {
    /// The level of the XML, if the guideline contains it.
    pub fn level(&self) -> Option<Level> {
        self.profile.as_ref().map(|profile| profile.level)
    }
}

/// A root element of invoices or orders of UN/CEFACT.
#[derive(Debug)]
struct Root {
    element: &'static str,
    /// How its namespace starts: an invoice of another version than all known ones is not taken for one of them.
    namespace: &'static str,
    standard: Standard,
    /// Standards of other guidelines that it may have.
    others: &'static [Standard],
}

static ROOTS: [Root; 4] = [
    Root {
        element: "CrossIndustryInvoice",
        namespace: "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
        standard: Standard::FacturX,
        others: &[Standard::Zugferd2, Standard::XRechnung],
    },
    Root {
        element: "CrossIndustryDocument",
        namespace: "urn:ferd:",
        standard: Standard::Zugferd1,
        // Early files of 1.0 name the guideline of the release candidate.
        others: &[Standard::ZugferdRc],
    },
    Root {
        element: "Invoice",
        namespace: "urn:un:unece:uncefact:data:standard:CBFBUY:",
        standard: Standard::ZugferdRc,
        others: &[],
    },
    Root {
        element: "SCRDMCCBDACIOMessageStructure",
        namespace: "urn:un:unece:uncefact:data:SCRDMCCBDACIOMessageStructure:",
        standard: Standard::OrderX,
        others: &[],
    },
];

impl Root {
    fn find(name: &str, namespace: &str) -> Option<&'static Self> {
        let mut roots = ROOTS.iter();
        roots.find(|root| name == root.element && namespace.starts_with(root.namespace))
    }

    fn may_be(&self, standard: Standard) -> bool {
        self.standard == standard || self.others.contains(&standard)
    }

    fn is_order(&self) -> bool {
        self.standard == Standard::OrderX
    }
}

/// The start of the XML: root element, guideline and, of an order, the type code.
#[derive(Debug)]
struct XmlHead {
    root: &'static Root,
    guideline: Option<String>,
    type_code: Option<String>,
}

impl XmlHead {
    /// The head of a document that may be cut or broken after it.
    fn read(xml: &[u8], limits: &DetectLimits) -> Result<Self, NotAnInvoice> {
        let start = xml.get(..limits.bytes.min(xml.len())).unwrap_or_default();
        if start.is_empty() {
            return Err(broken("it is empty"));
        }
        let text = decode_lossy(start, limits.decode_text)
            .map_err(|encoding| broken(&format!("the encoding `{encoding}` is not known")))?;
        if text.contains('\0') {
            return Err(broken("it has zero bytes"));
        }
        let xml_limits = XmlLimits {
            depth: limits.depth,
            ..XmlLimits::DEFAULT
        };
        let (tree, read) = Tree::parse_start(&text, &xml_limits, is_trade);
        let Err(error) = read else {
            return Self::of(&tree);
        };
        if tree.elements().next().is_some() {
            let head = Self::of(&tree)?;
            if head.is_complete() {
                return Ok(head);
            }
        }
        Err(match error.fault {
            XmlFault::DocumentTypeDeclaration => declaration(&text),
            XmlFault::TooLarge { what, limit } => NotAnInvoice::TooLarge { what, limit },
            _ if start.len() < xml.len() => NotAnInvoice::TooLarge {
                what: "bytes before the guideline (BT-24)",
                limit: limits.bytes,
            },
            _ => broken(&error.to_string()),
        })
    }

    /// The head of what was read: everything before the trade itself.
    fn of(tree: &Tree<'_>) -> Result<Self, NotAnInvoice> {
        let root = tree.root();
        let (name, namespace) = (root.local(), root.namespace());
        let mut head = Self {
            root: Root::find(name, namespace).ok_or_else(|| NotAnInvoice::OtherDocument {
                root: name.to_owned(),
                namespace: namespace.to_owned(),
            })?,
            guideline: None,
            type_code: None,
        };
        let children = root.children();
        for child in children.take_while(|child| !is_trade(child.local())) {
            for element in std::iter::once(child).chain(child.descendants()) {
                head.take(element);
            }
        }
        Ok(head)
    }

    fn take(&mut self, element: Element<'_>) {
        let parent = element.parent();
        let is_in = |name| parent.is_some_and(|parent| parent.local() == name);
        let value = match element.local() {
            "ID" if is_in("GuidelineSpecifiedDocumentContextParameter") => &mut self.guideline,
            "TypeCode" if is_in("ExchangedDocument") && is_inside_root(parent) => {
                &mut self.type_code
            }
            _ => return,
        };
        let text = element.text();
        if value.is_none() && !text.trim().is_empty() {
            *value = Some(text.trim().to_owned());
        }
    }

    fn is_complete(&self) -> bool {
        self.guideline.is_some() && (self.type_code.is_some() || !self.root.is_order())
    }
}

fn is_inside_root(element: Option<Element<'_>>) -> bool {
    let root = element.and_then(Element::parent);
    root.is_some_and(|root| root.parent().is_none())
}

/// Whether an element inside the root starts the trade itself.
fn is_trade(name: &str) -> bool {
    name.ends_with("TradeTransaction")
}

fn broken(what: &str) -> NotAnInvoice {
    NotAnInvoice::NotXml(what.to_owned())
}

/// The first document type declaration of a text.
fn declaration(text: &str) -> NotAnInvoice {
    const LONGEST_SHOWN: usize = 40;
    let declared = text.split_once("<!DOCTYPE").map_or("", |(_, rest)| rest);
    let name = declared.trim_start();
    let name = name.split(|end: char| end.is_whitespace() || matches!(end, '[' | '>'));
    let name = name.into_iter().next().unwrap_or_default();
    NotAnInvoice::DocumentTypeDeclaration(name.chars().take(LONGEST_SHOWN).collect())
}

fn describe_other(root: &str, namespace: &str) -> String {
    const KINDS: [(&str, &str); 6] = [
        ("urn:oasis:names:specification:ubl:", "a UBL document"),
        ("fatturapa", "a FatturaPA invoice"),
        ("ivaservizi.agenziaentrate", "a FatturaPA invoice"),
        ("facturae", "a Facturae invoice"),
        ("ebinterface", "an ebInterface invoice"),
        ("http://www.w3.org/1999/xhtml", "a web page"),
    ];
    let lower = namespace.to_ascii_lowercase();
    let mut kinds = KINDS.into_iter();
    let kind = kinds.find_map(|(piece, kind)| lower.contains(piece).then_some(kind));
    let page = (namespace.is_empty() && root.eq_ignore_ascii_case("html")).then_some("a web page");
    let kind = kind.or(page).unwrap_or("another document");
    let place = if namespace.is_empty() {
        "without a namespace".to_owned()
    } else {
        format!("of the namespace `{namespace}`")
    };
    format!(
        "the XML is {kind}, not a Cross Industry Invoice of UN/CEFACT: its root element is `{root}` {place}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CII: &str = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100";
    const FERD: &str = "urn:ferd:CrossIndustryDocument:invoice:1p0";
    const ORDER: &str = "urn:un:unece:uncefact:data:SCRDMCCBDACIOMessageStructure:100";

    fn document(root: &str, namespace: &str, guideline: &str, code: &str) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- 1 --><rsm:{root} xmlns:rsm=\"{namespace}\" xmlns:ram=\"urn:ram\">\
             <rsm:ExchangedDocumentContext><ram:BusinessProcessSpecifiedDocumentContextParameter><ram:ID>A1</ram:ID>\
             </ram:BusinessProcessSpecifiedDocumentContextParameter><ram:GuidelineSpecifiedDocumentContextParameter>\
             <ram:ID>{guideline}</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>\
             <rsm:ExchangedDocument><ram:ID>R1</ram:ID><ram:TypeCode>{code}</ram:TypeCode></rsm:ExchangedDocument>\
             <rsm:SupplyChainTradeTransaction/></rsm:{root}>"
        )
    }

    fn found(xml: impl AsRef<[u8]>) -> Result<(Standard, Level, DocumentType), NotAnInvoice> {
        let profile = detect(xml.as_ref(), &DetectLimits::DEFAULT)?;
        Ok((profile.standard, profile.level, profile.document_type))
    }

    fn invoice() -> String {
        document(
            "CrossIndustryInvoice",
            CII,
            "urn:cen.eu:en16931:2017",
            "380",
        )
    }

    const EN16931: Result<(Standard, Level, DocumentType), NotAnInvoice> =
        Ok((Standard::FacturX, Level::En16931, DocumentType::Invoice));

    // rule: R-ZUG-25
    #[test]
    fn each_root_is_found_with_its_guideline() {
        assert_eq!(found(invoice()), EN16931);
        let old = document(
            "CrossIndustryDocument",
            FERD,
            &format!("{FERD}:comfort"),
            "380",
        );
        assert_eq!(
            found(old),
            Ok((Standard::Zugferd1, Level::Comfort, DocumentType::Invoice))
        );
        let candidate = document(
            "Invoice",
            "urn:un:unece:uncefact:data:standard:CBFBUY:5",
            "urn:ferd:invoice:rc:basic",
            "380",
        );
        assert_eq!(
            found(candidate),
            Ok((Standard::ZugferdRc, Level::Basic, DocumentType::Invoice))
        );
    }

    // rule: R-ZUG-29
    #[test]
    fn orders_have_their_type_by_the_code() {
        for (code, kind) in [
            ("220", DocumentType::Order),
            ("230", DocumentType::OrderChange),
            ("231", DocumentType::OrderResponse),
        ] {
            let guideline = "urn:order-x.eu:1p0:comfort";
            let xml = document("SCRDMCCBDACIOMessageStructure", ORDER, guideline, code);
            assert_eq!(found(xml), Ok((Standard::OrderX, Level::Comfort, kind)));
        }
        let xml = document(
            "SCRDMCCBDACIOMessageStructure",
            ORDER,
            "urn:order-x.eu:1p0:basic",
            "380",
        );
        assert_eq!(
            found(xml),
            Err(NotAnInvoice::UnknownOrderCode("380".to_owned()))
        );
    }

    #[test]
    fn byte_order_marks_and_declared_encodings_are_read() {
        let xml = invoice();
        assert_eq!(found(format!("\u{feff}{xml}")), EN16931);
        assert_eq!(found(format!("\n  {xml}")), EN16931);
        let latin = xml
            .replace("UTF-8", "ISO-8859-1")
            .replace("<!-- 1 -->", "<!-- \u{e4} -->");
        let bytes: Vec<u8> = latin.chars().map(|letter| letter as u8).collect();
        assert_eq!(found(bytes), EN16931);
        let wide = xml.replace("UTF-8", "UTF-16");
        let units = |mark: &str| -> Vec<u16> { format!("{mark}{wide}").encode_utf16().collect() };
        for mark in ["", "\u{feff}"] {
            let little: Vec<u8> = units(mark).into_iter().flat_map(u16::to_le_bytes).collect();
            assert_eq!(found(little), EN16931);
            let big: Vec<u8> = units(mark).into_iter().flat_map(u16::to_be_bytes).collect();
            assert_eq!(found(big), EN16931);
        }
        // Says UTF-16 but is not.
        assert_eq!(found(wide), EN16931);
    }

    #[test]
    fn default_namespaces_and_references_are_read() {
        let xml = format!(
            "<CrossIndustryInvoice xmlns='{CII}'><C xmlns='urn:x'><GuidelineSpecifiedDocumentContextParameter>\
             <ID> urn:cen.eu:en16931:2017<![CDATA[#compliant#]]>urn:factur-x&#46;eu:1p0:basic </ID>"
        );
        assert_eq!(
            found(xml),
            Ok((Standard::FacturX, Level::Basic, DocumentType::Invoice))
        );
    }

    // rule: R-ZUG-24
    #[test]
    fn what_follows_the_guideline_is_not_read() {
        let xml = invoice();
        let (start, _) = xml.split_once("</ram:GuidelineSpecified").unwrap();
        assert!(found(format!("{start}\0<<<")).is_err());
        assert_eq!(found(format!("{start}<<<")), EN16931);
    }

    // rule: R-ZUG-24
    #[test]
    fn declared_document_types_and_entities_are_refused() {
        let bomb = format!(
            "<!DOCTYPE x [<!ENTITY a 'b'>]>{}",
            invoice().replace("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "")
        );
        assert_eq!(
            found(bomb),
            Err(NotAnInvoice::DocumentTypeDeclaration("x".to_owned()))
        );
        let entity = invoice().replace("urn:cen.eu", "&a;");
        assert!(
            found(entity)
                .unwrap_err()
                .to_string()
                .contains("the entity `a`")
        );
    }

    // rule: R-ZUG-25
    #[test]
    fn other_documents_are_named() {
        let cases = [
            (
                "<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'/>",
                "a UBL document",
            ),
            (
                "<p:FatturaElettronica xmlns:p='http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2'/>",
                "a FatturaPA invoice",
            ),
            ("<html><body/></html>", "a web page"),
            ("<note>hello</note>", "`note` without a namespace"),
            (
                "<Invoice xmlns='urn:other'/>",
                "`Invoice` of the namespace `urn:other`",
            ),
            (
                "<CrossIndustryInvoice/>",
                "`CrossIndustryInvoice` without a namespace",
            ),
            ("<!DOCTYPE html><html/>", "`<!DOCTYPE html`"),
        ];
        for (xml, words) in cases {
            let message = found(xml).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn what_is_no_xml_is_refused() {
        for data in [
            b"".as_slice(),
            b"   ",
            b"%PDF-1.7",
            b"{\"a\":1}",
            b"\xff\xfe",
            b"<a",
            b"<p:a/>",
            b"PK\x03\x04\0\0",
            b"<?xml version='1.0' encoding='klingon'?><a>\xE4</a>",
        ] {
            assert!(
                matches!(found(data), Err(NotAnInvoice::NotXml(_))),
                "{data:?}"
            );
        }
    }

    #[test]
    fn unknown_and_foreign_guidelines_are_refused_but_found_loosely() {
        let loose = |xml: &str| detect_loose(xml.as_bytes(), &DetectLimits::DEFAULT).unwrap();
        let unknown = document("CrossIndustryInvoice", CII, "urn:other", "380");
        assert_eq!(
            found(&unknown),
            Err(NotAnInvoice::UnknownGuideline("urn:other".to_owned()))
        );
        assert_eq!(loose(&unknown).standard, Standard::FacturX);
        assert_eq!(loose(&unknown).level(), None);
        assert_eq!(loose(&unknown).guideline.as_deref(), Some("urn:other"));
        let foreign = document(
            "CrossIndustryInvoice",
            CII,
            "urn:order-x.eu:1p0:basic",
            "380",
        );
        assert!(matches!(
            found(&foreign),
            Err(NotAnInvoice::GuidelineMismatch { .. })
        ));
        assert_eq!(loose(&foreign).profile, None);
        let none = document("CrossIndustryInvoice", CII, " ", "380");
        assert_eq!(
            found(&none),
            Err(NotAnInvoice::NoGuideline(Standard::FacturX))
        );
        assert_eq!(loose(&none).guideline, None);
        let order = document(
            "SCRDMCCBDACIOMessageStructure",
            ORDER,
            "urn:order-x.eu:1p0:basic",
            "231",
        );
        let kind = loose(&order).profile.unwrap().document_type;
        assert_eq!(kind, DocumentType::OrderResponse);
    }

    // rule: R-ZUG-24
    #[test]
    fn depth_and_length_are_limited() {
        let deep = invoice().replace("<rsm:ExchangedDocumentContext>", &"<a>".repeat(70));
        assert!(matches!(
            found(deep),
            Err(NotAnInvoice::TooLarge { limit: 64, .. })
        ));
        let limits = DetectLimits {
            bytes: 200,
            depth: 64,
            ..DetectLimits::DEFAULT
        };
        let long = detect(invoice().as_bytes(), &limits);
        assert!(matches!(
            long,
            Err(NotAnInvoice::TooLarge { limit: 200, .. })
        ));
        let comment = invoice().replace("<!-- 1 -->", &format!("<!--{}-->", "x".repeat(40_000)));
        assert_eq!(found(comment), EN16931);
    }
}
