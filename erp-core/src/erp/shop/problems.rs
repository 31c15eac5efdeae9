//! Collects all problems of a rejected body, so that the client gets them in one round trip.
//!
//! An operation stops at the first step that fails. The functions below then run the later checks on whatever can
//! be read of the body. Checks that lack their input (a price without the customer, a tax rate without the date)
//! are skipped.

use rust_decimal::Decimal;

use super::pricing::{article_states, pricing_state};
use crate::domain::address::AddressChange;
use crate::domain::document::{
    Draft, Manual, Offer, OfferStatus, PricingState, Unknowns, broken_rules, change_problems,
    check_delivery_costs, check_payment_condition, tax_day,
};
use crate::domain::master::{Customer, CustomerAddress};
use crate::domain::request::{
    AddressesRequest, Field, PositionChange, Readable, ReadableChange, not_whole, offer_of,
    readable_addresses,
};
use crate::erp::engine::catalogue::MasterData;
use crate::erp::engine::operation::Loaded;
use crate::erp::engine::{Context, Erp, Error};
use crate::storage::Storage;
use crate::values::json::Json;
use crate::values::problem::{Code, Path, Problems};

impl<S: Storage> Erp<S> {
    /// The problems of a new order or offer, plus those of the steps that did not run.
    pub(super) async fn all_problems(
        &self,
        context: &Context<'_>,
        body: &Json,
        manual: Manual,
        mut problems: Problems,
    ) -> Result<Error, Error> {
        let loaded = self.loaded(&[]).await?;
        let master = &loaded.master;
        let zone = master.time_zone();
        let readable = match manual {
            Manual::Allowed => Readable::of_order(body, &zone),
            Manual::Ignored => Readable::of_offer(body, &zone),
        };
        self.add_towns(readable.addresses, &mut problems)?;
        let customer = self
            .add_customer(&loaded, context, &readable.customer, &mut problems)
            .await?;
        let needs_customer = manual == Manual::Allowed;
        let numbers = readable
            .positions
            .iter()
            .map(|position| &position.request.article);
        let articles = article_states(master, customer.as_ref(), numbers).await?;
        let dates = (&readable.delivery_at, &readable.ordered_at);
        let unsure = Unknowns {
            prices: readable.currency == Field::Invalid
                || *dates.0 == Field::Invalid
                || *dates.1 == Field::Invalid
                || customer.is_none() && (needs_customer || readable.customer != Field::Absent),
            positions: not_whole(&readable.positions),
        };
        let state = PricingState {
            currency: read(&readable.currency).unwrap_or(master.company.currency),
            day: tax_day(read(dates.0), read(dates.1), context.now, &zone),
            delivery_costs: readable.delivery_costs.unwrap_or_default(),
            ..pricing_state(master, context, customer.as_ref(), &articles)
        };
        let mut broken = Problems::new();
        if readable.currency != Field::Invalid {
            check_delivery_costs(&state, &mut broken);
        }
        check_payment_condition(&state, readable.payment_condition, &mut broken);
        let kind = master.company.price_kind;
        let drafts = Draft::of_body(readable.positions);
        broken.merge(broken_rules(&state, &drafts, kind, manual, &unsure));
        problems.merge(broken);
        Ok(problems.into())
    }

    // rule: D-CTR-03
    /// The problems of a changed offer, plus those of the steps that did not run. `offer` is its number, `named` the
    /// customer in the query.
    pub(super) async fn all_change_problems(
        &self,
        context: &Context<'_>,
        offer: &str,
        named: Option<&str>,
        body: &Json,
        mut problems: Problems,
    ) -> Result<Error, Error> {
        let loaded = self.loaded(&[]).await?;
        let master = &loaded.master;
        let readable = ReadableChange::of(body);
        self.add_towns(readable.addresses, &mut problems)?;
        let known = match self.visible_offer(context, offer).await {
            Ok((_, found, customer)) => Some((found.record, customer)),
            Err(Error::NotFound { .. }) => None,
            Err(other) => return Err(other),
        };
        let changes = readable.positions.iter();
        let changes: Vec<_> = changes.map(|change| (change.at, &change.request)).collect();
        let mut unsure = Unknowns {
            prices: false,
            positions: not_whole(&readable.positions),
        };
        let Some((known, own)) = known else {
            unsure.prices = true;
            let broken = self
                .change_problems(master, context, None, &changes, &unsure)
                .await?;
            problems.merge(broken);
            if !problems.is_empty() {
                let message = format!("there is no offer `{offer}`");
                problems.add(&Path::ROOT.member("OffertNr"), Code::UnknownOffer, message);
            }
            return Ok(or_not_found(problems, offer));
        };
        // A converted offer cannot be changed, whatever the body contains.
        if matches!(known.status, OfferStatus::Ordered(_)) {
            return Ok(or_not_found(problems, offer));
        }
        let wanted = match named.and_then(|number| number.try_into().ok()) {
            Some(number) => Field::Valid(number),
            None => readable.customer,
        };
        let customer = match own {
            Some(own) => Some(own),
            None => {
                self.add_customer(&loaded, context, &wanted, &mut problems)
                    .await?
            }
        };
        unsure.prices = customer.is_none() && wanted != Field::Absent;
        let of = Some((&known, customer.as_ref()));
        let broken = self
            .change_problems(master, context, of, &changes, &unsure)
            .await?;
        problems.merge(broken);
        Ok(or_not_found(problems, offer))
    }

    /// Rule violations of changed positions; if the offer is unknown, only new positions are checked.
    async fn change_problems(
        &self,
        master: &MasterData<'_, S>,
        context: &Context<'_>,
        of: Option<(&Offer, Option<&Customer>)>,
        changes: &[(usize, &PositionChange)],
        unsure: &Unknowns,
    ) -> Result<Problems, Error> {
        let (offer, customer) = of.unzip();
        let (customer, document) = (customer.flatten(), offer.map(|offer| &offer.document));
        let of_offer = document.map_or(&[][..], |document| &document.positions);
        let numbers = changes.iter().filter_map(|(_, change)| match change {
            PositionChange::Add(added) => Some(&added.article),
            _ => None,
        });
        let numbers = numbers.chain(of_offer.iter().map(|position| &position.article));
        let articles = article_states(master, customer, numbers).await?;
        let currency = document.map(|document| document.currency);
        let state = PricingState {
            currency: currency.unwrap_or(master.company.currency),
            day: tax_day(
                document.and_then(|document| document.delivery_at),
                document.map(|document| document.ordered_at),
                context.now,
                &master.time_zone(),
            ),
            delivery_costs: document.map_or(Decimal::ZERO, |document| document.delivery_costs),
            ..pricing_state(master, context, customer, &articles)
        };
        let Some(offer) = offer else {
            let added = changes.iter().filter_map(|(at, change)| match change {
                PositionChange::Add(request) => Some(Draft::New {
                    number: 0,
                    at: *at,
                    request: request.clone(),
                }),
                _ => None,
            });
            let added: Vec<Draft> = added.collect();
            let kind = master.company.price_kind;
            return Ok(broken_rules(&state, &added, kind, Manual::Ignored, unsure));
        };
        Ok(change_problems(
            &state,
            offer,
            changes.iter().copied(),
            unsure,
        ))
    }

    /// The problems of a conversion, plus those of the steps that did not run.
    pub(super) async fn all_conversion_problems(
        &self,
        context: &Context<'_>,
        body: &Json,
        mut problems: Problems,
    ) -> Result<Error, Error> {
        let loaded = self.loaded(&[]).await?;
        let readable = ReadableChange::of(body);
        self.add_customer(&loaded, context, &readable.customer, &mut problems)
            .await?;
        if let Some(number) = offer_of(body)
            && let Err(error) = self.visible_offer(context, number).await
        {
            let Error::NotFound { .. } = error else {
                return Err(error);
            };
            let mut unknown = Problems::new();
            let header = Path::ROOT.member("GrundDaten");
            let message = format!("there is no offer `{number}`");
            unknown.add(&header.member("OffertNr"), Code::UnknownOffer, message);
            problems.merge(unknown);
        }
        Ok(problems.into())
    }

    /// The problems of a customer's body, plus those of its towns.
    pub(super) fn all_customer_problems(&self, body: &Json, mut problems: Problems) -> Error {
        match self.add_towns(readable_addresses(body), &mut problems) {
            Ok(()) => problems.into(),
            Err(other) => other,
        }
    }

    /// The problems of a changed address, plus those of the address it would become.
    pub(super) fn all_address_problems(
        &self,
        before: &CustomerAddress,
        body: &Json,
        mut problems: Problems,
    ) -> Error {
        let mut rest = body.clone();
        let is_broken = |problems: &Problems, names: &[&str]| {
            let mut broken = problems.as_slice().iter();
            broken.any(|problem| names.contains(&problem.path.as_str()))
        };
        let names = is_broken(&problems, &["AdrFirma", "AdrName"]);
        let place = is_broken(&problems, &["OrtLand", "OrtPLZ", "OrtName"]);
        if let Some(members) = rest.as_object_mut() {
            for problem in problems.as_slice() {
                members.remove(&problem.path);
            }
        }
        let Ok(change) = AddressChange::parse(&rest, crate::wire::Reading::default()) else {
            return problems.into();
        };
        let checked = match change.apply(&before.address) {
            Ok(mut changed) if !place => self.check_changed(&before.address, &mut changed),
            Ok(_) => return problems.into(),
            Err(_) if names => return problems.into(),
            Err(unnamed) => Err(unnamed.into()),
        };
        match checked {
            Ok(_) => problems.into(),
            Err(Error::Invalid(more)) => {
                problems.merge(more);
                problems.into()
            }
            Err(other) => other,
        }
    }

    /// Adds the results of a strict check of towns and postal codes.
    fn add_towns(
        &self,
        mut addresses: AddressesRequest,
        problems: &mut Problems,
    ) -> Result<(), Error> {
        match self.check_addresses(&mut addresses) {
            Ok(_) => Ok(()),
            Err(Error::Invalid(more)) => {
                problems.merge(more);
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// The customer of a body; an unknown one is added to the problems.
    async fn add_customer(
        &self,
        loaded: &Loaded<'_, S>,
        context: &Context<'_>,
        named: &Field<crate::values::text::Text<8>>,
        problems: &mut Problems,
    ) -> Result<Option<Customer>, Error> {
        let Field::Valid(number) = named else {
            return Ok(None);
        };
        match self.known_customer(loaded, context, number).await {
            Ok(customer) => Ok(Some(customer)),
            Err(Error::Invalid(unknown)) => {
                problems.merge(unknown);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }
}

fn read<T: Copy>(field: &Field<T>) -> Option<T> {
    match field {
        Field::Valid(value) => Some(*value),
        Field::Absent | Field::Invalid => None,
    }
}

/// If the body has no problems, the missing offer is the error.
fn or_not_found(problems: Problems, offer: &str) -> Error {
    if problems.is_empty() {
        Error::not_found("offer", offer)
    } else {
        problems.into()
    }
}
