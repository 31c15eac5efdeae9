//! Offers: `POST`, `GET`, `PATCH /www/offerte`, and `PUT /www/auftrag`, which converts an offer into an order.

use super::orders::order_changes;
use super::pricing::{article_states, pricing_state};
use crate::domain::document::{
    Manual, Offer, OfferNumber, OfferStatus, OrderNumber, PricingState, convert, decide_change,
    decide_offer, offer_answer, tax_day,
};
use crate::domain::master::{ArticleNumber, Customer};
use crate::domain::request::{
    ConversionRequest, OfferChangeRequest, OfferRequest, PositionChange, customer_of, offer_of,
};
use crate::erp::engine::catalogue::MasterData;
use crate::erp::engine::event::{EventKind, Method, event};
use crate::erp::engine::operation::{Decision, Loaded, number_in, operate};
use crate::erp::engine::selection::offer_key;
use crate::erp::engine::{Context, Erp, Error, Outcome, keys};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Key, Sequence, Storage};
use crate::values::json::{AsJson, Json};
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire;

impl<S: Storage> Erp<S> {
    // rule: R-END-46
    /// Creates an offer; without `KundNr` it is a template.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every problem of the body; when the store fails.
    pub async fn create_offer(
        &self,
        context: &Context<'_>,
        body: &impl AsJson,
    ) -> Result<Outcome<wire::Offer>, Error> {
        let body = &*body.as_json();
        match self.make_offer(context, body).await {
            Err(Error::Invalid(problems)) => Err(self
                .all_problems(context, body, Manual::Ignored, problems)
                .await?),
            made => made,
        }
    }

    /// Creates an offer, or returns the problems of the first step that fails.
    async fn make_offer(
        &self,
        context: &Context<'_>,
        body: &Json,
    ) -> Result<Outcome<wire::Offer>, Error> {
        let wanted = customer_of(body).map(|number| keys::customer(&number));
        operate!(self, context, wanted.as_slice(), |loaded| self
            .decide_new_offer(loaded, context, body))
    }

    /// Decides what a new offer writes.
    async fn decide_new_offer(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        body: &Json,
    ) -> Result<Decision<wire::Offer>, Error> {
        let master = &loaded.master;
        let mut request = OfferRequest::parse(body, self.settings.reading, &master.time_zone())?;
        let checks = self.check_addresses(&mut request.addresses)?;
        let customer = match &request.customer {
            Some(number) => Some(self.known_customer(&loaded, context, number).await?),
            None => None,
        };
        let offer = self
            .new_offer(master, context, customer.as_ref(), &request)
            .await?;
        let number = self.draw_one(&loaded, Sequence::Offer).await?;
        let text = OfferNumber::new(&number.to_string()).map_err(|_| Sequence::Offer.used_up())?;
        let offer = Offer {
            number: text,
            ..offer
        };
        let mut changes = ChangeSet::new();
        changes.insert(keys::offer(number), encode(&offer)?);
        let answer = offer_answer(&master.company, &offer, customer.as_ref());
        Ok(Decision {
            changes,
            answer,
            checks,
            unchanged: None,
        })
    }

    /// The offer of a request, still without number.
    async fn new_offer(
        &self,
        master: &MasterData<'_, S>,
        context: &Context<'_>,
        customer: Option<&Customer>,
        request: &OfferRequest,
    ) -> Result<Offer, Error> {
        let articles = request.positions.iter().map(|position| &position.article);
        let articles = article_states(master, customer, articles).await?;
        let currency = request.currency.unwrap_or(master.company.currency);
        let state = PricingState {
            currency,
            day: tax_day(
                request.delivery_at,
                request.ordered_at,
                context.now,
                &master.time_zone(),
            ),
            cash_rounding_step: self.settings.cash_rounding.get(&currency).copied(),
            ..pricing_state(master, context, customer, &articles)
        };
        let blank = OfferNumber::default();
        let creator = context.caller.name.clone();
        Ok(decide_offer(&state, request, blank, creator, context.now)?)
    }

    /// An offer as the interface shows it, with its revision.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the offer does not exist or the caller may not see its customer.
    pub async fn offer(
        &self,
        context: &Context<'_>,
        number: &str,
    ) -> Result<Versioned<wire::Offer>, Error> {
        let (loaded, found, customer) = self.visible_offer(context, number).await?;
        let record = offer_answer(&loaded.master.company, &found.record, customer.as_ref());
        Ok(Versioned {
            record,
            revision: found.revision,
        })
    }

    /// An offer as stored, including what a selection hides.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no offer of this number.
    pub async fn stored_offer(&self, number: &str) -> Result<Versioned<Offer>, Error> {
        let unknown = || Error::not_found("offer", number);
        let key = keys::offer(keys::document_number(number).ok_or_else(unknown)?);
        self.load(&key).await?.ok_or_else(unknown)
    }

    /// Changes an offer: customer, positions and addresses, all or nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`]; [`Error::Conflict`] when the offer is already an order or belongs to
    /// another customer; [`Error::Mismatch`] when a template does not fit; [`Error::PreconditionFailed`].
    pub async fn change_offer(
        &self,
        context: &Context<'_>,
        number: &str,
        customer: Option<&str>,
        body: &impl AsJson,
    ) -> Result<Outcome<wire::Offer>, Error> {
        let body = &*body.as_json();
        let problems = match self.try_change_offer(context, number, customer, body).await {
            Err(Error::Invalid(problems)) => problems,
            Err(Error::NotFound { what: "offer", .. }) => Problems::new(),
            changed => return changed,
        };
        Err(self
            .all_change_problems(context, number, customer, body, problems)
            .await?)
    }

    /// Changes an offer, or returns the problems of the first step that fails.
    async fn try_change_offer(
        &self,
        context: &Context<'_>,
        number: &str,
        customer: Option<&str>,
        body: &Json,
    ) -> Result<Outcome<wire::Offer>, Error> {
        let named = customer.and_then(|number| Text::new(number).ok());
        let named = named.or_else(|| customer_of(body));
        let customer_key = named.map(|number| keys::customer(&number));
        let mut wanted = self.with_owner(offer_key(number));
        wanted.extend(customer_key.filter(|key| !wanted.contains(key)));
        operate!(self, context, &wanted, |loaded| self
            .decide_changed_offer(loaded, context, number, customer, body))
    }

    /// Decides what a change of an offer writes.
    async fn decide_changed_offer(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        number: &str,
        customer: Option<&str>,
        body: &Json,
    ) -> Result<Decision<wire::Offer>, Error> {
        let mut request = OfferChangeRequest::parse(body, self.settings.reading)?;
        let checks = self.check_addresses(&mut request.addresses)?;
        let wanted = one_customer(customer, request.customer.as_deref())?;
        let (before, own) = self.offer_of(&loaded, context, number).await?;
        context.check_revision(before.revision)?;
        let customer = self
            .offer_customer(&loaded, context, &before.record, own, wanted)
            .await?;
        let changed = self
            .decide_offer_change(
                &loaded.master,
                context,
                &before.record,
                customer.as_ref(),
                &request,
            )
            .await?;
        let mut changes = ChangeSet::new();
        if changed != before.record {
            let key = keys::offer(keys::document_number(number).unwrap_or_default());
            changes.guard(key.clone(), Some(before.revision));
            changes.put(key, encode(&changed)?);
        }
        let unchanged = changes.is_empty().then_some(before.revision);
        let answer = offer_answer(&loaded.master.company, &changed, customer.as_ref());
        Ok(Decision {
            changes,
            answer,
            checks,
            unchanged,
        })
    }

    // rule: R-STA-04, R-END-52
    /// The offer's customer (`own`), or the one it is assigned to. Only a matching template can be assigned.
    async fn offer_customer(
        &self,
        loaded: &Loaded<'_, S>,
        context: &Context<'_>,
        offer: &Offer,
        own: Option<Customer>,
        wanted: Option<&str>,
    ) -> Result<Option<Customer>, Error> {
        if let OfferStatus::Ordered(order) = &offer.status {
            return Err(Error::Conflict(format!(
                "offer {} is order {order} already",
                offer.number
            )));
        }
        match (own, wanted) {
            (Some(own), Some(wanted)) if own.number != wanted => Err(Error::Conflict(format!(
                "offer {} belongs to another customer",
                offer.number
            ))),
            (own, None) | (own @ Some(_), _) => Ok(own),
            (None, Some(wanted)) => {
                let customer = self.known_customer(loaded, context, wanted).await?;
                fits(&loaded.master, offer, &customer)?;
                Ok(Some(customer))
            }
        }
    }

    async fn decide_offer_change(
        &self,
        master: &MasterData<'_, S>,
        context: &Context<'_>,
        offer: &Offer,
        customer: Option<&Customer>,
        request: &OfferChangeRequest,
    ) -> Result<Offer, Error> {
        let document = &offer.document;
        let is_assigned = customer.is_some() && offer.customer.is_none();
        let translated = document.positions.iter().filter(|_| is_assigned);
        let numbers = translated.map(|position| &position.article);
        let numbers = numbers.chain(touched(offer, request));
        let articles = article_states(master, customer, numbers).await?;
        let state = PricingState {
            currency: document.currency,
            day: tax_day(
                document.delivery_at,
                Some(document.ordered_at),
                context.now,
                &master.time_zone(),
            ),
            delivery_costs: document.delivery_costs,
            cash_rounding_step: self.settings.cash_rounding.get(&document.currency).copied(),
            ..pricing_state(master, context, customer, &articles)
        };
        Ok(decide_change(&state, offer, request)?)
    }

    // rule: R-END-37
    /// Converts an offer into an order, exactly once; repeating the request returns the same order. The caller must be
    /// allowed to order every position.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`]; [`Error::Conflict`] when the offer belongs or is assigned to another
    /// customer; [`Error::Mismatch`] when a template does not fit.
    pub async fn convert_offer(
        &self,
        context: &Context<'_>,
        body: &impl AsJson,
    ) -> Result<Outcome<OrderNumber>, Error> {
        let body = &*body.as_json();
        match self.try_convert_offer(context, body).await {
            Err(Error::Invalid(problems)) => Err(self
                .all_conversion_problems(context, body, problems)
                .await?),
            converted => converted?.try_map(|answer| number_in(answer.order_number)),
        }
    }

    /// Converts an offer, or returns the problems of the first step that fails.
    async fn try_convert_offer(
        &self,
        context: &Context<'_>,
        body: &Json,
    ) -> Result<Outcome<wire::OrderNumberAnswer>, Error> {
        let offer_key = offer_of(body).and_then(offer_key);
        let customer_key = customer_of(body).map(|number| keys::customer(&number));
        let wanted: Vec<Key> = offer_key.into_iter().chain(customer_key).collect();
        operate!(self, context, &wanted, |loaded| self
            .decide_conversion(loaded, context, body))
    }

    /// Decides what a conversion writes; nothing when it is done already.
    async fn decide_conversion(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        body: &Json,
    ) -> Result<Decision<wire::OrderNumberAnswer>, Error> {
        let request = ConversionRequest::parse(body, self.settings.reading)?;
        let (before, own) = self.offer_of(&loaded, context, &request.offer).await?;
        if let OfferStatus::Ordered(order) = &before.record.status
            && before.record.customer.as_ref() == Some(&request.customer)
        {
            return Ok(Decision {
                changes: ChangeSet::new(),
                answer: wire::OrderNumberAnswer {
                    order_number: Some(order.clone().into()),
                },
                checks: Vec::new(),
                unchanged: None,
            });
        }
        context.check_revision(before.revision)?;
        let wanted = Some(request.customer.as_str());
        let customer = self
            .offer_customer(&loaded, context, &before.record, own, wanted)
            .await?;
        let customer =
            customer.ok_or_else(|| Error::not_found("customer", request.customer.as_str()))?;
        let (changes, answer) = self
            .conversion(&loaded, context, &before, &customer, &request)
            .await?;
        Ok(Decision {
            changes,
            answer,
            checks: Vec::new(),
            unchanged: None,
        })
    }

    async fn conversion(
        &self,
        loaded: &Loaded<'_, S>,
        context: &Context<'_>,
        before: &Versioned<Offer>,
        customer: &Customer,
        request: &ConversionRequest,
    ) -> Result<(ChangeSet, wire::OrderNumberAnswer), Error> {
        let master = &loaded.master;
        let offer = &before.record;
        let articles = offer
            .document
            .positions
            .iter()
            .map(|position| &position.article);
        let articles = article_states(master, Some(customer), articles).await?;
        let state = PricingState {
            currency: offer.document.currency,
            delivery_costs: offer.document.delivery_costs,
            ..pricing_state(master, context, Some(customer), &articles)
        };
        let hidden = self.hidden_addresses(loaded, context, customer).await?;
        let new = convert(
            &state,
            offer,
            customer,
            &hidden,
            &request.payments,
            context.now,
        )?;
        let (number, order) = self.numbered(loaded, context, customer, new).await?;
        let mut changes = order_changes(number, &order)?;
        let key = keys::offer(keys::document_number(&offer.number).unwrap_or_default());
        let ordered = Offer {
            status: OfferStatus::Ordered(order.number.clone()),
            customer: Some(customer.number.clone()),
            ..offer.clone()
        };
        changes.guard(key.clone(), Some(before.revision));
        changes.put(key, encode(&ordered)?);
        event(
            &mut changes,
            context,
            &master.company,
            EventKind::Order,
            Method::Put,
            &order.number,
        );
        let answer = wire::OrderNumberAnswer {
            order_number: Some(order.number.into()),
        };
        Ok((changes, answer))
    }
}

/// The articles whose master data a change needs.
fn touched<'a>(
    offer: &'a Offer,
    request: &'a OfferChangeRequest,
) -> impl Iterator<Item = &'a ArticleNumber> {
    request.positions.iter().filter_map(|change| match change {
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

fn fits<S>(master: &MasterData<'_, S>, offer: &Offer, customer: &Customer) -> Result<(), Error> {
    let mismatches = offer.terms.mismatches(&master.company, customer);
    if mismatches.is_empty() {
        Ok(())
    } else {
        Err(Error::Mismatch(mismatches))
    }
}

// rule: R-END-51
/// Query and body may both contain the customer, but it must be the same one.
fn one_customer<'a>(
    query: Option<&'a str>,
    body: Option<&'a str>,
) -> Result<Option<&'a str>, Error> {
    match (query, body) {
        (Some(query), Some(body)) if query != body => {
            let mut problems = Problems::new();
            let header = Path::ROOT.member("GrundDaten");
            problems.add(
                &header.member("KundNr"),
                Code::Contradiction,
                "query and body name different customers",
            );
            Err(Error::Malformed(problems))
        }
        (query, body) => Ok(query.or(body)),
    }
}
