//! Lists of offers, newest first, for shops.
//!
//! The offers of a customer are found by its keys; where no customer is named, all offers are read by number.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use smol_str::SmolStr;

use super::order_list::MOST_COUNTED;
use super::order_query::Times;
use super::order_source::ORDERS_PER_READ;
use crate::domain::document::{Offer, OfferNumber, OfferStatus};
use crate::domain::master::CustomerNumber;
use crate::domain::response::{ListedDocument, OfferSummary};
use crate::erp::catalogue::slices::yield_now;
use crate::erp::engine::selection::VisibleCustomers;
use crate::erp::engine::work::Work;
use crate::erp::engine::{Erp, Error, keys};
use crate::storage::record::decode_all;
use crate::storage::{Entry, Key, Storage, StoreResult};
use crate::values::text::Text;
use crate::wire::Links;

/// Which offers to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferQuery {
    /// Only offers that became an order, or only those that did not.
    pub is_ordered: Option<bool>,
    /// Only offers of this customer.
    pub customer: Option<SmolStr>,
    /// Only offers with this number in the foreign system (`AuftBestellNr`).
    pub reference: Option<SmolStr>,
    /// Only offers made on this day or later, in the company's time zone.
    pub from: Option<Date>,
    /// Only offers made on this day or earlier.
    pub to: Option<Date>,
    /// How many offers to leave out at the beginning.
    pub offset: usize,
    /// Maximum number of offers.
    pub limit: usize,
}

impl OfferQuery {
    fn takes(&self, offer: &Offer) -> bool {
        let is_ordered = matches!(offer.status, OfferStatus::Ordered(_));
        let reference = offer.document.foreign_number.as_deref();
        self.is_ordered.is_none_or(|wanted| wanted == is_ordered)
            && (self.reference.as_deref()).is_none_or(|wanted| reference == Some(wanted))
            && (self.customer.as_deref())
                .is_none_or(|wanted| offer.customer.as_deref() == Some(wanted))
    }

    fn takes_all(&self) -> bool {
        let days = self.from.or(self.to);
        self.is_ordered.is_none() && self.reference.is_none() && days.is_none()
    }
}

/// An offer in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedOffer {
    /// Offer number (`OffertNr`).
    pub number: OfferNumber,
    /// Customer number (`KundNr`); a template has none.
    pub customer: Option<CustomerNumber>,
    /// The company or person of the contact address; empty without one.
    pub name: String,
    /// Its number in the foreign system (`AuftBestellNr`).
    pub reference: Option<Text<36>>,
    /// State (`AuftStatus`).
    pub status: OfferStatus,
    /// When it was made, its sums and its currency.
    pub document: ListedDocument,
}

impl From<Offer> for ListedOffer {
    fn from(offer: Offer) -> Self {
        let document = &offer.document;
        let listed = ListedDocument::new(document.created_at, document.currency, &document.sums);
        Self {
            number: offer.number,
            customer: offer.customer,
            name: offer.document.name(),
            reference: offer.document.foreign_number,
            status: offer.status,
            document: listed,
        }
    }
}

impl ListedOffer {
    /// The offer as the list of a shop shows it.
    #[must_use]
    pub fn to_wire(&self, links: &Links<'_>) -> OfferSummary {
        let (status, order_number) = self.status.shown();
        OfferSummary {
            offer_number: self.number.clone(),
            customer_number: self.customer.clone(),
            name: Text::new(&self.name).ok().filter(|name| !name.is_empty()),
            template: self.customer.is_none(),
            foreign_number: self.reference.clone(),
            status,
            order_number,
            document: self.document.clone(),
            links: vec![links.query("offerte", "offerte", &[("OffertNr", &self.number)])],
        }
    }
}

/// A page of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferPage {
    /// The offers, by falling number.
    pub offers: Vec<ListedOffer>,
    /// Whether others follow.
    pub has_next: bool,
    /// How many offers the list has. Unless the page is the last one, it is known only of all offers of a customer, and not of
    /// very many.
    pub count: Option<usize>,
}

impl<S: Storage> Erp<S> {
    // rule: D-DOC-35
    /// A page of offers, newest first. `visible` leaves out the offers of hidden customers.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many offers would have to be read.
    pub(crate) async fn list_offers(
        &self,
        query: &OfferQuery,
        mut visible: Option<VisibleCustomers<'_, S>>,
    ) -> Result<OfferPage, Error> {
        let zone = match query.from.or(query.to) {
            Some(_) => self.time_zone(&self.company().await?.time_zone),
            None => TimeZone::UTC,
        };
        let times = Times::of(query.from, query.to, &zone);
        let keyed = query.customer.as_ref();
        let all = keyed.map_or_else(keys::offers, |customer| keys::offers_of_customer(customer));
        let mut pages = self.pages(all.backwards().limit(ORDERS_PER_READ));
        let mut work = Work::new(self.settings.scan_entries);
        let (mut page, mut skip) = (OfferPage::default(), query.offset);
        while let Some(entries) = pages.next().await? {
            work.count(entries.len()).await?;
            let mut offers = match keyed {
                Some(_) => self.offers_of(&entries).await?,
                None => decode_all(&entries)?,
            };
            offers.retain(|offer| query.takes(offer) && times.have(offer.document.created_at));
            if let Some(visible) = &mut visible {
                offers = visible
                    .among(offers, |offer| offer.customer.as_ref())
                    .await?;
            }
            for offer in offers {
                if skip > 0 {
                    skip = skip.saturating_sub(1);
                } else if page.offers.len() < query.limit {
                    page.offers.push(offer.into());
                } else {
                    page.has_next = true;
                    page.count = match keyed.filter(|_| query.takes_all()) {
                        Some(customer) => self.count_offers(customer).await?,
                        None => None,
                    };
                    return Ok(page);
                }
            }
        }
        let before = query.offset.saturating_sub(skip);
        page.count = Some(before.saturating_add(page.offers.len()));
        Ok(page)
    }

    /// The offers of these keys by customer.
    async fn offers_of(&self, listed: &[(Key, Entry)]) -> StoreResult<Vec<Offer>> {
        let offer = |(key, _): &(Key, Entry)| {
            let mut parts = key.parts();
            parts.text().and(parts.number()).map(keys::offer)
        };
        let offers = self.load_each(listed.iter().filter_map(offer).collect());
        let offers = offers.await?.into_iter().flatten();
        yield_now().await;
        Ok(offers.map(|found| found.value).collect())
    }

    /// How many offers a customer has; `None` from about 1,000 on.
    async fn count_offers(&self, customer: &str) -> StoreResult<Option<usize>> {
        let listed = keys::offers_of_customer(customer).limit(MOST_COUNTED);
        let listed = self.store.scan(listed).await?;
        Ok(listed.next.is_none().then_some(listed.entries.len()))
    }
}
