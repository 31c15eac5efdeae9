//! The settings, section by section: name, type, default, unit and how the text is read. `settings.tsv` says what they mean.
//!
//! A section groups settings for readers of the code, of `docs/settings.md` and of the help, which has the section's
//! heading; on the command line, in the environment and in files a setting has its own name alone.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;

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

/// What a setting means.
fn text(name: &str) -> &'static str {
    let mut rows = include_str!("settings.tsv").lines();
    let text = rows.find_map(|row| row.strip_prefix(name)?.strip_prefix('\t'));
    text.unwrap_or_default()
}

macro_rules! settings {
    ($($(#[doc = $about:literal])+ $section:ident: $struct:ident = $title:literal {
        $($name:ident: $type:ty = $default:literal, $unit:literal, $read:expr;)+
    })+) => {
        $($(#[doc = $about])+
        #[derive(Clone, Debug)]
        pub struct $struct {
            $(pub $name: $type,)+
        })+

        /// Everything that can be set; [`Settings::describe`] says what it means.
        #[derive(Clone, Debug)]
        pub struct Settings {
            $($(#[doc = $about])+ pub $section: $struct,)+
        }

        pub(super) static DOCS: LazyLock<Vec<SettingDoc>> = LazyLock::new(|| vec![$($(SettingDoc {
            name: stringify!($name),
            section: $title,
            default: $default,
            unit: $unit,
            text: text(stringify!($name)),
        },)+)+]);

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
                    _ => Err(ConfigError::unknown(name, source, &DOCS)),
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
        listen: Listen = "127.0.0.1:8080", "address:port or unix:path", parsed;
        admin_listen: Option<Listen> = "", "address:port or unix:path", |text| optional(text, parsed);
        page_dir: Option<PathBuf> = "", "path", |text| optional(text, path);
        tls_certificate: Option<PathBuf> = "", "path", |text| optional(text, path);
        tls_key: Option<PathBuf> = "", "path", |text| optional(text, path);
        hsts_seconds: u64 = "31536000", "seconds", |text| number(text, 0, 3_153_600_000);
        base_url: Option<BaseUrl> = "", "URL", |text| optional(text, parsed);
        trusted_proxies: Vec<Proxy> = "", "list of addresses, networks or unix", |text| list(text, parsed);
        cors_origins: Vec<String> = "", "list of origins", |text| list(text, origin);
        shutdown_seconds: u64 = "30", "seconds", |text| number(text, 0, 3_600);
        shutdown_delay_seconds: u64 = "0", "seconds", |text| number(text, 0, 3_600);
    }
    /// What one request, one client and all of them together may use.
    limits: Limits = "Limits of requests and connections" {
        json_body_bytes: u64 = "1048576", "bytes", |text| number(text, 1_024, 1_073_741_824);
        request_timeout_seconds: u64 = "30", "seconds", |text| number(text, 1, 3_600);
        client_timeout_seconds: u64 = "20", "seconds", |text| number(text, 1, 3_600);
        idle_timeout_seconds: u64 = "60", "seconds", |text| number(text, 1, 86_400);
        max_requests: usize = "1024", "requests", |text| number(text, 1, 1_000_000);
        max_connections: usize = "2000", "connections", |text| number(text, 1, 1_000_000);
        body_memory_bytes: u64 = "134217728", "bytes", |text| number(text, 1_048_576, 1_099_511_627_776);
        rate_limits: bool = "true", "true or false", truth;
        requests_per_minute: u32 = "600", "requests per minute", |text| number(text, 1, 10_000_000);
        token_requests_per_minute: u32 = "10", "requests per minute", |text| number(text, 1, 10_000_000);
        scan_entries: usize = "50000", "entries", |text| number(text, 1, 1_000_000_000);
    }
    /// The store of the records.
    store: Store = "Store of the records" {
        data_dir: PathBuf = "data", "path", path;
        database: Option<DatabaseUrl> = "", "URL", |text| optional(text, parsed);
        database_password_file: Option<PathBuf> = "", "path", |text| optional(text, path);
        database_ca_file: Option<PathBuf> = "", "path", |text| optional(text, path);
        database_connections: usize = "16", "connections", |text| number(text, 1, 10_000);
        sled_cache_bytes: u64 = "33554432", "bytes", |text| number(text, 1_048_576, 1_099_511_627_776);
        journal_bytes: Option<u64> = "", "bytes", |text| optional(text, |text| number(text, 33_554_432, 1_125_899_906_842_624));
    }
    /// How the interface and its business rules behave.
    business: Business = "Interface and business rules" {
        strict_bodies: bool = "false", "true or false", truth;
        expires_in_as_string: bool = "false", "true or false", truth;
        shop_may_cancel: bool = "false", "true or false", truth;
        unique_order_reference: bool = "false", "true or false", truth;
        customers_may_backorder: bool = "false", "true or false", truth;
        token_lifetime_seconds: u64 = "3600", "seconds", |text| number(text, 1, 31_536_000);
        address_check: AddressCheck = "tell", "tell or strict", choice;
        town_directory: Option<PathBuf> = "", "path", |text| optional(text, path);
        cash_rounding: Option<Decimal> = "", "amount", |text| optional(text, decimal);
        first_order_number: u64 = "100001", "number", |text| number(text, 1, 9_000_000_000);
        first_offer_number: u64 = "100001", "number", |text| number(text, 1, 9_000_000_000);
        first_customer_number: u64 = "10001", "number", |text| number(text, 1, 900_000);
        first_invoice_number: u64 = "1", "number", |text| number(text, 1, 9_000_000_000);
    }
    /// The files of article media.
    media: Media = "Article media" {
        media_body_bytes: u64 = "67108864", "bytes", |text| number(text, 1_024, 1_099_511_627_776);
        media_store: Option<MediaStore> = "", "address", |text| optional(text, parsed);
        media_s3_endpoint: Option<BaseUrl> = "", "URL", |text| optional(text, parsed);
        media_s3_region: String = "us-east-1", "name", word;
        media_s3_access_key: Option<String> = "", "text", |text| optional(text, word);
        media_s3_secret_key_file: Option<PathBuf> = "", "path", |text| optional(text, path);
    }
    /// Events and their delivery.
    events: Events = "Events" {
        event_private_targets: bool = "false", "true or false", truth;
        event_log_days: u32 = "30", "days", |text| number(text, 1, 3_650);
    }
    /// The e-invoice processor.
    zugferd: Zugferd = "E-invoices" {
        zugferd_body_bytes: u64 = "67108864", "bytes", |text| number(text, 1_024, 1_073_741_824);
        zugferd_require: Vec<Requirement> = "", "list of pdfa and valid", |text| list(text, choice);
        zugferd_decrypt: bool = "false", "true or false", truth;
        zugferd_parallel: Option<usize> = "", "e-invoices", |text| optional(text, |text| number(text, 1, 1_024));
        zugferd_timeout_seconds: u64 = "120", "seconds", |text| number(text, 1, 3_600);
        zugferd_debug: bool = "false", "true or false", truth;
        zugferd_work_bytes: u64 = "1073741824", "bytes", |text| number(text, 0, 1_099_511_627_776);
    }
    /// Log, metrics, readiness and audit trail.
    observe: Observe = "Log, metrics, readiness and audit trail" {
        log_dir: Option<PathBuf> = "", "path", |text| optional(text, path);
        log_addresses: LogAddresses = "network", "full, network or none", choice;
        log_level: Level = "info", "level", level;
        log_days: u32 = "90", "days", |text| number(text, 0, 36_500);
        log_bytes: u64 = "1073741824", "bytes", |text| number(text, 16_777_216, 1_099_511_627_776);
        metrics_listen: Option<SocketAddr> = "", "address:port", |text| optional(text, socket);
        audit_days: u32 = "3650", "days", |text| number(text, 0, 36_500);
    }
}
