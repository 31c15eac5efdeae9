//! An independent S3-compatible service (s3s-fs) on loopback. Its objects are files.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// The access key of the service.
pub const ACCESS_KEY: &str = "ERPTESTACCESSKEY";

/// Its secret.
pub const SECRET_KEY: &str = "only-the-tests-know-this-secret";

/// The name of the file with the secret, beside the folder of the bucket.
const SECRET_FILE: &str = "secret";

/// The bucket that exists at the start.
pub const BUCKET: &str = "media";

/// A running service that can be stopped and started again.
#[derive(Debug)]
pub struct S3 {
    folder: TempDir,
    port: u16,
    /// All tasks of the service run here.
    runtime: Option<Runtime>,
}

impl S3 {
    /// Starts the service with an empty bucket.
    #[must_use]
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the objects");
        fs::create_dir(folder.path().join(BUCKET)).expect("a bucket");
        fs::write(folder.path().join(SECRET_FILE), SECRET_KEY).expect("a file of the secret");
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("the port").port();
        drop(free);
        let mut s3 = Self {
            folder,
            port,
            runtime: None,
        };
        s3.resume();
        s3
    }

    /// The address of the service.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The settings of a server that stores media in this service, under a prefix.
    #[must_use]
    pub fn settings(&self, prefix: &str) -> Vec<(String, String)> {
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        vec![
            own("media_store", &format!("s3://{BUCKET}/{prefix}")),
            own("media_s3_endpoint", &self.endpoint()),
            own("media_s3_access_key", ACCESS_KEY),
            own(
                "media_s3_secret_key_file",
                &self.secret_file().display().to_string(),
            ),
        ]
    }

    /// The file that holds the secret alone.
    #[must_use]
    pub fn secret_file(&self) -> PathBuf {
        self.folder.path().join(SECRET_FILE)
    }

    /// The file of the service with the object of a media body.
    #[must_use]
    pub fn file(&self, prefix: &str, hash: &str) -> PathBuf {
        let folder = self.folder.path().join(BUCKET).join(prefix);
        folder.join(&hash[..2]).join(&hash[2..4]).join(hash)
    }

    /// Stops the service immediately, also in the middle of requests.
    pub fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    /// Starts it again with the same objects and the same port.
    pub fn resume(&mut self) {
        let files = s3s_fs::FileSystem::new(self.folder.path()).expect("a folder of objects");
        let mut service = S3ServiceBuilder::new(files);
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind(("127.0.0.1", self.port)))
            .expect("the port is free");
        runtime.spawn(serve(listener, service.build()));
        self.runtime = Some(runtime);
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn serve(listener: tokio::net::TcpListener, service: S3Service) {
    while let Ok((stream, _)) = listener.accept().await {
        let service = service.clone();
        tokio::spawn(async move {
            let http = Builder::new(TokioExecutor::new());
            // A client that disconnects is not an error of the service.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
