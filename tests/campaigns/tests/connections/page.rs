//! A signal makes the server read its folder of web pages again.

use std::fs;
use std::net::TcpStream;

use erp_tests::wait::wait_until;

use crate::company::{Company, send_request};

#[test]
fn sighup_brings_new_files_and_an_unreadable_folder_changes_nothing() {
    let company = Company::new();
    let page = company.path("page");
    fs::create_dir(&page).unwrap();
    fs::write(page.join("index.html"), "<!doctype html>").unwrap();
    fs::write(page.join("style.css"), "body{}").unwrap();
    let mut server = company.serve(&["--page-dir", page.to_str().unwrap()]);
    let status = |path: &str| {
        let mut stream = TcpStream::connect(server.base_url().replace("http://", "")).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        let response = send_request(&mut stream, &request);
        response.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(status("/late.js"), "404");
    fs::write(page.join("late.js"), "export {};").unwrap();
    fs::remove_file(page.join("style.css")).unwrap();
    assert_eq!(status("/late.js"), "404");
    server.hang_up();
    wait_until("the new file is served", || status("/late.js") == "200");
    assert_eq!(status("/style.css"), "404");

    fs::remove_dir_all(&page).unwrap();
    server.hang_up();
    wait_until("the failure is logged", || {
        company.log().contains("stays as it was")
    });
    assert_eq!(status("/late.js"), "200");
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
}
