//! What commands print and refuse: closed pipes, help, folders without a store, warnings, hints.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use erp_tests::client::stop;
use erp_tests::identity::{AUTHORITIES, Identity};
use erp_tests::place::{Place, ran_with};
use erp_tests::process::{self, Ran, Server};
use serde_json::{Value, json};

const PASSWORD: &str = "sehr geheim 1";

fn with_admin() -> Place {
    let place = Place::begun();
    let user = ["user", "add", "chef", "--role", "admin", "--password-stdin"];
    let _ = place.run_with(&user, PASSWORD).success();
    fs::write(place.path("password"), PASSWORD).unwrap();
    place
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A server that answers one request after the other with these; with nothing it closes the connection.
fn scripted(responses: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for response in responses {
            let (mut client, _) = listener.accept().unwrap();
            let mut request = BufReader::new(client.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                request.read_line(&mut line).unwrap();
                let line = line.trim().to_ascii_lowercase();
                if line.is_empty() {
                    break;
                }
                if let Some(value) = line.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            io::copy(&mut request.take(length), &mut io::sink()).unwrap();
            client.write_all(response.as_bytes()).unwrap();
        }
    });
    base
}

fn response(status: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// Runs a command with the login of the scripted server.
fn at(place: &Place, base: &str, command: &[&str]) -> Ran {
    let password = place.write("password", PASSWORD);
    let login = ["--login", "chef", "--user-password-file", &password];
    process::run([command, &["--server", base], &login].concat())
}

#[test]
fn what_became_of_rows_without_a_response_is_not_known() {
    let place = Place::empty();
    let token = response("200 OK", &json!({"access_token": "a"}));
    let base = scripted(vec![token, String::new()]);
    let rows = place.write("rows.ndjson", "{\"Artikel\": {\"ArtNr\": \"A-1\"}}\n");
    let lost = at(&place, &base, &["import", &rows]);
    assert_eq!(lost.code, Some(1));
    lost.says("is not known");
    lost.says("line 1 of");
    assert!(!lost.stderr.contains("nothing was imported"), "{lost:?}");
}

#[test]
fn a_session_that_has_ended_begins_again() {
    let place = Place::empty();
    let token = || response("200 OK", &json!({"access_token": "a"}));
    let ended = response("401 Unauthorized", &json!({"error": "invalid_token"}));
    let users = response("200 OK", &json!({"data": [], "next": null}));
    let revoked = response("200 OK", &json!({}));
    let base = scripted(vec![token(), ended, token(), users, revoked]);
    let listed = at(&place, &base, &["user", "list"]).success();
    assert_eq!(listed, "name\trole\trestwebshop\n");
}

#[test]
fn health_names_what_has_failed() {
    let checks = json!({"store": "ok", "disk": "failed"});
    let body = json!({"error_description": "no requests now", "info": {"checks": checks}});
    let base = scripted(vec![response("503 Service Unavailable", &body)]);
    let failed = process::run(["health", &base]);
    assert_eq!(failed.code, Some(1));
    failed.says("disk: failed");
    assert!(!failed.stderr.contains("store"), "{failed:?}");
}

#[test]
fn more_than_a_hundred_bad_rows_are_not_all_of_them() {
    let place = with_admin();
    for (count, is_cut) in [(99, false), (150, true)] {
        let rows = "{\"Artikel\": {\"ArtNr\": \"A-1\", \"Farbe\": 1}}\n".repeat(count);
        let file = place.write("rows.ndjson", rows);
        let refused = place.run(&["import", &file]);
        assert_eq!(refused.code, Some(1));
        refused.says("Farbe");
        assert_eq!(refused.stderr.contains("and more"), is_cut, "{count}");
    }
}

/// Runs a command whose standard output is closed.
fn unread(mut command: Command) -> Ran {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    Ran::of(command.stdout(writer).output().unwrap())
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_failure() {
    let place = with_admin();
    let data = place.arg("data");
    let mut rows = String::new();
    for at in 0..100 {
        rows.push_str(&format!(
            "{{\"Artikel\": {{\"ArtNr\": \"A-{at}\", \"ArtBez\": \"x\"}}}}\n"
        ));
    }
    let file = place.write("a.ndjson", rows);
    let commands: [&[&str]; 10] = [
        &["settings"],
        &["settings", "--values"],
        &["completions", "zsh"],
        &["serve", "--help"],
        // The work is done although its output is not read.
        &["import", "--data", &data, &file],
        &["user", "list", "--data", &data],
        &["check", "--data", &data],
        &["audit", "--data", &data],
        &["export", "--data", &data],
        &["config", "check", "--data", &data],
    ];
    for arguments in commands {
        let ran = unread(process::command(arguments));
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
        assert!(
            !ran.stderr.contains("panicked"),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    assert!(place.run(&["check"]).success().contains(" 100 articles\n"));
    if !cfg!(target_os = "linux") {
        return;
    }
    for arguments in [
        &["settings"][..],
        &["completions", "zsh"],
        &["check", "--data", &data],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = Ran::of(process::command(arguments).stdout(full).output().unwrap());
        assert_eq!(ran.code, Some(1), "{arguments:?}");
        ran.says("standard output cannot be written");
    }
}

/// The names of all commands except groups.
fn commands() -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for command in erp_server::cli::command().get_subcommands() {
        let name = command.get_name().to_owned();
        let verbs = command
            .get_subcommands()
            .map(|verb| verb.get_name().to_owned());
        let verbs: Vec<String> = verbs.collect();
        if verbs.is_empty() {
            found.push(vec![name.clone()]);
        }
        found.extend(verbs.into_iter().map(|verb| vec![name.clone(), verb]));
    }
    found
}

#[test]
fn the_help_of_a_command_is_about_the_command() {
    let help = |names: &[String], flag: &str| {
        let arguments = names.iter().map(String::as_str).chain([flag]);
        process::run(arguments).success()
    };
    let commands = commands();
    assert!(commands.len() > 30, "{commands:?}");
    for names in &commands {
        let short = help(names, "-h");
        assert!(
            short.lines().count() <= 55,
            "{names:?}: {}",
            short.lines().count()
        );
        assert!(!short.contains("--json-body-bytes"), "{names:?}");
        let long = help(names, "--help");
        let is_server = matches!(names[0].as_str(), "serve" | "demo");
        assert_eq!(long.contains("--json-body-bytes"), is_server, "{names:?}");
        if short.contains("--help-settings") {
            assert!(
                short.contains("--data-dir") && short.contains("--config"),
                "{names:?}"
            );
        }
    }
    let import = ["import".to_owned()];
    assert!(help(&import, "-h").contains("--dry-run"));
    assert!(help(&import, "--help-settings").contains("--json-body-bytes"));
    let again = process::run(["help", "user", "add"]).success();
    assert_eq!(
        again,
        help(&["user".to_owned(), "add".to_owned()], "--help")
    );
}

#[test]
fn a_wrong_data_folder_never_becomes_a_store() {
    let place = Place::begun();
    let file = place.arg("a.ndjson");
    fs::write(
        &file,
        "{\"Artikel\": {\"ArtNr\": \"A\", \"ArtBez\": \"x\"}}\n",
    )
    .unwrap();
    let wrong = place.path("dta");
    let commands: [&[&str]; 15] = [
        &["user", "list"],
        &["user", "add", "anna"],
        &["user", "remove", "anna"],
        &["attribute", "list"],
        &["attribute", "set", "A", "b"],
        &["events", "targets"],
        &["events", "add", "https://example.com/hook"],
        &["order", "status", "1", "O"],
        &["media", "collect"],
        &["audit"],
        &["check"],
        &["export"],
        &["backup", "--output", "/nowhere/backup"],
        &["import", &file],
        &["import", "--dry-run", &file],
    ];
    for arguments in commands {
        for flag in ["--data", "--data-dir"] {
            let ran = process::run([arguments, &[flag, &text(&wrong)]].concat());
            let sentence = format!("erp-server: there is no store at `{}`", wrong.display());
            assert_eq!(
                (ran.code, ran.stdout.as_str()),
                (Some(1), ""),
                "{arguments:?}"
            );
            assert!(
                ran.stderr.starts_with(&sentence),
                "{arguments:?}: {}",
                ran.stderr
            );
            assert!(!wrong.exists(), "{arguments:?}");
        }
    }
    // An import whose file is missing does not create a store either.
    let ran = place.run(&["import", "/nowhere/a.ndjson"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(fs::read_dir(place.path("data")).unwrap().count(), 0);
    let ran = place.run(&["import", &file]);
    assert!(
        ran.stderr.starts_with("erp-server: new store in `"),
        "{}",
        ran.stderr
    );
    let again = place.run(&["import", &file]).stderr;
    let warning =
        "erp-server: warning: there is no company: nothing can be sold before a row of `Firma`\n";
    assert_eq!(again, warning);
}

#[test]
fn passwords_in_the_clear_are_warned_about() {
    let warned = |listen: &str| {
        let place = Place::begun();
        let data = place.arg("data");
        let command = process::command(["serve", "--data", &data, "--listen", listen]);
        let mut server = Server::spawn(command).ready();
        server.terminate();
        let _ = server.wait();
        let stderr = server.stderr();
        stderr.contains("passwords travel in the clear")
    };
    assert!(warned("0.0.0.0:0"));
    assert!(!warned("127.0.0.1:0"));
    let asked = |url: &str| {
        let login = ["user", "list", "--server", url, "--login", "chef"];
        process::run(login).stderr
    };
    assert!(asked("http://0.0.0.0:1").contains("is not https"));
    for url in [
        "http://127.0.0.1:1",
        "http://localhost:1",
        "http://[::1]:1",
        "https://0.0.0.0:1",
    ] {
        let stderr = asked(url);
        assert!(!stderr.contains("is not https"), "{stderr}");
        assert!(stderr.contains("does not respond"), "{stderr}");
    }
}

/// Files with a certificate and its key.
fn written(place: &Place, name: &str, identity: &Identity) -> (String, String) {
    let file = place.path(&format!("{name}.pem"));
    fs::write(&file, identity.certificate).unwrap();
    let key_file = place.path(&format!("{name}.key"));
    fs::write(&key_file, identity.key).unwrap();
    (text(&file), text(&key_file))
}

#[test]
fn the_certificate_of_a_server_can_be_named() {
    let place = with_admin();
    let [own, other] = AUTHORITIES;
    let (own, key) = written(&place, "own", &own);
    let (other, _) = written(&place, "other", &other);
    let server = place.serve(&["--tls-certificate", &own, "--tls-key", &key]);
    let base = server.base_url();
    let password = place.arg("password");
    let ask = |url: &str, more: &[&str]| {
        let login = [
            "--server",
            url,
            "--login",
            "chef",
            "--user-password-file",
            &password,
        ];
        process::run([&["user", "list"][..], &login, more].concat())
    };
    assert_eq!(
        ask(&base, &["--ca-file", &own]).success(),
        "name\trole\trestwebshop\nchef\tadmin\t-\n"
    );
    for more in [&[][..], &["--ca-file", &other]] {
        let refused = ask(&base, more);
        assert_eq!(refused.code, Some(1), "{more:?}");
        refused.says("does not respond");
    }
    let nothing = ask(&base, &["--ca-file", &key]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    stop(server);
}

#[test]
fn hints_name_the_command_that_helps() {
    let place = with_admin();
    let backup = place.arg("b.tar.gz");
    let _ = place.run(&["backup", "--output", &backup]).success();
    let journal = place.path("data/journal");
    fs::rename(&journal, place.path("lost")).unwrap();
    for command in [
        &["user", "list"][..],
        &["recover", "--backup", &backup],
        &["recover"],
    ] {
        let ran = place.run(command);
        assert_eq!(ran.code, Some(4), "{command:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("erp-server restore FILE --data"),
            "{command:?}: {}",
            ran.stderr
        );
        assert!(
            !ran.stderr.contains("run `erp-server recover`"),
            "{command:?}: {}",
            ran.stderr
        );
    }
    let new = place.arg("new");
    let _ = process::run(["restore", &backup, "--data", &new]).success();
    let listed = process::run(["user", "list", "--data", &new]).success();
    assert_eq!(listed, "name\trole\trestwebshop\nchef\tadmin\t-\n");
    // How many numbers are skipped can be said, and that none need be.
    let again = |name: &str, options: &[&str]| {
        let data = place.arg(name);
        let command = ["restore", &backup, "--data", &data, "--json"];
        let restored = process::run(command.iter().copied().chain(options.iter().copied()));
        serde_json::from_str::<Value>(&restored.success()).unwrap()
    };
    assert_eq!(again("skipped", &["--skip", "70"])["next_order"], 100_071);
    let lossless = again("lossless", &["--nothing-lost", "a move to another machine"]);
    assert_eq!(lossless["nothing_lost"], "a move to another machine");
    let log = fs::read_dir(place.path("lossless/log")).unwrap();
    let log: String = log
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(log.contains("a move to another machine"), "{log}");
    let both = [
        "restore",
        &backup,
        "--data",
        "x",
        "--skip",
        "1",
        "--nothing-lost",
        "y",
    ];
    assert_eq!(process::run(both).code, Some(2));
    // For damage that the journal or a backup can repair the hint still names `recover`.
    fs::rename(place.path("lost"), &journal).unwrap();
    assert_eq!(
        place.run(&["user", "list"]).success(),
        "name\trole\trestwebshop\nchef\tadmin\t-\n"
    );
}

#[test]
fn every_error_in_the_settings_is_reported_at_once() {
    let place = Place::begun();
    let file = place.arg("erp.toml");
    fs::write(&file, "data_dri = \"x\"\nscan_entries = \"many\"\n").unwrap();
    let ran = process::run(["serve", "--config", &file]);
    assert_eq!(ran.code, Some(2));
    ran.says("is `data_dir` meant?");
    ran.says("`scan_entries` in ");
    assert!(ran.stderr.len() < 400, "{}", ran.stderr);
}

#[track_caller]
fn object(ran: Ran) -> Value {
    let printed = ran.success();
    assert_eq!(printed.lines().count(), 1, "{printed}");
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

#[test]
fn every_result_can_be_had_as_json() {
    let place = with_admin();
    let articles = "{\"Artikel\": {\"ArtNr\": \"A\", \"ArtBez\": \"x\"}}\n";
    let file = place.write("a.ndjson", articles);
    let [backup, export] = ["b.tar.gz", "export"].map(|name| place.arg(name));
    let of = |command: &[&str]| object(place.run(&[command, &["--json"]].concat()));
    let added = of(&["user", "add", "anna"]);
    assert_eq!(added["name"], "anna");
    assert_eq!(added["password"].as_str().unwrap().len(), 22, "{added}");
    let hook = of(&["events", "add", "https://example.com/hook"]);
    assert!(hook["secret"].as_str().unwrap().starts_with("whsec_"));
    let cases: [(&[&str], &str, Value); 15] = [
        (&["user", "role", "anna", "admin"], "role", json!("admin")),
        (&["user", "revoke", "anna"], "revoked", json!(0)),
        (&["user", "remove", "anna"], "removed", json!(true)),
        (&["attribute", "set", "A", "b"], "Contents", json!("b")),
        (&["attribute", "remove", "A"], "PHKey", json!("A")),
        (&["events", "switch", "1", "off"], "enabled", json!(false)),
        (
            &["events", "replay", "--since", "2h"],
            "deliveries",
            json!(0),
        ),
        (&["events", "remove", "1"], "id", json!(1)),
        (&["import", "--dry-run", &file], "dry_run", json!(true)),
        (&["import", &file], "added", json!(1)),
        (&["export", "--output", &export], "left_out", json!(0)),
        (&["check"], "findings", json!([])),
        (&["media", "collect"], "named", json!(0)),
        (&["backup", "--output", &backup], "missing_media", json!([])),
        (&["config", "check"], "mistakes", json!([])),
    ];
    for (command, field, wanted) in cases {
        let found = of(command);
        assert_eq!(found[field], wanted, "{command:?}: {found}");
    }
    let verified = object(process::run(["verify", &backup, "--json"]));
    assert_eq!(verified["sha256"].as_str().unwrap().len(), 64);
    let new = place.arg("new");
    let restored = object(process::run(["restore", &backup, "--data", &new, "--json"]));
    assert_eq!(restored["restored_to"], json!(new));
    let recovered = object(process::run([
        "recover", "--backup", &backup, "--data", &new, "--json",
    ]));
    assert!(recovered["revision"].as_u64().unwrap() > 0, "{recovered}");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/zugferd");
    let hybrid = format!("{fixtures}/hybrid-facturx-en16931.pdf");
    let [xml, pdf] = ["a.xml", "a.pdf"].map(|name| place.arg(name));
    let extract = ["zugferd", "extract", &hybrid, "--output", &xml, "--json"];
    assert_eq!(object(process::run(extract))["embedded_as"], "factur-x.xml");
    let plain = format!("{fixtures}/a3b.pdf");
    let combine = [
        "zugferd", "combine", &plain, &xml, "--output", &pdf, "--json",
    ];
    assert_eq!(object(process::run(combine))["output"], json!(pdf));
    let wrong = place.run(&["config", "check", "--scan-entries", "many", "--json"]);
    assert_eq!(wrong.code, Some(2));
    let mistakes: Value = serde_json::from_str(&wrong.stdout).unwrap();
    assert_eq!(mistakes["mistakes"].as_array().unwrap().len(), 1);
}

#[test]
fn a_new_folder_has_settings_a_store_an_admin_and_a_company() {
    let place = Place::empty();
    let folder = place.arg("shop");
    let options = ["new", "--listen", "127.0.0.1:0", "--admin", "chef"];
    let unnamed = ran_with(process::command(options), "\n");
    unnamed.says("In which new folder?");
    unnamed.says("name a new folder");
    assert_eq!(unnamed.code, Some(2));
    let answers = format!("{folder}\nM\u{fc}ller GmbH\nDE\n\n2027001\n");
    let printed = ran_with(process::command(options), &answers);
    printed.says("[CH]: ");
    printed.says("[EUR]: ");
    printed.says("Which number has its first invoice? [");
    let printed = printed.success();
    let config = place.arg("shop/erp.toml");
    assert!(
        printed.starts_with(&format!("settings: {config}\npassword of chef: ")),
        "{printed}"
    );
    assert!(printed.ends_with(&format!("start: erp-server serve --config {config}\n")));
    let listed = process::run(["user", "list", "--config", &config]).success();
    assert_eq!(listed, "name\trole\trestwebshop\nchef\tadmin\t-\n");
    let text = fs::read_to_string(&config).unwrap();
    assert!(text.contains("\nlisten = \"127.0.0.1:0\"\n"), "{text}");
    let exported = process::run(["export", "--config", &config]).success();
    assert!(
        exported.contains(r#""FirmaBez":"M\u00fcller GmbH","WaehrAbk":"EUR","#),
        "{exported}"
    );
    assert!(exported.contains(r#""RechNrAb":2027001"#), "{exported}");
    assert!(exported.contains(r#""WUSTCode":"DE-NORMAL""#) && !exported.contains("CH-NORMAL"));
    let server = Server::start(["serve", "--config", &config]);
    // The settings name its address, here one with another port.
    let listen = server.base_url().replace("http://127.0.0.1", "0.0.0.0");
    let health = ["health", "--config", &config, "--listen", &listen];
    assert_eq!(process::run(health).success(), "ready\n");
    stop(server);
    let socket = process::run(["health", "--listen", "unix:none"]);
    socket.says("listens on a unix socket");
    // Existing files are never changed, and wrong input creates nothing.
    let again = process::run(["new", &folder, "--company="]);
    assert_eq!(again.code, Some(2));
    again.says("is not empty");
    let other = place.arg("other");
    for (flag, value) in [
        ("--listen", "nowhere"),
        ("--database", "x"),
        ("--admin", "a:b"),
        ("--country", "FR"),
        ("--currency", "XXY"),
        ("--first-invoice", "0"),
    ] {
        let all = ["--company=Muster AG", "--country=CH", "--currency=CHF"];
        let rest = all.iter().filter(|given| !given.starts_with(flag));
        let arguments = ["new", &other, flag, value].into_iter();
        let ran = process::run(arguments.chain(rest.copied()));
        assert_eq!(ran.code, Some(2), "{flag} {}", ran.stderr);
        assert!(!Path::new(&other).exists(), "{flag}");
    }
}

#[test]
fn a_company_begins_on_an_empty_store_and_on_a_running_server() {
    let place = Place::empty();
    fs::create_dir(place.path("data")).unwrap();
    let answers =
        "M\u{fc}ller AG\nCH\n\n2027001\nWeg 1\n8001\nZ\u{fc}rich\n\n\nA-1\nLocher\n12,50\n\n";
    let printed = place.run_with(&["company", "init"], answers).success();
    assert!(
        printed.starts_with("M\u{fc}ller AG is stored, with its tax rates\npassword of admin: "),
        "{printed}"
    );
    let shop = printed
        .lines()
        .find_map(|line| line.strip_prefix("password of shop1: "));
    let password = place.write("password", shop.unwrap());
    let exported = place.run(&["export"]).success();
    assert!(exported.contains(r#""RechNrAb":2027001"#), "{exported}");
    assert!(exported.contains(r#""PreisList":12.5"#), "{exported}");
    let again = place.run_with(&["company", "init"], answers);
    assert_eq!(again.code, Some(1));
    again.says("there is a company already");
    let server = place.serve(&[]);
    let tokens = [
        "user",
        "tokens",
        "shop1",
        "--server",
        &server.base_url(),
        "--login",
        "shop1",
    ];
    let refused = process::run(
        tokens
            .into_iter()
            .chain(["--user-password-file", &password]),
    );
    refused.says("403");
    stop(server);

    // The same on a server that runs, whose admin is there.
    let place = with_admin();
    let server = place.serve(&[]);
    let options = [
        "company",
        "init",
        "--company",
        "Muster AG",
        "--country",
        "DE",
        "--currency",
        "EUR",
        "--json",
    ];
    let ran = place.online(&server, ("chef", PASSWORD), &options, "");
    let made: Value = serde_json::from_str(&ran.success()).unwrap();
    assert_eq!(made["company"], "Muster AG");
    let users = made["users"].as_array().unwrap();
    assert_eq!(users.len(), 1, "{made}");
    assert_eq!(users[0]["name"], "shop1");
    // What the import refuses is said, and nothing is stored.
    let place = Place::empty();
    fs::create_dir(place.path("data")).unwrap();
    let town = "x".repeat(60);
    let ran = place.run_with(&["company", "init"], &answers.replace("Z\u{fc}rich", &town));
    assert_eq!(ran.code, Some(1));
    ran.says("OrtName");
    let account = answers.replace("rich\n\n\n", "rich\n\nCH00\n");
    let ran = place.run_with(&["company", "init"], &account);
    assert_eq!(ran.code, Some(2));
    ran.says("`CH00` is no IBAN");
    assert_eq!(
        place.run(&["user", "list"]).success(),
        "name\trole\trestwebshop\n"
    );
}

// rule: D-NET-16
#[test]
fn the_office_may_have_an_address_of_its_own() {
    let place = with_admin();
    let server = place.serve(&["--admin-listen", "127.0.0.1:0"]);
    let printed = server.stdout();
    let office = "the console and the administration on ";
    let office = printed.lines().find_map(|line| line.strip_prefix(office));
    let office = office.unwrap().to_owned();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let status = |base: &str, path: &str| {
        let response = runtime.block_on(reqwest::get(format!("{base}{path}")));
        response.unwrap().status().as_u16()
    };
    let here = server.base_url();
    for (path, public, of_office) in [
        ("/console", 404, 200),
        ("/console/main.js", 404, 200),
        ("/docs", 404, 200),
        ("/openapi.json", 404, 200),
        ("/admin/me", 404, 401),
        ("/admin/orders/csv", 404, 404),
        ("/", 404, 200),
        ("/www/artikel", 401, 401),
        ("/health/ready", 200, 200),
        ("/administration", 404, 404),
    ] {
        assert_eq!(
            (status(&here, path), status(&office, path)),
            (public, of_office),
            "{path}"
        );
    }
    // Commands name the address of the office.
    let login = |base: &str| {
        let file = place.arg("password");
        let command = [
            "user",
            "list",
            "--server",
            base,
            "--login",
            "chef",
            "--user-password-file",
            &file,
        ];
        process::run(command)
    };
    login(&here).says("404");
    assert!(login(&office).success().contains("chef"));
    stop(server);
}

#[test]
fn a_spreadsheet_is_named_as_one() {
    let place = Place::begun();
    let file = place.write("prices.xlsx", b"PK\x03\x04\x14\x00");
    let ran = place.run(&["import", &file]);
    assert_eq!(ran.code, Some(1));
    ran.says("is a spreadsheet");
    ran.says("as CSV");
}

#[test]
fn an_option_before_any_command_is_told_with_the_command_that_takes_it() {
    for (first, tip) in [
        (
            "--dta",
            "options follow a command: erp-server serve --data\n",
        ),
        (
            "--config=erp.toml",
            "options follow a command: erp-server serve --config\n",
        ),
    ] {
        let ran = process::run([first, "x"]);
        assert_eq!(ran.code, Some(2));
        ran.says(tip);
    }
    assert!(!process::run(["--zzzzzz"]).stderr.contains("tip:"));
}
