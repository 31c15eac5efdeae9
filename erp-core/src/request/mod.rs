//! Request bodies, parsed once at the boundary into types that are valid by construction.
//!
//! Every `parse` reports all problems of a body together: wrong types and lengths, and violated rules. `null`, an
//! empty text and a blank text mean the same as an absent field; for a required field all three are `required`.

mod basket;
mod builder;
mod customer;
pub(crate) mod members;
mod offer;
mod order;
mod position;
mod readable;

use crate::address::Address;
use crate::problem::{Path, Problems};
use crate::wire::AddressesBody;

pub use basket::BasketRequest;
pub use builder::{CustomerBuilder, OfferBuilder, OrderBuilder};
pub use customer::{CustomerRequest, PaymentMethod};
pub use offer::{OfferChangeRequest, OfferRequest, PositionChange};
pub use order::{ConversionRequest, OrderRequest, PaymentRequest};
pub use position::PositionRequest;
pub use readable::{Readable, ReadableChange, ReadablePosition, Sent, readable_addresses};
pub(crate) use readable::{customer_of, not_whole, offer_of};

/// The addresses of a body; each replaces the customer's for this document only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressesRequest {
    /// `KontaktAdr`
    pub contact: Option<Address>,
    /// `LiefAdr`
    pub delivery: Option<Address>,
    /// `RechAdr`
    pub billing: Option<Address>,
}

impl AddressesRequest {
    /// Checks the addresses of a body and collects the problems of all of them.
    pub(crate) fn check(
        body: Option<&AddressesBody>,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Some(body) = body else {
            return Some(Self::default());
        };
        let before = problems.len();
        let mut one = |name, body: Option<&_>| {
            body.and_then(|body| Address::check(body, &path.member(name), problems))
        };
        let addresses = Self {
            contact: one("KontaktAdr", body.contact.as_ref()),
            delivery: one("LiefAdr", body.delivery.as_ref()),
            billing: one("RechAdr", body.billing.as_ref()),
        };
        (problems.len() == before).then_some(addresses)
    }
}
