//! The options of each module, from the settings.

use std::sync::Arc;
use std::time::Duration;

use erp_core::Reading;
use erp_core::codes::Currency;
use erp_core::erp::{FirstNumbers, TownCheck};
use erp_core::town::Directory;
use jiff::tz::TimeZone;
use thiserror::Error;

use super::sections::Settings;
use super::value::{AddressCheck, Requirement};
use crate::observe::{logging, readiness};
use crate::{import, jobs, media, resources, web, zugferd};

impl Settings {
    pub fn web_options(&self) -> web::WebOptions {
        let (section, limits) = (&self.web, &self.limits);
        let longest_body = limits.json_body_bytes.max(import::LONGEST_BODY);
        web::WebOptions {
            listen: section.listen.clone(),
            admin_listen: section.admin_listen.clone(),
            tls_certificate: section.tls_certificate.clone(),
            tls_key: section.tls_key.clone(),
            hsts_seconds: section.hsts_seconds,
            base_url: section.base_url.clone(),
            trusted_proxies: section.trusted_proxies.clone(),
            cors_origins: section.cors_origins.clone(),
            log_addresses: self.observe.log_addresses,
            timeouts: web::Timeouts {
                request: Duration::from_secs(limits.request_timeout_seconds),
                client: Duration::from_secs(limits.client_timeout_seconds),
                idle: Duration::from_secs(limits.idle_timeout_seconds),
            },
            limits: web::Limits {
                json_body_bytes: limits.json_body_bytes,
                body_memory_bytes: limits.body_memory_bytes.max(longest_body),
                max_requests: limits.max_requests,
                max_connections: limits.max_connections,
                connections_per_address: (limits.max_connections / 8).max(1),
            },
            rates: web::RateLimits {
                enabled: limits.rate_limits,
                requests_per_minute: limits.requests_per_minute,
                requests_burst: (limits.requests_per_minute / 6).max(1),
                token_requests_per_minute: limits.token_requests_per_minute,
            },
        }
    }

    pub fn logging_options(&self) -> logging::LoggingOptions {
        logging::LoggingOptions {
            folder: self.log_folder(),
            days: self.observe.log_days,
            bytes: self.observe.log_bytes,
            data_dir: self.store.data_dir.clone(),
            least_free_bytes: readiness::LEAST_FREE_BYTES,
            level: self.observe.log_level,
        }
    }

    pub fn media_options(&self) -> media::MediaOptions {
        let media = &self.media;
        media::MediaOptions {
            data_dir: self.store.data_dir.clone(),
            body_bytes: media.media_body_bytes,
            store: media.media_store.clone(),
            endpoint: media.media_s3_endpoint.as_ref().map(ToString::to_string),
            region: media.media_s3_region.clone(),
            access_key: media.media_s3_access_key.clone(),
            secret_key_file: media.media_s3_secret_key_file.clone(),
        }
    }

    pub fn zugferd_options(&self) -> zugferd::ZugferdOptions {
        let zugferd = &self.zugferd;
        let requires = |requirement| zugferd.zugferd_require.contains(&requirement);
        zugferd::ZugferdOptions {
            reading: self.reading(),
            body_bytes: zugferd.zugferd_body_bytes,
            require_pdfa: requires(Requirement::Pdfa),
            require_valid: requires(Requirement::Valid),
            decrypt: zugferd.zugferd_decrypt,
            parallel: zugferd.zugferd_parallel,
            debug_of_shops: zugferd.zugferd_debug,
            data_dir: self.store.data_dir.clone(),
            work_bytes: zugferd.zugferd_work_bytes,
        }
    }

    pub fn resource_options(&self) -> resources::ResourceOptions {
        resources::ResourceOptions {
            token_lifetime_seconds: self.business.token_lifetime_seconds,
            expires_in_as_string: self.business.expires_in_as_string,
            shop_may_cancel: self.business.shop_may_cancel,
            event_private_targets: self.events.event_private_targets,
            zugferd_timeout: Duration::from_secs(self.zugferd.zugferd_timeout_seconds),
            settings: self.setting_values(),
        }
    }

    /// Every setting with its value, in the order of the documentation.
    pub fn setting_values(&self) -> Vec<resources::SettingValue> {
        let values = self.values().into_iter();
        values
            .map(|(doc, value)| resources::SettingValue {
                name: doc.name,
                value: Some(value).filter(|value| !value.is_empty()),
                default: Some(doc.default).filter(|default| !default.is_empty()),
                unit: doc.unit,
            })
            .collect()
    }

    pub fn job_options(&self) -> jobs::JobOptions {
        jobs::JobOptions {
            event_days: self.events.event_log_days,
            audit_days: self.observe.audit_days,
        }
    }

    const fn reading(&self) -> Reading {
        Reading {
            strict: self.business.strict_bodies,
        }
    }
}

/// Converts server settings to core settings, with the built-in postal code directory.
pub fn core_settings(settings: &Settings) -> erp_core::erp::Settings {
    let business = &settings.business;
    let cash_rounding = business.cash_rounding.iter();
    let cash_rounding = cash_rounding.map(|step| (Currency::CHF, *step));
    erp_core::erp::Settings {
        reading: settings.reading(),
        first_numbers: FirstNumbers {
            order: business.first_order_number,
            offer: business.first_offer_number,
            customer: business.first_customer_number,
            invoice: business.first_invoice_number,
            ..FirstNumbers::default()
        },
        cash_rounding: cash_rounding.collect(),
        towns: TownCheck {
            strict: business.address_check == AddressCheck::Strict,
            ..TownCheck::default()
        },
        time_zones: |name| TimeZone::get(name).ok(),
        scan_entries: settings.limits.scan_entries,
        unique_order_reference: business.unique_order_reference,
        customers_may_backorder: business.customers_may_backorder,
        ..erp_core::erp::Settings::default()
    }
}

#[derive(Debug, Error)]
#[error("the postal codes in `{file}` cannot be used: {reason}")]
pub struct TownFileError {
    file: String,
    reason: String,
}

/// Loads the file in setting `town_directory`; it replaces the built-in postal codes of the countries it contains.
pub fn load_towns(
    settings: &Settings,
    core: &mut erp_core::erp::Settings,
) -> Result<(), TownFileError> {
    let Some(path) = &settings.business.town_directory else {
        return Ok(());
    };
    let refuse = |reason: String| TownFileError {
        file: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let newer = Directory::from_csv(&text).map_err(|error| refuse(error.to_string()))?;
    let known = Directory::switzerland_and_liechtenstein();
    core.towns.directory = Some(Arc::new(known.merged(&newer)));
    Ok(())
}
