//! Offers: `POST`, `GET`, `PATCH /www/offerte`, and `PUT /www/auftrag`, which converts an offer into an order.

use super::orders::order_changes;
use super::pricing::{article_states, cover, pricing_state};
use crate::domain::document::{
    Draft, Manual, Offer, OfferNumber, OfferStatus, OrderNumber, PricingState, convert,
    decide_change, decide_offer, offer_answer, price_document, tax_day,
};
use crate::domain::master::{ArticleNumber, Customer};
use crate::domain::request::{
    AsRequest, ConversionRequest, DocumentRequest, OfferChangeRequest, PositionChange, Request,
};
use crate::erp::engine::catalogue::MasterData;
use crate::erp::engine::event::{EventKind, Method, event};
use crate::erp::engine::operation::{Decision, Loaded, number_in, operate};
use crate::erp::engine::selection::offer_key;
use crate::erp::engine::{Context, Erp, Error, Outcome, keys};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Key, Sequence, Storage};
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
        request: &impl AsRequest<DocumentRequest>,
    ) -> Result<Outcome<wire::Offer>, Error> {
        let request = &request.as_request();
        let wanted = request.customer().map(|number| keys::customer(&number));
        operate!(self, context, wanted.as_slice(), |loaded| self
            .decide_new_offer(loaded, context, request))
    }

    /// Decides what a new offer writes.
    async fn decide_new_offer(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        request: &Request<'_, DocumentRequest>,
    ) -> Result<Decision<wire::Offer>, Error> {
        let master = &loaded.master;
        let request = request.offer(self.settings.reading, &master.time_zone());
        let new = self
            .new_document(&loaded, context, request, decide_offer)
            .await?;
        let number = self.draw_one(&loaded, Sequence::Offer).await?;
        let text = OfferNumber::new(&number.to_string()).map_err(|_| Sequence::Offer.used_up())?;
        let offer = Offer {
            number: text,
            ..new.document
        };
        let mut changes = ChangeSet::new();
        changes.insert(keys::offer(number), encode(&offer)?);
        let answer = offer_answer(&master.company, &offer, new.customer.as_ref());
        Ok(Decision {
            changes,
            answer,
            checks: new.checks,
            unchanged: None,
        })
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
        request: &impl AsRequest<OfferChangeRequest>,
    ) -> Result<Outcome<wire::Offer>, Error> {
        let request = &request.as_request();
        let named = customer.and_then(|number| Text::new(number).ok());
        let named = named.or_else(|| request.customer());
        let customer_key = named.map(|number| keys::customer(&number));
        let mut wanted = self.with_owner(offer_key(number));
        wanted.extend(customer_key.filter(|key| !wanted.contains(key)));
        operate!(self, context, &wanted, |loaded| self
            .decide_changed_offer(loaded, context, number, customer, request))
    }

    // rule: D-CTR-03
    /// Decides what a change of an offer writes.
    async fn decide_changed_offer(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        number: &str,
        customer: Option<&str>,
        request: &Request<'_, OfferChangeRequest>,
    ) -> Result<Decision<wire::Offer>, Error> {
        let (mut request, mut problems) = request.change(self.settings.reading);
        let checks = self.check_addresses(&mut request.addresses, &mut problems);
        let is_sound = problems.is_empty();
        let wanted = customer.or(request.customer.as_deref());
        if is_sound {
            one_customer(customer, request.customer.as_deref())?;
        }
        let (before, own) = match self.offer_of(&loaded, context, number).await {
            Err(unknown @ Error::NotFound { .. }) => {
                problems.merge(problems_of_new(&loaded.master, context, &request).await?);
                if problems.is_empty() {
                    return Err(unknown);
                }
                let message = format!("there is no offer `{number}`");
                problems.add(&Path::ROOT.member("OffertNr"), Code::UnknownOffer, message);
                return Err(problems.into());
            }
            found => found?,
        };
        if is_sound {
            context.check_revision(before.revision)?;
        }
        let of = (&before.record, own);
        let customer = self
            .offer_customer(&loaded, context, of, wanted, &mut problems)
            .await?;
        let of = (&before.record, customer.as_ref());
        let changed = self
            .decide_offer_change(&loaded.master, context, of, &request, problems)
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
    /// The offer's customer (`own`), or the one it is assigned to. Only a matching template can be assigned. A body
    /// with problems is refused for them, and not because of a conflict.
    async fn offer_customer(
        &self,
        loaded: &Loaded<'_, S>,
        context: &Context<'_>,
        (offer, own): (&Offer, Option<Customer>),
        wanted: Option<&str>,
        problems: &mut Problems,
    ) -> Result<Option<Customer>, Error> {
        let is_sound = problems.is_empty();
        if let OfferStatus::Ordered(order) = &offer.status {
            let conflict = format!("offer {} is order {order} already", offer.number);
            problems.clone().or_else_value(Some(()))?;
            return Err(Error::Conflict(conflict));
        }
        match (own, wanted) {
            (Some(own), Some(wanted)) if is_sound && own.number != wanted => Err(Error::Conflict(
                format!("offer {} belongs to another customer", offer.number),
            )),
            (own, None) | (own @ Some(_), _) => Ok(own),
            (None, wanted) => {
                let customer = self
                    .known_customer(loaded, context, wanted, problems)
                    .await?;
                if let Some(customer) = customer.as_ref().filter(|_| is_sound) {
                    fits(&loaded.master, offer, customer)?;
                }
                Ok(customer)
            }
        }
    }

    async fn decide_offer_change(
        &self,
        master: &MasterData<'_, S>,
        context: &Context<'_>,
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
            currency: document.currency,
            day: tax_day(
                document.delivery_at,
                Some(document.ordered_at),
                context.now,
                &master.time_zone(),
            ),
            delivery_costs: document.delivery_costs,
            cash_rounding_step: self.settings.cash_rounding.get(&document.currency).copied(),
            is_unpriced: customer.is_none() && cover(&problems, &["KundNr"]),
            ..pricing_state(master, context, customer, &articles)
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
        &self,
        context: &Context<'_>,
        request: &impl AsRequest<ConversionRequest>,
    ) -> Result<Outcome<OrderNumber>, Error> {
        let request = &request.as_request();
        let offer_key = request.offer().and_then(offer_key);
        let customer_key = request.customer().map(|number| keys::customer(&number));
        let wanted: Vec<Key> = offer_key.into_iter().chain(customer_key).collect();
        let converted: Outcome<wire::OrderNumberAnswer> =
            operate!(self, context, &wanted, |loaded| self
                .decide_conversion(loaded, context, request))?;
        converted.try_map(|answer| number_in(answer.order_number))
    }

    /// Decides what a conversion writes; nothing when it is done already.
    async fn decide_conversion(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        request: &Request<'_, ConversionRequest>,
    ) -> Result<Decision<wire::OrderNumberAnswer>, Error> {
        let conversion = match request.conversion(self.settings.reading) {
            Ok(request) => request,
            Err(problems) => {
                return Err(self
                    .unconverted(&loaded, context, request, problems)
                    .await?);
            }
        };
        let (before, own) = self
            .offer_of(&loaded, context, &conversion.header.offer)
            .await?;
        if let OfferStatus::Ordered(order) = &before.record.status
            && before.record.customer.as_ref() == Some(&conversion.header.customer)
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
        let wanted = Some(conversion.header.customer.as_str());
        let (of, mut problems) = ((&before.record, own), Problems::new());
        let customer = self
            .offer_customer(&loaded, context, of, wanted, &mut problems)
            .await?;
        let customer = problems.or_else_value(customer)?;
        let (changes, answer) = self
            .conversion(&loaded, context, &before, &customer, &conversion)
            .await?;
        Ok(Decision {
            changes,
            answer,
            checks: Vec::new(),
            unchanged: None,
        })
    }

    /// The problems of a body that is no request, with those of the customer and the offer that it names.
    async fn unconverted(
        &self,
        loaded: &Loaded<'_, S>,
        context: &Context<'_>,
        request: &Request<'_, ConversionRequest>,
        mut problems: Problems,
    ) -> Result<Error, Error> {
        let customer = request.customer();
        self.known_customer(loaded, context, customer.as_deref(), &mut problems)
            .await?;
        if let Some(number) = request.offer()
            && !cover(&problems, &["OffertNr"])
        {
            match self.offer_of(loaded, context, number).await {
                Err(Error::NotFound { .. }) => {
                    let header = Path::ROOT.member("GrundDaten");
                    let message = format!("there is no offer `{number}`");
                    problems.add(&header.member("OffertNr"), Code::UnknownOffer, message);
                }
                found => drop(found?),
            }
        }
        Ok(problems.into())
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
    request
        .positions
        .iter()
        .filter_map(|(_, change)| match change {
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

/// The problems that new positions have by themselves, without an offer.
async fn problems_of_new<S: Storage>(
    master: &MasterData<'_, S>,
    context: &Context<'_>,
    request: &OfferChangeRequest,
) -> Result<Problems, Error> {
    let added = request
        .positions
        .iter()
        .filter_map(|(at, change)| match change {
            PositionChange::Add(added) => Some((*at, added.clone())),
            _ => None,
        });
    let added: Vec<_> = added.collect();
    let numbers = added.iter().map(|(_, added)| &added.article);
    let articles = article_states(master, None, numbers).await?;
    let state = PricingState {
        is_unpriced: true,
        ..pricing_state(master, context, None, &articles)
    };
    let (drafts, kind) = (Draft::new_document(&added), master.company.price_kind);
    let priced = price_document(&state, &drafts, kind, Manual::Ignored);
    Ok(priced.err().unwrap_or_default())
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
fn one_customer(query: Option<&str>, body: Option<&str>) -> Result<(), Error> {
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
        _ => Ok(()),
    }
}
