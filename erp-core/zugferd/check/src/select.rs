//! Which rules an invoice must keep, by its guideline.

use super::facturx::{self, Profile};
use super::{en16931, xrechnung};
use crate::engine::RuleSet;
use crate::invoice::syntax::Syntax;
use crate::structure::Schema;

static EN_16931: [&RuleSet; 1] = [&en16931::RULES];
static XRECHNUNG: [&RuleSet; 2] = [&en16931::RULES, &xrechnung::RULES];
static EN_16931_IN_UBL: [&RuleSet; 1] = [&en16931::ubl::RULES];
static XRECHNUNG_IN_UBL: [&RuleSet; 2] = [&en16931::ubl::RULES, &xrechnung::IN_UBL];

pub(super) struct Judged {
    /// The rule sets, in the order in which they are judged.
    pub(super) sets: &'static [&'static RuleSet],
    /// The profile of Factur-X, which is judged after them.
    pub(super) profile: Option<Profile>,
    /// The schema, which is judged before them; there is none for UBL.
    pub(super) structure: Option<Schema>,
}

impl Judged {
    /// The names of the rules with their releases.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let sets = self.sets.iter().map(|set| set.name);
        sets.chain(self.profile.map(|_| facturx::NAME)).collect()
    }
}

/// The rule sets of a guideline. Factur-X is CII only. MINIMUM and BASIC WL have less than EN 16931 requires and EXTENDED has more than it
/// allows, so only their own rules apply to them.
pub(super) fn rules_of(guideline: Option<&str>, syntax: &Syntax) -> Judged {
    let guideline = guideline.unwrap_or_default();
    if syntax.is_ubl {
        return Judged {
            sets: if xrechnung::is_guideline(guideline) {
                &XRECHNUNG_IN_UBL
            } else {
                &EN_16931_IN_UBL
            },
            profile: None,
            structure: None,
        };
    }
    let profile = Profile::of(guideline);
    let sets: &[_] = match profile {
        Some(Profile::Basic | Profile::En16931) => &EN_16931,
        Some(_) => &[],
        None if xrechnung::is_guideline(guideline) => &XRECHNUNG,
        None => &EN_16931,
    };
    Judged {
        sets,
        profile,
        structure: Some(Schema::of(profile)),
    }
}
