//! Customers of a shop with tokens of their own: in a shop where strangers register there is no bound on their number.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{Holder, Load};
use crate::client::{Connection, get, send_request};

/// Requests that are on their way at once on a connection.
const PIPELINED: usize = 16;

pub(super) fn all() -> Vec<Load> {
    let load = super::plain;
    vec![
        load("PDFs of an invoice, 24 at once of 2 customers", |attack| {
            attack.hold(24, 2, invoices);
        }),
        load("16 large orders at once, 48 of 8 addresses", |attack| {
            attack.hold(48, 8, orders);
        }),
        load("16 large orders at once, 2,000 of 40", |attack| {
            attack.hold(2_000, 40, orders);
        }),
    ]
}

/// Reads the pages of an invoice of 1,000 positions again and again.
async fn invoices(holder: Holder, slow: Connection) -> io::Result<()> {
    drop(slow);
    let customers = &holder.target.customers;
    let customer = customers.get(holder.number % 2).expect("two customers");
    let path = format!("/www/rechnung/{}", customer.invoice);
    let request = get(&path, Some(&customer.token)).replacen(
        "\r\n\r\n",
        "\r\nAccept: application/pdf\r\n\r\n",
        1,
    );
    let mut stream = holder.dialer.connect_as(holder.address).await?;
    holder.attacker.is_in_place();
    loop {
        let response = send_request(&mut stream, request.as_bytes()).await?;
        holder.attacker.counts.count_response(response.status);
    }
}

/// Reads large orders, many at once on a connection.
async fn orders(holder: Holder, stream: Connection) -> io::Result<()> {
    let customer = holder.customer();
    let path = format!("/www/auftrag/{}", customer.order);
    let requests = get(&path, Some(&customer.token)).repeat(PIPELINED);
    let (mut received, mut sent) = tokio::io::split(stream);
    holder.attacker.is_in_place();
    let send = async { while sent.write_all(requests.as_bytes()).await.is_ok() {} };
    let mut buffer = vec![0; 4_096];
    let read = async {
        while received
            .read(&mut buffer)
            .await
            .is_ok_and(|count| count > 0)
        {}
    };
    tokio::join!(send, read);
    Ok(())
}
