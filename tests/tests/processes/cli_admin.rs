//! Administration on the command line: every command has the same effect and output on a data folder and, with
//! `--server`, on a running server.

use erp_tests::place::{Place, ran_with};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use erp_tests::bodies;
use erp_tests::client::{Client, stop};
use erp_tests::process::{self, Ran, Server};
use erp_tests::wait::wait_until;
use serde_json::{Value, json};

const PASSWORD: &str = "sehr geheim 1";

fn online(place: &Place, server: &Server, command: &[&str], input: &str) -> Ran {
    place.online(server, ("chef", PASSWORD), command, input)
}

/// Places an order as the shop user and returns its number.
async fn order(client: &mut Client) -> String {
    assert_eq!(client.log_in("anna", PASSWORD).await, 200);
    let body = bodies::order("10001", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    let placed = client.expect(201, "POST /www/auftrag", Some(&body)).await;
    placed["AuftNr"].as_str().unwrap().to_owned()
}

/// The address of a server that returns 410 to every request, which ends a delivery permanently.
fn gone() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4_096]);
            let answer = b"HTTP/1.1 410 Gone\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(answer);
        }
    });
    format!("http://{address}/hook")
}

const PRIVATE: [&str; 2] = ["--event-private-targets", "true"];

/// A running server with an order whose event could not be delivered.
async fn with_an_order() -> (Place, Server, String) {
    let place = Place::filled(PASSWORD);
    let _ = place.run(&["attribute", "set", "REST_Auft", "1"]).success();
    let add = ["events", "add", &gone()];
    let _ = place.run(&[&add[..], &PRIVATE].concat()).success();
    let server = place.serve(&[&PRIVATE[..], &["--rate-limits", "false"]].concat());
    let number = order(&mut Client::new(&server)).await;
    wait_until("the event is sent", || {
        let listed = online(&place, &server, &["events", "list"], "").success();
        listed.contains("\t410\t")
    });
    (place, server, number)
}

fn json_lines(printed: &str) -> Vec<Value> {
    let lines = printed.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_is_the_same_with_and_without_a_server() {
    let (place, server, number) = with_an_order().await;
    // The login for a command is also in the trail, so only earlier entries are compared.
    let until = jiff::Timestamp::now().to_string();
    let record = format!("Auftrag {number}");
    let commands: [&[&str]; 19] = [
        &["user", "list"],
        &["user", "show", "anna"],
        &["user", "tokens", "anna"],
        &["attribute", "list"],
        &["events", "targets"],
        &["events", "list"],
        &["events", "list", "--since", &until],
        &["events", "list", "--limit", "1"],
        &["audit", "--until", &until],
        &["audit", "--until", &until, "--json"],
        &["audit", "--user", "anna"],
        &["audit", "--record", &record],
        &["user", "list", "--json"],
        &["user", "show", "anna", "--json"],
        &["user", "tokens", "anna", "--json"],
        &["attribute", "list", "--json"],
        &["events", "targets", "--json"],
        &["events", "list", "--json"],
        &["audit", "--until", &until, "--limit", "3"],
    ];
    let with: Vec<String> = commands
        .iter()
        .map(|command| online(&place, &server, command, "").success())
        .collect();
    stop(server);
    for (command, with) in commands.iter().zip(&with) {
        assert_eq!(&place.run(command).success(), with, "{command:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_a_line_for_each_record() {
    let (place, server, number) = with_an_order().await;
    stop(server);
    let read = |command: &[&str]| place.run(command).success();
    assert_eq!(
        read(&["user", "list"]),
        "name\trole\trestwebshop\nanna\tshop\tSHOP1\nchef\tadmin\t-\n"
    );
    assert_eq!(
        read(&["user", "show", "anna"]),
        "name\tanna\nrole\tshop\nrestwebshop\tSHOP1\ntokens\t1\n"
    );
    assert_eq!(read(&["user", "tokens", "anna"]).lines().count(), 2);
    let attributes = read(&["attribute", "list"]);
    assert!(attributes.contains("\nREST_Auft\t1\n"), "{attributes}");
    let targets = read(&["events", "targets"]);
    let head = "receiver\tstate\tkinds\turl\n1\toff\torders, customers\thttp://127";
    assert!(targets.starts_with(head), "{targets}");
    let events = read(&["events", "list"]);
    let own = format!("\t{number}\tPOST\tanna\n");
    assert!(events.contains(&own), "{events}");
    assert_eq!(read(&["events", "list", "--limit", "1"]), events);
    let now = jiff::Timestamp::now().to_string();
    let head = "event\ttime\tkind\tnumber\tmethod\tuser\n";
    assert_eq!(read(&["events", "list", "--since", &now]), head);
    let of_order = read(&["audit", "--record", &format!("Auftrag {number}")]);
    assert!(of_order.contains("POST /www/auftrag"), "{of_order}");
    let (all, three) = (read(&["audit"]), read(&["audit", "--limit", "3"]));
    assert!(all.starts_with(&three) && three.lines().count() == 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_in_json_have_an_object_for_each_record() {
    let (place, server, _) = with_an_order().await;
    stop(server);
    let read = |command: &[&str]| {
        let printed = place.run(&[command, &["--json"]].concat()).success();
        json_lines(&printed)
    };
    let users = read(&["user", "list"]);
    let names: Vec<&Value> = users.iter().map(|user| &user["name"]).collect();
    assert_eq!(names, ["anna", "chef"]);
    assert_eq!(read(&["user", "show", "anna"])[0]["tokens"], 1);
    assert!(read(&["user", "tokens", "anna"])[0]["expires_at"].is_string());
    let attribute = json!({"PHKey": "REST_Auft", "Contents": "1"});
    let attributes = read(&["attribute", "list"]);
    assert!(attributes.contains(&attribute), "{attributes:?}");
    assert_eq!(read(&["events", "targets"])[0]["enabled"], false);
    assert!(read(&["events", "list"])[0]["deliveries"][0]["attempts"].is_array());
    assert!(read(&["audit"]).len() > 5);
}

#[test]
fn settings_are_the_same_with_and_without_a_server() {
    let place = Place::filled(PASSWORD);
    let server = place.serve(&[&PRIVATE[..], &["--rate-limits", "false"]].concat());
    let settings = online(&place, &server, &["settings"], "").success();
    let settings_json = online(&place, &server, &["settings", "--json"], "").success();
    stop(server);
    let flags = ["settings", "--values", "--rate-limits", "false"];
    let flags = [&flags[..], &PRIVATE, &["--listen", "127.0.0.1:0"]].concat();
    assert_eq!(place.run(&flags).success(), settings);
    let flags = [&flags[..], &["--json"]].concat();
    assert_eq!(place.run(&flags).success(), settings_json);
    let limits = json_lines(&settings_json)
        .into_iter()
        .find(|entry| entry["name"] == "rate_limits");
    assert_eq!(limits.unwrap()["value"], "false");
    assert!(settings.contains("\nevent_private_targets\ttrue\n"));
    assert!(settings.contains("\nbase_url\t-\n"));
}

/// The commands that change something, with their input. In this order each has something to change or is refused.
fn changes(number: &str) -> Vec<(Vec<&str>, &'static str)> {
    let stdin = "--password-stdin";
    vec![
        (
            vec!["user", "add", "dora", "--restwebshop", "S", stdin],
            PASSWORD,
        ),
        (vec!["user", "add", "dora", stdin], PASSWORD),
        (vec!["user", "add", "Emil/Ä"], ""),
        (vec!["user", "add", "a:b"], ""),
        (vec!["user", "add", "kurz", stdin], "zu kurz"),
        (vec!["user", "add", "fritz", "--restwebshop", "*"], ""),
        (
            vec!["user", "role", "dora", "shop", "--restwebshop", "S,T"],
            "",
        ),
        (vec!["user", "role", "dora", "admin"], ""),
        (
            vec!["user", "role", "dora", "shop", "--restwebshop", ""],
            "",
        ),
        (vec!["user", "role", "chef", "shop"], ""),
        (vec!["user", "role", "nobody", "shop"], ""),
        (vec!["user", "show", "Emil/Ä"], ""),
        (vec!["user", "show", "nobody"], ""),
        (vec!["user", "password", "dora", stdin], "auch geheim"),
        (vec!["user", "password", "nobody", stdin], "auch geheim"),
        (vec!["user", "tokens", "dora"], ""),
        (vec!["user", "revoke", "anna"], ""),
        (vec!["user", "revoke", "nobody"], ""),
        (vec!["user", "remove", "dora"], ""),
        (vec!["user", "remove", "dora"], ""),
        (vec!["user", "remove", "chef"], ""),
        (vec!["user", "list"], ""),
        (vec!["attribute", "set", "REST_Kunde", "1"], ""),
        (vec!["attribute", "set", "Größe/1", "-ä"], ""),
        (vec!["attribute", "set", "1234567890123", "x"], ""),
        (vec!["attribute", "list"], ""),
        (vec!["attribute", "remove", "Größe/1"], ""),
        (vec!["attribute", "remove", "Größe/1"], ""),
        (vec!["order", "status", number, "O"], ""),
        (vec!["order", "status", number, "O"], ""),
        (vec!["order", "status", number, "A"], ""),
        (vec!["order", "status", "999999", "A"], ""),
        (
            vec![
                "events",
                "add",
                "https://example.com/hook",
                "--kind",
                "REST_Auft",
            ],
            "",
        ),
        (vec!["events", "add", "http://127.0.0.1:1/hook"], ""),
        (vec!["events", "targets"], ""),
        (vec!["events", "replay", "evt_17_0"], ""),
        (
            vec!["events", "replay", "--since", "2999-01-01T00:00:00Z"],
            "",
        ),
        (vec!["events", "switch", "1", "off"], ""),
        (vec!["events", "targets"], ""),
        (vec!["events", "switch", "1", "on"], ""),
        (vec!["events", "switch", "7", "on"], ""),
        (vec!["events", "remove", "1"], ""),
        (vec!["events", "remove", "1"], ""),
        (vec!["events", "targets"], ""),
    ]
}

/// The output of a command, without random parts.
fn told(command: &[&str], ran: &Ran) -> (Option<i32>, String) {
    let lines = ran.stdout.lines().map(|line| {
        let secret = ["password of ", "secret of receiver "];
        match line.rsplit_once(": ") {
            Some((what, made)) if secret.iter().any(|secret| what.starts_with(secret)) => {
                assert!(made.len() >= 22, "{command:?}: {line}");
                format!("{what}: ...\n")
            }
            _ => format!("{line}\n"),
        }
    });
    (ran.code, lines.collect())
}

/// What a command told on standard error, without the part that a server refused it.
fn sentence(stderr: &str) -> String {
    match stderr.split_once("the server refused with ") {
        Some((begin, refusal)) => format!("{begin}{}", refusal.split_once(": ").unwrap().1),
        None => stderr.to_owned(),
    }
}

// rule: D-SEL-10
#[tokio::test(flavor = "multi_thread")]
async fn what_is_changed_is_the_same_with_and_without_a_server() {
    let (without, with) = (Place::filled(PASSWORD), Place::filled(PASSWORD));
    let first = without.serve(&[]);
    let number = order(&mut Client::new(&first)).await;
    stop(first);
    let server = with.serve(&["--rate-limits", "false"]);
    let mut client = Client::new(&server);
    assert_eq!(order(&mut client).await, number);
    let mut codes = Vec::new();
    for (command, input) in changes(&number) {
        let offline = without.run_with(&command, input);
        let online = online(&with, &server, &command, input);
        assert_eq!(
            told(&command, &offline),
            told(&command, &online),
            "{command:?}: {} {}",
            offline.stderr,
            online.stderr
        );
        assert_eq!(offline.stderr, sentence(&online.stderr), "{command:?}");
        codes.push(offline.code.unwrap());
    }
    let count = |code| codes.iter().filter(|found| **found == code).count();
    assert_eq!((count(1), count(2)), (14, 5), "{codes:?}");

    // The trail names the user.
    let who = |printed: String| {
        let entry: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
        (entry["user"].clone(), entry["operation"].clone())
    };
    let trail = ["audit", "--json", "--record", "Benutzer Emil/Ä"];
    let online = online(&with, &server, &trail, "").success();
    assert_eq!(who(online), (json!("chef"), json!("POST /admin/users")));
    let offline = without.run(&trail).success();
    assert_eq!(who(offline), (json!("cli"), json!("user add")));

    // A command ends its own session: only the two of this test are left.
    assert_eq!(client.log_in("chef", PASSWORD).await, 200);
    let tokens = client
        .expect(200, "GET /admin/users/chef/tokens", None)
        .await;
    assert_eq!(tokens.as_array().unwrap().len(), 1, "{tokens}");
    stop(server);
    for place in [&without, &with] {
        let printed = place.run(&["check"]).success();
        assert!(printed.ends_with("the store is sound\n"), "{printed}");
    }
}

#[test]
fn a_login_waits_while_the_server_limits_them() {
    let place = Place::filled(PASSWORD);
    // So few that a slow machine reaches the limit, too.
    let server = place.serve(&["--token-requests-per-minute", "2"]);
    let list = ["user", "list"];
    for _ in 0..2 {
        let refused = place.online(&server, ("nobody", PASSWORD), &list, "");
        refused.says("401");
    }
    let _ = online(&place, &server, &list, "").success();
    stop(server);
    let log = fs::read_dir(place.path("data/log")).unwrap();
    let mut log = log.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    assert!(log.any(|lines| lines.contains(r#""status":429"#)));
}

#[test]
fn a_login_refused_by_a_server_is_reported_with_its_reason() {
    let place = Place::filled(PASSWORD);
    let server = place.serve(&[]);
    let list = ["user", "list"];
    let refused = place.online(&server, ("anna", PASSWORD), &list, "");
    assert_eq!(refused.code, Some(1));
    refused.says("403");
    let refused = place.online(&server, ("nobody", PASSWORD), &list, "");
    assert_eq!(refused.code, Some(1));
    refused.says("401");

    let base = server.base_url();
    let wrong = process::run(["user", "list", "--server", &base]);
    assert_eq!(wrong.code, Some(2));
    wrong.says("--login");
    let twice = ["user", "password", "anna", "--password-stdin"];
    let twice = process::run([&twice[..], &["--server", &base, "--login", "chef"]].concat());
    assert_eq!(twice.code, Some(2));
    twice.says("--user-password-file");
    let held = place.run(&list);
    assert_eq!(held.code, Some(3), "{}", held.stderr);
    stop(server);
    let file = place.arg("password");
    let login = ["--login", "chef", "--user-password-file", &file];
    let nobody = process::run([&list[..], &["--server", &base], &login].concat());
    assert_eq!(nobody.code, Some(1));
    nobody.says("does not respond");
}

#[test]
fn the_sample_of_the_documents_has_the_right_signature() {
    let page = include_str!("../../../erp-server/docs/events.md");
    let field = |name: &str| {
        let line = page
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")));
        line.unwrap()[name.len()..].trim()
    };
    let [id, timestamp, signature] =
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map(field);
    let command = [
        "events",
        "verify",
        "--id",
        id,
        "--timestamp",
        timestamp,
        "--signature",
    ];
    let verify = |signature: &str, body: &str| {
        let input = format!("{}\n{body}", field("secret"));
        ran_with(
            process::command([&command[..], &[signature]].concat()),
            &input,
        )
    };
    assert_eq!(
        verify(signature, field("body")).success(),
        "the signature is right\n"
    );
    let several = format!("v1,AAAA {signature}");
    assert_eq!(
        verify(&several, field("body")).success(),
        "the signature is right\n"
    );
    let other = verify(signature, "{}");
    assert_eq!(other.code, Some(1));
    other.says("the signature is wrong");
    other.says("`v1,");
}
