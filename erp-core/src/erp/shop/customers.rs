//! Customers: `GET /www/kunden/{DebiNr}`, `POST /www/kunden`, `PUT /www/kunden/{DebiNr}`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use smol_str::SmolStr;

use crate::domain::address::Address;
use crate::domain::document::{OrderNumber, OrderStatus};
use crate::domain::master::{
    Attributes, Customer, CustomerAddress, CustomerNumber, ForgottenCustomer,
};
use crate::domain::request::{AsRequest, CustomerDetails, CustomerRequest, or_header};
use crate::domain::response;
use crate::erp::catalogue::MasterData;
use crate::erp::catalogue::slices::yield_now;
use crate::erp::engine::event::{EventKind, Method};
use crate::erp::engine::numbers::short;
use crate::erp::engine::operation::{Decided, Decision, Loaded, operate};
use crate::erp::engine::retry::OfCustomer;
use crate::erp::engine::selection::Selection;
use crate::erp::engine::work::Work;
use crate::erp::engine::{AddressCheck, Error, Outcome, Shop, keys};
use crate::erp::keys::secondary::{
    CustomerOrderEntry, customer_order, index_customer, replace_customer,
};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Scan, Sequence, Storage, StoreResult};
use crate::values::json::Json;
use crate::values::problem::Problems;
use crate::values::text::Text;
use crate::wire::Links;

/// Which orders a customer response lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CustomerOrders {
    /// At most this many, newest first (`order`); 0 lists none.
    pub last: usize,
    /// Only orders of this status (`status`).
    pub status: Option<OrderStatus>,
}

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
    pub const fn is_done(&self) -> bool {
        self.next.is_none()
    }
}

/// An order in the list of its customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderOfCustomer {
    /// Order number (`AuftNr`).
    pub number: OrderNumber,
    /// State (`PlanStatus`).
    pub status: OrderStatus,
    /// Time of creation (`AuftErf`).
    pub created_at: Timestamp,
}

impl OrderOfCustomer {
    // rule: R-RES-11, R-STA-02
    /// The order as the customer's list shows it.
    pub fn to_wire(&self, links: &Links<'_>) -> response::CustomerOrder {
        response::CustomerOrder {
            plan_status: SmolStr::new_static(self.status.as_str()),
            captured_at: self.created_at.into(),
            captured_at_utc: self.created_at.into(),
            links: vec![links.to("GET", "auftrag", "auftrag", &self.number)],
            order_number: self.number.clone(),
        }
    }
}

/// A customer, and what its terms mean today.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShownCustomer {
    /// The customer.
    pub customer: Customer,
    /// The text of its payment condition, in the language of the contact.
    pub payment_condition_text: Option<Text<255>>,
    /// Today's rate of the customer's own tax code, if it has one.
    pub tax_rate: Option<Decimal>,
}

impl OfCustomer for ShownCustomer {
    fn customer(&self) -> Option<&CustomerNumber> {
        Some(&self.customer.number)
    }
}

impl ShownCustomer {
    // rule: D-DOC-36
    fn new<S: Storage>(customer: Customer, master: &MasterData<'_, S>, now: Timestamp) -> Self {
        let language = customer.contact.address.language;
        let text = master
            .company
            .payment_text(customer.payment_condition, language);
        let day = master.time_zone().to_datetime(now).date();
        let code = customer.tax_code.as_ref();
        let tax = code.and_then(|code| master.taxes.rate_on(code, day));
        Self {
            payment_condition_text: text.cloned(),
            tax_rate: tax.map(|tax| tax.rate),
            customer,
        }
    }

    /// The customer as the interface shows it.
    pub fn to_wire(&self, links: &Links<'_>) -> response::Customer {
        response::Customer {
            payment_condition_text: self.payment_condition_text.clone(),
            tax_rate: self.tax_rate,
            ..self.customer.to_wire(links)
        }
    }
}

/// A customer with the first of its orders.
#[derive(Clone, Debug)]
pub struct CustomerWithOrders {
    /// The customer with its revision.
    pub customer: Versioned<ShownCustomer>,
    /// The first page of the orders, newest first.
    pub orders: Vec<OrderOfCustomer>,
    /// The other pages, for [`Shop::next_orders`].
    pub rest: OrderPages,
}

impl<S: Storage> Shop<'_, S> {
    // rule: R-END-10
    /// A customer with its revision; of its addresses those that the caller may see.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such customer or the caller may not see it.
    pub async fn customer(self, number: &str) -> Result<Versioned<Customer>, Error> {
        let (_, found) = self.load_customer_and(number, &[]).await?;
        found.ok_or_else(|| Error::not_found("customer", number))
    }

    /// A customer with the first page of its orders, and a cursor for the other pages.
    ///
    /// # Errors
    /// As [`Shop::customer`]; [`Error::TooBroad`] when too many orders have a status other than the requested one.
    #[cfg(feature = "internal")]
    pub async fn customer_with_orders(
        self,
        number: &str,
        orders: CustomerOrders,
    ) -> Result<CustomerWithOrders, Error> {
        let (loaded, found) = self.load_customer_and(number, &[]).await?;
        let customer = found.ok_or_else(|| Error::not_found("customer", number))?;
        let mut rest = OrderPages::of(number, orders);
        let mut work = Work::new(self.erp.settings.scan_entries);
        let mut listed = Vec::new();
        while !rest.is_done() && listed.len() < ORDERS_PER_PAGE {
            listed.extend(self.bounded_page(&mut rest, &mut work).await?);
        }
        // A response that was started cannot become an error, so the remaining pages are checked first.
        let mut pages = rest.clone();
        while pages.status.is_some() && !pages.is_done() {
            self.bounded_page(&mut pages, &mut work).await?;
        }
        Ok(CustomerWithOrders {
            customer: Versioned {
                value: ShownCustomer::new(customer.value, &loaded.master, self.now),
                revision: customer.revision,
            },
            orders: listed,
            rest,
        })
    }

    /// What is left of a customer that was forgotten, if the caller saw it.
    #[cfg(feature = "internal")]
    pub async fn forgotten_customer(
        self,
        number: &str,
    ) -> Result<Option<ForgottenCustomer>, Error> {
        let key = keys::forgotten_customer(number);
        let found = self.erp.load::<ForgottenCustomer>(&key).await?;
        let Some(found) = found else {
            return Ok(None);
        };
        let company = self.erp.company().await?;
        let is_seen = self.selection(&company).sees_forgotten(&found.value);
        Ok(is_seen.then_some(found.value))
    }

    // rule: D-DOC-09
    /// The next page of a customer's orders, newest first. A page reads a bounded number of orders of any status, so
    /// it may be empty before the last page. Yields to other tasks before it reads.
    #[cfg(feature = "internal")]
    pub async fn next_orders(self, pages: &mut OrderPages) -> Result<Vec<OrderOfCustomer>, Error> {
        Ok(self.order_page(pages).await?.0)
    }

    /// The entries of the next page, and how many orders were skipped because of their status.
    async fn order_page(
        self,
        pages: &mut OrderPages,
    ) -> Result<(Vec<OrderOfCustomer>, usize), Error> {
        let Some(scan) = pages.next.take() else {
            return Ok((Vec::new(), 0));
        };
        yield_now().await;
        let page = self.erp.store.scan(scan).await?;
        let mut listed = Vec::new();
        for (key, entry) in &page.entries {
            let (number, CustomerOrderEntry { status, created_at }) = customer_order(key, entry)?;
            if pages.status.is_none_or(|wanted| status == wanted) && pages.left > 0 {
                pages.left = pages.left.saturating_sub(1);
                let number = OrderNumber::new(&number.to_string());
                listed.push(OrderOfCustomer {
                    number: number.map_err(|_| Sequence::Order.used_up())?,
                    status,
                    created_at,
                });
            }
        }
        pages.next = page.next.filter(|_| pages.left > 0);
        let in_vain = page.entries.len().saturating_sub(listed.len());
        Ok((listed, in_vain))
    }

    /// The next page, or an error when too many orders were skipped because of their status. Only skipped orders count
    /// against the limit, listed ones do not.
    async fn bounded_page(
        self,
        pages: &mut OrderPages,
        work: &mut Work,
    ) -> Result<Vec<OrderOfCustomer>, Error> {
        let (listed, in_vain) = self.order_page(pages).await?;
        if pages.left > 0 {
            work.count(in_vain).await?;
        }
        Ok(listed)
    }

    // rule: R-END-13
    /// Stores a new customer, and returns it with its numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every problem of the body.
    pub async fn create_customer(
        self,
        request: &impl AsRequest<CustomerRequest>,
    ) -> Result<Outcome<Customer>, Error> {
        self.create_customer_with(request, Customer::clone).await
    }

    /// Like [`Shop::create_customer`], with the response that `answer` makes of the customer, as in
    /// [`Shop::create_order_with`].
    pub async fn create_customer_with<A: Serialize + DeserializeOwned>(
        self,
        request: &impl AsRequest<CustomerRequest>,
        answer: impl Fn(&Customer) -> A,
    ) -> Result<Outcome<A>, Error> {
        let request = &request.as_request();
        operate!(self, &[], &answer, |loaded| self
            .decide_new_customer(loaded, request))
    }

    async fn decide_new_customer(self, loaded: Loaded<'_, S>, request: &Json) -> Decided<Customer> {
        let (request, checks) = self.customer_request(request)?;
        let terms = Terms::of(&loaded, self);
        let mut wanted = vec![Sequence::Customer, Sequence::Address];
        wanted.extend(new_addresses(None, &request, &terms));
        let mut numbers = self.erp.draw(&wanted, loaded.named()).await?.into_iter();
        let number = drawn(&mut numbers, Sequence::Customer)?;
        let number =
            CustomerNumber::new(&number.to_string()).map_err(|_| Sequence::Customer.used_up())?;
        let customer = new_customer(number, &request, &terms, &mut numbers)?;
        let mut changes = ChangeSet::new();
        changes.guard(keys::forgotten_customer(&customer.number), None);
        changes.insert(keys::customer(&customer.number), encode(&customer)?);
        index_customer(&mut changes, None, &customer, &BTreeSet::new())?;
        let kind = (EventKind::Customer, Method::Post);
        self.event(&mut changes, &loaded.master.company, kind, &customer.number);
        Ok(Decision::of(changes, customer, checks))
    }

    /// The request with the terms that stay as they are where the caller replaces its own customer: a page need not know
    /// them.
    fn own_terms<'r>(self, request: &'r Json, before: &Customer) -> Cow<'r, Json> {
        let request = Cow::Borrowed(request);
        if self.caller.customer.is_none() {
            return request;
        }
        let terms = &before.details;
        or_header(
            request,
            &[
                ("WaehrAbk", &terms.currency.to_string()),
                ("FAKTZahlArt", terms.payment_type.as_deref().unwrap_or("-")),
            ],
        )
    }

    /// Reads the request of a customer and corrects its towns.
    fn customer_request(
        self,
        request: &Json,
    ) -> Result<(CustomerRequest, Vec<AddressCheck>), Problems> {
        let mut checks = Vec::new();
        let reading = self.erp.settings.reading;
        let request = CustomerRequest::read(request, reading, |addresses, problems| {
            checks = self.erp.check_addresses(addresses, problems);
        })?;
        Ok((request, checks))
    }

    // rule: R-EVT-02
    /// Replaces the fields that a client may set. Back-office fields stay, and so do addresses that the caller may
    /// not see.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] with every problem of the body, [`Error::PreconditionFailed`].
    pub async fn replace_customer(
        self,
        number: &str,
        request: &impl AsRequest<CustomerRequest>,
    ) -> Result<Outcome<Customer>, Error> {
        let answer = |shown: &ShownCustomer| shown.customer.clone();
        self.replace_customer_with(number, request, answer).await
    }

    /// Like [`Shop::replace_customer`], with the response that `answer` makes of the customer, as in
    /// [`Shop::create_order_with`].
    pub async fn replace_customer_with<A: Serialize + DeserializeOwned>(
        self,
        number: &str,
        request: &impl AsRequest<CustomerRequest>,
        answer: impl Fn(&ShownCustomer) -> A,
    ) -> Result<Outcome<A>, Error> {
        let request = &request.as_request();
        operate!(self, &[keys::customer(number)], &answer, |loaded| self
            .decide_replaced_customer(loaded, number, request))
    }

    async fn decide_replaced_customer(
        self,
        loaded: Loaded<'_, S>,
        number: &str,
        request: &Json,
    ) -> Decided<ShownCustomer> {
        let unknown = || Error::not_found("customer", number);
        let key = keys::customer(number);
        let terms = Terms::of(&loaded, self);
        let before: Option<Versioned<Customer>> = loaded.record(&key)?;
        let before = before.filter(|before| terms.selection.sees_customer(&before.value));
        let before = before.ok_or_else(unknown)?;
        let (request, checks) = self.customer_request(&self.own_terms(request, &before.value))?;
        self.check_revision(before.revision)?;
        let wanted = new_addresses(Some(&before.value), &request, &terms);
        let mut numbers = self.erp.draw(&wanted, loaded.named()).await?.into_iter();
        let customer = changed_customer(&before.value, &request, &terms, &mut numbers)?;
        let mut changes = ChangeSet::new();
        if customer != before.value {
            replace_customer(&mut changes, &before, &customer)?;
            let kind = (EventKind::Customer, Method::Put);
            self.event(&mut changes, &loaded.master.company, kind, number);
        }
        let unchanged = changes.is_empty().then_some(before.revision);
        let shown = terms.selection.customer(customer).ok_or_else(unknown)?;
        Ok(Decision {
            changes,
            value: ShownCustomer::new(shown, &loaded.master, self.now),
            checks,
            unchanged,
        })
    }
}

/// Numbers that were drawn for one customer, in the order of their use.
type Numbers = std::vec::IntoIter<u64>;

fn drawn(numbers: &mut Numbers, sequence: Sequence) -> StoreResult<u64> {
    numbers.next().ok_or_else(|| sequence.used_up())
}

fn new_customer(
    number: CustomerNumber,
    request: &CustomerRequest,
    terms: &Terms<'_>,
    numbers: &mut Numbers,
) -> StoreResult<Customer> {
    let contact = new_address(&request.contact, terms, numbers)?;
    let designation = Customer::designation_of(&request.contact);
    let blank = Customer::bare(number, designation, request.details.clone(), contact);
    changed_customer(&blank, request, terms, numbers)
}

fn new_address(
    address: &Address,
    terms: &Terms<'_>,
    numbers: &mut Numbers,
) -> StoreResult<CustomerAddress> {
    Ok(CustomerAddress {
        number: short(drawn(numbers, Sequence::Address)?),
        address: address.clone(),
        attributes: terms.own.clone(),
    })
}

// rule: R-END-15
/// The customer with the fields of the body applied. Addresses keep their numbers. For its own customer a caller sets
/// addresses and language; the terms are the shop's.
fn changed_customer(
    before: &Customer,
    request: &CustomerRequest,
    terms: &Terms<'_>,
    numbers: &mut Numbers,
) -> StoreResult<Customer> {
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
        details: if terms.selection.is_of_customer() {
            CustomerDetails {
                language: request.details.language,
                ..before.details.clone()
            }
        } else {
            CustomerDetails {
                industry: before.details.industry.clone(),
                ..request.details.clone()
            }
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
) -> StoreResult<Vec<CustomerAddress>> {
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
    /// Attributes of new addresses: where the company selects addresses, they get the caller's own value, so that the shop
    /// that sent them can see them.
    own: Attributes,
}

impl<'a> Terms<'a> {
    fn of<S: Storage>(loaded: &Loaded<'_, S>, shop: Shop<'a, S>) -> Self {
        let company = &loaded.master.company;
        let selects = company.attributes.get(Attributes::SELECTION).is_some();
        let mut own = Attributes::default();
        if let Some(shop) = shop.caller.shop.as_ref().filter(|_| selects) {
            own.select(shop);
        }
        let selection = shop.selection(company);
        Self { selection, own }
    }
}
