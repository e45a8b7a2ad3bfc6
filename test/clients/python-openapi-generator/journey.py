from collections.abc import Mapping
from uuid import UUID, uuid4

import urllib3

import since_1_1_0
import since_1_2_0
from plumbline_client import (
    ConversationsApi, CreateConversationRequest, CreateMessageRequest, CreatePostRequest, CreateUrlRequest, MessagesApi,
    NotificationKindFilter, NotificationsApi, NotificationStatus, PostsApi, PostSortOrder, Problem, UpdateNotificationRequest,
    UrlsApi, VideoUploadsApi, VideoUploadStatus,
)
from plumbline_client.exceptions import ApiException
from steps import API_KEY, API_URL, COLLEAGUE_ID, TARGET, VIDEO, a, check, note, passed, pause, present

# begin: first lines
from plumbline_client import ApiClient, Configuration, ServiceApi

client = ApiClient(Configuration(host=API_URL, access_token=API_KEY))
account = ServiceApi(client).get_account()
# end

def header(headers: Mapping[str, str] | None, name: str) -> str | None:
    """The value of a header, whose name is as it was sent."""
    return {key.lower(): value for key, value in (headers or {}).items()}.get(name.lower())


urls, posts, messages = UrlsApi(client), PostsApi(client), MessagesApi(client)
videos, notifications = VideoUploadsApi(client), NotificationsApi(client)

# 1 create and follow a short URL
created = urls.create_url(CreateUrlRequest(target_url=TARGET))
unredirected = Configuration(host=API_URL, retries=urllib3.Retry(redirect=0, raise_on_redirect=False))
try:
    UrlsApi(ApiClient(unredirected)).follow_url(created.id)
    check(False, "the client has followed the redirect")
except ApiException as followed:
    check(followed.status == 302 and header(followed.headers, "Location") == TARGET, "Location is not the target")
note("redirects are followed; turn this off by `retries` of the configuration; a 302 is then an `ApiException` with headers")
passed(1, f"{created.id} leads to its target")

# 2 page through posts by cursor and by offset
made = [
    posts.create_post(CreatePostRequest(title=title, body="Measured.")).id for title in ("one", "two", "three", "four", "five")
]
made.reverse()
by_cursor: list[UUID] = []
after: str | None = None
while True:
    page = posts.list_posts(author=account.user_id, limit=2, after=after)
    by_cursor += [post.id for post in page.data]
    after = page.page.next_cursor
    if after is None:
        break
by_offset: list[UUID] = []
offset, total = 0, 1
while offset < total:
    page = posts.list_posts(author=account.user_id, limit=2, sort=PostSortOrder.OldestPostFirst, offset=offset)
    by_offset += [post.id for post in page.data]
    total = present(page.page.total, "total")
    offset += 2
check(by_cursor == made, "paging by cursor does not give the posts, newest first")
check(by_offset == made[::-1], "paging by offset does not give the posts, oldest first")
passed(2, "5 posts by cursor and by offset")

# 3 send a message twice with one key
key = str(uuid4())
members = CreateConversationRequest(member_ids=[UUID(COLLEAGUE_ID)])
conversation = ConversationsApi(client).create_conversation(key, members)
first, second = (
    messages.create_message_with_http_info(conversation.id, key, CreateMessageRequest(body="The slates come on Thursday."))
    for _attempt in range(2)
)
check(first.data.id == second.data.id, "two ids")
check(header(second.headers, "Idempotency-Replayed") == "true", "not replayed")
note("the names of headers are as they were sent, so compare them without regard to case")
passed(3, "sent twice, one message")

# 4 upload a video, poll until it is done and fetch its poster
answer = videos.create_video_upload_with_http_info(VIDEO.read_bytes(), name="clip.mp4")
job = answer.data
while job.status in (VideoUploadStatus.QUEUED, VideoUploadStatus.PROCESSING):
    pause(header(answer.headers, "Retry-After"))
    answer = videos.get_video_upload_with_http_info(job.id)
    job = answer.data
check(job.status == VideoUploadStatus.SUCCEEDED, f"the job {job.status}")
result = present(job.result, "result")
poster = videos.get_video_poster(job.id)
check(len(poster) == result.poster.size_bytes, "the poster is not whole")
passed(4, f"{result.duration_ms} ms of {result.video_codec}, poster of {len(poster)} bytes")

# 5 read notifications with a filter and mark one read
unread = notifications.list_notifications(status=NotificationStatus.UNREAD, kind=NotificationKindFilter.VideoUploadSucceeded)
read = notifications.update_notification(unread.data[0].id, UpdateNotificationRequest(status=NotificationStatus.READ))
check(read.status == NotificationStatus.READ and read.read_at is not None, "not marked")
passed(5, f"read {read.kind}")

# 6 provoke a 404, a 409 and a 400
taken_id = f"taken-{uuid4().hex[:8]}"
again = CreateUrlRequest(target_url=TARGET, id=taken_id)
urls.create_url(again)
problems: list[Problem] = []
for refused in (
    lambda: urls.get_url("no-such-url"),
    lambda: urls.create_url(again),
    lambda: posts.list_posts(offset=0, after="cursor"),
):
    try:
        refused()
    except ApiException as failure:
        problems.append(a(Problem, failure.data))
seen = [f"{problem.status} {problem.code}" for problem in problems]
check(seen == ["404 not_found", "409 id_taken", "400 conflicting_parameters"], str(seen))
check(len(problems[2].errors or []) == 2, "the two parameters are not named")
passed(6, ", ".join(seen))

since_1_1_0.go_further(client)
since_1_2_0.receive_and_wait(client)
