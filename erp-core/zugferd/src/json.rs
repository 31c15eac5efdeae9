//! The JSON of results. What has a name or a sentence for people is this text.

use super::{PdfaClaim, PdfaOutcome, Profile, Reason, Standard, Step};
use erp_pdfa::xmp::PdfaIdentification;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use std::fmt::Display;

impl Serialize for Standard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Profile", 4)?;
        members.serialize_field("standard", &self.standard)?;
        members.serialize_field("level", self.xmp_level())?;
        members.serialize_field("documentType", self.document_type())?;
        members.serialize_field("guideline", &self.guideline)?;
        members.end()
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let clause = Some(self.clause).filter(|clause| !clause.is_empty());
        let mut members = serializer.serialize_struct("Reason", 4)?;
        members.serialize_field("message", &self.to_string())?;
        members.serialize_field("clause", &clause)?;
        members.serialize_field("page", &self.page)?;
        members.serialize_field("object", &self.object)?;
        members.end()
    }
}

impl Serialize for PdfaOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("PdfaOutcome", 2)?;
        members.serialize_field("outcome", self.word())?;
        members.serialize_field("reasons", self.reasons())?;
        members.end()
    }
}

/// A sentence, if there is one.
pub(super) fn sentence<S: Serializer>(
    value: &Option<impl Display>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let sentence = value.as_ref().map(ToString::to_string);
    sentence.serialize(serializer)
}

pub(super) fn claim<S: Serializer>(
    found: &Option<PdfaIdentification>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    found.clone().map(PdfaClaim::from).serialize(serializer)
}
