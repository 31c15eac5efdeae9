//! The guides of the page: the usual jobs, step by step. The script writes a sample beside each step, as it does beside operations.

use std::fmt::Write as _;

use super::PageOperation;
use super::html::HtmlPage;

struct Guide {
    id: &'static str,
    title: &'static str,
    steps: &'static [GuideStep],
}

struct GuideStep {
    text: &'static str,
    /// The operation whose sample is shown, with the example of its body.
    operation: &'static str,
    /// Values of parameters in the sample, by name.
    values: &'static [(&'static str, &'static str)],
}

const GUIDES: [Guide; 5] = [
    Guide {
        id: "log-in",
        title: "Log in",
        steps: &[
            GuideStep {
                text: "User and password of a shop give a token. Send it with every request as `Authorization: Bearer`. It \
                       ends after `expires_in` seconds. All three stay on the server of the shop: they read every customer.",
                operation: "createToken",
                values: &[],
            },
            GuideStep {
                text: "A page in a browser gets a token of one customer, for which the server of the shop asks.",
                operation: "createToken",
                values: &[("debinr", "10007")],
            },
        ],
    },
    Guide {
        id: "sync",
        title: "Keep a copy of the articles",
        steps: &[
            GuideStep {
                text: "An empty `seit` returns all articles, and a `stand`. Keep both.",
                operation: "listArticles",
                values: &[("seit", "")],
            },
            GuideStep {
                text: "Later send the `stand`. Replace or add what is in `data`, remove the numbers in `entfernt`, and keep the \
                       new `stand`. After 410 begin again with an empty `seit`.",
                operation: "listArticles",
                values: &[("seit", "STAND")],
            },
        ],
    },
    Guide {
        id: "order",
        title: "Place an order exactly once",
        steps: &[GuideStep {
            text: "Choose one key for the order. When no response comes, or 503 with the outcome `unknown`, send the same \
                   request again within 24 hours. The order is placed once, and the first response comes again.",
            operation: "createOrder",
            values: &[("Idempotency-Key", "order-W-2026-17")],
        }],
    },
    Guide {
        id: "read-back",
        title: "Read an order back",
        steps: &[
            GuideStep {
                text: "With its number: positions, addresses, totals and tax as they were stored.",
                operation: "readOrder",
                values: &[("AuftNr", "100001")],
            },
            GuideStep {
                text: "Without it: by the number that the shop itself gave the order.",
                operation: "listOwnOrders",
                values: &[("AuftBestellNr", "W-2026-17")],
            },
        ],
    },
    Guide {
        id: "hear-of-changes",
        title: "Hear of changes",
        steps: &[
            GuideStep {
                text: "An admin switches events of orders on.",
                operation: "setCompanyAttribute",
                values: &[("name", "REST_Auft")],
            },
            GuideStep {
                text: "Then the admin names a receiver. The response has the secret that signs the messages, only this once.",
                operation: "addEventTarget",
                values: &[],
            },
            GuideStep {
                text: "A test shows whether messages arrive. A receiver checks the signature, responds with 2xx within 15 \
                       seconds, and reads the order with the number in the message.",
                operation: "testEventTarget",
                values: &[("id", "1")],
            },
        ],
    },
];

impl HtmlPage {
    pub(super) fn guide_links(&mut self) {
        for guide in &GUIDES {
            self.raw("<li>");
            self.link("guide", guide.id, guide.title);
            self.raw("</li>");
        }
    }

    pub(super) fn guides(&mut self, operations: &[PageOperation<'_>]) {
        self.raw("<section>");
        self.element("h2", "Guides");
        for guide in &GUIDES {
            let _ = write!(self.0, "<section id=\"guide-{}\">", guide.id);
            self.element("h3", guide.title);
            for step in guide.steps {
                let place = operations.iter().find(|place| place.id() == step.operation);
                if let Some(place) = place {
                    self.step(step, place);
                }
            }
            self.raw("</section>");
        }
        self.raw("</section>");
    }

    fn step(&mut self, step: &GuideStep, place: &PageOperation<'_>) {
        let values: Vec<String> = step
            .values
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let _ = write!(self.0, "<div class=\"pair\" data-values=\"");
        self.text(&values.join("&"));
        self.raw("\"><div>");
        self.element("p", step.text);
        let _ = write!(self.0, "<p><a href=\"#op-{}\">", place.id());
        self.route(place.method, place.path);
        self.raw("</a></p></div><div class=\"side\"></div></div>");
    }
}
