//! Output intents (6.2.3).

use super::IntentColours;
use super::spot::{Spot, shown};
use crate::Subject;
use erp_pdf::{Dict, Object, PdfError, Result};

/// Bytes of the header of an ICC profile.
const HEADER: usize = 128;
/// More intents than any file has.
const INTENTS: usize = 1_000;

pub(super) fn check(subject: &Subject<'_, '_>) -> Result<IntentColours> {
    let mut colours = IntentColours::default();
    let list_spot = Spot::of(subject.catalog_id).member(&subject.catalog, "OutputIntents");
    let list = subject.member(&subject.catalog, "OutputIntents")?;
    let items = list.as_array().unwrap_or_default();
    let mut first = None;
    for (place, item) in items.iter().enumerate().take(INTENTS) {
        let spot = list_spot.item(items, place);
        let value = subject.follow(item)?;
        let Some(intent) = value.as_dict() else {
            continue;
        };
        let kind = subject.member(intent, "S")?.as_name().map(<[u8]>::to_vec);
        let wrong = kind.as_deref() == Some(b"GTS_PDFX") && intent.has("DestOutputProfileRef");
        let text = "a PDF/X output intent has `DestOutputProfileRef`";
        subject.faults.add_if(wrong, "6.2.3", spot.place(), text);
        let Some(profile) = intent.get("DestOutputProfile") else {
            continue;
        };
        let profile_id = profile.as_reference();
        let differs = *first.get_or_insert(profile_id) != profile_id;
        let text = "the output intents have different profiles";
        subject.faults.add_if(differs, "6.2.3", spot.place(), text);
        let components = check_profile(subject, intent, &spot)?;
        if kind.as_deref() == Some(b"GTS_PDFA1") {
            colours.present |= components > 0;
            colours.components = components;
        }
    }
    Ok(colours)
}

/// The number of components, 0 when it cannot be used.
fn check_profile(subject: &Subject<'_, '_>, intent: &Dict, spot: &Spot) -> Result<u8> {
    let profile_spot = spot.member(intent, "DestOutputProfile");
    let place = profile_spot.place();
    let value = subject.member(intent, "DestOutputProfile")?;
    let Some(stream) = value.as_stream() else {
        let text = "the profile of an output intent is no stream";
        subject.faults.add("6.2.3", spot.place(), text);
        return Ok(0);
    };
    let start = PdfError::readable(subject.file.decoded_start(stream, HEADER))?.unwrap_or_default();
    let header = Header::read(&start);
    let Some(header) = header.filter(Header::is_usable) else {
        let what = match header {
            None => "cannot be read".to_owned(),
            Some(header) => {
                let (class, space) = (shown(Some(&header.class)), shown(Some(&header.space)));
                let version = header.version;
                format!("has class `{class}`, colour space `{space}`, version {version}")
            }
        };
        let text = format!("the ICC profile of an output intent {what}");
        subject.faults.add("6.2.3", place, text);
        return Ok(0);
    };
    let components = header.components();
    if subject.member(&stream.dict, "N")?.as_integer() != Some(i64::from(components)) {
        let repair = profile_spot.edit(vec![("N", Object::Integer(i64::from(components)))]);
        let text = "`N` is not the number of components of the output intent's profile";
        subject.faults.add_repairable("6.2.3", place, text, repair);
    }
    Ok(components)
}

/// What an ICC profile says about itself (ICC.1, 7.2).
#[derive(Debug, Clone, Copy)]
struct Header {
    version: u8,
    class: [u8; 4],
    space: [u8; 4],
    signed: bool,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Self> {
        let four = |at: usize| bytes.get(at..at + 4)?.try_into().ok();
        (bytes.len() >= HEADER).then_some(())?;
        Some(Self {
            version: *bytes.get(8)?,
            class: four(12)?,
            space: four(16)?,
            signed: four(36) == Some(*b"acsp"),
        })
    }

    fn is_usable(&self) -> bool {
        let class = matches!(&self.class, b"prtr" | b"mntr");
        class && self.version < 5 && self.signed && self.components() > 0
    }

    const fn components(&self) -> u8 {
        match &self.space {
            b"GRAY" => 1,
            b"RGB " => 3,
            b"CMYK" => 4,
            _ => 0,
        }
    }
}
