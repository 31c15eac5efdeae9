//! The shutdown at SIGTERM: started requests are finished, acknowledged records are kept, no new client can connect.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::company::{Company, header, json};
use erp_campaigns::load::Shop;
use erp_tests::bodies;
use erp_tests::process::{self, Server};
use erp_tests::wait::{PATIENCE, wait_until};
use reqwest::{Client, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn admin(server: &Server, company: &Company) -> Shop {
    let admin = company
        .users
        .iter()
        .find(|user| user.role == "admin")
        .unwrap();
    Shop::log_in(&server.base_url(), admin).await
}

async fn token(server: &Server, company: &Company) -> String {
    admin(server, company).await.token().to_owned()
}

fn host(server: &Server) -> String {
    server.base_url().replace("http://", "")
}

/// A keep-alive connection, without a client library that could send a request twice.
struct Connection {
    stream: TcpStream,
    head: String,
}

impl Connection {
    async fn open(host: &str, token: &str) -> std::io::Result<Self> {
        Ok(Self {
            stream: TcpStream::connect(host).await?,
            head: format!(
                "POST /www/auftrag HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json\r\n"
            ),
        })
    }

    /// Sends an order; returns the text of the whole response, or `None` if the server closed the connection without
    /// one.
    async fn order(&mut self, body: &str) -> Option<String> {
        let request = format!("{}Content-Length: {}\r\n\r\n{body}", self.head, body.len());
        self.stream.write_all(request.as_bytes()).await.ok()?;
        self.read_response().await
    }

    async fn read_response(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n")
                && let Some(length) = header(head, "content-length")
                && body.len() == length.parse::<usize>().unwrap()
            {
                return Some(text);
            }
            match self.stream.read_buf(&mut bytes).await {
                Ok(0) | Err(_) => {
                    assert!(bytes.is_empty(), "a response was cut: {text}");
                    return None;
                }
                Ok(_) => (),
            }
        }
    }
}

fn number_of(response: &str) -> String {
    let body = json(response);
    body["data"]["AuftNr"].as_str().unwrap().to_owned()
}

/// Places orders until the server closes the connection; returns the acknowledged numbers.
async fn write(host: String, token: String, body: String, count: Arc<AtomicUsize>) -> Vec<String> {
    let mut numbers = Vec::new();
    while let Ok(mut connection) = Connection::open(&host, &token).await {
        loop {
            let Some(response) = connection.order(&body).await else {
                // Only a request that the server never started to read may get no response: the first one on a
                // connection that was opened while the server stopped listening.
                return numbers;
            };
            assert!(response.starts_with("HTTP/1.1 201 "), "{response}");
            numbers.push(number_of(&response));
            count.fetch_add(1, Ordering::Relaxed);
            if header(&response, "connection") == Some("close") {
                break;
            }
        }
    }
    numbers
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_under_load_cuts_no_request_and_loses_no_order() {
    let company = Company::new();
    let body = bodies::full_order("10001").to_string();
    let mut all = BTreeSet::new();
    for _ in 0..3 {
        let mut server = company.serve(&[]);
        let (host, token) = (host(&server), token(&server, &company).await);
        let count = Arc::new(AtomicUsize::new(0));
        let writers: Vec<_> = (0..8)
            .map(|_| {
                let work = write(
                    host.clone(),
                    token.clone(),
                    body.clone(),
                    Arc::clone(&count),
                );
                tokio::spawn(work)
            })
            .collect();
        wait_until("forty orders are placed", || {
            count.load(Ordering::Relaxed) >= 40
        });
        server.terminate();
        for writer in writers {
            all.extend(writer.await.unwrap());
        }
        assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
    }
    assert!(all.len() >= 120);
    has_orders(&company, all).await;
}

/// An order of which the server has the header and half of the body.
async fn half(host: &str, token: &str, body: &str) -> Connection {
    const GO_ON: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut connection = Connection::open(host, token).await.unwrap();
    let head = format!(
        "{}Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        connection.head,
        body.len()
    );
    connection.stream.write_all(head.as_bytes()).await.unwrap();
    let mut go_on = [0; GO_ON.len()];
    connection.stream.read_exact(&mut go_on).await.unwrap();
    assert_eq!(go_on, GO_ON);
    let half = &body.as_bytes()[..body.len() / 2];
    connection.stream.write_all(half).await.unwrap();
    connection
}

/// Checks the store, serves the company again and checks that it has every one of these orders.
async fn has_orders(company: &Company, numbers: impl IntoIterator<Item = String>) {
    let checked = process::run(["check", "--data", company.path("data").to_str().unwrap()]);
    let printed = checked.success();
    assert!(printed.ends_with("the store is sound\n"), "{printed}");
    let server = company.serve(&[]);
    let shop = admin(&server, company).await;
    for number in numbers {
        let _ = shop.get(&format!("/www/auftrag/{number}")).await;
    }
}

fn closed(host: &str) {
    wait_until("the server no longer listens", || {
        std::net::TcpStream::connect(host).is_err()
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn started_requests_are_finished_while_no_client_can_connect() {
    let company = Company::new();
    let mut server = company.serve(&[]);
    let (host, token) = (host(&server), token(&server, &company).await);
    let body = bodies::full_order("10001").to_string();
    // An idle connection after a request, one without any request, one with an incomplete body, and one with an
    // incomplete header.
    let mut kept = Connection::open(&host, &token).await.unwrap();
    let response = kept.order(&body).await.unwrap();
    assert!(header(&response, "connection").is_none(), "{response}");
    let mut silent = Connection::open(&host, &token).await.unwrap();
    let mut body_on_its_way = half(&host, &token, &body).await;
    let mut head_on_its_way = Connection::open(&host, &token).await.unwrap();
    let head = format!(
        "{}Content-Length: {}\r\n\r\n",
        head_on_its_way.head,
        body.len()
    );
    let (first, second) = head.split_at(60);
    head_on_its_way
        .stream
        .write_all(first.as_bytes())
        .await
        .unwrap();
    // The server has read it when it responds to a request sent after it.
    let response = kept.order(&body).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 201 "), "{response}");

    server.terminate();
    closed(&host);
    assert!(silent.read_response().await.is_none());
    assert!(kept.read_response().await.is_none());
    let rest = &body.as_bytes()[body.len() / 2..];
    body_on_its_way.stream.write_all(rest).await.unwrap();
    let response = body_on_its_way.read_response().await.unwrap();
    assert!(response.starts_with("HTTP/1.1 201 "), "{response}");
    assert_eq!(header(&response, "connection"), Some("close"));
    let rest = format!("{second}{body}");
    head_on_its_way
        .stream
        .write_all(rest.as_bytes())
        .await
        .unwrap();
    let later = head_on_its_way.read_response().await.unwrap();
    assert!(later.starts_with("HTTP/1.1 201 "), "{later}");
    assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());

    has_orders(
        &company,
        [response, later].map(|response| number_of(&response)),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_or_the_end_of_the_grace_cuts_off_but_loses_nothing() {
    let company = Company::new();
    let body = bodies::full_order("10001").to_string();
    let mut numbers = Vec::new();
    for (grace, signals) in [("3600", 2), ("0", 1)] {
        let flags = [
            "--shutdown-seconds",
            grace,
            "--client-timeout-seconds",
            "3600",
            "--request-timeout-seconds",
            "3600",
        ];
        let mut server = company.serve(&flags);
        let (host, token) = (host(&server), token(&server, &company).await);
        let mut hanging = half(&host, &token, &body).await;
        let mut kept = Connection::open(&host, &token).await.unwrap();
        numbers.push(number_of(&kept.order(&body).await.unwrap()));
        server.terminate();
        closed(&host);
        for _ in 1..signals {
            server.terminate();
        }
        assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
        assert!(hanging.read_response().await.is_none());
    }
    has_orders(&company, numbers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn http_2_clients_finish_their_started_requests() {
    let company = Company::new();
    let mut server = company.serve(&[]);
    let token = token(&server, &company).await;
    let client = Client::builder().http2_prior_knowledge().timeout(PATIENCE);
    let client = client.build().unwrap();
    let body = bodies::full_order("10001");
    let url = format!("{}/www/auftrag", server.base_url());
    let one = client.post(&url).bearer_auth(&token).json(&body).send();
    assert_eq!(one.await.unwrap().status(), StatusCode::CREATED);
    let orders: Vec<_> = (0..40)
        .map(|_| tokio::spawn(client.post(&url).bearer_auth(&token).json(&body).send()))
        .collect();
    // All use one connection that is open, and the first of them is finished.
    wait_until("an order is placed", || {
        orders.iter().any(|order| order.is_finished())
    });
    server.terminate();
    let mut done = 0;
    for order in orders {
        match order.await.unwrap() {
            Ok(response) => {
                assert_eq!(response.status(), StatusCode::CREATED);
                done += 1;
            }
            // The client had not sent it when it read the `GOAWAY` frame, and could not connect again.
            Err(error) => assert!(
                !error.is_timeout() && (error.is_connect() || error.is_request()),
                "{error:?}"
            ),
        }
    }
    assert!(done > 0);
    assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
    // The orders in the store are the acknowledged ones and the first one.
    let server = company.serve(&[]);
    let shop = admin(&server, &company).await;
    let customer = shop.get("/www/kunden/10001?order=100").await;
    let orders = customer["Auftrag"].as_array().unwrap();
    assert_eq!(orders.len(), done + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_load_balancer_gets_time_to_switch_to_another_server() {
    let company = Company::new();
    let mut server = company.serve(&["--shutdown-delay-seconds", "3600"]);
    let (host, token) = (host(&server), token(&server, &company).await);
    let body = bodies::full_order("10001").to_string();
    let before = company.log().matches("\"stopping\"").count();
    server.terminate();
    wait_until("the server says that it stops", || {
        company.log().matches("\"stopping\"").count() > before
    });
    let mut late = Connection::open(&host, &token).await.unwrap();
    let response = late.order(&body).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 201 "), "{response}");
    // The second signal ends the delay.
    server.terminate();
    closed(&host);
    assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
}
