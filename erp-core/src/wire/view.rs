//! The views of a record: who sends or stores it in which form. A record that several of them have is declared once, as a
//! struct with `#[derive(Record)]`, and [`Record<V>`](super::Record) is how the view `V` has it.

/// A body that a client sends.
pub struct Body;

/// The body of a new offer, which has no prices and payments of its own.
pub struct Offer;

/// The addresses in the body of a customer.
pub struct Customer;

/// A change that a client sends: every member may be absent.
pub struct Patch;

/// What the server sends.
pub struct Response;

/// The copy of an address that an order or offer has.
pub struct Copied;

/// A row of an import or export. Trailing blanks of its texts are padding, as in files with columns of fixed width.
pub struct Row;
