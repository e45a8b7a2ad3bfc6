//! The steps that 1.2.0 adds: the program receives events, and waits for changes.

use std::{env, path::PathBuf};

use plumbline::{
    apis::{configuration::Configuration, video_uploads_api, webhooks_api},
    models::{
        CreateWebhookEndpointRequest, VideoUploadStatus, VideoUploadSucceededEvent, WebhookEndpointTestedEvent, WebhookScope,
        WebhookSubscription,
    },
};

use crate::{Outcome, check, passed};

pub async fn receive_and_wait(client: &Configuration) -> Outcome {
    test_event(client).await?;
    video_event(client).await
}

/// The next event that the receiver of run.ts has got, as JSON.
async fn next_event() -> Outcome<String> {
    let answer = reqwest::get(env::var("EVENTS_URL")?).await?;
    check(answer.status() == 200, "no event")?;
    Ok(answer.text().await?)
}

/// 11 get a test event at a webhook endpoint
async fn test_event(client: &Configuration) -> Outcome {
    let body = CreateWebhookEndpointRequest {
        scopes: Some(vec![WebhookScope::WithVideoUploads]),
        ..CreateWebhookEndpointRequest::new(env::var("EVENTS_URL")?, vec![WebhookSubscription::OnVideoUploadSucceeded])
    };
    let id = webhooks_api::create_webhook_endpoint(client, body, None).await?.endpoint.id;
    webhooks_api::create_webhook_delivery(client, &id.to_string(), None, None).await?;
    let event: WebhookEndpointTestedEvent = serde_json::from_str(&next_event().await?)?;
    let kind = event.r#type.to_string();
    check(kind == "webhook_endpoint.tested", &kind)?;
    check(event.data.endpoint_id == id, "not this endpoint")?;
    passed(11, &kind);
    Ok(())
}

/// 12 wait for a video with one request, and get the event about it
async fn video_event(client: &Configuration) -> Outcome {
    let path = PathBuf::from(env::var("VIDEO")?);
    let mut job = video_uploads_api::create_video_upload(client, path, Some("clip.mp4"), None, None, None, None, None, None).await?;
    let mut requests = 0;
    while matches!(job.status, VideoUploadStatus::Queued | VideoUploadStatus::Processing) {
        job = video_uploads_api::get_video_upload(client, &job.id.to_string(), None, None, Some(20)).await?;
        requests += 1;
    }
    let ended = format!("{} after {requests} requests", job.status);
    check(job.status == VideoUploadStatus::Succeeded && requests <= 3, &ended)?;
    let event: VideoUploadSucceededEvent = serde_json::from_str(&next_event().await?)?;
    let kind = event.r#type.to_string();
    check(kind == "video_upload.succeeded", &kind)?;
    check(event.data.video_upload.is_some_and(|it| it.id == job.id), "not this video")?;
    passed(12, &format!("{kind}, and the job after {requests} request"));
    Ok(())
}
