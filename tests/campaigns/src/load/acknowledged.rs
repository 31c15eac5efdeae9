//! What the server acknowledged, and the check that the store has it.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};

use super::orders::is_whole_order;
use super::{Ledger, Shop, decimal, text};

/// An offer in the state that was acknowledged last.
#[derive(Clone, Debug)]
pub struct Offered {
    /// Its number.
    pub number: String,
    /// Whether it was made without a customer.
    pub template: bool,
    /// The offer in the last response.
    pub shown: Value,
    /// Its entity tag in that response.
    pub tag: Option<String>,
    /// The new quantity of the first position in a change without a response.
    pub unconfirmed: Option<Value>,
}

/// An offer that was converted to an order.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The offer.
    pub offer: String,
    /// The customer of the order.
    pub customer: String,
    /// The order.
    pub order: String,
}

/// An address with the mark of its last acknowledged change, and of a change without a response.
#[derive(Clone, Debug)]
pub struct Patched {
    /// Its number.
    pub number: String,
    /// Its customer.
    pub customer: String,
    /// The mark of the last acknowledged change.
    pub last: Option<String>,
    /// The mark of a change without a response.
    pub unconfirmed: Option<String>,
}

/// A request without a response: it may have been executed or not.
#[derive(Clone, Debug)]
pub enum Unconfirmed {
    /// A new order.
    Order {
        /// A text that no other request has.
        reference: String,
        /// The idempotency key, if it had one.
        key: Option<String>,
        /// What was sent.
        body: Value,
    },
    /// A new offer.
    Offer {
        /// A text that no other request has.
        reference: String,
    },
    /// An order from an offer.
    Conversion {
        /// The offer.
        offer: String,
    },
}

/// Everything that the server acknowledged, by number, with what was sent.
#[derive(Clone, Debug, Default)]
pub struct Acknowledged {
    /// Orders.
    pub orders: Vec<(String, Value)>,
    /// Customers.
    pub customers: Vec<(String, Value)>,
    /// Offers.
    pub offers: Vec<Offered>,
    /// Orders made from offers.
    pub conversions: Vec<Conversion>,
    /// Offers whose conversion was refused, with the customer.
    pub refused: Vec<(String, String)>,
    /// Addresses.
    pub addresses: Vec<Patched>,
    /// The number of the invoice of each order.
    pub invoices: BTreeMap<String, String>,
    /// Requests without a response.
    pub unconfirmed: Vec<Unconfirmed>,
}

impl Offered {
    /// The quantity of the first position.
    #[must_use]
    pub fn quantity(&self) -> Value {
        self.shown["Positionen"][0]["PosAnzBest"].clone()
    }

    async fn verify(&self, shop: &Shop) {
        let Self { number, shown, .. } = self;
        let (found, tag) = shop
            .get_tagged(&format!("/www/offerte?OffertNr={number}"))
            .await;
        let quantity = &found["Positionen"][0]["PosAnzBest"];
        let happened = |unconfirmed: &Value| decimal(unconfirmed) == decimal(quantity);
        if self.unconfirmed.as_ref().is_some_and(happened) {
            return;
        }
        for list in ["Positionen", "MWSTRekapitulation"] {
            assert_eq!(found[list], shown[list], "offer {number}: {list}");
        }
        for member in ["AuftBestellNr", "AuftNetto", "AuftWUST", "AuftBrutto"] {
            let (found, shown) = (&found["GrundDaten"][member], &shown["GrundDaten"][member]);
            assert_eq!(found, shown, "offer {number}: {member}");
        }
        if found["GrundDaten"]["AuftStatus"] == "P" {
            assert_eq!(
                (&found["GrundDaten"], &tag),
                (&shown["GrundDaten"], &self.tag),
                "offer {number}"
            );
        }
    }
}

impl Conversion {
    async fn verify(&self, shop: &Shop) {
        let Self {
            offer,
            customer,
            order,
        } = self;
        let found = shop.get(&format!("/www/offerte?OffertNr={offer}")).await;
        let placed = shop.get(&format!("/www/auftrag/{order}")).await;
        let header = &found["GrundDaten"];
        assert_eq!(
            (
                &header["AuftStatus"],
                &header["AuftNr"],
                &header["KundNr"],
                &placed["GrundDaten"]["KundNr"]
            ),
            (
                &json!("A"),
                &json!(order),
                &json!(customer),
                &json!(customer)
            ),
            "offer {offer}"
        );
        for member in ["AuftBestellNr", "AuftNetto", "AuftWUST", "AuftBrutto"] {
            assert_eq!(
                placed["GrundDaten"][member], header[member],
                "order {order} of offer {offer}: {member}"
            );
        }
        let count = |document: &Value| document["Positionen"].as_array().unwrap().len();
        assert_eq!(count(&placed), count(&found), "order {order}");
    }
}

impl Patched {
    async fn verify(&self, shop: &Shop) {
        let Self {
            number,
            customer,
            last,
            unconfirmed,
        } = self;
        let found = shop.get(&format!("/www/adressen/{number}")).await;
        let found = found["AdrAdresse2"].as_str().map(str::to_owned);
        let happened = unconfirmed.is_some() && found == *unconfirmed;
        assert!(
            found == *last || happened,
            "address {number}: {found:?} instead of {last:?}"
        );
        if let Some(mark) = found {
            let email = format!("{}@example.ch", mark.replace(' ', "-"));
            let path = format!("/www/adressensuche?EmailAdress={email}");
            assert_eq!(shop.get(&path).await["DebiNr"], *customer, "{email}");
        }
    }
}

impl Acknowledged {
    /// Adds the results of another client or round.
    pub fn extend(&mut self, other: Self) {
        self.orders.extend(other.orders);
        self.customers.extend(other.customers);
        self.offers.extend(other.offers);
        self.conversions.extend(other.conversions);
        self.refused.extend(other.refused);
        self.addresses.extend(other.addresses);
        for (order, number) in other.invoices {
            self.note_invoice(order, number);
        }
        self.unconfirmed.extend(other.unconfirmed);
    }

    /// Adds the number of an order's invoice, which has no other.
    pub fn note_invoice(&mut self, order: String, number: String) {
        let known = self.invoices.entry(order).or_insert_with(|| number.clone());
        assert_eq!(*known, number, "an order has two invoices");
    }

    /// The number of each kind, as text.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "{} orders, {} customers, {} offers, {} conversions, {} refused ones, {} addresses, {} invoices acknowledged; {} unconfirmed",
            self.orders.len(),
            self.customers.len(),
            self.offers.len(),
            self.conversions.len(),
            self.refused.len(),
            self.addresses.len(),
            self.invoices.len(),
            self.unconfirmed.len(),
        )
    }

    /// Reads everything back and compares it.
    pub async fn verify(&self, shop: &Shop) {
        let tasks: Vec<_> = (0..8)
            .map(|task| tokio::spawn(self.clone().verify_part(shop.clone(), task)))
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }

    async fn verify_part(self, shop: Shop, task: usize) {
        for (number, sent) in self.orders.iter().skip(task).step_by(8) {
            let found = shop.get(&format!("/www/auftrag/{number}")).await;
            is_whole_order(number, sent, &found);
        }
        for (number, sent) in self.customers.iter().skip(task).step_by(8) {
            let found = shop.get(&format!("/www/kunden/{number}")).await;
            assert_eq!(
                found["Kommentar"], sent["GrundDaten"]["Kommentar"],
                "customer {number}"
            );
            let own = sent["Adressen"].get("LiefAdr").is_some();
            assert_eq!(
                found["KundLief"] != found["KundKontakt"],
                own,
                "customer {number}: {found}"
            );
        }
        for offered in self.offers.iter().skip(task).step_by(8) {
            offered.verify(&shop).await;
        }
        for conversion in self.conversions.iter().skip(task).step_by(8) {
            conversion.verify(&shop).await;
        }
        for patched in self.addresses.iter().skip(task).step_by(8) {
            patched.verify(&shop).await;
        }
    }

    /// Sends every order that has a key and got no response again. If the server had stored it before it ended, it
    /// returns the same response again; otherwise it places the order now.
    pub async fn send_again(&self, shop: &Shop, ledger: &Ledger) -> Self {
        let mut placed = Self::default();
        for unconfirmed in &self.unconfirmed {
            let Unconfirmed::Order {
                reference,
                key: Some(key),
                body,
            } = unconfirmed
            else {
                continue;
            };
            let stored = ledger.order_of(reference);
            let (number, replayed) = shop.order(body, Some(key)).await.unwrap();
            assert_eq!(replayed, stored.is_some(), "{reference}: order {number}");
            assert_eq!(
                stored.unwrap_or(&number),
                number,
                "{reference} is ordered twice"
            );
            let third = shop.order(body, Some(key)).await.unwrap();
            assert_eq!(third, (number.clone(), true), "{reference}");
            placed.orders.push((number, body.clone()));
        }
        placed
    }
}

/// All numbers that were assigned; none may be assigned twice.
#[derive(Debug, Default)]
pub struct Numbers {
    given: HashSet<String>,
    /// The order of each offer, with its customer.
    ordered: HashMap<String, (String, String)>,
}

impl Numbers {
    /// Records the numbers.
    pub fn note(&mut self, acknowledged: &Acknowledged) {
        let orders = acknowledged
            .orders
            .iter()
            .map(|(number, _)| ("order", number));
        let customers = acknowledged.customers.iter();
        let customers = customers.map(|(number, _)| ("customer", number));
        let offers = acknowledged.offers.iter();
        let offers = offers.map(|offered| ("offer", &offered.number));
        for (kind, number) in orders.chain(customers).chain(offers) {
            self.give(kind, number);
        }
        for Conversion {
            offer,
            customer,
            order,
        } in &acknowledged.conversions
        {
            let made = (order.clone(), customer.clone());
            match self.ordered.get(offer) {
                Some(known) => assert_eq!(*known, made, "offer {offer} is two orders"),
                None => {
                    self.give("order", order);
                    self.ordered.insert(offer.clone(), made);
                }
            }
        }
    }

    fn give(&mut self, kind: &str, number: &str) {
        let new = self.given.insert(format!("{kind} {number}"));
        assert!(new, "{kind} number {number} was assigned twice");
    }
}

impl Offered {
    /// The customer for whom the offer was made first.
    #[must_use]
    pub fn customer(&self) -> Option<String> {
        (!self.template).then(|| text(&self.shown["GrundDaten"], "KundNr"))
    }
}
