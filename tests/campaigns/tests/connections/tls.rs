//! HTTP over TLS with certificates from files: versions, protocols, links in responses, errors, new certificates.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use crate::company::{Company, Offer, SILENCE, connect, header, json, send_request};
use erp_server::web::Certificates;
use erp_tests::identity::{Identity, SERVERS};
use erp_tests::process;
use erp_tests::skipped;
use erp_tests::wait::wait_until;
use rustls::version::{TLS12, TLS13};

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// A company with certificate and key in files, and the flags for them.
struct Encrypted {
    company: Company,
    identity: Identity,
    flags: Vec<String>,
}

impl Encrypted {
    fn new() -> Self {
        let (company, [identity, ..]) = (Company::new(), SERVERS);
        let (certificate, key) = (company.path("chain.pem"), company.path("key.pem"));
        fs::write(&certificate, identity.certificate).unwrap();
        fs::write(&key, identity.key).unwrap();
        let flags = [
            "--tls-certificate",
            certificate.to_str().unwrap(),
            "--tls-key",
            key.to_str().unwrap(),
        ];
        Self {
            flags: flags.map(str::to_owned).to_vec(),
            company,
            identity,
        }
    }

    fn serve(&self) -> process::Server {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        self.company.serve(&flags)
    }

    fn install(&self, identity: &Identity) {
        fs::write(self.company.path("chain.pem"), identity.certificate).unwrap();
        fs::write(self.company.path("key.pem"), identity.key).unwrap();
    }
}

fn host_of(server: &process::Server) -> String {
    let base = server.base_url();
    base.strip_prefix("https://").unwrap().to_owned()
}

#[test]
fn both_versions_and_both_protocols_are_spoken_and_addresses_are_https() {
    let encrypted = Encrypted::new();
    let server = encrypted.serve();
    let host = host_of(&server);
    for version in [&TLS12, &TLS13] {
        let identities = [&encrypted.identity];
        for (protocols, chosen) in [
            (&["h2", "http/1.1"][..], Some(&b"h2"[..])),
            (&["http/1.1"], Some(b"http/1.1")),
            (&[], None),
        ] {
            let offer = Offer {
                identities: &identities,
                protocols,
                versions: &[version],
            };
            let stream = connect(&host, &offer).unwrap();
            assert_eq!(stream.conn.alpn_protocol(), chosen);
            assert_eq!(stream.conn.protocol_version(), Some(version.version));
        }
        let offer = Offer {
            identities: &identities,
            protocols: &[],
            versions: &[version],
        };
        let response = send_request(&mut connect(&host, &offer).unwrap(), HEALTH);
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
        assert_eq!(
            header(&response, "strict-transport-security"),
            Some("max-age=31536000")
        );
        let token = format!(
            "POST /www/token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}\r\n",
            encrypted.company.basic()
        );
        let token = json(&send_request(&mut connect(&host, &offer).unwrap(), &token));
        let list = format!(
            "GET /www/artikel?limit=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\n\r\n",
            token["access_token"].as_str().unwrap()
        );
        let list = send_request(&mut connect(&host, &offer).unwrap(), &list);
        assert!(list.contains("\"https://localhost/www/artikel"), "{list}");
        let link = header(&list, "link").unwrap();
        assert!(link.contains("<https://localhost/www/artikel"), "{link}");
    }
}

#[test]
fn curl_speaks_http_2_over_tls() {
    let encrypted = Encrypted::new();
    let server = encrypted.serve();
    let host = host_of(&server);
    let port = host.rsplit(':').next().unwrap();
    let mut curl = Command::new("curl");
    curl.args([
        "--silent",
        "--show-error",
        "--include",
        "--http2",
        "--cacert",
    ])
    .arg(encrypted.company.path("chain.pem"))
    .args(["--resolve", &format!("localhost:{port}:127.0.0.1")])
    .arg(format!("https://localhost:{port}/health"));
    let Ok(ran) = curl.output() else {
        return skipped("curl is not installed");
    };
    let ran = process::Ran::of(ran);
    let response = ran.success();
    assert!(
        response.starts_with("HTTP/2 200") && response.ends_with(r#"{"data":{"status":"ok"}}"#),
        "{response}"
    );
}

// rule: D-NET-08
#[test]
fn hsts_is_only_sent_with_tls_and_plain_http_is_not_served_then() {
    let encrypted = Encrypted::new();
    let server = encrypted.serve();
    let mut plain = TcpStream::connect(host_of(&server)).unwrap();
    plain.set_read_timeout(Some(SILENCE)).unwrap();
    plain.write_all(HEALTH.as_bytes()).unwrap();
    let mut response = Vec::new();
    let _ = plain.read_to_end(&mut response);
    assert!(!String::from_utf8_lossy(&response).contains("HTTP/"));
    drop(server);
    let server = encrypted.company.serve(&[]);
    let mut stream = TcpStream::connect(server.base_url().replace("http://", "")).unwrap();
    let response = send_request(&mut stream, HEALTH);
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    assert_eq!(header(&response, "strict-transport-security"), None);
}

/// The error that the server prints when it cannot start with these files.
fn refused(company: &Company, chain: &str, key: &str) -> String {
    let flags = [
        "--listen",
        "127.0.0.1:0",
        "--tls-certificate",
        chain,
        "--tls-key",
        key,
    ];
    let ran = process::run(company.arguments(&flags));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    ran.stderr
}

fn written(company: &Company, name: &str, text: &str) -> String {
    let path = company.path(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn mistakes_in_the_certificate_end_the_start_with_a_sentence_that_names_the_file() {
    let encrypted = Encrypted::new();
    let (company, key) = (&encrypted.company, &encrypted.flags[3]);
    let rubbish = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (chain, sentence) in [
        (
            company.path("missing.pem").display().to_string(),
            "cannot be read",
        ),
        (written(company, "empty.pem", ""), "holds no certificate"),
        (written(company, "rubbish.pem", rubbish), "holds no usable"),
    ] {
        let reported = refused(company, &chain, key);
        let sentence = format!("the file `{chain}` of `tls_certificate` {sentence}");
        assert!(reported.contains(&sentence), "{sentence}: {reported}");
    }
}

#[test]
fn mistakes_in_the_key_end_the_start_with_a_sentence_that_names_the_file() {
    let encrypted = Encrypted::new();
    let (company, chain) = (&encrypted.company, &encrypted.flags[1]);
    let locked =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let old_locked = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\
         DEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n";
    for (key, sentence) in [
        (
            company.path("missing.pem").display().to_string(),
            "cannot be read",
        ),
        (written(company, "empty.pem", ""), "holds no private key"),
        (
            written(company, "locked.pem", locked),
            "holds an encrypted key",
        ),
        (
            written(company, "old.pem", old_locked),
            "holds an encrypted key",
        ),
    ] {
        let reported = refused(company, chain, &key);
        let sentence = format!("the file `{key}` of `tls_key` {sentence}");
        assert!(reported.contains(&sentence), "{sentence}: {reported}");
    }
}

#[test]
fn a_key_needs_its_own_certificate() {
    let encrypted = Encrypted::new();
    let (company, chain) = (&encrypted.company, &encrypted.flags[1]);
    let other = written(company, "other.pem", SERVERS[1].key);
    let reported = refused(company, chain, &other);
    let sentence = format!("the key in `{other}` is not that of the certificate in `{chain}`");
    assert!(reported.contains(&sentence), "{reported}");
    let flags = ["--listen", "127.0.0.1:0", "--tls-key", &other];
    let reported = process::run(company.arguments(&flags)).stderr;
    assert!(
        reported.contains("`tls_key` needs `tls_certificate` beside it"),
        "{reported}"
    );
}

/// Connects repeatedly until new connections get this certificate.
fn wait_for(host: &str, identity: &Identity) {
    let offer = Offer {
        identities: &[identity],
        protocols: &[],
        versions: &[&TLS13],
    };
    wait_until("the new certificate is served", || {
        connect(host, &offer).is_ok()
    });
}

#[test]
fn sighup_brings_the_new_certificate_and_a_broken_one_changes_nothing() {
    let encrypted = Encrypted::new();
    let mut server = encrypted.serve();
    let host = host_of(&server);
    let offer = Offer {
        identities: &[&encrypted.identity],
        protocols: &[],
        versions: &[&TLS13],
    };
    let mut old = connect(&host, &offer).unwrap();
    let [_, renewed, last] = SERVERS;
    encrypted.install(&renewed);
    server.hang_up();
    wait_for(&host, &renewed);
    assert!(connect(&host, &offer).is_err());
    // Open connections stay open.
    assert!(send_request(&mut old, HEALTH).starts_with("HTTP/1.1 200 "));

    fs::write(encrypted.company.path("key.pem"), "broken").unwrap();
    server.hang_up();
    wait_until("the failure is logged", || {
        encrypted.company.log().contains("stays as it was")
    });
    assert!(encrypted.company.log().contains("key.pem"));
    wait_for(&host, &renewed);
    encrypted.install(&last);
    server.hang_up();
    wait_for(&host, &last);
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn sighup_ends_no_server_without_a_certificate() {
    let company = Company::new();
    let mut server = company.serve(&[]);
    server.hang_up();
    let mut stream = TcpStream::connect(server.base_url().replace("http://", "")).unwrap();
    assert!(send_request(&mut stream, HEALTH).starts_with("HTTP/1.1 200 "));
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn no_files_mean_no_encryption() {
    assert!(Certificates::of(None, None).unwrap().is_none());
}
