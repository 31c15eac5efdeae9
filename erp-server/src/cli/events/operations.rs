//! Operations on event targets and deliveries, on a store and on a running server.

use erp_core::erp::{EventId, LogQuery, NewEventTarget};
use hyper::Method;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::cli::backend::Backend;
use crate::cli::failure::Failure;
use crate::delivery::check_url;
use crate::observe::audit::this_command;
use crate::resources::{event_json, target_json};
use crate::web::Query;

impl Backend {
    pub(super) async fn targets(&self) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                let targets = erp.events().targets().await?;
                Ok(targets.iter().map(target_json).collect())
            }
            Self::Server(remote) => {
                remote
                    .data(Method::GET, "/admin/events/targets", None)
                    .await
            }
        }
    }

    pub(super) async fn add_target(&self, new: &NewEventTarget) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, settings) => {
                check_url(&new.url, settings.events.event_private_targets)
                    .map_err(|error| Failure::new(format!("URL: {error}")))?;
                let target = erp
                    .events()
                    .add_target(new, Timestamp::now(), this_command().as_ref())
                    .await?;
                Ok(target_json(&target))
            }
            Self::Server(remote) => {
                let kinds: Vec<&str> = new.kinds.iter().map(|kind| kind.as_str()).collect();
                let body = json!({"url": new.url, "secret": new.secret, "kinds": kinds});
                remote
                    .data(Method::POST, "/admin/events/targets", Some(&body))
                    .await
            }
        }
    }

    pub(super) async fn switch_target(&self, id: u64, enabled: bool) -> Result<(), Failure> {
        match self {
            Self::Store(erp, _) => drop(
                erp.events()
                    .switch_target(id, enabled, this_command().as_ref())
                    .await?,
            ),
            Self::Server(remote) => {
                let path = format!("/admin/events/targets/{id}");
                let body = json!({"enabled": enabled});
                remote.data(Method::PUT, &path, Some(&body)).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn remove_target(&self, id: u64) -> Result<(), Failure> {
        match self {
            Self::Store(erp, _) => {
                erp.events()
                    .remove_target(id, this_command().as_ref())
                    .await?
            }
            Self::Server(remote) => {
                let path = format!("/admin/events/targets/{id}");
                remote.data(Method::DELETE, &path, None).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn events(&self, query: &LogQuery) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                let listed = erp.events().logged(query).await?;
                Ok(listed.iter().map(event_json).collect())
            }
            Self::Server(remote) => {
                let since = query.since.map(|since| since.to_string());
                let after = query.after.map(|after| after.to_string());
                let limit = query.limit.to_string();
                let given = [
                    ("since", since.as_deref()),
                    ("after", after.as_deref()),
                    ("limit", Some(limit.as_str())),
                ];
                let given: Vec<(&str, &str)> = given
                    .into_iter()
                    .filter_map(|(name, text)| Some((name, text?)))
                    .collect();
                let path = format!("/admin/events{}", Query::default().with(&given));
                remote.data(Method::GET, &path, None).await
            }
        }
    }

    pub(super) async fn replay(&self, id: EventId) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                let begun = erp
                    .events()
                    .replay(id, Timestamp::now(), this_command().as_ref())
                    .await?;
                Ok(json!({"deliveries": begun}))
            }
            Self::Server(remote) => {
                let path = format!("/admin/events/replay/{id}");
                remote.data(Method::POST, &path, None).await
            }
        }
    }

    pub(super) async fn replay_since(&self, since: Timestamp) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                let begun = erp
                    .events()
                    .replay_since(since, Timestamp::now(), this_command().as_ref())
                    .await?;
                Ok(json!({"deliveries": begun}))
            }
            Self::Server(remote) => {
                let since = since.to_string();
                let query = Query::default().with(&[("since", &since)]);
                let path = format!("/admin/events/replay{query}");
                remote.data(Method::POST, &path, None).await
            }
        }
    }
}
