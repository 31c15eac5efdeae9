//! The image and the compose file of `erp-server/packaging/container`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use erp_campaigns::postgres::Cluster;
use erp_server::config::Settings;
use erp_tests::bodies;
use erp_tests::client::stop;
use erp_tests::place::ran_with;
use erp_tests::process;
use erp_tests::s3::S3;
use erp_tests::skipped;
use erp_tests::wait::wait_until;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

const USER: u32 = 65_532;

const PROGRAM: &str = "/usr/bin/erp-server";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../erp-server/packaging/container")
}

fn file(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

/// The settings that a file sets by environment variables.
fn variables(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words
        .filter_map(|word| word.strip_prefix("ERP_"))
        .map(str::to_lowercase)
}

#[test]
fn every_setting_of_the_containers_exists() {
    let table = Settings::table();
    let mut count = 0;
    for name in ["Containerfile", "compose.yml"] {
        for setting in variables(&file(name)) {
            assert!(table.contains(&format!("| `{setting}` |")), "{setting}");
            count += 1;
        }
    }
    assert!(count >= 8, "{count}");
}

/// A YAML file, parsed by Python.
fn parsed(path: &Path) -> Option<Value> {
    let script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)";
    let output = Command::new("python3")
        .args(["-c", script])
        .stdin(File::open(path).unwrap())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("No module named 'yaml'") {
        return None;
    }
    assert!(output.status.success(), "{said}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// A value with the variables of the shell replaced.
fn filled(text: &str) -> String {
    let mut parts = text.split("${");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |filled, part| {
        let (variable, rest) = part.split_once('}').unwrap();
        let head = file("compose.yml");
        let name = variable.split(':').next().unwrap();
        assert!(head.contains(&format!("#   {name}=")), "{name}");
        filled + "abc123" + rest
    })
}

#[test]
fn the_composition_is_whole() {
    let Some(compose) = parsed(&folder().join("compose.yml")) else {
        return skipped("Python's yaml is not installed; Debian's is in python3-yaml");
    };
    let services = compose["services"].as_object().unwrap();
    for (name, service) in services {
        let needed: Vec<&str> = match &service["depends_on"] {
            Value::Array(names) => names.iter().map(|name| name.as_str().unwrap()).collect(),
            Value::Object(named) => named.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        };
        for needed in needed {
            assert!(services.contains_key(needed), "{name} needs {needed}");
        }
        for volume in service["volumes"].as_array().into_iter().flatten() {
            let source = volume.as_str().unwrap().split(':').next().unwrap();
            match source.strip_prefix("./") {
                Some(own) => assert!(folder().join(own).is_file(), "{source}"),
                None => assert!(compose["volumes"].get(source).is_some(), "{source}"),
            }
        }
    }
    let erp = &services["erp"];
    let secret = erp["secrets"][0].as_str().unwrap();
    let file_of_secret = compose["secrets"][secret]["file"].as_str().unwrap();
    let name = file_of_secret.strip_prefix("./").unwrap();
    assert!(file("compose.yml").contains(&format!("# The file `{name}` ")));
    let mounted = &erp["environment"]["ERP_MEDIA_S3_SECRET_KEY_FILE"];
    assert_eq!(mounted, &format!("/run/secrets/{secret}"));
    let built = folder().join(erp["build"]["context"].as_str().unwrap());
    let own = erp["build"]["dockerfile"].as_str().unwrap();
    assert!(built.join(own).is_file() && built.join("Cargo.lock").is_file());
    for address in ["@database/", "http://storage:7070"] {
        assert!(erp["environment"].to_string().contains(address));
    }
    assert!(file("Caddyfile").contains("reverse_proxy erp:8080"));
    let proxy = folder().join("Caddyfile");
    let validated = Command::new("caddy")
        .args(["validate", "--adapter", "caddyfile", "--config"])
        .arg(proxy)
        .output();
    match validated {
        Ok(said) => assert!(said.status.success(), "{said:?}"),
        Err(_) => skipped("caddy is not installed"),
    }
}

/// The settings of the server in the compose file, with a database and a storage of this machine.
fn settings(compose: &Value, cluster: &Cluster, storage: &S3) -> Vec<(String, String)> {
    let environment = compose["services"]["erp"]["environment"].as_object();
    let own: BTreeMap<String, String> = storage
        .settings("erp")
        .into_iter()
        .map(|(name, value)| (format!("ERP_{}", name.to_uppercase()), value))
        .collect();
    let environment = environment.unwrap().iter().map(|(name, value)| {
        let value = match (name.as_str(), own.get(name)) {
            ("ERP_DATABASE", _) => cluster.fresh_database(),
            ("ERP_METRICS_LISTEN", _) => "127.0.0.1:0".to_owned(),
            // The same bucket and prefix, but another address and other keys.
            (name, Some(own)) if name != "ERP_MEDIA_STORE" => own.clone(),
            _ => filled(value.as_str().unwrap()),
        };
        (name.clone(), value)
    });
    environment.collect()
}

/// Images and containers in a temporary folder.
struct Images(TempDir);

impl Images {
    fn buildah(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", "buildah"]);
        for (flag, name) in [("--root", "root"), ("--runroot", "run")] {
            command.arg(flag).arg(self.0.path().join(name));
        }
        command.args(["--storage-driver", "vfs"]).args(arguments);
        command.stdin(Stdio::null());
        command
    }

    /// The standard output of a command, or its standard error as the error.
    fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let output = self.buildah(arguments).output();
        let output = output.map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8(output.stdout).unwrap().trim().to_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// A base image with everything the program needs, instead of the distroless one, which would need a network.
    fn runtime(&self, program: &Path) -> Result<String, String> {
        let base = self.0.path().join("base");
        let needed = Command::new("ldd").arg(program).output();
        let needed = String::from_utf8(needed.map_err(|error| error.to_string())?.stdout).unwrap();
        for library in needed
            .split_whitespace()
            .filter(|word| word.starts_with('/'))
        {
            let copy = base.join(library.trim_start_matches('/'));
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(library, copy).unwrap();
        }
        fs::write(self.path("Base"), "FROM scratch\nCOPY . /\n").unwrap();
        let (base, file) = (base.display().to_string(), self.path("Base"));
        let runtime = "localhost/runtime";
        self.run(&["build", "-q", "-f", &file, "-t", runtime, &base])?;
        Ok(runtime.to_owned())
    }

    /// A container of the project's image, with the program of this build instead of one compiled in a container.
    /// Returns the reason if no image can be built here.
    fn container(&self) -> Result<String, String> {
        let built = self.0.path().join("build/out");
        fs::create_dir_all(&built).unwrap();
        let data = built.join("data");
        fs::DirBuilder::new().mode(0o750).create(data).unwrap();
        let program = built.join("erp-server");
        fs::copy(process::binary(), &program).unwrap();
        // Without `strip` the image is only larger.
        let _ = Command::new("strip").arg(&program).status();
        let runtime = format!("RUNTIME={}", self.runtime(&program)?);
        let context = format!("build={}", self.path("build"));
        let file = folder().join("Containerfile").display().to_string();
        let (image, nothing) = ("localhost/erp", self.path("nothing"));
        fs::create_dir(&nothing).unwrap();
        let build = ["build", "-q", "--format", "docker", "--build-arg", &runtime];
        let context = ["--build-context", &context, "-f", &file, "-t", image];
        self.run(&[&build[..], &context, &[&nothing]].concat())
            .unwrap();
        Ok(self.run(&["from", image]).unwrap())
    }

    fn inside(&self, container: &str, arguments: &[&str]) -> Result<String, String> {
        let own = ["run", "--isolation", "chroot", container, "--", PROGRAM];
        self.run(&[&own[..], arguments].concat())
    }

    /// Serves with these settings; returns the reason if no container can run here.
    fn serve(
        &self,
        container: &str,
        settings: &[(String, String)],
        secret: &Path,
    ) -> Result<(Started, String), String> {
        let mut serve = self.buildah(&["run", "--isolation", "chroot"]);
        for (name, value) in settings {
            serve.arg("--env").arg(format!("{name}={value}"));
        }
        let secret = secret.display();
        serve.arg("--volume").arg(format!("{secret}:{secret}:ro"));
        serve.args([container, "--", PROGRAM, "serve"]);
        let output = File::create(self.path("output")).unwrap();
        serve.stdout(output.try_clone().unwrap()).stderr(output);
        let mut serving = Started(serve.spawn().unwrap());
        let printed = || fs::read_to_string(self.path("output")).unwrap();
        let mut url = None;
        wait_until("the container serves", || {
            let text = printed();
            let mut lines = text.lines();
            let line = lines.find_map(|line| line.strip_prefix("listening on "));
            url = line.map(str::to_owned);
            url.is_some() || serving.0.try_wait().unwrap().is_some()
        });
        let reason = printed();
        assert!(url.is_some() || !reason.contains("erp-server:"), "{reason}");
        url.map(|url| (serving, url)).ok_or(reason)
    }
}

/// A command in a container. It and its children are killed at the end.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        // It ends its children only at this signal.
        let id = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        let _ = id.map(|id| kill_process(id, Signal::TERM));
        let _ = self.0.wait();
    }
}

/// A company, as `company init` asks for it: with an article that costs 12.50.
const COMPANY: &str =
    "Muster AG\nCH\nCHF\n1\nWeg 1\n8001\nZ\u{fc}rich\n\n\nA-1\nLocher\n12.50\nshop1\n";

/// Carries out the last command in the head of the compose file, and places the first order by what it prints.
fn first_order(run: impl FnOnce(&[&str], &str) -> process::Ran, url: &str) {
    let head = file("compose.yml");
    let mut lines = head.lines();
    let command = lines.find_map(|line| line.split_once("exec erp /usr/bin/erp-server "));
    let words: Vec<&str> = command.unwrap().1.split_whitespace().collect();
    let printed = run(&words, COMPANY).success();
    let mut lines = printed.lines();
    let password = lines.find_map(|line| line.strip_prefix("password of shop1: "));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = reqwest::Client::new();
        let token = client.post(format!("{url}/www/token"));
        let token = token.basic_auth("shop1", password).send().await.unwrap();
        let token: Value = token.json().await.unwrap();
        let token = token["access_token"].as_str().unwrap();
        let post = async |path: &str, body: Value| -> Value {
            let request = client.post(format!("{url}/www/{path}")).bearer_auth(token);
            let response = request.json(&body).send().await.unwrap();
            assert_eq!(response.status().as_u16(), 201, "{path}");
            response.json().await.unwrap()
        };
        let customer = post("kunden", bodies::customer()).await;
        let customer = customer["data"]["DebiNr"].as_str().unwrap();
        let order = bodies::order(customer, json!([{"ArtNr": "A-1", "Menge": 2}]));
        assert_eq!(post("auftrag", order).await["data"]["AuftNr"], "100001");
    });
}

#[test]
fn the_image_serves_with_the_composition_as_a_user_without_rights() {
    let Some(compose) = parsed(&folder().join("compose.yml")) else {
        return skipped("Python's yaml is not installed; Debian's is in python3-yaml");
    };
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let storage = S3::start();
    let mut settings = settings(&compose, cluster, &storage);
    let mut check = process::command(["config", "check"]);
    let checked = process::Ran::of(check.envs(settings.clone()).output().unwrap());
    assert_eq!(
        checked.code,
        Some(0),
        "{}{}",
        checked.stdout,
        checked.stderr
    );
    settings.push(("ERP_LISTEN".to_owned(), "127.0.0.1:0".to_owned()));
    // Without containers: the program with the settings of the composition, on a database of its own.
    let data = tempfile::tempdir().unwrap();
    let mut own = settings.clone();
    own.retain(|(name, _)| name != "ERP_DATABASE");
    own.push(("ERP_DATABASE".to_owned(), cluster.fresh_database()));
    own.push(("ERP_DATA_DIR".to_owned(), data.path().display().to_string()));
    let mut serve = process::command(["serve"]);
    serve.envs(own.clone());
    let server = process::Server::spawn(serve).ready();
    let begin = |arguments: &[&str], answers: &str| {
        let mut command = process::command(arguments);
        command.envs(own.clone());
        ran_with(command, answers)
    };
    first_order(begin, &server.base_url());
    stop(server);

    let images = Images(tempfile::tempdir().unwrap());
    let container = match images.container() {
        Ok(container) => container,
        Err(reason) => return skipped(&format!("no image can be built by buildah: {reason}")),
    };
    let format =
        "{{.Docker.Config.User}} {{.Docker.Config.Healthcheck.Test}} {{.Docker.Config.Cmd}}";
    let config = images.run(&["inspect", "--format", format, &container]);
    assert_eq!(
        config.unwrap(),
        format!("{USER}:{USER} [CMD /usr/bin/erp-server health] [serve]")
    );
    let (serving, url) = match images.serve(&container, &settings, &storage.secret_file()) {
        Ok(served) => served,
        Err(reason) => return skipped(&format!("no container can be run by buildah: {reason}")),
    };
    let begin = |arguments: &[&str], answers: &str| {
        let mut command = images.buildah(&["run", "--isolation", "chroot"]);
        for (name, value) in &settings {
            command.arg("--env").arg(format!("{name}={value}"));
        }
        let secret = storage.secret_file().display().to_string();
        command.arg("--volume").arg(format!("{secret}:{secret}:ro"));
        command.args([&container, "--", PROGRAM]).args(arguments);
        ran_with(command, answers)
    };
    first_order(begin, &url);
    let health = || images.inside(&container, &["health", &url]);
    assert_eq!(health(), Ok("ready".to_owned()));
    let mounted = images.run(&["mount", &container]).unwrap();
    let program = Path::new(&mounted).join("usr/bin/erp-server");
    let owner = fs::metadata(program).unwrap().uid();
    assert_eq!(owner, 0, "it cannot replace itself");
    drop(serving);
    assert!(health().is_err(), "nothing is left behind");
    let _ = images.run(&["rm", "--all"]);
}
