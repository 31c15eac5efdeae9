//! What a file is before an invoice is put into it: its attachments and metadata, and why no PDF/A claim is made.

use super::attachments::Attached;
use super::metadata::Packet;
use super::repair::Repairs;
use super::{CombineOptions, Error, Limits, Reason, Step};
use erp_pdf::{Dict, ObjectId, PdfError, PdfFile, Result};
use erp_pdfa::repair::Repair;
use erp_pdfa::xmp::Conformance;
use erp_pdfa::{Levels, PdfaFault};

/// What is known of a file before anything is changed.
pub(super) struct Survey {
    pub(super) catalog_id: ObjectId,
    pub(super) catalog: Dict,
    pub(super) attached: Attached,
    pub(super) packet: Packet,
    pub(super) judged: Judged,
    pub(super) signed: bool,
    /// Rewriting the file is needed, or makes a claim possible.
    pub(super) rewrite: bool,
    pub(super) rewritten: bool,
    /// Bytes that are kept here and count as long as they are kept.
    pub(super) held: usize,
}

/// Why no PDF/A claim is made.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) faults: Vec<PdfaFault>,
    /// What keeps the file from the level it claims.
    levels: Levels,
    /// Other reasons than faults.
    pub(super) against: Vec<Reason>,
}

impl Survey {
    pub(super) fn of(
        file: &PdfFile<'_>,
        pdf: &[u8],
        options: &CombineOptions,
    ) -> Result<Self, Error> {
        let limits = &options.limits;
        let (catalog_id, catalog) = file.catalog()?;
        let signed = is_signed(file, &catalog)?;
        let mut attached = Attached::read(file, &catalog, limits)?;
        let packet = Packet::read(file, &catalog, limits)?;
        attached.gone.extend(packet.id.map(|id| id.number));
        let held = file.held();
        let judged = Judged::of(file, pdf, &packet, limits)?;
        let mut survey = Self {
            catalog_id,
            catalog,
            attached,
            packet,
            judged,
            signed,
            rewrite: false,
            rewritten: false,
            held,
        };
        survey.decide_rewrite(file.opened().rebuilt);
        Ok(survey)
    }

    fn decide_rewrite(&mut self, rebuilt: bool) {
        let is_frame = |fault: &PdfaFault| fault.repair == Some(Repair::Rewrite);
        let needed = self.staying().any(is_frame);
        let repairable = self.staying().all(|fault| fault.repair.is_some());
        let helps = needed && repairable && self.judged.against.is_empty();
        self.rewrite = rebuilt || (helps && !self.signed);
        if needed && self.signed && !rebuilt {
            let text = "it is signed, and only writing it anew would make it PDF/A";
            self.judged.against.push(Reason::plain(text));
        }
    }

    /// The repairs of the faults of all that stays.
    pub(super) fn repairs(&self) -> Repairs<'_> {
        Repairs::of(self.staying())
    }

    /// Faults of what stays in the file. A value beyond the limits may be one that the invoice replaces in the catalog or
    /// its names; whether it was, the check of the result shows.
    fn staying(&self) -> impl Iterator<Item = &PdfaFault> {
        let changed = [Some(self.catalog_id), self.catalog.reference("Names")];
        let changed = changed.map(|id| id.map(|id| id.number));
        let stays = move |fault: &&PdfaFault| {
            let number = fault.place.object;
            let may_go = fault.clause == "6.1.13" && changed.contains(&number);
            number.is_none_or(|number| !may_go && !self.attached.gone.contains(&number))
        };
        self.judged.faults.iter().filter(stays)
    }

    /// Whether all violations are in the structure and not in the content of the file.
    fn frame_only(&self) -> bool {
        let mut staying = self.staying();
        staying.all(|fault| matches!(fault.repair, Some(Repair::Rewrite | Repair::FileId)))
    }

    /// The level that can be claimed, and why it is not the one that was claimed before.
    pub(super) fn level(&self, claimed: Option<Conformance>) -> (Conformance, Option<Step>) {
        let Some(claimed) = claimed.filter(|claimed| *claimed != Conformance::B) else {
            return (Conformance::B, None);
        };
        let levels = &self.judged.levels;
        let (level, reason) = match (&levels.unicode, &levels.tags) {
            _ if !self.frame_only() => {
                let text = "its faults are not of its frame only";
                (Conformance::B, Some(text.to_owned()))
            }
            (Some(unicode), _) => (Conformance::B, Some(unicode.clone())),
            (None, Some(tags)) if claimed == Conformance::A => (Conformance::U, Some(tags.clone())),
            _ => (claimed, None),
        };
        let lowered = reason.map(|reason| Step::Lowered {
            from: claimed.letter(),
            to: level.letter(),
            reason,
        });
        (level, lowered)
    }

    /// What rewriting the file repairs.
    pub(super) fn frame_repairs(&self) -> Vec<Step> {
        let faults = self.judged.faults.iter();
        let of_frame = faults.filter(|fault| fault.repair == Some(Repair::Rewrite));
        of_frame.map(Reason::of).map(Step::Repaired).collect()
    }
}

impl Judged {
    fn of(file: &PdfFile<'_>, pdf: &[u8], packet: &Packet, limits: &Limits) -> Result<Self, Error> {
        let against = |text: String| Self {
            against: vec![Reason::plain(text)],
            ..Self::default()
        };
        let limit = limits.repaired_objects;
        let number = usize::try_from(file.next_number()).unwrap_or(usize::MAX);
        if !packet.claims() && number > limit {
            return Ok(against(format!(
                "it has more than {limit} objects and made no claim before; it was not looked through"
            )));
        }
        let level = packet.claimed_level();
        let with_levels = matches!(level, Some(Conformance::A | Conformance::U));
        match erp_pdfa::judge(file, pdf, with_levels) {
            Ok((faults, levels)) => Ok(Self {
                faults,
                levels,
                against: Vec::new(),
            }),
            Err(error @ PdfError::TooLarge { .. }) => Ok(against(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether the form or the catalog has signatures (ISO 32000-1, 12.7.2 and 12.8.4).
pub(super) fn is_signed(file: &PdfFile<'_>, catalog: &Dict) -> Result<bool> {
    let form = file.member(catalog, "AcroForm")?;
    let flags = match form.as_dict() {
        Some(form) => file.member(form, "SigFlags")?.as_integer().unwrap_or(0),
        None => 0,
    };
    Ok(flags & 1 == 1 || catalog.has("Perms"))
}
