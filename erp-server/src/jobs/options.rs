//! How long the background jobs keep things.

/// How long things are kept.
#[derive(Clone, Copy, Debug)]
pub struct JobOptions {
    /// Days of an event after it was handed to delivery.
    pub event_days: u32,
    /// Days of an entry of the audit trail; 0 keeps all.
    pub audit_days: u32,
}
