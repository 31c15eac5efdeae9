//! The operations of the interface on the memory store.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

mod addresses;
mod administration;
mod all_problems;
mod articles;
mod audit;
mod back_office;
mod backorders;
mod bent_orders;
mod canceled;
mod changes;
mod changes_followed;
mod common;
mod contradictions;
mod counting;
mod deliveries;
mod differences;
mod export;
mod forget;
mod import;
#[cfg(feature = "zugferd")]
mod invoice_list;
#[cfg(feature = "zugferd")]
mod invoice_payment;
#[cfg(feature = "zugferd")]
mod invoices;
mod leases;
mod main_job;
mod media;
mod not_sold;
mod numbers;
mod offer_list;
mod offers;
mod one_customer;
mod order_keys;
mod order_note;
mod order_search;
mod orders;
mod overtaken;
mod price_basis;
mod races;
mod round_trips;
mod same_sums;
mod selection;
mod shop_orders;
mod totals_golden;
mod totals_properties;
#[cfg(feature = "towns-ch-li")]
mod town_check;
#[cfg(feature = "towns-ch-li")]
mod town_check_support;
mod unchanged;
mod values;
mod work;
