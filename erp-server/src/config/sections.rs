//! The settings, section by section: name, type, default, unit and how the text is read.
//!
//! A section groups settings for readers of the code, of `docs/settings.md` and of the help, which has the section's
//! heading; on the command line, in the environment and in files a setting has its own name alone.

use std::net::SocketAddr;
use std::path::PathBuf;

use rust_decimal::Decimal;
use tracing::Level;

use super::doc::SettingDoc;
use super::error::{self, ConfigError};
use super::shown::Shown as _;
use super::value::{
    AddressCheck, Requirement, choice, decimal, level, list, number, optional, parsed, path,
    socket, truth, word,
};
use crate::media::MediaStore;
use crate::store::postgres::DatabaseUrl;
use crate::web::{BaseUrl, Listen, LogAddresses, Proxy, origin};

macro_rules! settings {
    ($($(#[doc = $about:literal])+ $section:ident: $struct:ident = $title:literal {
        $($(#[doc = $text:literal])+ $name:ident: $type:ty = $default:literal, $unit:literal, $read:expr;)+
    })+) => {
        $($(#[doc = $about])+
        #[derive(Clone, Debug)]
        pub struct $struct {
            $($(#[doc = $text])+ pub $name: $type,)+
        })+

        /// Everything that can be set. Each field says its unit; [`Settings::describe`] its default.
        #[derive(Clone, Debug)]
        pub struct Settings {
            $($(#[doc = $about])+ pub $section: $struct,)+
        }

        pub(super) const DOCS: &[SettingDoc] = &[$($(SettingDoc {
            name: stringify!($name),
            section: $title,
            default: $default,
            unit: $unit,
            text: concat!($($text),+),
        },)+)+];

        impl Settings {
            /// The settings when nothing is set.
            /// No error: a test reads every default.
            pub fn defaults() -> Result<Self, ConfigError> {
                Ok(Self {
                    $($section: $struct {
                        $($name: error::read(stringify!($name), "the defaults", $default, $read)?,)+
                    },)+
                })
            }

            /// Sets one value from its text; `source` says in errors where it stood.
            pub fn set(&mut self, name: &str, text: &str, source: &str) -> Result<(), ConfigError> {
                match name {
                    $($(stringify!($name) => {
                        self.$section.$name = error::read(name, source, text, $read)?;
                        Ok(())
                    })+)+
                    _ => Err(ConfigError::unknown(name, source, DOCS)),
                }
            }

            /// Every setting with the text of its value, in the order of this file; the empty text is
            /// not set.
            pub fn values(&self) -> Vec<(&'static SettingDoc, String)> {
                let texts = [$($(self.$section.$name.shown(),)+)+];
                DOCS.iter().zip(texts).collect()
            }
        }
    };
}

settings! {
    /// Where the server listens, TLS, proxies and pages.
    web: Web = "Listening, TLS, proxies and pages" {
        /// Address and port the server listens on, where port 0 takes a free one, or `unix:` and the path of a
        /// unix socket.
        listen: Listen = "127.0.0.1:8080", "address:port or unix:path", parsed;
        /// Address and port for the office, or `unix:` and the path of a unix socket: `/admin`, `/console`, `/docs` and
        /// `/openapi.json` are only there, beside `/www`; not set: all is served on `listen`.
        admin_listen: Option<Listen> = "", "address:port or unix:path", |text| optional(text, parsed);
        /// Folder of a web page that is served at `/`; not set: none, and in the demo `examples/shop` where
        /// it is there. Read again on SIGHUP.
        page_dir: Option<PathBuf> = "", "path", |text| optional(text, path);
        /// File of the certificate chain in PEM form, the server's own first; with `tls_key` the server speaks
        /// https. Read again on SIGHUP.
        tls_certificate: Option<PathBuf> = "", "path", |text| optional(text, path);
        /// File of the certificate's private key in PEM form, without a password.
        tls_key: Option<PathBuf> = "", "path", |text| optional(text, path);
        /// How long browsers insist on https (`Strict-Transport-Security`); only sent with `tls_certificate`, 0
        /// sends none.
        hsts_seconds: u64 = "31536000", "seconds", |text| number(text, 0, 3_153_600_000);
        /// Address that links begin with; not set: the request's own scheme and host.
        base_url: Option<BaseUrl> = "", "URL", |text| optional(text, parsed);
        /// Proxies whose `X-Forwarded-*` headers are believed; `unix` is every client of the unix socket.
        trusted_proxies: Vec<Proxy> = "", "list of addresses, networks or unix", |text| list(text, parsed);
        /// Web origins whose pages may call this server, like `https://shop.example.com`; `*` is all.
        cors_origins: Vec<String> = "", "list of origins", |text| list(text, origin);
        /// Time that requests get to end after SIGTERM.
        shutdown_seconds: u64 = "30", "seconds", |text| number(text, 0, 3_600);
        /// Time between SIGTERM, when the server reports itself not ready, and the end of listening.
        shutdown_delay_seconds: u64 = "0", "seconds", |text| number(text, 0, 3_600);
    }
    /// What one request, one client and all of them together may use.
    limits: Limits = "Limits of requests and connections" {
        /// Longest JSON body.
        json_body_bytes: u64 = "1048576", "bytes", |text| number(text, 1_024, 1_073_741_824);
        /// Time a request may take.
        request_timeout_seconds: u64 = "30", "seconds", |text| number(text, 1, 3_600);
        /// Time in which the head of a request must have come; the first one's begins with the connection. Also
        /// how long all pauses in sending a body, or in reading a response, may be together; each kilobyte earns
        /// a second more.
        client_timeout_seconds: u64 = "20", "seconds", |text| number(text, 1, 3_600);
        /// How long a connection is kept without a request.
        idle_timeout_seconds: u64 = "60", "seconds", |text| number(text, 1, 86_400);
        /// Requests worked on at once, without those whose body is still arriving; more get 503. Half as many
        /// writers may wait for the store.
        max_requests: usize = "1024", "requests", |text| number(text, 1, 1_000_000);
        /// Most open connections, an eighth of them of one address; network.md says how they are shared.
        max_connections: usize = "2000", "connections", |text| number(text, 1, 1_000_000);
        /// Memory of all bodies together, without those of e-invoices, and of requests that wait for a body; more get 503.
        body_memory_bytes: u64 = "134217728", "bytes", |text| number(text, 1_048_576, 1_099_511_627_776);
        /// Limit requests and logins.
        rate_limits: bool = "true", "true or false", truth;
        /// Requests of one user in the long run; a sixth of them at once.
        requests_per_minute: u32 = "600", "requests per minute", |text| number(text, 1, 10_000_000);
        /// Failed logins of one address.
        token_requests_per_minute: u32 = "10", "requests per minute", |text| number(text, 1, 10_000_000);
        /// Entries of the store that one search or listing may read; beyond it 422 `too_broad`.
        scan_entries: usize = "50000", "entries", |text| number(text, 1, 1_000_000_000);
    }
    /// The store of the records.
    store: Store = "Store of the records" {
        /// Folder of the store, the media and the log.
        data_dir: PathBuf = "data", "path", path;
        /// Connection string of a PostgreSQL database that holds the records, with several hosts for one with
        /// standbys; not set: they are in the data folder.
        database: Option<DatabaseUrl> = "", "URL", |text| optional(text, parsed);
        /// File with the password for the database; not set: the connection string has it.
        database_password_file: Option<PathBuf> = "", "path", |text| optional(text, path);
        /// File of the authorities that may have signed the database's certificate, in PEM form; not set: those
        /// of the system.
        database_ca_file: Option<PathBuf> = "", "path", |text| optional(text, path);
        /// Connections to the database; all servers together must keep below its `max_connections`.
        database_connections: usize = "16", "connections", |text| number(text, 1, 10_000);
        /// Memory of the store's cache.
        sled_cache_bytes: u64 = "33554432", "bytes", |text| number(text, 1_048_576, 1_099_511_627_776);
        /// Bytes of the commit journal that are kept at most until a backup covers them; not set: all of it.
        journal_bytes: Option<u64> = "", "bytes", |text| optional(text, |text| number(text, 33_554_432, 1_125_899_906_842_624));
    }
    /// How the interface and its business rules behave.
    business: Business = "Interface and business rules" {
        /// Refuse bodies with fields that no table of the interface lists.
        strict_bodies: bool = "false", "true or false", truth;
        /// Send `expires_in` as a string, for clients bound to the interface's example.
        expires_in_as_string: bool = "false", "true or false", truth;
        /// Shops may cancel their own new orders: `DELETE /www/auftrag/{AuftNr}`.
        shop_may_cancel: bool = "false", "true or false", truth;
        /// Refuse a second order of a customer with the same `AuftBestellNr`, unless the first is canceled.
        unique_order_reference: bool = "false", "true or false", truth;
        /// Tokens of one customer may order more than is available, unless the company takes no backorders (`Rueckstand` N).
        customers_may_backorder: bool = "false", "true or false", truth;
        /// Lifetime of a bearer token.
        token_lifetime_seconds: u64 = "3600", "seconds", |text| number(text, 1, 31_536_000);
        /// What a town and postal code that do not fit mean: `tell` reports it, `strict` refuses.
        address_check: AddressCheck = "tell", "tell or strict", choice;
        /// CSV file of postal codes and towns, in place of the built-in Swiss and Liechtenstein ones for
        /// the countries it lists; not set: only those.
        town_directory: Option<PathBuf> = "", "path", |text| optional(text, path);
        /// Cash rounding of totals in CHF, for example 0.05; not set: none.
        cash_rounding: Option<Decimal> = "", "amount", |text| optional(text, decimal);
        /// First number of orders.
        first_order_number: u64 = "100001", "number", |text| number(text, 1, 9_000_000_000);
        /// First number of offers.
        first_offer_number: u64 = "100001", "number", |text| number(text, 1, 9_000_000_000);
        /// First number of customers; the article list takes six digits of it.
        first_customer_number: u64 = "10001", "number", |text| number(text, 1, 900_000);
        /// First number of invoices and credit notes, which have no gaps; a higher one than the last number counts from then
        /// on, for example after a restore of an older state.
        first_invoice_number: u64 = "1", "number", |text| number(text, 1, 9_000_000_000);
    }
    /// The files of article media.
    media: Media = "Article media" {
        /// Longest file of article media.
        media_body_bytes: u64 = "67108864", "bytes", |text| number(text, 1_024, 1_099_511_627_776);
        /// Where the files of article media are: `s3://bucket/prefix`; not set: in the folder `media` of the
        /// data folder.
        media_store: Option<MediaStore> = "", "address", |text| optional(text, parsed);
        /// Address of the S3-compatible service, which gets the bucket in the path; not set: that of AWS in
        /// `media_s3_region`, which gets it in the host.
        media_s3_endpoint: Option<BaseUrl> = "", "URL", |text| optional(text, parsed);
        /// Region that requests are signed for.
        media_s3_region: String = "us-east-1", "name", word;
        /// Access key of the bucket.
        media_s3_access_key: Option<String> = "", "text", |text| optional(text, word);
        /// File that holds the secret of the access key, alone.
        media_s3_secret_key_file: Option<PathBuf> = "", "path", |text| optional(text, path);
    }
    /// Events and their delivery.
    events: Events = "Events" {
        /// Deliver events to private, loopback and link-local addresses too.
        event_private_targets: bool = "false", "true or false", truth;
        /// Days an event is kept for replay after it was handed to delivery.
        event_log_days: u32 = "30", "days", |text| number(text, 1, 3_650);
    }
    /// The e-invoice processor.
    zugferd: Zugferd = "E-invoices" {
        /// Longest body of an e-invoice request, PDF and XML as Base64 together. Decoded, a PDF may have four times as
        /// many; all bodies in memory together may have eight times as many, and more get 503.
        zugferd_body_bytes: u64 = "67108864", "bytes", |text| number(text, 1_024, 1_073_741_824);
        /// What to refuse: with `pdfa` a PDF that cannot become PDF/A-3, which is returned without a claim otherwise;
        /// with `valid` an invoice to embed that breaks a rule it must keep, or that cannot be checked.
        zugferd_require: Vec<Requirement> = "", "list of pdfa and valid", |text| list(text, choice);
        /// Decrypt a PDF that opens without a password, so that an invoice can be embedded.
        zugferd_decrypt: bool = "false", "true or false", truth;
        /// E-invoices and invoice PDFs worked on at once; not set: one more than the machine has cores. One caller alone has all but one.
        zugferd_parallel: Option<usize> = "", "e-invoices", |text| optional(text, |text| number(text, 1, 1_024));
        /// Time an e-invoice request may take, with sending its body.
        zugferd_timeout_seconds: u64 = "120", "seconds", |text| number(text, 1, 3_600);
        /// Keep the work files of shops that ask for it with `Debug`; those of admins are always kept.
        zugferd_debug: bool = "false", "true or false", truth;
        /// Size of all work files together; the oldest are removed first.
        zugferd_work_bytes: u64 = "1073741824", "bytes", |text| number(text, 0, 1_099_511_627_776);
    }
    /// Log, metrics, readiness and audit trail.
    observe: Observe = "Log, metrics, readiness and audit trail" {
        /// Folder of the log files; not set: `log` in the data folder.
        log_dir: Option<PathBuf> = "", "path", |text| optional(text, path);
        /// What a line about a refused login says of the client's address: `full`, `network` (the first 24 bits of IPv4,
        /// 48 of IPv6) or `none`.
        log_addresses: LogAddresses = "network", "full, network or none", choice;
        /// What the log holds: `error`, `warn`, `info`, `debug` or `trace`.
        log_level: Level = "info", "level", level;
        /// Days a log file is kept; 0 keeps all.
        log_days: u32 = "90", "days", |text| number(text, 0, 36_500);
        /// Size of all log files together; the oldest are removed first.
        log_bytes: u64 = "1073741824", "bytes", |text| number(text, 16_777_216, 1_099_511_627_776);
        /// Address and port of the metrics listener, for example `127.0.0.1:9090`; not set: none.
        metrics_listen: Option<SocketAddr> = "", "address:port", |text| optional(text, socket);
        /// Days an entry of the audit trail is kept; 0 keeps all.
        audit_days: u32 = "3650", "days", |text| number(text, 0, 36_500);
    }
}
