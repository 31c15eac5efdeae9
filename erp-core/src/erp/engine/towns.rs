//! Checks towns against postal codes in all requests that contain an address.

use std::sync::Arc;

use super::Erp;
use crate::domain::address::Address;
use crate::domain::request::AddressesRequest;
use crate::domain::town::{Directory, TownMatch, TownOutcome};
use crate::storage::Storage;
use crate::values::problem::{Code, Path, Problems};
use crate::values::sentence::Sentence;

/// How addresses are checked.
#[derive(Clone, Debug)]
pub struct TownCheck {
    /// The known towns; without a directory nothing is checked.
    pub directory: Option<Arc<Directory>>,
    /// Reject addresses that do not match, instead of only reporting them.
    pub strict: bool,
}

impl Default for TownCheck {
    /// The built-in towns of Switzerland and Liechtenstein (feature `towns-ch-li`), not strict. Without the feature
    /// nothing is checked.
    fn default() -> Self {
        #[cfg(feature = "towns-ch-li")]
        let directory = Some(Arc::clone(Directory::switzerland_and_liechtenstein()));
        #[cfg(not(feature = "towns-ch-li"))]
        let directory = None;
        Self {
            directory,
            strict: false,
        }
    }
}

/// Result for one address of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressCheck {
    /// Which address: `KontaktAdr`, `LiefAdr` or `RechAdr`; empty for a request that is a single address.
    pub member: &'static str,
    /// The result.
    pub check: TownMatch,
}

// rule: D-ADR-08
struct Checker<'a> {
    towns: &'a TownCheck,
    checks: Vec<AddressCheck>,
    problems: &'a mut Problems,
}

impl Checker<'_> {
    fn check(&mut self, member: &'static str, path: &Path<'_>, address: &mut Address) {
        let Some(directory) = &self.towns.directory else {
            return;
        };
        let (checked, check) = directory.check_address(address.clone());
        *address = checked;
        let Some(check) = check else { return };
        if self.towns.strict
            && let Some(message) = refusal(&check.outcome, address)
        {
            self.problems
                .add(&path.member("OrtName"), Code::AddressCheck, message);
        }
        self.checks.push(AddressCheck { member, check });
    }

    fn check_some(&mut self, member: &'static str, address: &mut Option<Address>) {
        let list = Path::ROOT.member("Adressen");
        if let Some(address) = address {
            self.check(member, &list.member(member), address);
        }
    }
}

/// Why a strict check rejects an address, with suggestions; `None` when the address is accepted.
fn refusal(outcome: &TownOutcome, address: &Address) -> Option<Sentence> {
    let (code, town) = (&address.postal_code, &address.town);
    match outcome {
        TownOutcome::Conflict { places } => {
            let places: Vec<&str> = places
                .iter()
                .map(|place| place.postal_code.as_str())
                .collect();
            let places = places.join(", ");
            Some(sentence!("address_check.elsewhere", town, code, places))
        }
        TownOutcome::Ambiguous { candidates } => {
            let candidates: Vec<&str> = candidates.iter().map(|town| town.as_str()).collect();
            let candidates = candidates.join(", ");
            let message = sentence!("address_check.candidates", code, town, candidates);
            Some(message)
        }
        TownOutcome::UnknownPostalCode => Some(sentence!("address_check", code)),
        _ => None,
    }
}

impl<S: Storage> Erp<S> {
    fn checker<'a>(&'a self, problems: &'a mut Problems) -> Checker<'a> {
        Checker {
            towns: &self.settings.towns,
            checks: Vec::new(),
            problems,
        }
    }

    pub(crate) fn check_addresses(
        &self,
        addresses: &mut AddressesRequest,
        problems: &mut Problems,
    ) -> Vec<AddressCheck> {
        let mut checker = self.checker(problems);
        checker.check_some("KontaktAdr", &mut addresses.contact);
        checker.check_some("LiefAdr", &mut addresses.delivery);
        checker.check_some("RechAdr", &mut addresses.billing);
        checker.checks
    }

    /// Corrects the town of one address if the change touched its town, postal code or country and all three can be
    /// read.
    pub(crate) fn check_changed(
        &self,
        before: &Address,
        after: &mut Address,
        problems: &mut Problems,
    ) -> Vec<AddressCheck> {
        let place = |address: &Address| {
            (
                address.country,
                address.postal_code.clone(),
                address.town.clone(),
            )
        };
        let mut members = ["OrtLand", "OrtPLZ", "OrtName"].iter();
        let is_known = !members.any(|name| problems.covers(&Path::ROOT.member(name)));
        let mut checker = self.checker(problems);
        if is_known && place(before) != place(after) {
            checker.check("", &Path::ROOT, after);
        }
        checker.checks
    }
}
