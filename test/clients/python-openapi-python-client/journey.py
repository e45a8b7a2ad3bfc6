from uuid import UUID, uuid4

from build.plumbline_client.api.conversations import create_conversation
from build.plumbline_client.api.messages import create_message
from build.plumbline_client.api.notifications import list_notifications, update_notification
from build.plumbline_client.api.posts import create_post, list_posts
from build.plumbline_client.api.urls import create_url, follow_url, get_url
from build.plumbline_client.api.video_uploads import create_video_upload, get_video_poster, get_video_upload
from build.plumbline_client.models import (
    Account, Conversation, CreateConversationRequest, CreateMessageRequest, CreatePostRequest, CreateUrlRequest, Message,
    Notification, NotificationKindFilter, NotificationPage, NotificationStatus, Post, PostPage, Problem, PostSortOrder,
    UpdateNotificationRequest, Url, VideoResult, VideoUpload, VideoUploadStatus,
)
from build.plumbline_client.types import UNSET, File, Unset
from python_steps import API_KEY, API_URL, COLLEAGUE_ID, TARGET, VIDEO, a, check, note, passed, pause

# begin: first lines
from build.plumbline_client import AuthenticatedClient
from build.plumbline_client.api.service import get_account

client = AuthenticatedClient(base_url=API_URL, token=API_KEY)
account = get_account.sync(client=client)
# end

me = a(Account, account)

# 1 create and follow a short URL
created = a(Url, create_url.sync(client=client, body=CreateUrlRequest(target_url=TARGET)))
followed = follow_url.sync_detailed(created.id, client=client)
check(followed.status_code == 302 and followed.headers["Location"] == TARGET, "Location is not the target")
passed(1, f"{created.id} leads to its target")

# 2 page through posts by cursor and by offset
made = [
    a(Post, create_post.sync(client=client, body=CreatePostRequest(title=title, body="Measured."))).id
    for title in ("one", "two", "three", "four", "five")
]
made.reverse()
by_cursor: list[UUID] = []
after: str | None | Unset = UNSET
while after is not None:
    page = a(PostPage, list_posts.sync(client=client, author=me.user_id, limit=2, after=after))
    by_cursor += [post.id for post in page.data]
    after = page.page.next_cursor
by_offset: list[UUID] = []
offset, total = 0, 1
while offset < total:
    page = a(PostPage, list_posts.sync(client=client, author=me.user_id, limit=2, sort=PostSortOrder.OLDEST_POST_FIRST, offset=offset))
    by_offset += [post.id for post in page.data]
    total = a(int, page.page.total)
    offset += 2
check(by_cursor == made, "paging by cursor does not give the posts, newest first")
check(by_offset == made[::-1], "paging by offset does not give the posts, oldest first")
passed(2, "5 posts by cursor and by offset")

# 3 send a message twice with one key
key = str(uuid4())
members = CreateConversationRequest(member_ids=[UUID(COLLEAGUE_ID)])
conversation = a(Conversation, create_conversation.sync(client=client, body=members, idempotency_key=key))
first, second = (
    create_message.sync_detailed(
        conversation.id, client=client, body=CreateMessageRequest(body="The slates come on Thursday."), idempotency_key=key
    )
    for _attempt in range(2)
)
check(a(Message, first.parsed).id == a(Message, second.parsed).id, "two ids")
check(second.headers["Idempotency-Replayed"] == "true", "not replayed")
passed(3, "sent twice, one message")

# 4 upload a video, poll until it is done and fetch its poster
with VIDEO.open("rb") as video:
    answer = create_video_upload.sync_detailed(client=client, body=File(payload=video), name="clip.mp4")
job = a(VideoUpload, answer.parsed)
while job.status in (VideoUploadStatus.QUEUED, VideoUploadStatus.PROCESSING):
    pause(answer.headers.get("Retry-After"))
    answer = get_video_upload.sync_detailed(job.id, client=client)
    job = a(VideoUpload, answer.parsed)
check(job.status == VideoUploadStatus.SUCCEEDED, f"the job {job.status}")
result = a(VideoResult, job.result)
poster = a(File, get_video_poster.sync(job.id, client=client)).payload.read()
check(len(poster) == result.poster.size_bytes, "the poster is not whole")
passed(4, f"{result.duration_ms} ms of {result.video_codec}, poster of {len(poster)} bytes")

# 5 read notifications with a filter and mark one read
kind = NotificationKindFilter.VIDEO_UPLOAD_SUCCEEDED
unread = a(NotificationPage, list_notifications.sync(client=client, status=NotificationStatus.UNREAD, kind=kind))
read = a(Notification, update_notification.sync(unread.data[0].id, client=client, body=UpdateNotificationRequest(NotificationStatus.READ)))
check(read.status == NotificationStatus.READ and read.read_at is not None, "not marked")
passed(5, f"read {read.kind}")

# 6 provoke a 404, a 409 and a 400
taken_id = f"taken-{uuid4().hex[:8]}"
again = CreateUrlRequest(target_url=TARGET, id=taken_id)
a(Url, create_url.sync(client=client, body=again))
unknown = a(Problem, get_url.sync("no-such-url", client=client))
taken = a(Problem, create_url.sync(client=client, body=again))
conflicting = a(Problem, list_posts.sync(client=client, offset=0, after="cursor"))
seen = [f"{problem.status} {problem.code}" for problem in (unknown, taken, conflicting)]
check(seen == ["404 not_found", "409 id_taken", "400 conflicting_parameters"], str(seen))
check(len(conflicting.errors or []) == 2, "the two parameters are not named")
passed(6, ", ".join(seen))
