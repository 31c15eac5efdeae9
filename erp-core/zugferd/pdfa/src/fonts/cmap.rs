//! CMaps: how the bytes of a string become CIDs (ISO 32000-1, 9.7.5; ISO 19005-3, 6.2.11.3).

use super::decoded;
use crate::is_one_of;
use erp_pdf::lexer::Lexer;
use erp_pdf::object::Name;
use erp_pdf::{Dict, Limits, Object, PdfFile, Result};

/// The CMaps of ISO 32000-1, table 118.
const PREDEFINED: &str = "Identity-H Identity-V GB-EUC-H GB-EUC-V GBpc-EUC-H GBpc-EUC-V GBK-EUC-H GBK-EUC-V \
     GBKp-EUC-H GBKp-EUC-V GBK2K-H GBK2K-V UniGB-UCS2-H UniGB-UCS2-V UniGB-UTF16-H UniGB-UTF16-V B5pc-H B5pc-V \
     HKscs-B5-H HKscs-B5-V ETen-B5-H ETen-B5-V ETenms-B5-H ETenms-B5-V CNS-EUC-H CNS-EUC-V UniCNS-UCS2-H \
     UniCNS-UCS2-V UniCNS-UTF16-H UniCNS-UTF16-V 83pv-RKSJ-H 90ms-RKSJ-H 90ms-RKSJ-V 90msp-RKSJ-H 90msp-RKSJ-V \
     90pv-RKSJ-H Add-RKSJ-H Add-RKSJ-V EUC-H EUC-V Ext-RKSJ-H Ext-RKSJ-V H V UniJIS-UCS2-H UniJIS-UCS2-V \
     UniJIS-UCS2-HW-H UniJIS-UCS2-HW-V UniJIS-UTF16-H UniJIS-UTF16-V KSC-EUC-H KSC-EUC-V KSCms-UHC-H KSCms-UHC-V \
     KSCms-UHC-HW-H KSCms-UHC-HW-V KSCpc-EUC-H UniKS-UCS2-H UniKS-UCS2-V UniKS-UTF16-H UniKS-UTF16-V";

/// Ranges of one CMap, and operands of one operator: there are 65,536 CIDs.
pub(super) const RANGES: usize = 100_000;
/// Its codespace ranges, all of which are tried for every code.
const SPACES: usize = 100;

/// Whether a CMap of this name may be used without being embedded.
pub(super) fn is_predefined(name: &[u8]) -> bool {
    is_one_of(PREDEFINED, name)
}

#[derive(Debug, Default)]
pub(super) struct CMapEncoding {
    /// The name, also of an embedded CMap.
    pub(super) name: Option<Name>,
    pub(super) embedded: Option<Dict>,
    pub(super) cmap: Option<CMap>,
}

pub(super) fn encoding_of(file: &PdfFile<'_>, font: &Dict) -> Result<CMapEncoding> {
    match &*file.member_readable(font, "Encoding")? {
        Object::Name(name) => {
            let identity = matches!(&**name, b"Identity-H" | b"Identity-V");
            let cmap = identity.then(|| CMap {
                identity,
                ..CMap::default()
            });
            Ok(CMapEncoding {
                name: Some(name.clone()),
                cmap,
                ..CMapEncoding::default()
            })
        }
        Object::Stream(stream) => {
            let name = file.member_readable(&stream.dict, "CMapName")?;
            let base = file.member_readable(&stream.dict, "UseCMap")?;
            let cmap = match decoded(file, stream)? {
                Some(bytes) => {
                    // Its codes are strings, which take longer than most text.
                    file.count_parsed(bytes.len().saturating_mul(4))?;
                    CMap::parse(&bytes, base.as_name(), file.limits())
                }
                None => None,
            };
            // One that is a stream again is forbidden and not read.
            let cmap = cmap.filter(|_| base.as_stream().is_none());
            Ok(CMapEncoding {
                name: name.as_name().map(Name::from),
                embedded: Some(stream.dict.clone()),
                cmap,
            })
        }
        _ => Ok(CMapEncoding::default()),
    }
}

/// How the bytes of a string become CIDs.
#[derive(Debug, Default)]
pub(super) struct CMap {
    /// Codes of two bytes are the CIDs.
    pub(super) identity: bool,
    spaces: Vec<CodeSpace>,
    /// Sorted, and none of them overlap.
    ranges: Vec<CidRange>,
    /// Ranges of `.notdef`, in the same way.
    unmapped: Vec<CidRange>,
    /// Whether two bytes that are not mapped are the CID.
    identity_base: bool,
    /// `/WMode` as the file itself says it.
    pub(super) writing_mode: i64,
    /// The largest CID that codes are given, also beyond those there are.
    pub(super) largest_cid: u64,
}

/// Codes of as many bytes, each within its bounds.
#[derive(Debug)]
struct CodeSpace {
    low: Vec<u8>,
    high: Vec<u8>,
}

#[derive(Debug)]
struct CidRange {
    bytes: usize,
    low: u32,
    high: u32,
    first: u32,
}

impl CodeSpace {
    fn holds(&self, code: &[u8]) -> bool {
        let mut bytes = code.iter().zip(self.low.iter().zip(&self.high));
        self.low.len() == code.len() && bytes.all(|(byte, (low, high))| low <= byte && byte <= high)
    }
}

impl CMap {
    /// The memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let ranges = self.ranges.len() + self.unmapped.len();
        ranges * size_of::<CidRange>() + self.spaces.len() * 64
    }

    /// Gives the CID of each code of a string, 0 for codes without one. Answers whether all bytes are codes.
    pub(super) fn read(&self, string: &[u8], mut note: impl FnMut(u16)) -> bool {
        if self.identity {
            let (pairs, rest) = string.as_chunks::<2>();
            for pair in pairs {
                note(u16::from_be_bytes(*pair));
            }
            return rest.is_empty();
        }
        let mut rest = string;
        while !rest.is_empty() {
            let mut codes = (1..=4).filter_map(|length| rest.split_at_checked(length));
            let is_code =
                |(code, _): &(&[u8], _)| self.spaces.iter().any(|space| space.holds(code));
            let Some((code, after)) = codes.find(is_code) else {
                return false;
            };
            note(self.cid(code));
            rest = after;
        }
        true
    }

    fn cid(&self, code: &[u8]) -> u16 {
        let number = number(code);
        let mapped = find(&self.ranges, code.len(), number);
        let cid = match mapped.and_then(|range| range.first.checked_add(number - range.low)) {
            Some(cid) => Some(cid),
            None if self.identity_base && code.len() == 2 => Some(number),
            // All codes of such a range have one CID.
            None => find(&self.unmapped, code.len(), number).map(|range| range.first),
        };
        cid.and_then(|cid| u16::try_from(cid).ok()).unwrap_or(0)
    }

    /// Reads the file of a CMap; `None` when it cannot be understood.
    fn parse(bytes: &[u8], base: Option<&[u8]>, limits: &Limits) -> Option<Self> {
        let mut cmap = Self::default();
        let mut base: Option<Name> = base.map(Name::from);
        each_operator(bytes, limits, |word, operands| {
            match word {
                b"usecmap" => base = operands.last().and_then(Object::as_name).map(Name::from),
                b"def" => cmap.define(operands),
                b"endcodespacerange" => cmap.add_spaces(operands)?,
                b"endcidrange" => cmap.add_ranges(operands, false)?,
                b"endcidchar" => cmap.add_characters(operands, false)?,
                b"endnotdefrange" => cmap.add_ranges(operands, true)?,
                b"endnotdefchar" => cmap.add_characters(operands, true)?,
                _ => {}
            }
            Some(())
        })?;
        match base.as_deref() {
            None => {}
            Some(b"Identity-H" | b"Identity-V") => {
                cmap.spaces.push(CodeSpace {
                    low: vec![0, 0],
                    high: vec![255, 255],
                });
                cmap.identity_base = true;
            }
            Some(_) => return None,
        }
        let readable = !cmap.spaces.is_empty() && cmap.spaces.len() <= SPACES;
        (readable && sort(&mut cmap.ranges) && sort(&mut cmap.unmapped)).then_some(cmap)
    }

    fn define(&mut self, operands: &[Object]) {
        if let [.., Object::Name(name), Object::Integer(value)] = operands
            && **name == *b"WMode"
        {
            self.writing_mode = *value;
        }
    }

    fn add_spaces(&mut self, operands: &[Object]) -> Option<()> {
        for pair in operands.chunks(2) {
            let [low, high] = pair else { return None };
            let (low, high) = (low.as_string()?.to_vec(), high.as_string()?.to_vec());
            (low.len() == high.len() && (1..=4).contains(&low.len())).then_some(())?;
            self.spaces.push(CodeSpace { low, high });
        }
        Some(())
    }

    fn add_ranges(&mut self, operands: &[Object], unmapped: bool) -> Option<()> {
        let (triples, []) = operands.as_chunks() else {
            return None;
        };
        let mut triples = triples.iter();
        triples.try_for_each(|[low, high, first]| self.add(low, high, first, unmapped))
    }

    fn add_characters(&mut self, operands: &[Object], unmapped: bool) -> Option<()> {
        let (pairs, []) = operands.as_chunks() else {
            return None;
        };
        let mut pairs = pairs.iter();
        pairs.try_for_each(|[code, cid]| self.add(code, code, cid, unmapped))
    }

    fn add(&mut self, low: &Object, high: &Object, first: &Object, unmapped: bool) -> Option<()> {
        let (low, high) = (low.as_string()?, high.as_string()?);
        let first: u32 = first.as_count()?;
        let fits = low.len() == high.len()
            && (1..=4).contains(&low.len())
            && self.ranges.len().max(self.unmapped.len()) < RANGES;
        let range = CidRange {
            bytes: low.len(),
            low: number(low),
            high: number(high),
            first,
        };
        let (ranges, span) = if unmapped {
            (&mut self.unmapped, 0)
        } else {
            (&mut self.ranges, range.high.saturating_sub(range.low))
        };
        ranges.push(range);
        self.largest_cid = self.largest_cid.max(u64::from(first) + u64::from(span));
        fits.then_some(())
    }
}

/// Calls with each operator of a CMap and its operands; `None` after one that returns it, and for too many operands.
pub(super) fn each_operator(
    bytes: &[u8],
    limits: &Limits,
    mut take: impl FnMut(&[u8], &[Object]) -> Option<()>,
) -> Option<()> {
    let mut lexer = Lexer::content(bytes, limits);
    let mut operands: Vec<Object> = Vec::new();
    loop {
        lexer.allow_values(limits);
        lexer.skip_white();
        if lexer.peek().is_none() {
            return Some(());
        }
        if let Ok(operand) = lexer.object() {
            operands.push(operand);
            (operands.len() <= RANGES).then_some(())?;
            continue;
        }
        let word = lexer.token();
        if word.is_empty() {
            // Braces and other bytes that are not tokens.
            lexer.seek(lexer.position() + 1);
        }
        take(word, &operands)?;
        operands.clear();
    }
}

/// Sorts ranges. Answers whether they are apart; which of two counts is not agreed upon.
fn sort(ranges: &mut [CidRange]) -> bool {
    ranges.sort_by_key(|range| (range.bytes, range.low));
    ranges.is_sorted_by(|one, next| one.bytes < next.bytes || one.high < next.low)
}

fn find(ranges: &[CidRange], bytes: usize, number: u32) -> Option<&CidRange> {
    let after = ranges.partition_point(|range| (range.bytes, range.low) <= (bytes, number));
    let range = ranges.get(after.checked_sub(1)?)?;
    (range.bytes == bytes && number <= range.high).then_some(range)
}

pub(super) fn number(code: &[u8]) -> u32 {
    let bytes = code.iter().take(4).map(|byte| u32::from(*byte));
    bytes.fold(0, |sum, byte| sum << 8 | byte)
}

/// Registry, ordering and supplement of a `CIDSystemInfo`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SystemInfo {
    registry: Vec<u8>,
    ordering: Vec<u8>,
    supplement: i64,
}

impl SystemInfo {
    /// Reads the one of a CIDFont or of a CMap; `None` when it is not complete.
    pub(super) fn of(file: &PdfFile<'_>, dict: &Dict) -> Result<Option<Self>> {
        let written = file.member_readable(dict, "CIDSystemInfo")?;
        let first = written.as_list().first().unwrap_or(&Object::Null);
        let info = file.follow_readable(first)?;
        let Object::Dict(info) = &*info else {
            return Ok(None);
        };
        let registry = file.member_readable(info, "Registry")?;
        let ordering = file.member_readable(info, "Ordering")?;
        let supplement = file.member_readable(info, "Supplement")?;
        let (Some(registry), Some(ordering)) = (registry.as_string(), ordering.as_string()) else {
            return Ok(None);
        };
        Ok(Some(Self {
            registry: registry.to_vec(),
            ordering: ordering.to_vec(),
            supplement: supplement.as_integer().unwrap_or(0),
        }))
    }

    pub(super) fn is_one_of(&self, registry: &[u8], orderings: &[&[u8]]) -> bool {
        self.registry == registry && orderings.contains(&self.ordering.as_slice())
    }

    /// Whether CIDs of a CMap with the other collection can be those of a font with this one (6.2.11.3.1).
    pub(super) fn fits(&self, cmap: &Self) -> bool {
        self.registry == cmap.registry
            && self.ordering == cmap.ordering
            && self.supplement <= cmap.supplement
    }
}
