//! One client, which works until the server ends.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::acknowledged::{Acknowledged, Conversion, Offered, Patched, Unconfirmed};
use super::{Item, NoResponse, Shop, customer, order, text};
use crate::Random;

/// State that the clients share: offers that any of them may convert to an order, with the customer of each.
#[derive(Debug, Default)]
pub struct Board {
    offers: Mutex<Vec<(String, String)>>,
    stopped: AtomicBool,
    /// Number of orders that were acknowledged to any client.
    orders: AtomicUsize,
    /// Whether any client was told the number of an invoice.
    invoiced: AtomicBool,
}

impl Board {
    /// Asks all clients to stop after their current request, or allows them to run again.
    pub fn stop(&self, stop: bool) {
        self.stopped.store(stop, Ordering::Relaxed);
    }

    /// Number of orders that were acknowledged so far, to all clients of all rounds.
    pub fn orders(&self) -> usize {
        self.orders.load(Ordering::Relaxed)
    }

    /// Whether an invoice was acknowledged so far, to any client of any round.
    pub fn has_invoice(&self) -> bool {
        self.invoiced.load(Ordering::Relaxed)
    }

    fn put(&self, offer: &str, customer: &str) {
        let entry = (offer.to_owned(), customer.to_owned());
        self.offers.lock().unwrap().push(entry);
    }

    /// Chooses one of the newest offers, so that several clients choose the same.
    fn choose(&self, random: &mut Random) -> Option<(String, String)> {
        let offers = self.offers.lock().unwrap();
        let newest = &offers[offers.len().saturating_sub(6)..];
        (!newest.is_empty()).then(|| random.choose(newest).clone())
    }
}

/// An offer of this client that it may still change.
#[derive(Debug)]
struct OwnOffer {
    /// Its index in the acknowledged offers.
    at: usize,
    /// The article of its first position.
    item: Item,
    /// Its tag before the last change.
    old_tag: Option<String>,
    customer: String,
}

struct Worker {
    shop: Shop,
    catalogue: Arc<Vec<Item>>,
    board: Arc<Board>,
    random: Random,
    name: String,
    count: u64,
    offers: Vec<OwnOffer>,
    /// Index of each patched address, by customer.
    patched: BTreeMap<String, usize>,
    done: Acknowledged,
}

/// Sends one request after another until the server does not respond or returns 503, or the board asks to stop.
pub async fn work(
    shop: Shop,
    catalogue: Arc<Vec<Item>>,
    board: Arc<Board>,
    random: Random,
    name: String,
) -> Acknowledged {
    let mut worker = Worker {
        shop,
        catalogue,
        board,
        random,
        name,
        count: 0,
        offers: Vec::new(),
        patched: BTreeMap::new(),
        done: Acknowledged::default(),
    };
    // Requests without a response are in the result.
    let _ = worker.run().await;
    worker.done
}

impl Worker {
    async fn run(&mut self) -> Result<(), NoResponse> {
        self.create_customer().await?;
        self.place_order().await?;
        if self.random.one_in(2) {
            self.make_invoice().await?;
        }
        while !self.board.stopped.load(Ordering::Relaxed) {
            match self.random.below(13) {
                0 => self.create_customer().await?,
                1..=4 => self.place_order().await?,
                5..=6 => self.make_offer().await?,
                7..=8 => self.change_offer().await?,
                9..=10 => self.convert_offer().await?,
                11 => self.make_invoice().await?,
                _ => self.change_address().await?,
            }
        }
        Ok(())
    }

    /// A text that no other request has.
    fn reference(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.name, self.count)
    }

    fn customer(&mut self) -> String {
        self.random.choose(&self.done.customers).0.clone()
    }

    /// Records the request if there was no response.
    fn record_if_unconfirmed<T>(
        &mut self,
        response: Result<T, NoResponse>,
        unconfirmed: Unconfirmed,
    ) -> Result<T, NoResponse> {
        if response.is_err() {
            self.done.unconfirmed.push(unconfirmed);
        }
        response
    }

    async fn create_customer(&mut self) -> Result<(), NoResponse> {
        let body = customer(&mut self.random);
        let request = self.shop.request(Method::POST, "/www/kunden").json(&body);
        let response = self.shop.send(request).await?;
        let data = response.data(StatusCode::CREATED, &body.to_string());
        self.done.customers.push((text(&data, "DebiNr"), body));
        Ok(())
    }

    async fn place_order(&mut self) -> Result<(), NoResponse> {
        let (customer, reference) = (self.customer(), self.reference());
        let body = order(&mut self.random, &self.catalogue, &customer, &reference);
        let key = self.random.one_in(2).then(|| reference.clone());
        let response = self.shop.order(&body, key.as_deref()).await;
        let unconfirmed = Unconfirmed::Order {
            reference,
            key,
            body: body.clone(),
        };
        let (number, replayed) = self.record_if_unconfirmed(response, unconfirmed)?;
        assert!(!replayed, "{number} was ordered for the first time");
        self.done.orders.push((number, body));
        self.board.orders.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn make_offer(&mut self) -> Result<(), NoResponse> {
        let (customer, reference) = (self.customer(), self.reference());
        let item = self.random.choose(&self.catalogue).clone();
        let mut positions = vec![item.position(&mut self.random)];
        for _ in 0..self.random.below(3) {
            let other = self.random.choose(&self.catalogue).clone();
            positions.push(other.position(&mut self.random));
        }
        let mut body = json!({"GrundDaten": {"AuftBestellNr": reference, "AuftBez": "Angebot für das Büro"},
            "Positionen": positions});
        let template = self.random.one_in(2);
        if !template {
            body["GrundDaten"]["KundNr"] = json!(customer);
        }
        let request = self.shop.request(Method::POST, "/www/offerte").json(&body);
        let response = self.shop.send(request).await;
        let unconfirmed = Unconfirmed::Offer { reference };
        let response = self.record_if_unconfirmed(response, unconfirmed)?;
        let shown = response.data(StatusCode::CREATED, &body.to_string());
        let number = text(&shown, "OffertNr");
        self.board.put(&number, &customer);
        self.offers.push(OwnOffer {
            at: self.done.offers.len(),
            item,
            old_tag: None,
            customer,
        });
        self.done.offers.push(Offered {
            number,
            template,
            shown,
            tag: response.etag,
            unconfirmed: None,
        });
        Ok(())
    }

    /// A quantity for the first position other than its current one, sometimes with a new position and a customer.
    fn offer_change(&mut self, own: &OwnOffer) -> Value {
        let mut position = own.item.position(&mut self.random);
        while position["Menge"] == self.done.offers[own.at].quantity() {
            position = own.item.position(&mut self.random);
        }
        let mut positions = vec![json!({"PosNr": 1, "Menge": position["Menge"]})];
        if self.random.one_in(3) {
            let plain: Vec<&Item> = self
                .catalogue
                .iter()
                .filter(|item| item.package.is_none())
                .collect();
            let added = (*self.random.choose(&plain)).clone();
            positions.push(added.position(&mut self.random));
        }
        let mut body = json!({ "Positionen": positions });
        if self.random.one_in(3) {
            body["GrundDaten"] = json!({"KundNr": own.customer});
        }
        body
    }

    async fn change_offer(&mut self) -> Result<(), NoResponse> {
        if self.offers.is_empty() {
            return Ok(());
        }
        let chosen = usize::try_from(self.random.below(self.offers.len() as u64)).unwrap();
        let mut own = self.offers.swap_remove(chosen);
        let body = self.offer_change(&own);
        let outdated = own.old_tag.clone().filter(|_| self.random.one_in(4));
        let is_outdated = outdated.is_some();
        let offered = &mut self.done.offers[own.at];
        let path = format!("/www/offerte?OffertNr={}", offered.number);
        let request = self.shop.request(Method::PATCH, &path).json(&body);
        let tag = outdated.or_else(|| offered.tag.clone()).unwrap();
        let response = self.shop.send(request.header("If-Match", tag)).await;
        if response.is_err() && !is_outdated {
            offered.unconfirmed = Some(body["Positionen"][0]["Menge"].clone());
        }
        let response = response?;
        match response.status {
            // Another client converted the offer, or this was an old tag.
            StatusCode::PRECONDITION_FAILED => (),
            StatusCode::CONFLICT => return Ok(()),
            _ => {
                assert!(!is_outdated, "{path}: changed from an outdated state");
                offered.shown = response.data(StatusCode::OK, &path);
                own.old_tag = std::mem::replace(&mut offered.tag, response.etag);
            }
        }
        if response.status == StatusCode::OK || is_outdated {
            self.offers.push(own);
        }
        Ok(())
    }

    async fn convert_offer(&mut self) -> Result<(), NoResponse> {
        let Some((offer, meant_for)) = self.board.choose(&mut self.random) else {
            return Ok(());
        };
        let intruder = self.random.one_in(5);
        let customer = if intruder {
            self.customer()
        } else {
            meant_for.clone()
        };
        let mut body = json!({"GrundDaten": {"KundNr": customer, "OffertNr": offer}});
        if self.random.one_in(2) {
            body["Zahlung"] = json!([{"Bezeichnung": "payment_method", "Wert": "R"}]);
        }
        let request = self.shop.request(Method::PUT, "/www/auftrag").json(&body);
        let response = self.shop.send(request).await;
        let unconfirmed = Unconfirmed::Conversion {
            offer: offer.clone(),
        };
        let response = self.record_if_unconfirmed(response, unconfirmed)?;
        if response.status == StatusCode::CONFLICT {
            self.done.refused.push((offer, customer));
            return Ok(());
        }
        let data = response.data(StatusCode::CREATED, &body.to_string());
        self.done.conversions.push(Conversion {
            offer,
            customer,
            order: text(&data, "AuftNr"),
        });
        Ok(())
    }

    /// Makes the invoice of one of its orders, perhaps again. Some orders lack what an invoice needs.
    async fn make_invoice(&mut self) -> Result<(), NoResponse> {
        let order = self.random.choose(&self.done.orders).0.clone();
        let path = format!("/admin/auftrag/{order}/rechnung");
        let request = self.shop.request(Method::POST, &path);
        let response = self.shop.send(request).await?;
        if response.status != StatusCode::UNPROCESSABLE_ENTITY {
            let data = response.data(StatusCode::CREATED, &path);
            self.done.note_invoice(order, text(&data, "RechNr"));
            self.board.invoiced.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn change_address(&mut self) -> Result<(), NoResponse> {
        let customer = self.customer();
        let at = match self.patched.get(&customer) {
            Some(at) => *at,
            None => self.contact_of(&customer).await?,
        };
        let mark = format!("Stock {}", self.random.below(u64::MAX));
        let body = json!({"AdrAdresse2": mark, "EmailAdress": format!("{}@example.ch", mark.replace(' ', "-"))});
        let patched = &mut self.done.addresses[at];
        let path = format!("/www/adressen/{}", patched.number);
        let request = self.shop.request(Method::PATCH, &path).json(&body);
        patched.unconfirmed = Some(mark);
        let response = self.shop.send(request).await?;
        assert_eq!(
            response.status,
            StatusCode::NO_CONTENT,
            "{path}: {}",
            response.text
        );
        patched.last = patched.unconfirmed.take();
        Ok(())
    }

    /// Starts to track the contact address of a customer.
    async fn contact_of(&mut self, customer: &str) -> Result<usize, NoResponse> {
        let path = format!("/www/adressen?debinr={customer}");
        let response = self
            .shop
            .send(self.shop.request(Method::GET, &path))
            .await?;
        let data = response.data(StatusCode::OK, &path);
        let number = data["KundKontakt"][0]["AdrNr"].to_string();
        let at = self.done.addresses.len();
        self.done.addresses.push(Patched {
            number,
            customer: customer.to_owned(),
            last: None,
            unconfirmed: None,
        });
        self.patched.insert(customer.to_owned(), at);
        Ok(at)
    }
}
