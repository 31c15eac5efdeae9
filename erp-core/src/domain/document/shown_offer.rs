//! An offer as the interface shows it.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::Offer;
use crate::domain::master::{Company, Customer};
use crate::values::text::Text;

/// An offer with what the interface shows besides. It dereferences to the offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownOffer {
    /// The offer.
    pub offer: Offer,
    /// The text of its payment condition, in the language of the contact.
    pub payment_condition_text: Option<Text<255>>,
}

impl Deref for ShownOffer {
    type Target = Offer;

    fn deref(&self) -> &Offer {
        &self.offer
    }
}

impl ShownOffer {
    // rule: R-END-50
    /// The offer of this company and customer; a template has no customer.
    #[must_use]
    pub fn new(company: &Company, offer: Offer, customer: Option<&Customer>) -> Self {
        let document = &offer.document;
        let contact = document.addresses.contact.as_ref();
        let language = contact
            .map(|contact| contact.address.language)
            .or(customer.map(|customer| customer.details.language))
            .unwrap_or(company.language);
        let text = company.payment_text(document.payment_condition, language);
        Self {
            payment_condition_text: text.cloned(),
            offer,
        }
    }
}
