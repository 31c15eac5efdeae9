//! A bounded server with TLS: `cargo run -p erp-net --example hello -- 127.0.0.1:8443 chain.pem key.pem`.

use std::convert::Infallible;
use std::error::Error;
use std::path::Path;
use std::time::Duration;

use erp_net::{Certificates, Options, RequestBody, Server};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};

/// `POST` returns its body; a client that sends it too slowly gets 408.
async fn hello(request: Request<RequestBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.method() != Method::POST {
        return Ok(Response::new(Full::from("hello\n")));
    }
    Ok(match request.into_body().collect().await {
        Ok(body) => Response::new(Full::from(body.to_bytes())),
        Err(_) => {
            let mut response = Response::default();
            *response.status_mut() = StatusCode::REQUEST_TIMEOUT;
            response
        }
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let listen = arguments.next().unwrap_or("127.0.0.1:8080".to_owned());
    let (certificate, key) = (arguments.next(), arguments.next());
    let certificate = certificate.as_deref().map(Path::new);
    let server = Server::bind(Options {
        certificates: Certificates::of(certificate, key.as_deref().map(Path::new))?,
        max_connections: 500,
        ..Options::new(listen.parse()?)
    })?;
    println!("{}", server.url());
    let handle = server.handle();
    tokio::spawn(async move {
        // Without a signal handler the process just ends.
        if tokio::signal::ctrl_c().await.is_ok() {
            handle.stop(Duration::from_secs(10));
        }
    });
    server.serve(|_connection| service_fn(hello)).await;
    Ok(())
}
