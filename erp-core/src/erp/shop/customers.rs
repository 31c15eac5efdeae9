//! Customers: `GET /www/kunden/{DebiNr}`, `POST /www/kunden`, `PUT /www/kunden/{DebiNr}`.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::domain::address::Address;
use crate::domain::document::OrderStatus;
use crate::domain::master::{
    Attribute, Attributes, Company, Customer, CustomerAddress, CustomerNumber,
};
use crate::domain::request::{AsRequest, CustomerDetails, CustomerRequest, PaymentMethod, Request};
use crate::erp::engine::event::{EventKind, Method, event};
use crate::erp::engine::numbers::short;
use crate::erp::engine::operation::{Decision, Loaded, number_in, operate};
use crate::erp::engine::secondary::customer_order;
use crate::erp::engine::secondary::{CustomerOrderEntry, index_customer};
use crate::erp::engine::selection::Selection;
use crate::erp::engine::work::{Work, yield_now};
use crate::erp::engine::{AddressCheck, Context, Erp, Error, Outcome, keys};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Scan, Sequence, Storage, StorageError};
use crate::values::problem::Problems;
use crate::values::text::Text;
use crate::values::time::format_instant;
use crate::wire;
use crate::wire::Links;

/// Which orders a customer response lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CustomerOrders {
    /// At most this many, newest first (`order`); 0 lists none.
    pub last: usize,
    /// Only orders of this status (`status`).
    pub status: Option<OrderStatus>,
}

/// Number of orders read per page.
const ORDERS_PER_PAGE: usize = 100;

// rule: R-END-11
/// Cursor over the orders of a customer that are not read yet.
#[derive(Clone, Debug)]
pub struct OrderPages {
    next: Option<Scan>,
    left: usize,
    status: Option<OrderStatus>,
}

impl OrderPages {
    fn of(customer: &str, orders: CustomerOrders) -> Self {
        let scan = Scan::prefix(&keys::orders_of_customer(customer)).backwards();
        let page = match orders.status {
            Some(_) => ORDERS_PER_PAGE,
            None => orders.last.min(ORDERS_PER_PAGE),
        };
        Self {
            next: (orders.last > 0).then(|| scan.limit(page)),
            left: orders.last,
            status: orders.status,
        }
    }

    /// Whether all pages are read.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.next.is_none()
    }
}

impl<S: Storage> Erp<S> {
    // rule: R-END-10
    /// A customer as the interface shows it, with its revision.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such customer or the caller may not see it; [`Error::TooBroad`] when too
    /// many orders have a status other than the requested one.
    pub async fn customer(
        &self,
        context: &Context<'_>,
        number: &str,
        orders: CustomerOrders,
    ) -> Result<Versioned<wire::Customer>, Error> {
        let (mut customer, mut rest) = self.customer_page(context, number, orders).await?;
        while !rest.is_done() {
            let page = self.next_orders(context, &mut rest).await?;
            customer.record.orders.get_or_insert_default().extend(page);
        }
        Ok(customer)
    }

    /// A customer with the first page of its orders, and a cursor for the other pages.
    ///
    /// # Errors
    /// As [`Erp::customer`].
    pub async fn customer_page(
        &self,
        context: &Context<'_>,
        number: &str,
        orders: CustomerOrders,
    ) -> Result<(Versioned<wire::Customer>, OrderPages), Error> {
        let (_, found) = self.begin_customer(context, number).await?;
        let found = found.ok_or_else(|| Error::not_found("customer", number))?;
        let mut pages = OrderPages::of(number, orders);
        let mut record = customer_answer(&found.record, Links::new(context.base_url));
        if orders.last > 0 {
            let mut work = Work::new(self.settings.scan_entries);
            let mut listed = Vec::new();
            while !pages.is_done() && listed.len() < ORDERS_PER_PAGE {
                listed.extend(self.bounded_page(&mut pages, &mut work).await?);
            }
            // A response that was started cannot become an error, so the remaining pages are checked first.
            let mut rest = pages.clone();
            while rest.status.is_some() && !rest.is_done() {
                self.bounded_page(&mut rest, &mut work).await?;
            }
            record.orders = Some(shown_orders(&listed, context));
        }
        let revision = found.revision;
        Ok((Versioned { record, revision }, pages))
    }

    // rule: D-DOC-09
    /// The next page of a customer's orders, newest first. A page reads a bounded number of orders of any status, so
    /// it may be empty before the last page. Yields to other tasks before it reads.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn next_orders(
        &self,
        context: &Context<'_>,
        pages: &mut OrderPages,
    ) -> Result<Vec<wire::CustomerOrder>, Error> {
        let (listed, _) = self.order_page(pages).await?;
        Ok(shown_orders(&listed, context))
    }

    /// The entries of the next page, and how many orders were skipped because of their status.
    async fn order_page(
        &self,
        pages: &mut OrderPages,
    ) -> Result<(Vec<(u64, CustomerOrderEntry)>, usize), Error> {
        let Some(scan) = pages.next.take() else {
            return Ok((Vec::new(), 0));
        };
        yield_now().await;
        let page = self.store.scan(scan).await?;
        let mut listed = Vec::new();
        for (key, entry) in &page.entries {
            let found = customer_order(key, entry)?;
            if pages.status.is_none_or(|status| found.1.status == status) && pages.left > 0 {
                pages.left = pages.left.saturating_sub(1);
                listed.push(found);
            }
        }
        pages.next = page.next.filter(|_| pages.left > 0);
        let in_vain = page.entries.len().saturating_sub(listed.len());
        Ok((listed, in_vain))
    }

    /// The next page, or an error when too many orders were skipped because of their status. Only skipped orders count
    /// against the limit, listed ones do not.
    async fn bounded_page(
        &self,
        pages: &mut OrderPages,
        work: &mut Work,
    ) -> Result<Vec<(u64, CustomerOrderEntry)>, Error> {
        let (listed, in_vain) = self.order_page(pages).await?;
        if pages.left > 0 {
            work.count(in_vain).await?;
        }
        Ok(listed)
    }

    /// A customer as stored, including what a selection hides.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no customer of this number.
    pub async fn stored_customer(&self, number: &str) -> Result<Versioned<Customer>, Error> {
        self.load(&keys::customer(number))
            .await?
            .ok_or_else(|| Error::not_found("customer", number))
    }

    // rule: R-END-13
    /// Stores a new customer and returns its number.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every problem of the body; when the store fails.
    pub async fn create_customer(
        &self,
        context: &Context<'_>,
        request: &impl AsRequest<CustomerRequest>,
    ) -> Result<Outcome<CustomerNumber>, Error> {
        let request = &request.as_request();
        let stored: Outcome<wire::CustomerNumberAnswer> =
            operate!(self, context, &[], |loaded| self
                .decide_new_customer(loaded, context, request))?;
        stored.try_map(|answer| number_in(answer.customer_number))
    }

    /// Decides what a new customer writes.
    async fn decide_new_customer(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        request: &Request<'_, CustomerRequest>,
    ) -> Result<Decision<wire::CustomerNumberAnswer>, Error> {
        let (request, checks) = self.customer_request(request)?;
        let terms = Terms::of(&loaded, context);
        let mut wanted = vec![Sequence::Customer, Sequence::Address];
        wanted.extend(new_addresses(None, &request, &terms));
        let mut numbers = self.draw(&wanted, loaded.named()).await?.into_iter();
        let number = drawn(&mut numbers, Sequence::Customer)?;
        let number =
            CustomerNumber::new(&number.to_string()).map_err(|_| Sequence::Customer.used_up())?;
        let customer = new_customer(number.clone(), &request, &terms, &mut numbers)?;
        let mut changes = ChangeSet::new();
        changes.insert(keys::customer(&number), encode(&customer)?);
        index_customer(&mut changes, None, &customer, &BTreeSet::new())?;
        event(
            &mut changes,
            context,
            &loaded.master.company,
            EventKind::Customer,
            Method::Post,
            &number,
        );
        let answer = wire::CustomerNumberAnswer {
            customer_number: Some(number.into()),
        };
        Ok(Decision {
            changes,
            answer,
            checks,
            unchanged: None,
        })
    }

    /// Reads the request of a customer and corrects its towns.
    fn customer_request(
        &self,
        request: &Request<'_, CustomerRequest>,
    ) -> Result<(CustomerRequest, Vec<AddressCheck>), Problems> {
        let mut checks = Vec::new();
        let request = request.customer(self.settings.reading, |addresses, problems| {
            checks = self.check_addresses(addresses, problems);
        })?;
        Ok((request, checks))
    }

    // rule: R-EVT-02
    /// Replaces the fields that a client may set. Back-office fields stay, and so do addresses that the caller may
    /// not see.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] with every problem of the body, [`Error::PreconditionFailed`];
    /// when the store fails.
    pub async fn replace_customer(
        &self,
        context: &Context<'_>,
        number: &str,
        request: &impl AsRequest<CustomerRequest>,
    ) -> Result<Outcome<wire::Customer>, Error> {
        let request = &request.as_request();
        operate!(self, context, &[keys::customer(number)], |loaded| self
            .decide_replaced_customer(loaded, context, number, request))
    }

    /// Decides what a replaced customer writes.
    async fn decide_replaced_customer(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        number: &str,
        request: &Request<'_, CustomerRequest>,
    ) -> Result<Decision<wire::Customer>, Error> {
        let unknown = || Error::not_found("customer", number);
        let key = keys::customer(number);
        let terms = Terms::of(&loaded, context);
        let before: Option<Versioned<Customer>> = loaded.record(&key)?;
        let before = before.filter(|before| terms.selection.sees(&before.record.contact));
        let before = before.ok_or_else(unknown)?;
        let (request, checks) = self.customer_request(request)?;
        context.check_revision(before.revision)?;
        let wanted = new_addresses(Some(&before.record), &request, &terms);
        let mut numbers = self.draw(&wanted, loaded.named()).await?.into_iter();
        let customer = changed_customer(&before.record, &request, &terms, &mut numbers)?;
        let mut changes = ChangeSet::new();
        if customer != before.record {
            changes.guard(key.clone(), Some(before.revision));
            changes.put(key.clone(), encode(&customer)?);
            index_customer(
                &mut changes,
                Some(&before.record),
                &customer,
                &BTreeSet::new(),
            )?;
            event(
                &mut changes,
                context,
                &loaded.master.company,
                EventKind::Customer,
                Method::Put,
                number,
            );
        }
        let unchanged = changes.is_empty().then_some(before.revision);
        let shown = terms.selection.customer(customer).ok_or_else(unknown)?;
        let answer = customer_answer(&shown, Links::new(context.base_url));
        Ok(Decision {
            changes,
            answer,
            checks,
            unchanged,
        })
    }
}

/// Numbers that were drawn for one customer, in the order of their use.
type Numbers = std::vec::IntoIter<u64>;

fn drawn(numbers: &mut Numbers, sequence: Sequence) -> Result<u64, StorageError> {
    numbers.next().ok_or_else(|| sequence.used_up())
}

fn new_customer(
    number: CustomerNumber,
    request: &CustomerRequest,
    terms: &Terms<'_>,
    numbers: &mut Numbers,
) -> Result<Customer, StorageError> {
    let contact = new_address(&request.contact, terms, numbers)?;
    let blank = Customer {
        number,
        designation: Customer::designation_of(&request.contact),
        details: request.details.clone(),
        price_list: None,
        cost_bearer: None,
        tax_code: None,
        payment_condition: None,
        attributes: Attributes::default(),
        contact,
        delivery: Vec::new(),
        billing: Vec::new(),
    };
    changed_customer(&blank, request, terms, numbers)
}

fn new_address(
    address: &Address,
    terms: &Terms<'_>,
    numbers: &mut Numbers,
) -> Result<CustomerAddress, StorageError> {
    Ok(CustomerAddress {
        number: short(drawn(numbers, Sequence::Address)?),
        address: address.clone(),
        attributes: terms.own.clone(),
    })
}

// rule: R-END-15
/// The customer with the fields of the body applied. Addresses keep their numbers.
fn changed_customer(
    before: &Customer,
    request: &CustomerRequest,
    terms: &Terms<'_>,
    numbers: &mut Numbers,
) -> Result<Customer, StorageError> {
    let own_designation = before.designation == Customer::designation_of(&before.contact.address);
    let contact = &request.contact;
    let designation = if own_designation {
        Customer::designation_of(contact)
    } else {
        before.designation.clone()
    };
    let contact = CustomerAddress {
        address: contact.clone(),
        ..before.contact.clone()
    };
    Ok(Customer {
        designation,
        details: CustomerDetails {
            industry: before.details.industry.clone(),
            ..request.details.clone()
        },
        contact,
        delivery: replaced(&before.delivery, request.delivery.as_ref(), terms, numbers)?,
        billing: replaced(&before.billing, request.billing.as_ref(), terms, numbers)?,
        ..before.clone()
    })
}

/// The addresses of one kind after a replacement: the sent address replaces the first one and the others stay;
/// if none is sent, none is left. Addresses that the caller may not see do not count and stay as they are.
fn replaced(
    before: &[CustomerAddress],
    sent: Option<&Address>,
    terms: &Terms<'_>,
    numbers: &mut Numbers,
) -> Result<Vec<CustomerAddress>, StorageError> {
    let mut after = before.to_vec();
    let Some(sent) = sent else {
        after.retain(|address| !terms.selection.sees(address));
        return Ok(after);
    };
    match after
        .iter_mut()
        .find(|address| terms.selection.sees(address))
    {
        Some(first) => first.address = sent.clone(),
        None => after.push(new_address(sent, terms, numbers)?),
    }
    Ok(after)
}

/// The sequence of addresses for each sent delivery and billing address that replaces none and so needs a number.
fn new_addresses(
    before: Option<&Customer>,
    request: &CustomerRequest,
    terms: &Terms<'_>,
) -> Vec<Sequence> {
    let delivery = before.map_or(&[][..], |before| &before.delivery);
    let billing = before.map_or(&[][..], |before| &before.billing);
    let kinds = [(delivery, &request.delivery), (billing, &request.billing)];
    let is_new = |(before, sent): &(&[CustomerAddress], &Option<Address>)| {
        sent.is_some() && !before.iter().any(|address| terms.selection.sees(address))
    };
    let new = kinds.iter().filter(|kind| is_new(kind));
    new.map(|_| Sequence::Address).collect()
}

/// What the addresses of a stored customer depend on besides the request.
struct Terms<'a> {
    /// Which addresses the caller may see.
    selection: Selection<'a>,
    /// Attributes of new addresses.
    own: Attributes,
}

impl<'a> Terms<'a> {
    fn of<S>(loaded: &Loaded<'_, S>, context: &Context<'a>) -> Self {
        Self {
            selection: Selection::of(context, &loaded.master.company),
            own: own_selection(&loaded.master.company, context),
        }
    }
}

fn shown_orders(
    listed: &[(u64, CustomerOrderEntry)],
    context: &Context<'_>,
) -> Vec<wire::CustomerOrder> {
    let links = Links::new(context.base_url);
    let shown = listed.iter();
    shown
        .map(|(number, entry)| order_entry(*number, entry, links))
        .collect()
}

/// Attributes of a new address: where the company selects addresses, it gets the caller's own value, so that the
/// shop that sent it can see it.
fn own_selection(company: &Company, context: &Context<'_>) -> Attributes {
    let selects = company.attributes.get(Attributes::SELECTION).is_some();
    let shop = context.caller.shop.as_ref().filter(|_| selects);
    let attribute = shop.zip(Text::new(Attributes::SELECTION).ok());
    Attributes::new(
        attribute
            .map(|(shop, key)| Attribute {
                key,
                contents: shop.clone(),
            })
            .into_iter()
            .collect(),
    )
}

// rule: R-RES-10
fn customer_answer(customer: &Customer, links: Links<'_>) -> wire::Customer {
    let attributes: Vec<wire::Attribute> = customer
        .attributes
        .iter()
        .map(|known| wire::Attribute {
            contents: Some(known.contents.clone().into()),
            key: Some(known.key.clone().into()),
        })
        .collect();
    wire::Customer {
        status: Some(i32::from(customer.has_credit())),
        currency: Some(customer.details.currency.as_str().into()),
        industry: customer.details.industry.clone().map(Into::into),
        language: Some(customer.details.language.as_str().into()),
        delivery_address: Some(customer.delivery_address().number),
        billing_address: Some(customer.billing_address().number),
        contact_address: Some(customer.contact.number),
        shipping_condition: customer.details.shipping_condition.clone().map(Into::into),
        payment_methods: payment_methods(customer),
        designation: Some(customer.designation.clone().into()),
        comment: customer.details.comment.clone().map(Into::into),
        attributes: (!attributes.is_empty()).then_some(attributes),
        links: Some(vec![
            links.to("GET", "kunden", "kunden", &customer.number),
            links.query("adressen", "adressen", &[("debinr", &customer.number)]),
        ]),
        orders: None,
    }
}

fn payment_methods(customer: &Customer) -> Option<SmolStr> {
    let methods = &customer.details.payment_methods;
    (!methods.is_empty()).then(|| PaymentMethod::render_list(methods).into())
}

// rule: R-RES-11, R-STA-02
fn order_entry(number: u64, entry: &CustomerOrderEntry, links: Links<'_>) -> wire::CustomerOrder {
    let captured_at: SmolStr = format_instant(entry.created_at);
    wire::CustomerOrder {
        plan_status: Some(SmolStr::new_static(entry.status.as_str())),
        captured_at: Some(captured_at.clone()),
        captured_at_utc: Some(captured_at),
        order_number: Some(number.to_string().into()),
        links: Some(vec![links.to(
            "GET",
            "auftrag",
            "auftrag",
            &number.to_string(),
        )]),
    }
}
