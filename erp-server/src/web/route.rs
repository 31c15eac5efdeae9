//! Routing of paths and methods.
//!
//! All methods of a path are one resource. So `Allow` is always correct, `HEAD` is handled by `GET`, and `OPTIONS` needs
//! no token.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use salvo::http::header::ALLOW;
use salvo::http::{HeaderName, HeaderValue, Method, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, async_trait};
use secrecy::SecretString;

use super::api_request::{Admitted, ApiRequest};
use super::api_response::ApiResponse;
use super::conditional::Conditions;
use super::error::{ApiError, Result, shorten};
use super::http_state::HttpState;
use super::query::Query;
use super::throttle::RateStatus;

const UNKNOWN_PARAMETERS: HeaderName = HeaderName::from_static("x-unknown-parameters");

/// `Allow` of `OPTIONS *`, which asks for the server as a whole.
const EVERY_METHOD: HeaderValue =
    HeaderValue::from_static("DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT");

/// Route name of page files in log and metrics.
const FILE: &str = "page";

/// Server state passed to handlers; also authenticates users.
pub trait Application: Send + Sync + 'static {
    type User: Caller;

    fn http_state(&self) -> &Arc<HttpState>;

    /// Looks up the user of a bearer token; `None` when the token is unknown or expired.
    fn user_of(
        &self,
        token: SecretString,
    ) -> impl Future<Output = Result<Option<Self::User>>> + Send;
}

pub trait Caller: Send + Sync + 'static {
    /// User name for rate limits and the log.
    fn name(&self) -> Cow<'_, str>;

    /// Whether strangers cannot get the credentials, so that the server may prefer the client's address.
    fn is_user(&self) -> bool {
        true
    }
}

/// A user with the permission a handler needs. The argument type of a handler declares who may call it.
pub trait Authorized<User>: Sized {
    /// Whether there are users without the permission.
    const REFUSES: bool;

    /// The roles of the users who have it; empty when it does not depend on the role.
    fn roles() -> Vec<&'static str> {
        Vec::new()
    }

    /// Returns the user if it has the permission.
    /// Errors: 403 otherwise.
    fn authorize(user: User) -> Result<Self>;
}

impl<U: Caller> Authorized<U> for U {
    const REFUSES: bool = false;

    fn authorize(user: U) -> Result<Self> {
        Ok(user)
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<ApiResponse>> + Send>>;

// rule: R-AUT-04
type Guarded<A, U> = Box<dyn Fn(Arc<A>, U, ApiRequest) -> Answering + Send + Sync>;
type Open<A> = Box<dyn Fn(Arc<A>, ApiRequest) -> Answering + Send + Sync>;

enum Operation<A: Application> {
    Guarded(Guarded<A, A::User>),
    Open(Open<A>),
}

#[must_use]
pub struct Resource<A: Application> {
    operations: Vec<(Method, Operation<A>)>,
    /// Instead of the setting `request_timeout_seconds`.
    time_limit: Option<fn(&A) -> Duration>,
    only_reads: bool,
    /// The query parameters of each method, where they are known.
    parameters: Option<Vec<(Method, &'static str)>>,
}

impl<A: Application> Default for Resource<A> {
    fn default() -> Self {
        Self {
            operations: Vec::new(),
            time_limit: None,
            only_reads: false,
            parameters: None,
        }
    }
}

impl<A: Application> Resource<A> {
    /// Resource whose query parameters are all known; responses name others.
    pub fn described() -> Self {
        Self {
            parameters: Some(Vec::new()),
            ..Self::default()
        }
    }

    pub fn with_parameter(mut self, method: Method, name: &'static str) -> Self {
        let parameters = self.parameters.get_or_insert_default();
        parameters.push((method, name));
        self
    }

    /// Sets a time limit instead of the setting `request_timeout_seconds`, for example for imports.
    pub fn timed_by(mut self, limit: fn(&A) -> Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Declares that no method changes anything, so that every request can be sent again.
    pub const fn only_reads(mut self) -> Self {
        self.only_reads = true;
        self
    }

    /// Handles a method for users with a token; `GET` includes `HEAD`.
    pub fn by<F, U, T>(mut self, method: Method, operation: F) -> Self
    where
        F: Fn(Arc<A>, U, ApiRequest) -> T + Send + Sync + 'static,
        U: Authorized<A::User>,
        T: Future<Output = Result<ApiResponse>> + Send + 'static,
    {
        let run = move |app, user, request| -> Answering {
            match U::authorize(user) {
                Ok(user) => Box::pin(operation(app, user, request)),
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        };
        self.operations
            .push((method, Operation::Guarded(Box::new(run))));
        self
    }

    /// Handles a method without authentication: token requests, health checks, API description.
    pub fn open<F, T>(mut self, method: Method, operation: F) -> Self
    where
        F: Fn(Arc<A>, ApiRequest) -> T + Send + Sync + 'static,
        T: Future<Output = Result<ApiResponse>> + Send + 'static,
    {
        let run = move |app, request| -> Answering { Box::pin(operation(app, request)) };
        self.operations
            .push((method, Operation::Open(Box::new(run))));
        self
    }

    /// Adds what another part of the same path has.
    fn add(&mut self, other: Self) {
        self.operations.extend(other.operations);
        self.only_reads |= other.only_reads;
        if let Some(parameters) = other.parameters {
            self.parameters.get_or_insert_default().extend(parameters);
        }
        self.time_limit = other.time_limit.or(self.time_limit);
    }

    /// The names in a query that the method does not know.
    fn unknown(&self, method: &Method, query: Option<&str>) -> Option<HeaderValue> {
        let (known, query) = (self.parameters.as_ref()?, query?);
        let of_method = known.iter().filter(|(of, _)| of == without_head(method));
        Query::unknown(query, |name| {
            let mut names = of_method.clone();
            names.any(|(_, known)| known.eq_ignore_ascii_case(name))
        })
    }

    // rule: D-REQ-16
    fn find(&self, method: &Method) -> Option<&Operation<A>> {
        let method = without_head(method);
        let found = self.operations.iter().find(|(known, _)| known == method);
        found.map(|(_, operation)| operation)
    }

    // rule: R-ZUG-05
    /// Value of `Allow`, in alphabetical order.
    fn allow(&self) -> HeaderValue {
        let mut names: Vec<&str> = self
            .operations
            .iter()
            .map(|(method, _)| method.as_str())
            .collect();
        if names.contains(&"GET") {
            names.push("HEAD");
        }
        names.push("OPTIONS");
        names.sort_unstable();
        HeaderValue::try_from(names.join(", ")).unwrap_or(HeaderValue::from_static("OPTIONS"))
    }
}

/// The method that handles a method: `GET` for `HEAD`.
fn without_head(method: &Method) -> &Method {
    match *method {
        Method::HEAD => &Method::GET,
        _ => method,
    }
}

/// Characters of an unknown path in the log.
const PATH_CHARACTERS: usize = 200;

/// The path of a request that has no route; the log names it. Known paths are logged as their pattern.
#[derive(Clone, Debug)]
pub(super) struct UnknownPath(pub(super) String);

/// Looks up a file that is not in the list of routes. The path has no leading slash.
type FindFile<A> = Box<dyn Fn(&str) -> Option<Resource<A>> + Send + Sync>;

#[must_use]
pub struct Routes<A: Application> {
    list: Vec<(&'static str, Resource<A>)>,
    files: Vec<FindFile<A>>,
}

impl<A: Application> Default for Routes<A> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            files: Vec::new(),
        }
    }
}

impl<A: Application> Routes<A> {
    /// Adds methods of a path with parameters in braces, for example `/www/artikel/{ArtNr}`. Requests may add a trailing
    /// slash.
    pub fn at(mut self, path: &'static str, resource: Resource<A>) -> Self {
        match self.list.iter_mut().find(|(known, _)| *known == path) {
            Some((_, known)) => known.add(resource),
            None => self.list.push((path, resource)),
        }
        self
    }

    /// Adds a lookup for files, for example those whose paths can change at runtime. Paths added with
    /// [`Routes::at`] and lookups added before take precedence. All files share one route name in the log.
    pub fn files(mut self, find: FindFile<A>) -> Self {
        self.files.push(find);
        self
    }

    /// Without these paths, written without their first slash, and what is below them.
    pub fn without(mut self, roots: &'static [&'static str]) -> Self {
        let is_left = move |path: &str| {
            let mut rests = roots.iter().filter_map(|root| path.strip_prefix(root));
            !rests.any(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.list
            .retain(|(path, _)| is_left(path.trim_start_matches('/')));
        let files = self.files.into_iter().map(|find| -> FindFile<A> {
            Box::new(move |path| is_left(path).then(|| find(path)).flatten())
        });
        self.files = files.collect();
        self
    }

    /// Every path with its `Allow` value, for documents and tests.
    pub fn listed(&self) -> impl Iterator<Item = (&'static str, HeaderValue)> {
        self.list
            .iter()
            .map(|(path, resource)| (*path, resource.allow()))
    }

    pub(super) fn into_router(self, app: &Arc<A>) -> Router {
        let usual = app.http_state().options.timeouts.request;
        // salvo tries one path after the other: by their first segment there are few to try.
        let mut by_segment: BTreeMap<&'static str, Router> = BTreeMap::new();
        for (route, resource) in self.list {
            let endpoint = Endpoint {
                time_limit: resource.time_limit.map_or(usual, |limit| limit(app)),
                app: Arc::clone(app),
                route,
                resource,
            };
            let path = route.trim_start_matches('/');
            let (first, rest) = path.split_once('/').unwrap_or((path, ""));
            let same = by_segment.remove(first);
            let same = same.unwrap_or_else(|| Router::with_path(first));
            let same = match rest {
                "" => same.goal(endpoint),
                rest => same.push(Router::with_path(rest).goal(endpoint)),
            };
            by_segment.insert(first, same);
        }
        let router = by_segment.into_values().fold(Router::new(), Router::push);
        let files = FileEndpoint {
            app: Arc::clone(app),
            time_limit: usual,
            lookups: self.files,
        };
        router.push(Router::with_path("{**path}").goal(files))
    }
}

/// Route and sender of a request for the access log.
#[derive(Clone, Debug)]
pub(super) struct AccessLogFields {
    pub(super) route: &'static str,
    pub(super) sender: Option<Sender>,
}

#[derive(Clone, Debug)]
pub(super) struct Sender {
    pub(super) name: String,
    pub(super) is_user: bool,
}

struct Endpoint<A: Application> {
    app: Arc<A>,
    route: &'static str,
    time_limit: Duration,
    resource: Resource<A>,
}

impl<A: Application> Endpoint<A> {
    async fn run(
        &self,
        admitted: Admitted,
        req: &mut Request,
        res: &mut Response,
        sender: &mut Option<Sender>,
    ) -> Result<ApiResponse> {
        let Some(operation) = self.resource.find(req.method()) else {
            if req.method() == Method::OPTIONS {
                return Ok(ApiResponse::no_content().header(ALLOW, self.resource.allow()));
            }
            return Err(ApiError::method_not_allowed(self.resource.allow()));
        };
        if let Some(names) = self.resource.unknown(req.method(), req.uri().query()) {
            res.headers_mut().insert(UNKNOWN_PARAMETERS, names);
        }
        let app = Arc::clone(&self.app);
        let mut request = ApiRequest::take(self.app.http_state(), self.route, admitted, req);
        let run = match operation {
            Operation::Open(run) => {
                return run(app, request).await;
            }
            Operation::Guarded(run) => run,
        };
        // Only a request of this process brings its user, see `run_here`.
        let user = match req.extensions_mut().remove::<A::User>() {
            Some(user) => Ok(user),
            None => self.admit(&request, res, sender).await,
        };
        let user = match user {
            Ok(user) => user,
            Err(error) => {
                // Return the unread body to the request, so that it can be discarded before the connection is reused.
                req.replace_body(request.take_body());
                return Err(error);
            }
        };
        let response = run(app, user, request).await?;
        // What was written counts towards the user's rate limit. This replaces the headers set before the request ran.
        let throttle = &self.app.http_state().throttle;
        let rate = sender
            .as_ref()
            .and_then(|sender| throttle.written(&sender.name, response.written, Instant::now()));
        for (name, value) in rate.into_iter().flat_map(RateStatus::headers) {
            res.headers_mut().insert(name, value);
        }
        Ok(response)
    }

    async fn admit(
        &self,
        request: &ApiRequest,
        res: &mut Response,
        sender: &mut Option<Sender>,
    ) -> Result<A::User> {
        let token = request.bearer()?;
        let user = self.app.user_of(token).await?;
        let user = user.ok_or_else(ApiError::token_refused)?;
        let name = user.name().into_owned();
        let is_user = user.is_user();
        let name = &sender.insert(Sender { name, is_user }).name;
        self.app.http_state().unread.check(name)?;
        let throttle = &self.app.http_state().throttle;
        let rate = throttle.request(name, Instant::now())?;
        let rate = rate.into_iter().flat_map(RateStatus::headers);
        res.headers_mut().extend(rate);
        Ok(user)
    }
}

#[async_trait]
impl<A: Application> Handler for Endpoint<A> {
    async fn handle(
        &self,
        req: &mut Request,
        _depot: &mut Depot,
        res: &mut Response,
        _ctrl: &mut FlowCtrl,
    ) {
        let mut sender = None;
        // When the time limit interrupts a write, its outcome is unknown.
        let only_reads = self.resource.only_reads || req.method().is_safe();
        let Some(admitted) = req.extensions_mut().remove::<Admitted>() else {
            return ApiError::internal("the request layer was left out").render_into(res);
        };
        let permit = admitted.permit.clone();
        let conditions = Conditions::of(req.method(), req.headers());
        let answered = async {
            let response = self.run(admitted, req, res, &mut sender).await?;
            response.under(&conditions)
        };
        let answered = AssertUnwindSafe(answered).catch_unwind();
        let answered = tokio::time::timeout(self.time_limit, answered).await;
        res.extensions.insert(AccessLogFields {
            route: self.route,
            sender,
        });
        match answered {
            Ok(Ok(Ok(response))) => response.render_into(res),
            Ok(Ok(Err(error))) => error.render_into(res),
            Ok(Err(panic)) => {
                let cause = format!("panic: {}", text_of(&*panic));
                ApiError::internal(cause).render_into(res);
            }
            Err(_) if permit.is_left() => ApiError::request_timeout().render_into(res),
            Err(_) if only_reads => ApiError::unavailable(TOO_LONG).render_into(res),
            Err(_) => ApiError::outcome_unknown(TOO_LONG).render_into(res),
        }
    }
}

/// Log cause of requests that exceed their time limit.
const TOO_LONG: &str = "the request took too long";
/// Endpoint for files that are looked up at request time, and for unknown paths.
struct FileEndpoint<A: Application> {
    app: Arc<A>,
    time_limit: Duration,
    lookups: Vec<FindFile<A>>,
}

#[async_trait]
impl<A: Application> Handler for FileEndpoint<A> {
    async fn handle(
        &self,
        req: &mut Request,
        depot: &mut Depot,
        res: &mut Response,
        ctrl: &mut FlowCtrl,
    ) {
        let path = req.uri().path();
        if path == "*" && req.method() == Method::OPTIONS {
            ApiResponse::no_content()
                .header(ALLOW, EVERY_METHOD)
                .render_into(res);
            return;
        }
        let path = path.strip_prefix('/').unwrap_or(path);
        let Some(resource) = self.lookups.iter().find_map(|find| find(path)) else {
            let path = shorten(req.uri().path(), PATH_CHARACTERS).into_owned();
            res.extensions.insert(UnknownPath(path));
            // The request layer adds the body.
            res.status_code(StatusCode::NOT_FOUND);
            return;
        };
        let endpoint = Endpoint {
            time_limit: self.time_limit,
            app: Arc::clone(&self.app),
            route: FILE,
            resource,
        };
        endpoint.handle(req, depot, res, ctrl).await;
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    literal.or_else(owned).unwrap_or("no message")
}
