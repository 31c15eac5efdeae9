//! Prometheus counters for requests and invoices. Labels never contain text chosen by
//! clients: routes are patterns, and unknown methods are merged.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use salvo::http::{Method, StatusCode};

use super::history::History;
use crate::store::register;

/// Histogram bounds for response times in seconds: from a read in memory to the longest import.
const REQUEST_SECONDS: [f64; 14] = [
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0,
];

/// Route label for unknown paths.
const NO_ROUTE: &str = "none";

const TOKENS: &str = "/www/token";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: &'static str,
    status: u16,
}

type Labels<const N: usize> = [(&'static str, &'static str); N];

type Histograms = Family<Labels<2>, Histogram, fn() -> Histogram>;

pub struct Metrics {
    pub(crate) registry: Registry,
    requests: Family<Answered, Counter>,
    seconds: Histograms,
    in_flight: Gauge,
    rate_limited: Counter,
    logins_refused: Counter,
    pub invoices: Invoices,
    pub deliveries: Deliveries,
    pub history: History,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(REQUEST_SECONDS)),
            in_flight: Gauge::default(),
            rate_limited: Counter::default(),
            logins_refused: Counter::default(),
            invoices: Invoices::default(),
            deliveries: Deliveries::default(),
            history: History::new(),
        };
        let registry = &mut metrics.registry;
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        register(registry, "erp_build", version);
        register(registry, "erp_http_requests", metrics.requests.clone());
        let name = "erp_http_request_duration_seconds";
        register(registry, name, metrics.seconds.clone());
        let name = "erp_http_requests_in_flight";
        register(registry, name, metrics.in_flight.clone());
        let name = "erp_http_requests_rate_limited";
        register(registry, name, metrics.rate_limited.clone());
        let refused = metrics.logins_refused.clone();
        register(registry, "erp_logins_refused", refused);
        register(registry, "erp_zugferd", metrics.invoices.0.clone());
        let attempts = metrics.deliveries.0.clone();
        register(registry, "erp_event_attempts", attempts);
        metrics
    }

    /// Counts a request as in flight until the returned value is dropped.
    pub fn begin(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    /// Counts a response; `took` is the time until its head was ready. Unknown paths have no route.
    pub(crate) fn request(
        &self,
        method: &Method,
        route: Option<&'static str>,
        status: u16,
        took: Duration,
    ) {
        let method = method_name(method);
        let route = route.unwrap_or(NO_ROUTE);
        let answered = Answered {
            method,
            route,
            status,
        };
        self.requests.get_or_create(&answered).inc();
        self.seconds
            .get_or_create(&[("method", method), ("route", route)])
            .observe(took.as_secs_f64());
        self.history.request(status, took);
        match status {
            429 => drop(self.rate_limited.inc()),
            401 if route == TOKENS => drop(self.logins_refused.inc()),
            _ => {}
        }
    }
}

/// A request in flight. Dropping it also covers clients that disconnect.
#[derive(Debug)]
#[must_use]
pub struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Merges unknown methods into one name, because clients could otherwise create unlimited labels and log lines of any
/// length.
pub(crate) fn method_name(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let found = KNOWN.into_iter().find(|known| *known == method.as_str());
    found.unwrap_or("other")
}

#[derive(Clone, Debug, Default)]
pub struct Invoices(Family<Labels<2>, Counter>);

impl Invoices {
    pub fn processed(&self, operation: &'static str, outcome: &'static str) {
        let labels = [("operation", operation), ("outcome", outcome)];
        self.0.get_or_create(&labels).inc();
    }

    /// Counts a request rejected before processing.
    pub fn refused(&self, status: StatusCode) {
        let outcome = match status {
            StatusCode::SERVICE_UNAVAILABLE => "busy",
            _ => "refused",
        };
        self.processed("none", outcome);
    }
}

/// What may become of an attempt to deliver an event.
pub(crate) const OUTCOMES: [&str; 4] = ["delivered", "failed", "given_up", "target_gone"];

/// Counters of attempts to deliver events. All outcomes exist as 0 from the start, so that the first `given_up` raises
/// an alarm.
#[derive(Clone, Debug)]
pub struct Deliveries(Family<Labels<1>, Counter>);

impl Deliveries {
    pub fn attempted(&self, outcome: &'static str) {
        self.0.get_or_create(&[("outcome", outcome)]).inc();
    }
}

impl Default for Deliveries {
    fn default() -> Self {
        let counts = Family::default();
        for outcome in OUTCOMES {
            drop(counts.get_or_create(&[("outcome", outcome)]));
        }
        Self(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text::encode;

    fn written(metrics: &Metrics) -> String {
        let mut text = String::new();
        encode(&mut text, &metrics.registry).unwrap();
        text
    }

    #[test]
    fn requests_are_counted_by_pattern_and_bounded_labels() {
        let metrics = Metrics::new();
        let seen = |method: &Method, route, status| {
            metrics.request(method, route, status, Duration::from_millis(3));
        };
        seen(&Method::GET, Some("/www/artikel/{ArtNr}"), 200);
        seen(&Method::GET, Some("/www/artikel/{ArtNr}"), 200);
        seen(&Method::POST, Some(TOKENS), 401);
        seen(&Method::POST, Some("/www/auftrag"), 401);
        seen(&Method::POST, Some(TOKENS), 429);
        seen(&Method::from_bytes(b"BREW").unwrap(), None, 404);
        let text = written(&metrics);
        for line in [
            r#"erp_http_requests_total{method="GET",route="/www/artikel/{ArtNr}",status="200"} 2"#,
            r#"erp_http_requests_total{method="other",route="none",status="404"} 1"#,
            r#"erp_http_request_duration_seconds_bucket{le="0.0025",method="GET",route="/www/artikel/{ArtNr}"} 0"#,
            r#"erp_http_request_duration_seconds_bucket{le="0.005",method="GET",route="/www/artikel/{ArtNr}"} 2"#,
            "erp_http_requests_rate_limited_total 1",
            "erp_logins_refused_total 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("BREW"), "{text}");
    }

    #[test]
    fn a_request_that_is_given_up_is_not_in_flight() {
        let metrics = Metrics::new();
        let (first, second) = (metrics.begin(), metrics.begin());
        assert!(written(&metrics).contains("erp_http_requests_in_flight 2\n"));
        drop((first, second));
        assert!(written(&metrics).contains("erp_http_requests_in_flight 0\n"));
    }
}
