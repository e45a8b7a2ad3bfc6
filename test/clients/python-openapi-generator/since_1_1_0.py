"""The steps that 1.1.0 adds, some of them as a colleague."""

from collections.abc import Mapping
from urllib.parse import urljoin
from uuid import uuid4

import urllib3

from plumbline_client import (
    ApiClient, Configuration, Conversation, ConversationsApi, ConversationSortOrder, CreatePlaybackRequest, PlaybackApi, PostsApi,
    PutReadPositionRequest, ServiceApi, UpdateAccountRequest, UsersApi, VideoUploadsApi,
)
from steps import API_URL, COLLEAGUE_KEY, check, passed, present

colleague = ApiClient(Configuration(host=API_URL, access_token=COLLEAGUE_KEY))
name = f"Mara {uuid4().hex[:8]}"


def go_further(client: ApiClient) -> None:
    people(client)
    unread()
    read_position()
    playback(client)


def people(client: ApiClient) -> None:
    """7 change a name, and find it as a colleague"""
    me = ServiceApi(client).update_account(UpdateAccountRequest(display_name=name))
    profile = UsersApi(colleague).get_user(me.user_id)
    check(profile.display_name == name and not profile.deleted, "not the new name")
    found = UsersApi(colleague).find_users(name)
    check([user.id for user in found.data] == [me.user_id], "not found by name")
    post = PostsApi(colleague).list_posts(author=me.user_id).data[0]
    check(post.author.display_name == name, "no name beside the post")
    passed(7, f"{post.title} by {post.author.display_name}")


def conversation() -> Conversation:
    """The conversation to which the renamed user has sent the newest message, as the colleague sees it."""
    page = ConversationsApi(colleague).list_conversations(sort=ConversationSortOrder.RecentlyActiveConversationFirst)
    found = (it for it in page.data if it.last_message is not None and it.last_message.sender.display_name == name)
    return present(next(found, None), "conversation")


def unread() -> None:
    """8 see an unread message in the list of conversations"""
    listed = conversation()
    message = present(listed.last_message, "message")
    check(listed.unread_count == 1, f"{listed.unread_count} unread")
    check(message.excerpt == "The slates come on Thursday.", "not the newest message")
    passed(8, f"{listed.unread_count} unread: {message.excerpt}")


def read_position() -> None:
    """9 mark it as read"""
    listed = conversation()
    sequence = present(listed.last_message, "message").sequence
    read = ConversationsApi(colleague).put_read_position(listed.id, PutReadPositionRequest(sequence=sequence))
    check(read.unread_count == 0 and read.last_read_sequence == sequence, "not read")
    check(conversation().unread_count == 0, "unread in the list")
    passed(9, f"read up to message {sequence}")


def playback(client: ApiClient) -> None:
    """10 play a video through its link, without a credential"""
    video = VideoUploadsApi(client).list_video_uploads().data[0]
    rendition = PlaybackApi(client).create_playback(video.id, create_playback_request=CreatePlaybackRequest()).renditions[-1]
    whole, part = fetch(rendition.href, {}), fetch(rendition.href, {"Range": "bytes=1000-1999"})
    check(whole.status == 200 and len(whole.data) == rendition.size_bytes, "the rendition is not whole")
    check(part.status == 206 and len(part.data) == 1000, "not the requested range")
    passed(10, f"{rendition.size_bytes} bytes without a header, and a range")


def fetch(href: str, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
    return urllib3.request("GET", urljoin(API_URL, href), headers=headers)
