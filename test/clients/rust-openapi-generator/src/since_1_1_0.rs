//! The steps that 1.1.0 adds, some of them as a colleague.

use std::env;

use http::header::RANGE;
use plumbline::{
    apis::{
        configuration::Configuration, conversations_api, playback_api, posts_api, service_api, users_api, video_uploads_api,
    },
    models::{Conversation, ConversationSortOrder, CreatePlaybackRequest, PutReadPositionRequest, UpdateAccountRequest},
};
use uuid::Uuid;

use crate::{Outcome, check, passed};

pub async fn go_further(client: &Configuration) -> Outcome {
    let name = format!("Mara {}", &Uuid::new_v4().to_string()[..8]);
    let colleague = Configuration { bearer_access_token: Some(env::var("COLLEAGUE_KEY")?), ..client.clone() };
    people(client, &colleague, &name).await?;
    unread(&colleague, &name).await?;
    read_position(&colleague, &name).await?;
    playback(client).await
}

/// 7 change a name, and find it as a colleague
async fn people(client: &Configuration, colleague: &Configuration, name: &str) -> Outcome {
    let me = service_api::update_account(client, UpdateAccountRequest::new(name.to_owned())).await?.user_id;
    let profile = users_api::get_user(colleague, &me.to_string()).await?;
    check(profile.display_name.as_deref() == Some(name) && !profile.deleted, "not the new name")?;
    let found = users_api::find_users(colleague, name).await?.data;
    check(found.iter().map(|it| it.id).eq([me]), "not found by name")?;
    let posts = posts_api::list_posts(colleague, Some(&me.to_string()), None, None, None, None, None).await?;
    let post = posts.data.first().ok_or("post is missing")?;
    check(post.author.display_name.as_deref() == Some(name), "no name beside the post")?;
    passed(7, &format!("{} by {name}", post.title));
    Ok(())
}

/// The conversation to which the renamed user has sent the newest message, as the colleague sees it.
async fn conversation_with(colleague: &Configuration, name: &str) -> Outcome<Conversation> {
    let sort = ConversationSortOrder::RecentlyActiveConversationFirst.to_string();
    let page = conversations_api::list_conversations(colleague, Some(&sort), None, None).await?;
    let sender = |it: &Conversation| it.last_message.as_ref()?.sender.display_name.clone();
    let found = page.data.into_iter().find(|it| sender(it).as_deref() == Some(name));
    Ok(found.ok_or("conversation is missing")?)
}

/// 8 see an unread message in the list of conversations
async fn unread(colleague: &Configuration, name: &str) -> Outcome {
    let listed = conversation_with(colleague, name).await?;
    let message = listed.last_message.ok_or("message is missing")?;
    check(listed.unread_count == 1, "not one unread message")?;
    check(message.excerpt == "The slates come on Thursday.", "not the newest message")?;
    passed(8, &format!("{} unread: {}", listed.unread_count, message.excerpt));
    Ok(())
}

/// 9 mark it as read
async fn read_position(colleague: &Configuration, name: &str) -> Outcome {
    let listed = conversation_with(colleague, name).await?;
    let sequence = listed.last_message.ok_or("message is missing")?.sequence;
    let position = PutReadPositionRequest::new(sequence);
    let read = conversations_api::put_read_position(colleague, &listed.id.to_string(), position).await?;
    check(read.unread_count == 0 && read.last_read_sequence == sequence, "not read")?;
    check(conversation_with(colleague, name).await?.unread_count == 0, "unread in the list")?;
    passed(9, &format!("read up to message {sequence}"));
    Ok(())
}

/// 10 play a video through its link, without a credential
async fn playback(client: &Configuration) -> Outcome {
    let videos = video_uploads_api::list_video_uploads(client, None, None, None, None, None).await?;
    let id = videos.data.first().ok_or("video is missing")?.id.to_string();
    let created = playback_api::create_playback(client, &id, None, Some(CreatePlaybackRequest::new())).await?;
    let rendition = created.renditions.last().ok_or("rendition is missing")?;
    let link = format!("{}{}", client.base_path, rendition.href);
    let http = reqwest::Client::new();
    let whole = http.get(&link).send().await?;
    check(whole.status() == 200 && i64::try_from(whole.bytes().await?.len())? == rendition.size_bytes, "the rendition is not whole")?;
    let part = http.get(&link).header(RANGE, "bytes=1000-1999").send().await?;
    check(part.status() == 206 && part.bytes().await?.len() == 1000, "not the requested range")?;
    passed(10, &format!("{} bytes without a header, and a range", rendition.size_bytes));
    Ok(())
}
