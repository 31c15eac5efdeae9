//! The values and rules of the business, without storage: no function here waits for anything.

pub mod address;
pub mod article;
pub mod document;
pub mod master;
pub mod media;
pub mod request;
pub mod response;
pub mod tables;
pub mod totals;
pub mod town;
