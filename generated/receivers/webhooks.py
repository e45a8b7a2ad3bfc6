# Generated: do not edit, run `npm run generate`.
"""The events that the service sends, and how to check them. Needs standardwebhooks from PyPI."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Protocol, TypedDict, Union, cast

from standardwebhooks import Webhook, WebhookVerificationError


class NotificationResource(TypedDict):
    """The resource that a notification is about. It may have been deleted since."""

    type: str
    """The type of the resource. More values may be added."""

    id: str
    """The id of the resource."""

    href: str
    """The path of the resource. Resolve it against the URL of the request."""


class UserSummary(TypedDict):
    """A user, as shown beside what they wrote or did. It is read when the response is made: a rename shows at once, and changes neither `updated_at` nor the `ETag` of what it is beside."""

    id: str
    """The id of the user."""

    display_name: str | None
    """The name of the user, for display. It is not unique and can change. `null` if the user was deleted."""

    deleted: bool
    """Whether the user was deleted. If so, show that in place of a name."""


class Notification(TypedDict):
    """A notification about something that happened to you. While it is unread, further events on the same subject are counted in it. Notifications are kept for 90 days after their newest event."""

    id: str
    """The id of the notification."""

    kind: str
    """What happened."""

    status: Literal["unread", "read"]
    """Whether you have read the notification."""

    title: str
    """A one-line text to show to the user."""

    body: str | None
    """Further text to show, such as the beginning of a message. `null` if the title is enough."""

    resource: NotificationResource
    """The resource that the notification is about."""

    event_count: int
    """The number of events that the notification stands for, such as the messages of a conversation since you last read it. `title`, `body` and `resource` describe the newest event."""

    created_at: str
    """When the first of the events happened. It never changes and determines the position in the list."""

    updated_at: str
    """When the newest of the events happened."""

    read_at: str | None
    """When the notification was marked as read. Marking it again keeps the first time. `null` while it is unread."""

    actor: UserSummary | None
    """The user who caused the newest event, with the current name. `null` if no user did, as for your videos, or if the service doesn't know. It is not part of the version that `ETag` identifies."""

    archived_at: str | None
    """When the notification was archived. Archiving it again keeps the first time. `null` if it is not archived."""


class VideoProgress(TypedDict):
    """The progress of processing."""

    percent: int
    """How much of the current attempt is done. It never decreases within an attempt and starts again with the next one. It is 100 only when the job has succeeded."""

    stage: str | None
    """The current step: `probing` reads the file, `transcoding` makes the poster, the sprite and the renditions, `finishing` stores them. Use it for display only. More values may be added. `null` before processing starts and after it ends."""


class VideoFailure(TypedDict):
    """Why processing failed. Uploading the same file again can only help after `processing_timeout`, `insufficient_storage` and `internal_error`, and after `storage_quota_exceeded` if you delete something first."""

    code: str
    """The reason, for your program."""

    detail: str
    """The reason as a sentence, for people."""


class VideoPoster(TypedDict):
    """A still image of the video."""

    content_type: str
    """The media type of the image. More values may be added."""

    width: int
    """The width of the image in pixels."""

    height: int
    """The height of the image in pixels."""

    size_bytes: int
    """The size of the file in bytes."""

    href: str
    """The path of the image file. Resolve it against the URL of the request."""


class VideoSprite(TypedDict):
    """One image of many tiles that show the video at regular intervals. Show them while a user seeks. `createPlayback` returns links to it."""

    content_type: str
    """The media type of the image. More values may be added."""

    width: int
    """The width of the image in pixels. It is a multiple of `tile_width`."""

    height: int
    """The height of the image in pixels. It is a multiple of `tile_height`."""

    size_bytes: int
    """The size of the file in bytes."""

    tile_width: int
    """The width of each tile in pixels."""

    tile_height: int
    """The height of each tile in pixels."""

    tile_count: int
    """How many tiles the image has, from left to right and from top to bottom."""

    interval_ms: int
    """How much of the video each tile stands for, in milliseconds. It shows the middle of that time."""


class VideoRendition(TypedDict):
    """A version of the video for playback. It never has more pixels than the original."""

    name: str
    """Rendition name. The number is the maximum length of the shorter side, in pixels. More values may be added."""

    content_type: str
    """The media type of the file. More values may be added."""

    width: int
    """The width of the video in pixels."""

    height: int
    """The height of the video in pixels."""

    duration_ms: int
    """The duration of the rendition in milliseconds."""

    size_bytes: int
    """The size of the file in bytes."""

    href: str
    """The path of the video file. Resolve it against the URL of the request. It supports range requests."""


class VideoResult(TypedDict):
    """The properties of the uploaded video, with its poster, sprite and renditions."""

    container: str
    """The container format, detected from the bytes. More values may be added."""

    duration_ms: int
    """The duration of the video in milliseconds, measured in the longest rendition. The file can declare another one."""

    width: int
    """The width of the video in pixels, after rotation."""

    height: int
    """The height of the video in pixels, after rotation."""

    video_codec: str
    """The video codec, such as `h264`, `hevc`, `vp9` or `av1`. More values may be added."""

    audio_codec: str | None
    """The codec of the sound that the renditions have, such as `aac` or `opus`. More values may be added. `null` for a video without sound, also if it has a track without any."""

    poster: VideoPoster
    """A still image to show before playback."""

    sprite: VideoSprite | None
    """Small pictures to show while seeking. `null` for a video that was processed before version 1.1.0."""

    renditions: list[VideoRendition]
    """The versions for playback, smallest first. There is always one with a shorter side of at most 480 pixels, and one of at most 720 if the original is large enough."""


class VideoUpload(TypedDict):
    """An uploaded video and the job that processes it. `result` is set only when the job has succeeded, `error` only when it has failed."""

    id: str
    """The id of the video upload and of its job."""

    status: Literal["queued", "processing", "succeeded", "failed"]
    """The state of the job."""

    name: str | None
    """The name that you sent with the upload. `null` if you sent none."""

    size_bytes: int
    """The size of the uploaded file in bytes."""

    sha256: str
    """The SHA-256 of the bytes received, in hexadecimal. Compare it with that of your file."""

    progress: VideoProgress
    """The progress of processing."""

    attempt: int
    """The number of times processing has started: 0 while the job waits for its first attempt. A job fails permanently after three attempts that lose their worker or fail because of an internal error. Attempts that are interrupted for another reason count here, but not among the three; see *Video uploads*."""

    error: VideoFailure | None
    """Why the job failed. `null` unless `status` is `failed`."""

    result: VideoResult | None
    """The result of the job. `null` unless `status` is `succeeded`."""

    created_at: str
    """When the upload was accepted."""

    started_at: str | None
    """When the current or last attempt started. `null` before the first attempt."""

    finished_at: str | None
    """When the job succeeded or failed. `null` until then."""


class Message(TypedDict):
    """A message in a conversation. Nobody can change it. If its sender is deleted, the service replaces `sender_id` and `body`."""

    id: str
    """The id of the message."""

    conversation_id: str
    """The id of the conversation that the message belongs to."""

    sender_id: str
    """The id of the user who sent the message. The user may have left the conversation since."""

    sequence: int
    """The number of the message in its conversation: 1, 2, 3 and so on, without gaps. If you have every number up to n, you have every message up to n."""

    body: str
    """The text with its line breaks."""

    created_at: str
    """When the message was accepted. Use it for display only; order messages by `sequence`."""

    sender: UserSummary
    """The user who sent the message, with the current name."""


class MessageCreatedData(TypedDict):
    """A message in a conversation of which you are a member."""

    conversation_id: str
    """The conversation that the message is in."""

    message_id: str
    """The message that was sent."""

    sequence: int
    """The position of the message in its conversation, without gaps. Events can arrive in any order: compare this number."""

    message: Message | None
    """The message as you can read it now. `null` if the endpoint lacks the scope `conversations:read`, or if you can't read the message any more."""


class MessageCreatedEvent(TypedDict):
    """A member has sent a message. Members get it for their own messages, too, and for muted conversations."""

    id: str
    """The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled."""

    type: Literal["message.created"]
    """The type of the event."""

    timestamp: str
    """When the message was sent."""

    data: MessageCreatedData
    """Which message it is."""


class NotificationCreatedData(TypedDict):
    """A new notification of yours."""

    notification_id: str
    """What to get, or to look for in the list."""

    notification: Notification | None
    """The notification as `GET /notifications/{notification_id}` returns it when the event is sent, also after you have left its conversation. `null` if the endpoint lacks the scope `notifications:read`, or if it is gone."""


class NotificationCreatedEvent(TypedDict):
    """You have a new notification. One that counts further events is not a new one."""

    id: str
    """The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled."""

    type: Literal["notification.created"]
    """The type of the event."""

    timestamp: str
    """When the notification was created."""

    data: NotificationCreatedData
    """Which notification it is."""


class VideoUploadEndedData(TypedDict):
    """A video upload of yours whose job has ended."""

    job_id: str
    """The id of the video upload."""

    video_upload: VideoUpload | None
    """The video upload as you can read it now. `null` if the endpoint lacks the scope `video_uploads:read`, or if the upload was deleted."""


class VideoUploadSucceededEvent(TypedDict):
    """A video upload of yours has been processed."""

    id: str
    """The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled."""

    type: Literal["video_upload.succeeded"]
    """The type of the event."""

    timestamp: str
    """When the job ended."""

    data: VideoUploadEndedData
    """Which video upload it is."""


class VideoUploadFailedEvent(TypedDict):
    """A video upload of yours has failed."""

    id: str
    """The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled."""

    type: Literal["video_upload.failed"]
    """The type of the event."""

    timestamp: str
    """When the job ended."""

    data: VideoUploadEndedData
    """Which video upload it is."""


class WebhookEndpointTestedData(TypedDict):
    """The endpoint that is tested."""

    endpoint_id: str
    """The id of the webhook endpoint."""


class WebhookEndpointTestedEvent(TypedDict):
    """A test that the owner of the endpoint has asked for."""

    id: str
    """The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled."""

    type: Literal["webhook_endpoint.tested"]
    """The type of the event."""

    timestamp: str
    """When the test was asked for."""

    data: WebhookEndpointTestedData
    """Which endpoint is tested."""


WebhookEvent = Union[
    MessageCreatedEvent,
    NotificationCreatedEvent,
    VideoUploadSucceededEvent,
    VideoUploadFailedEvent,
    WebhookEndpointTestedEvent,
]
"""What the service sends. Its `type` says which event it is."""

_TYPES = frozenset((
    "message.created",
    "notification.created",
    "video_upload.succeeded",
    "video_upload.failed",
    "webhook_endpoint.tested",
))


class ReceivedHeaders(Protocol):
    """The headers of a request: a dictionary, or what your framework has for them."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def unwrap(headers: ReceivedHeaders, body: bytes | str, secret: str) -> WebhookEvent | None:
    """The event in a request, with its `webhook-id` as `id`, after its signature and its age were checked.

    `body` is what has arrived, before anything has parsed it. `None` is an event of a type that a later version of the service
    has: answer it with 2xx. Raises a `WebhookVerificationError` if the service has not sent this with the secret: answer it with 401.
    """
    webhook = Webhook(secret)
    received = {name.lower(): value for name, value in headers.items()}
    try:
        event: dict[str, Any] = webhook.verify(body, received)
    except ValueError as error:
        # The library raises these for a signature or a body that is malformed.
        raise WebhookVerificationError("Malformed") from error
    if event.get("type") not in _TYPES:
        return None
    return cast(WebhookEvent, {**event, "id": received["webhook-id"]})


__all__ = [
    "NotificationResource",
    "UserSummary",
    "Notification",
    "VideoProgress",
    "VideoFailure",
    "VideoPoster",
    "VideoSprite",
    "VideoRendition",
    "VideoResult",
    "VideoUpload",
    "Message",
    "MessageCreatedData",
    "MessageCreatedEvent",
    "NotificationCreatedData",
    "NotificationCreatedEvent",
    "VideoUploadEndedData",
    "VideoUploadSucceededEvent",
    "VideoUploadFailedEvent",
    "WebhookEndpointTestedData",
    "WebhookEndpointTestedEvent",
    "ReceivedHeaders",
    "WebhookEvent",
    "WebhookVerificationError",
    "unwrap",
]
