//! Offers: `POST`, `GET`, `PATCH /www/offerte`, and `PUT /www/auftrag`, which converts an offer into an order.

use super::pricing::{article_states, cover};
use super::stock::Wanted;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::document::{
    Draft, Manual, Offer, OfferNumber, OfferStatus, Order, OrderStatus, PricingState, ShownOffer,
    convert, decide_change, decide_offer, in_output_order, price_document, take_over, tax_day,
};
use crate::domain::master::{ArticleNumber, Customer};
use crate::domain::request::{
    AsRequest, ConversionRequest, DocumentRequest, OfferChangeRequest, PositionChange, customer_of,
    offer_of,
};
use crate::erp::catalogue::MasterData;
use crate::erp::engine::event::{EventKind, Method};
use crate::erp::engine::operation::{Decided, Decision, Loaded, operate};
use crate::erp::engine::selection::offer_key;
use crate::erp::engine::{Conflict, Error, Outcome, Shop, keys};
use crate::erp::keys::secondary::index_offer;
use crate::erp::lists::{OfferPage, OfferQuery};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Key, Revision, Sequence, Storage, StoreResult};
use crate::values::json::Json;
use crate::values::problem::{Code, Problems};
use crate::values::text::Text;

impl<S: Storage> Shop<'_, S> {
    // rule: R-END-46
    /// Creates an offer; without `KundNr` it is a template.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every problem of the body.
    pub async fn create_offer(
        self,
        request: &impl AsRequest<DocumentRequest>,
    ) -> Result<Outcome<ShownOffer>, Error> {
        self.create_offer_with(request, ShownOffer::clone).await
    }

    /// Like [`Shop::create_offer`], with the response that `answer` makes of the offer, as in [`Shop::create_order_with`].
    pub async fn create_offer_with<A: Serialize + DeserializeOwned>(
        self,
        request: &impl AsRequest<DocumentRequest>,
        answer: impl Fn(&ShownOffer) -> A,
    ) -> Result<Outcome<A>, Error> {
        let request = &self.own(request.as_request());
        let wanted = customer_of(request).map(|number| keys::customer(&number));
        operate!(self, wanted.as_slice(), &answer, |loaded| self
            .decide_new_offer(loaded, request))
    }

    async fn decide_new_offer(self, loaded: Loaded<'_, S>, request: &Json) -> Decided<ShownOffer> {
        let master = &loaded.master;
        let how = self.erp.settings.reading;
        let request = DocumentRequest::of_offer(request, how, &master.time_zone());
        let new = self.new_document(&loaded, request, decide_offer).await?;
        let number = self.erp.draw_one(&loaded, Sequence::Offer).await?;
        let text = OfferNumber::new(&number.to_string()).map_err(|_| Sequence::Offer.used_up())?;
        let offer = Offer {
            number: text,
            ..new.document
        };
        let mut changes = ChangeSet::new();
        changes.insert(keys::offer(number), encode(&offer)?);
        index_offer(&mut changes, number, &offer);
        let shown = ShownOffer::new(&master.company, offer, new.customer.as_ref());
        Ok(Decision::of(changes, shown, new.checks))
    }

    /// An offer with its revision.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the offer does not exist or the caller may not see its customer.
    pub async fn offer(self, number: &str) -> Result<Versioned<ShownOffer>, Error> {
        let wanted = self.erp.with_owner(offer_key(number));
        let loaded = self.erp.loaded(&wanted).await?;
        let (found, customer) = self.offer_of(&loaded, number).await?;
        let Versioned { value, revision } = found;
        let value = ShownOffer::new(&loaded.master.company, value, customer.as_ref());
        Ok(Versioned { value, revision })
    }

    /// A page of the offers that the caller may see.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the caller may not see the customer; [`Error::TooBroad`] when too many offers would have to
    /// be read.
    pub async fn offers(self, query: &OfferQuery) -> Result<OfferPage, Error> {
        let (customer, visible) = self.customer_of_list(query.customer.as_deref()).await?;
        let query = OfferQuery {
            customer,
            ..query.clone()
        };
        self.erp.list_offers(&query, visible).await
    }

    /// Changes an offer: customer, positions and addresses, all or nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`]; [`Error::Conflict`] when the offer is already an order or belongs to
    /// another customer; [`Error::Mismatch`] when a template does not fit; [`Error::PreconditionFailed`].
    pub async fn change_offer(
        self,
        number: &str,
        customer: Option<&str>,
        request: &impl AsRequest<OfferChangeRequest>,
    ) -> Result<Outcome<ShownOffer>, Error> {
        self.change_offer_with(number, customer, request, ShownOffer::clone)
            .await
    }

    /// Like [`Shop::change_offer`], with the response that `answer` makes of the offer, as in [`Shop::create_order_with`].
    pub async fn change_offer_with<A: Serialize + DeserializeOwned>(
        self,
        number: &str,
        customer: Option<&str>,
        request: &impl AsRequest<OfferChangeRequest>,
        answer: impl Fn(&ShownOffer) -> A,
    ) -> Result<Outcome<A>, Error> {
        let request = &request.as_request();
        let named = customer.and_then(|number| Text::new(number).ok());
        let named = named.or_else(|| customer_of(request));
        let customer_key = named.map(|number| keys::customer(&number));
        let mut wanted = self.erp.with_owner(offer_key(number));
        wanted.extend(customer_key.filter(|key| !wanted.contains(key)));
        operate!(self, &wanted, &answer, |loaded| self
            .decide_changed_offer(loaded, number, customer, request))
    }

    // rule: D-CTR-03, R-END-51
    async fn decide_changed_offer(
        self,
        loaded: Loaded<'_, S>,
        number: &str,
        customer: Option<&str>,
        request: &Json,
    ) -> Decided<ShownOffer> {
        let (mut request, mut problems) =
            OfferChangeRequest::read(request, self.erp.settings.reading);
        let checks = self
            .erp
            .check_addresses(&mut request.addresses, &mut problems);
        if self.caller.customer.is_some() {
            request.refuse_shop_only(&mut problems);
        }
        let is_sound = problems.is_empty();
        let wanted = customer.or(request.customer.as_deref());
        if is_sound && request.customer.is_some() && wanted != request.customer.as_deref() {
            let message = sentence!("contradiction.customers");
            problems.add("GrundDaten.KundNr", Code::Contradiction, message);
            return Err(Error::Malformed(problems));
        }
        let (before, own) = match self.offer_of(&loaded, number).await {
            Err(unknown @ Error::NotFound { .. }) => {
                problems.merge(self.problems_of_new(&loaded.master, &request).await?);
                if problems.is_empty() {
                    return Err(unknown);
                }
                let message = sentence!("unknown_offer", number);
                problems.add("OffertNr", Code::UnknownOffer, message);
                return Err(problems.into());
            }
            found => found?,
        };
        if is_sound {
            self.check_revision(before.revision)?;
        }
        let of = (&before.value, own);
        let customer = self
            .offer_customer(&loaded, of, wanted, &mut problems)
            .await?;
        let of = (&before.value, customer.as_ref());
        let changed = self
            .decide_offer_change(&loaded.master, of, &request, problems)
            .await?;
        let mut changes = ChangeSet::new();
        if changed != before.value {
            replace_offer(&mut changes, before.revision, &changed)?;
        }
        let unchanged = changes.is_empty().then_some(before.revision);
        Ok(Decision {
            changes,
            value: ShownOffer::new(&loaded.master.company, changed, customer.as_ref()),
            checks,
            unchanged,
        })
    }

    // rule: R-STA-04, R-END-52
    /// The offer's customer (`own`), or the one it is assigned to. Only a matching template can be assigned. A body
    /// with problems is refused for them, and not because of a conflict.
    async fn offer_customer(
        self,
        loaded: &Loaded<'_, S>,
        (offer, own): (&Offer, Option<Customer>),
        wanted: Option<&str>,
        problems: &mut Problems,
    ) -> Result<Option<Customer>, Error> {
        let is_sound = problems.is_empty();
        if let OfferStatus::Ordered(order) = &offer.status {
            problems.clone().or_else_value(Some(()))?;
            let (offer, order) = (offer.number.clone(), order.clone());
            return Err(Conflict::AlreadyOrdered { offer, order }.into());
        }
        match (own, wanted) {
            (Some(own), Some(wanted)) if is_sound && own.number != wanted => {
                Err(Conflict::OtherCustomer(offer.number.clone()).into())
            }
            (own, None) | (own @ Some(_), _) => Ok(own),
            (None, wanted) => {
                let customer = self.known_customer(loaded, wanted, problems).await?;
                if let Some(customer) = customer.as_ref().filter(|_| is_sound) {
                    let company = &loaded.master.company;
                    let mismatches = offer.terms.mismatches(company, customer);
                    if !mismatches.is_empty() {
                        return Err(Error::Mismatch(mismatches));
                    }
                }
                Ok(customer)
            }
        }
    }

    async fn decide_offer_change(
        self,
        master: &MasterData<'_, S>,
        (offer, customer): (&Offer, Option<&Customer>),
        request: &OfferChangeRequest,
        problems: Problems,
    ) -> Result<Offer, Error> {
        let document = &offer.document;
        let is_assigned = customer.is_some() && offer.customer.is_none();
        let translated = document.positions.iter().filter(|_| is_assigned);
        let numbers = translated.map(|position| &position.article);
        let numbers = numbers.chain(touched(offer, request));
        let articles = article_states(master, customer, numbers).await?;
        let state = PricingState {
            day: tax_day(
                document.delivery_at,
                Some(document.ordered_at),
                self.now,
                &master.time_zone(),
            ),
            delivery_costs: document.delivery_costs,
            is_unpriced: customer.is_none() && cover(&problems, &["KundNr"]),
            ..self.pricing_state(master, customer, &articles, document.currency)
        };
        Ok(decide_change(&state, offer, request, problems)?)
    }

    // rule: R-END-37
    /// Converts an offer into an order, exactly once; repeating the request returns the same order. The caller must be
    /// allowed to order every position.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`]; [`Error::Conflict`] when the offer belongs or is assigned to another
    /// customer; [`Error::Mismatch`] when a template does not fit.
    pub async fn convert_offer(
        self,
        request: &impl AsRequest<ConversionRequest>,
    ) -> Result<Outcome<Order>, Error> {
        self.convert_offer_with(request, Order::clone).await
    }

    /// Like [`Shop::convert_offer`], with the response that `answer` makes of the order, as in [`Shop::create_order_with`].
    pub async fn convert_offer_with<A: Serialize + DeserializeOwned>(
        self,
        request: &impl AsRequest<ConversionRequest>,
        answer: impl Fn(&Order) -> A,
    ) -> Result<Outcome<A>, Error> {
        let request = &self.own(request.as_request());
        let offer_key = offer_of(request).and_then(offer_key);
        let customer_key = customer_of(request).map(|number| keys::customer(&number));
        let wanted: Vec<Key> = offer_key.into_iter().chain(customer_key).collect();
        operate!(self, &wanted, &answer, |loaded| self
            .decide_conversion(loaded, request))
    }

    /// Decides what a conversion writes; nothing when it is done already.
    async fn decide_conversion(self, loaded: Loaded<'_, S>, request: &Json) -> Decided<Order> {
        let conversion = match ConversionRequest::parse(request, self.erp.settings.reading) {
            Ok(conversion) => conversion,
            Err(problems) => {
                return Err(self.unconverted(&loaded, request, problems).await?);
            }
        };
        let (before, own) = self.offer_of(&loaded, &conversion.header.offer).await?;
        if let OfferStatus::Ordered(order) = &before.value.status
            && before.value.customer.as_ref() == Some(&conversion.header.customer)
        {
            let value = self.order(order).await?.value;
            if value.status == OrderStatus::Canceled {
                let (offer, order) = (before.value.number, value.number);
                return Err(Conflict::OrderedAndCanceled(offer, order).into());
            }
            return Ok(Decision::of(ChangeSet::new(), value, Vec::new()));
        }
        self.check_revision(before.revision)?;
        let wanted = Some(conversion.header.customer.as_str());
        let (of, mut problems) = ((&before.value, own), Problems::new());
        let customer = self
            .offer_customer(&loaded, of, wanted, &mut problems)
            .await?;
        let customer = problems.or_else_value(customer)?;
        let (changes, value) = self
            .conversion(&loaded, &before, &customer, &conversion)
            .await?;
        Ok(Decision::of(changes, value, Vec::new()))
    }

    /// The problems of a body that is no request, with those of the customer and the offer that it names.
    async fn unconverted(
        self,
        loaded: &Loaded<'_, S>,
        request: &Json,
        mut problems: Problems,
    ) -> Result<Error, Error> {
        let customer = customer_of(request);
        self.known_customer(loaded, customer.as_deref(), &mut problems)
            .await?;
        if let Some(number) = offer_of(request)
            && !cover(&problems, &["OffertNr"])
        {
            match self.offer_of(loaded, number).await {
                Err(Error::NotFound { .. }) => {
                    let message = sentence!("unknown_offer", number);
                    problems.add("GrundDaten.OffertNr", Code::UnknownOffer, message);
                }
                found => drop(found?),
            }
        }
        Ok(problems.into())
    }

    async fn conversion(
        self,
        loaded: &Loaded<'_, S>,
        before: &Versioned<Offer>,
        customer: &Customer,
        request: &ConversionRequest,
    ) -> Result<(ChangeSet, Order), Error> {
        let master = &loaded.master;
        let mut offer = before.value.clone();
        let articles = offer
            .document
            .positions
            .iter()
            .map(|position| &position.article);
        let articles = article_states(master, Some(customer), articles).await?;
        let currency = offer.document.currency;
        let state = PricingState {
            delivery_costs: offer.document.delivery_costs,
            ..self.pricing_state(master, Some(customer), &articles, currency)
        };
        let hidden = self.hidden_addresses(loaded, customer).await?;
        if offer.customer.is_none() {
            take_over(&state, &mut offer, customer);
        }
        let mut shown = offer.clone();
        shown.document.addresses = shown.document.addresses.without(&hidden);
        let new = convert(&state, shown, customer, &request.payments, self.now)?;
        let mut guards = ChangeSet::new();
        let positions = in_output_order(&new.document.positions).into_iter();
        let mut wanted: Vec<_> = positions
            .enumerate()
            .map(|(at, position)| Wanted {
                at,
                position,
                is_promised: position.promised.is_none(),
            })
            .collect();
        // As the reservations are.
        wanted.sort_by_key(|one| one.position.number);
        self.check_stock(&mut guards, &master.company, &new, (wanted, None))
            .await?;
        let (mut changes, order) = self.placed(loaded, new, guards).await?;
        let ordered = Offer {
            status: OfferStatus::Ordered(order.number.clone()),
            ..offer
        };
        replace_offer(&mut changes, before.revision, &ordered)?;
        let kind = (EventKind::Order, Method::Put);
        self.event(&mut changes, &master.company, kind, &order.number);
        Ok((changes, order))
    }

    /// The problems that new positions have by themselves, without an offer.
    async fn problems_of_new(
        self,
        master: &MasterData<'_, S>,
        request: &OfferChangeRequest,
    ) -> Result<Problems, Error> {
        let added = request
            .positions
            .iter()
            .filter_map(|entry| match &entry.value {
                PositionChange::Add(added) => Some(entry.with(added.clone())),
                _ => None,
            });
        let added: Vec<_> = added.collect();
        let numbers = added.iter().map(|added| &added.value.article);
        let articles = article_states(master, None, numbers).await?;
        let state = PricingState {
            is_unpriced: true,
            ..self.pricing_state(master, None, &articles, master.company.currency)
        };
        let priced = price_document(&state, &Draft::new_document(&added), Manual::Ignored);
        Ok(priced.err().unwrap_or_default())
    }
}

/// Replaces an offer that had this revision.
fn replace_offer(changes: &mut ChangeSet, revision: Revision, offer: &Offer) -> StoreResult<()> {
    let number = keys::document_number(&offer.number).unwrap_or_default();
    let key = keys::offer(number);
    changes.guard(key.clone(), Some(revision));
    changes.put(key, encode(offer)?);
    index_offer(changes, number, offer);
    Ok(())
}

/// The articles whose master data a change needs.
fn touched<'a>(
    offer: &'a Offer,
    request: &'a OfferChangeRequest,
) -> impl Iterator<Item = &'a ArticleNumber> {
    request
        .positions
        .iter()
        .filter_map(|entry| match &entry.value {
            PositionChange::Add(added) => Some(&added.article),
            PositionChange::Delete { .. } => None,
            PositionChange::Change { position, .. } => {
                let known = offer
                    .document
                    .positions
                    .iter()
                    .find(|known| known.number == *position);
                known.map(|known| &known.article)
            }
        })
}
