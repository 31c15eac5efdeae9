//! The views of a record: who sends or stores it in which form. A record that several of them have is declared once, as a
//! struct with `#[derive(Record)]`, and [`Record<V>`](super::Record) is how the view `V` has it.

/// A view of records.
pub trait View {
    /// Whether trailing blanks of texts are padding, as in files with columns of fixed width.
    const PADDED: bool = false;
}

/// A body that a client sends.
#[derive(Debug)]
pub struct Body;

/// The body of a new offer, which has no prices and payments of its own.
#[derive(Debug)]
pub struct Offer;

/// The addresses in the body of a customer.
#[derive(Debug)]
pub struct Customer;

/// A change that a client sends: every member may be absent.
#[derive(Debug)]
pub struct Patch;

/// What the server sends.
#[derive(Debug)]
pub struct Response;

/// The copy of an address that an order or offer has.
#[derive(Debug)]
pub struct Copied;

/// A row of an import or export.
#[derive(Debug)]
pub struct Row;

impl View for Body {}
impl View for Offer {}
impl View for Customer {}
impl View for Patch {}
impl View for Response {}
impl View for Copied {}

impl View for Row {
    const PADDED: bool = true;
}
