//! The journey of run.ts through the Rust client.

mod since_1_1_0;
mod since_1_2_0;

use std::{env, error::Error, path::PathBuf, sync::Mutex, time::Duration};

use http::{Extensions, HeaderMap, HeaderValue, header::CONTENT_TYPE};
use plumbline::{
    apis::{
        self, configuration::Configuration, conversations_api, messages_api, notifications_api, posts_api, service_api, urls_api,
        video_uploads_api,
    },
    models::{
        CreateConversationRequest, CreateMessageRequest, CreatePostRequest, CreateUrlRequest, NotificationKindFilter, NotificationStatus, PostPage,
        Problem, PostSortOrder, UpdateNotificationRequest, VideoUploadStatus,
    },
};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use uuid::Uuid;

const TARGET: &str = "https://www.example.com/slates/order/5531";

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The headers of the last response, which the client itself does not return.
static HEADERS: Mutex<Option<HeaderMap>> = Mutex::new(None);

struct Remember;

#[async_trait::async_trait]
impl Middleware for Remember {
    async fn handle(
        &self,
        request: reqwest::Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let response = next.run(request, extensions).await?;
        *HEADERS.lock().expect("no thread panics with the lock") = Some(response.headers().clone());
        Ok(response)
    }
}

fn header(name: &str) -> Option<String> {
    let headers = HEADERS.lock().expect("no thread panics with the lock");
    Some(headers.as_ref()?.get(name)?.to_str().ok()?.to_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    // begin: first lines
    let client = Configuration {
        base_path: env::var("API_URL")?,
        bearer_access_token: Some(env::var("API_KEY")?),
        ..Configuration::default()
    };
    let account = service_api::get_account(&client).await?;
    // end

    // The client sends no Content-Type with a file, so it is the default of the whole connection.
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"))]);
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).default_headers(headers).build()?;
    let client = Configuration { client: ClientBuilder::new(http).with(Remember).build(), ..client };
    note("response headers, including the `Location` of a 302, are available in a middleware only");
    short_url(&client).await?;
    posts(&client, &account.user_id.to_string()).await?;
    message(&client).await?;
    video(&client).await?;
    notification(&client).await?;
    problems(&client).await?;
    since_1_1_0::go_further(&client).await?;
    since_1_2_0::receive_and_wait(&client).await?;
    Ok(())
}

/// 1 create and follow a short URL
async fn short_url(client: &Configuration) -> Outcome {
    let created = urls_api::create_url(client, CreateUrlRequest::new(TARGET.to_owned()), None).await?;
    let _not_a_success = urls_api::follow_url(client, &created.id).await;
    check(header("location").as_deref() == Some(TARGET), "Location is not the target")?;
    passed(1, &format!("{} leads to its target", created.id));
    Ok(())
}

/// 2 page through posts by cursor and by offset
async fn posts(client: &Configuration, me: &str) -> Outcome {
    let mut made = Vec::new();
    for title in ["one", "two", "three", "four", "five"] {
        let post = CreatePostRequest::new(title.to_owned(), "Measured.".to_owned());
        made.insert(0, posts_api::create_post(client, post, None).await?.id);
    }
    let ids = |page: &PostPage| page.data.iter().map(|post| post.id).collect::<Vec<_>>();
    let (mut by_cursor, mut after) = (Vec::new(), None);
    loop {
        let page = posts_api::list_posts(client, Some(me), None, Some(2), None, after.as_deref(), None).await?;
        by_cursor.extend(ids(&page));
        after = page.page.next_cursor;
        if after.is_none() {
            break;
        }
    }
    let oldest_first = PostSortOrder::OldestPostFirst.to_string();
    note("`sort` takes a `PostSortOrder` as text");
    let (mut by_offset, mut offset, mut total) = (Vec::new(), 0, 1);
    while offset < total {
        let page = posts_api::list_posts(client, Some(me), Some(&oldest_first), Some(2), Some(offset), None, None).await?;
        by_offset.extend(ids(&page));
        total = page.page.total.ok_or("total is missing")?;
        offset += 2;
    }
    check(by_cursor == made, "paging by cursor does not give the posts, newest first")?;
    made.reverse();
    check(by_offset == made, "paging by offset does not give the posts, oldest first")?;
    passed(2, "5 posts by cursor and by offset");
    Ok(())
}

/// 3 send a message twice with one key
async fn message(client: &Configuration) -> Outcome {
    let key = Uuid::new_v4().to_string();
    let members = CreateConversationRequest::new(vec![env::var("COLLEAGUE_ID")?.parse()?]);
    let conversation = conversations_api::create_conversation(client, &key, members).await?.id.to_string();
    let body = CreateMessageRequest::new("The slates come on Thursday.".to_owned());
    let first = messages_api::create_message(client, &conversation, &key, body.clone()).await?;
    let second = messages_api::create_message(client, &conversation, &key, body).await?;
    check(first.id == second.id, "two ids")?;
    check(header("idempotency-replayed").as_deref() == Some("true"), "not replayed")?;
    passed(3, "sent twice, one message");
    Ok(())
}

/// 4 upload a video, poll until it is done and fetch its poster
async fn video(client: &Configuration) -> Outcome {
    note("an upload has no `Content-Type`; set it as a default header");
    let path = PathBuf::from(env::var("VIDEO")?);
    let mut job = video_uploads_api::create_video_upload(client, path, Some("clip.mp4"), None, None, None, None, None, None).await?;
    let id = job.id.to_string();
    while matches!(job.status, VideoUploadStatus::Queued | VideoUploadStatus::Processing) {
        tokio::time::sleep(Duration::from_secs(header("retry-after").map_or(Ok(1), |it| it.parse())?)).await;
        job = video_uploads_api::get_video_upload(client, &id, None, None, None).await?;
    }
    check(job.status == VideoUploadStatus::Succeeded, "the job failed")?;
    let result = job.result.ok_or("result is missing")?;
    let poster = video_uploads_api::get_video_poster(client, &id, None, None, None, None).await?.bytes().await?;
    check(i64::try_from(poster.len())? == result.poster.size_bytes, "the poster is not whole")?;
    passed(4, &format!("{} ms of {}, poster of {} bytes", result.duration_ms, result.video_codec, poster.len()));
    Ok(())
}

/// 5 read notifications with a filter and mark one read
async fn notification(client: &Configuration) -> Outcome {
    let (status, kind) = (Some(NotificationStatus::Unread), Some(NotificationKindFilter::VideoUploadSucceeded));
    let unread = notifications_api::list_notifications(client, status, kind, None, None, None, None, None, None).await?;
    let id = unread.data.first().ok_or("notification is missing")?.id.to_string();
    let read = notifications_api::update_notification(client, &id, UpdateNotificationRequest::new(NotificationStatus::Read), None).await?;
    check(read.status == NotificationStatus::Read && read.read_at.is_some(), "not marked")?;
    passed(5, &format!("read {}", read.kind));
    Ok(())
}

/// 6 provoke a 404, a 409 and a 400
async fn problems(client: &Configuration) -> Outcome {
    let id = format!("taken-{}", &Uuid::new_v4().to_string()[..8]);
    let body = CreateUrlRequest { id: Some(id), ..CreateUrlRequest::new(TARGET.to_owned()) };
    urls_api::create_url(client, body.clone(), None).await?;
    let problems = [
        problem(urls_api::get_url(client, "no-such-url", None, None).await)?,
        problem(urls_api::create_url(client, body, None).await)?,
        problem(posts_api::list_posts(client, None, None, None, Some(0), Some("cursor"), None).await)?,
    ];
    note("the typed error is always `Status400`; parse the `Problem` from its text");
    let seen = problems.iter().map(|it| format!("{} {}", it.status, it.code)).collect::<Vec<_>>();
    check(seen == ["404 not_found", "409 id_taken", "400 conflicting_parameters"], &seen.join(", "))?;
    check(problems[2].errors.as_ref().is_some_and(|it| it.len() == 2), "the two parameters are not named")?;
    passed(6, &seen.join(", "));
    Ok(())
}

fn problem<T, E>(answer: Result<T, apis::Error<E>>) -> Outcome<Problem> {
    match answer {
        Err(apis::Error::ResponseError(refusal)) => Ok(serde_json::from_str(&refusal.content)?),
        _ => Err("nothing was refused".into()),
    }
}

fn passed(step: u8, detail: &str) {
    println!("ok {step} {detail}");
}

fn note(text: &str) {
    println!("note {text}");
}

fn check(condition: bool, message: &str) -> Outcome {
    if condition { Ok(()) } else { Err(message.into()) }
}
