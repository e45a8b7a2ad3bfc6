from uuid import uuid4

import httpx
from build.client import (
    ApiError, CreateConversationRequest, CreateMessageRequest, CreatePostRequest, CreateUrlRequest,
    NotificationKindFilter, NotificationStatus, Problem, SortOrder, UpdateNotificationRequest, VideoUploadStatus, decode,
)
from python_steps import API_KEY, API_URL, COLLEAGUE_ID, TARGET, VIDEO, a, check, note, passed, pause, present

answers: list[httpx.Response] = []


def remember(response: httpx.Response, _context: dict[str, object]) -> None:
    answers.append(response)


# begin: first lines
from build.client import Client

client = Client(API_URL, auth={"bearer": API_KEY})
account = client.get_account()
# end
client = Client(API_URL, auth={"bearer": API_KEY}, middleware=[{"on_response": remember}])

# 1 create and follow a short URL
created = client.create_url(CreateUrlRequest(target_url=TARGET))
note("a 302 raises an `ApiError` without headers; read `Location` in a middleware")
try:
    client.follow_url(created.id)
except ApiError as error:
    check(error.status == 302 and answers[-1].headers["Location"] == TARGET, "Location is not the target")
else:
    check(False, "302 did not raise")
passed(1, f"{created.id} leads to its target")

# 2 page through posts by cursor and by offset
made = [client.create_post(CreatePostRequest(title=title, body="Measured.")).id for title in ("one", "two", "three", "four", "five")]
made.reverse()
by_cursor: list[str] = []
after = None
while True:
    page = client.list_posts(author=account.user_id, limit=2, after=after)
    by_cursor += [post.id for post in page.data]
    after = page.page.next_cursor
    if after is None:
        break
by_offset: list[str] = []
offset, total = 0, 1
while offset < total:
    page = client.list_posts(author=account.user_id, limit=2, sort=SortOrder("created_at"), offset=offset)
    by_offset += [post.id for post in page.data]
    total = present(page.page.total, "total")
    offset += 2
check(by_cursor == made, "paging by cursor does not give the posts, newest first")
check(by_offset == made[::-1], "paging by offset does not give the posts, oldest first")
passed(2, "5 posts by cursor and by offset")

# 3 send a message twice with one key
key = str(uuid4())
conversation = client.create_conversation(CreateConversationRequest(member_ids=[COLLEAGUE_ID]), idempotency_key=key)
first, second = (
    client.create_message_with_headers(conversation.id, CreateMessageRequest(body="The slates come on Thursday."), idempotency_key=key)
    for _attempt in range(2)
)
check(first.data.id == second.data.id, "two ids")
check(second.headers.get("idempotency_replayed") == "true", "not replayed")
passed(3, "sent twice, one message")

# 4 upload a video, poll until it is done and fetch its poster
answer = client.create_video_upload_with_headers(VIDEO.read_bytes(), name="clip.mp4")
while answer.data.status in (VideoUploadStatus.QUEUED, VideoUploadStatus.PROCESSING):
    pause(answer.headers.get("retry_after"))
    answer = client.get_video_upload_with_headers(answer.data.id)
check(answer.data.status == VideoUploadStatus.SUCCEEDED, f"the job {answer.data.status}")
result = present(answer.data.result, "result")
note("a binary response has no value; read the bytes from the raw response")
poster = a(httpx.Response, client.get_video_poster_with_headers(answer.data.id).response).content
check(len(poster) == result.poster.size_bytes, "the poster is not whole")
passed(4, f"{result.duration_ms} ms of {result.video_codec}, poster of {len(poster)} bytes")

# 5 read notifications with a filter and mark one read
unread = client.list_notifications(status=NotificationStatus.UNREAD, kind=NotificationKindFilter.VIDEO_UPLOAD_SUCCEEDED)
read = client.update_notification(unread.data[0].id, UpdateNotificationRequest(status=NotificationStatus.READ))
check(read.status == NotificationStatus.READ and read.read_at is not None, "not marked")
passed(5, f"read {read.kind}")

# 6 provoke a 404, a 409 and a 400
note("`ApiError.body` is untyped; convert it with `decode(Problem, …)`")
taken_id = f"taken-{uuid4().hex[:8]}"
client.create_url(CreateUrlRequest(target_url=TARGET, id=taken_id))
problems: list[Problem] = []
for provoke in (
    lambda: client.get_url("no-such-url"),
    lambda: client.create_url(CreateUrlRequest(target_url=TARGET, id=taken_id)),
    lambda: client.list_posts(offset=0, after="cursor"),
):
    try:
        provoke()
    except ApiError as error:
        problems.append(a(Problem, decode(Problem, error.body)))
seen = [f"{problem.status} {problem.code}" for problem in problems]
check(seen == ["404 not_found", "409 id_taken", "400 conflicting_parameters"], str(seen))
check(len(problems[2].errors or []) == 2, "the two parameters are not named")
passed(6, ", ".join(seen))
