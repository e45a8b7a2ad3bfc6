// Generated: do not edit, run `npm run generate`.

import { Webhook, WebhookVerificationError } from "standardwebhooks";

export { WebhookVerificationError };

export interface components {
    schemas: {
        /**
         * Format: uuid
         * @description A UUID (RFC 9562) of 36 characters in lower case. Compare it as a string and don't parse it.
         * @example 01a1efac-3ed3-7e8e-9855-dcb0c0290103
         */
        readonly Uuid: string;
        /**
         * Format: date-time
         * @description A moment in UTC with exactly three decimals (RFC 3339), such as `2026-11-18T17:20:05.331Z`. Timestamps sort as strings.
         * @example 2026-11-18T17:20:05.331Z
         */
        readonly Timestamp: string;
        /**
         * @description Whether the notification has been read.
         * @enum {string}
         */
        readonly NotificationStatus: "unread" | "read";
        /** @description What happened: the resource, a dot and the event. More values may be added: for a kind you don't know, show `title` and `body`. */
        readonly NotificationKind: string;
        /** @description The resource that a notification is about. It may have been deleted since. */
        readonly NotificationResource: {
            /** @description The type of the resource. More values may be added. */
            readonly type: string;
            /** @description The id of the resource. */
            readonly id: string;
            /** @description The path of the resource. Resolve it against the URL of the request. */
            readonly href: string;
        };
        /** @description A user, as shown beside what they wrote or did. It is read when the response is made: a rename shows at once, and changes neither `updated_at` nor the `ETag` of what it is beside. */
        readonly UserSummary: {
            /** @description The id of the user. */
            readonly id: components["schemas"]["Uuid"];
            /** @description The name of the user, for display. It is not unique and can change. `null` if the user was deleted. */
            readonly display_name: string | null;
            /** @description Whether the user was deleted. If so, show that in place of a name. */
            readonly deleted: boolean;
        };
        /** @description A notification about something that happened to you. While it is unread, further events on the same subject are counted in it. Notifications are kept for 90 days after their newest event. */
        readonly Notification: {
            /** @description The id of the notification. */
            readonly id: components["schemas"]["Uuid"];
            /** @description What happened. */
            readonly kind: components["schemas"]["NotificationKind"];
            /** @description Whether you have read the notification. */
            readonly status: components["schemas"]["NotificationStatus"];
            /** @description A one-line text to show to the user. */
            readonly title: string;
            /** @description Further text to show, such as the beginning of a message. `null` if the title is enough. */
            readonly body: string | null;
            /** @description The resource that the notification is about. */
            readonly resource: components["schemas"]["NotificationResource"];
            /**
             * Format: int32
             * @description The number of events that the notification stands for, such as the messages of a conversation since you last read it. `title`, `body` and `resource` describe the newest event.
             */
            readonly event_count: number;
            /** @description When the first of the events happened. It never changes and determines the position in the list. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description When the newest of the events happened. */
            readonly updated_at: components["schemas"]["Timestamp"];
            /**
             * Format: date-time
             * @description When the notification was marked as read. Marking it again keeps the first time. `null` while it is unread.
             */
            readonly read_at: string | null;
            /** @description The user who caused the newest event, with the current name. `null` if no user did, as for your videos, or if the service doesn't know. It is not part of the version that `ETag` identifies. */
            readonly actor: components["schemas"]["UserSummary"] | null;
            /**
             * Format: date-time
             * @description When the notification was archived. Archiving it again keeps the first time. `null` if it is not archived.
             */
            readonly archived_at: string | null;
        };
        /**
         * @description The state of the job. `queued` and `processing` mean that it is in progress. `succeeded` and `failed` are final and never change.
         * @enum {string}
         */
        readonly VideoUploadStatus: "queued" | "processing" | "succeeded" | "failed";
        /** @description The progress of processing. */
        readonly VideoProgress: {
            /**
             * Format: int32
             * @description How much of the current attempt is done. It never decreases within an attempt and starts again with the next one. It is 100 only when the job has succeeded.
             */
            readonly percent: number;
            /** @description The current step: `probing` reads the file, `transcoding` makes the poster, the sprite and the renditions, `finishing` stores them. Use it for display only. More values may be added. `null` before processing starts and after it ends. */
            readonly stage: string | null;
        };
        /**
         * @description Why processing failed. More values may be added.
         *
         *     - `unsupported_media`: the file is not a video, or its container, its codec or its number of channels is not supported.
         *     - `corrupt_media`: the video can't be decoded. `detail` says what is damaged.
         *     - `too_long`: the video is longer than the operator allows.
         *     - `processing_timeout`: an attempt took more than 6 hours, or all attempts together more than 12 hours.
         *       It is not tried again.
         *     - `result_too_large`: the poster, the sprite and the renditions together would have more than 20 times the bytes of
         *       the uploaded file and more than 32 MiB, or more than 16 GiB.
         *     - `storage_quota_exceeded`: the poster, the sprite and the renditions don't fit into your storage quota.
         *     - `insufficient_storage`: the service has no room for the poster, the sprite and the renditions.
         *     - `internal_error`: the service failed, on the last attempt or in a way that another attempt can't fix.
         */
        readonly VideoFailureCode: string;
        /** @description Why processing failed. Uploading the same file again can only help after `processing_timeout`, `insufficient_storage` and `internal_error`, and after `storage_quota_exceeded` if you delete something first. */
        readonly VideoFailure: {
            /** @description The reason, for your program. */
            readonly code: components["schemas"]["VideoFailureCode"];
            /** @description The reason as a sentence, for people. */
            readonly detail: string;
        };
        /** @description A still image of the video. */
        readonly VideoPoster: {
            /** @description The media type of the image. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The width of the image in pixels.
             */
            readonly width: number;
            /**
             * Format: int32
             * @description The height of the image in pixels.
             */
            readonly height: number;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /** @description The path of the image file. Resolve it against the URL of the request. */
            readonly href: string;
        };
        /** @description One image of many tiles that show the video at regular intervals. Show them while a user seeks. `createPlayback` returns links to it. */
        readonly VideoSprite: {
            /** @description The media type of the image. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The width of the image in pixels. It is a multiple of `tile_width`.
             */
            readonly width: number;
            /**
             * Format: int32
             * @description The height of the image in pixels. It is a multiple of `tile_height`.
             */
            readonly height: number;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /**
             * Format: int32
             * @description The width of each tile in pixels.
             */
            readonly tile_width: number;
            /**
             * Format: int32
             * @description The height of each tile in pixels.
             */
            readonly tile_height: number;
            /**
             * Format: int32
             * @description How many tiles the image has, from left to right and from top to bottom.
             */
            readonly tile_count: number;
            /**
             * Format: int32
             * @description How much of the video each tile stands for, in milliseconds. It shows the middle of that time.
             */
            readonly interval_ms: number;
        };
        /** @description A version of the video for playback. It never has more pixels than the original. */
        readonly VideoRendition: {
            /** @description Rendition name. The number is the maximum length of the shorter side, in pixels. More values may be added. */
            readonly name: string;
            /** @description The media type of the file. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The width of the video in pixels.
             */
            readonly width: number;
            /**
             * Format: int32
             * @description The height of the video in pixels.
             */
            readonly height: number;
            /**
             * Format: int32
             * @description The duration of the rendition in milliseconds.
             */
            readonly duration_ms: number;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /** @description The path of the video file. Resolve it against the URL of the request. It supports range requests. */
            readonly href: string;
        };
        /** @description The properties of the uploaded video, with its poster, sprite and renditions. */
        readonly VideoResult: {
            /** @description The container format, detected from the bytes. More values may be added. */
            readonly container: string;
            /**
             * Format: int32
             * @description The duration of the video in milliseconds, measured in the longest rendition. The file can declare another one.
             */
            readonly duration_ms: number;
            /**
             * Format: int32
             * @description The width of the video in pixels, after rotation.
             */
            readonly width: number;
            /**
             * Format: int32
             * @description The height of the video in pixels, after rotation.
             */
            readonly height: number;
            /** @description The video codec, such as `h264`, `hevc`, `vp9` or `av1`. More values may be added. */
            readonly video_codec: string;
            /** @description The codec of the sound that the renditions have, such as `aac` or `opus`. More values may be added. `null` for a video without sound, also if it has a track without any. */
            readonly audio_codec: string | null;
            /** @description A still image to show before playback. */
            readonly poster: components["schemas"]["VideoPoster"];
            /** @description Small pictures to show while seeking. `null` for a video that was processed before version 1.1.0. */
            readonly sprite: components["schemas"]["VideoSprite"] | null;
            /** @description The versions for playback, smallest first. There is always one with a shorter side of at most 480 pixels, and one of at most 720 if the original is large enough. */
            readonly renditions: readonly components["schemas"]["VideoRendition"][];
        };
        /** @description An uploaded video and the job that processes it. `result` is set only when the job has succeeded, `error` only when it has failed. */
        readonly VideoUpload: {
            /** @description The id of the video upload and of its job. */
            readonly id: components["schemas"]["Uuid"];
            /** @description The state of the job. */
            readonly status: components["schemas"]["VideoUploadStatus"];
            /** @description The name that you sent with the upload. `null` if you sent none. */
            readonly name: string | null;
            /**
             * Format: int64
             * @description The size of the uploaded file in bytes.
             */
            readonly size_bytes: number;
            /** @description The SHA-256 of the bytes received, in hexadecimal. Compare it with that of your file. */
            readonly sha256: string;
            /** @description The progress of processing. */
            readonly progress: components["schemas"]["VideoProgress"];
            /**
             * Format: int32
             * @description The number of times processing has started: 0 while the job waits for its first attempt. A job fails permanently after three attempts that lose their worker or fail because of an internal error. Attempts that are interrupted for another reason count here, but not among the three; see *Video uploads*.
             */
            readonly attempt: number;
            /** @description Why the job failed. `null` unless `status` is `failed`. */
            readonly error: components["schemas"]["VideoFailure"] | null;
            /** @description The result of the job. `null` unless `status` is `succeeded`. */
            readonly result: components["schemas"]["VideoResult"] | null;
            /** @description When the upload was accepted. */
            readonly created_at: components["schemas"]["Timestamp"];
            /**
             * Format: date-time
             * @description When the current or last attempt started. `null` before the first attempt.
             */
            readonly started_at: string | null;
            /**
             * Format: date-time
             * @description When the job succeeded or failed. `null` until then.
             */
            readonly finished_at: string | null;
        };
        /** @description A message in a conversation. Nobody can change it. If its sender is deleted, the service replaces `sender_id` and `body`. */
        readonly Message: {
            /** @description The id of the message. */
            readonly id: components["schemas"]["Uuid"];
            /** @description The id of the conversation that the message belongs to. */
            readonly conversation_id: components["schemas"]["Uuid"];
            /** @description The id of the user who sent the message. The user may have left the conversation since. */
            readonly sender_id: components["schemas"]["Uuid"];
            /**
             * Format: int32
             * @description The number of the message in its conversation: 1, 2, 3 and so on, without gaps. If you have every number up to n, you have every message up to n.
             */
            readonly sequence: number;
            /** @description The text with its line breaks. */
            readonly body: string;
            /** @description When the message was accepted. Use it for display only; order messages by `sequence`. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description The user who sent the message, with the current name. */
            readonly sender: components["schemas"]["UserSummary"];
        };
        /**
         * @description The type of an event about a new message.
         * @enum {string}
         */
        readonly MessageCreatedEventType: "message.created";
        /** @description A message in a conversation of which you are a member. */
        readonly MessageCreatedData: {
            /** @description The conversation that the message is in. */
            readonly conversation_id: components["schemas"]["Uuid"];
            /** @description The message that was sent. */
            readonly message_id: components["schemas"]["Uuid"];
            /**
             * Format: int32
             * @description The position of the message in its conversation, without gaps. Events can arrive in any order: compare this number.
             */
            readonly sequence: number;
            /** @description The message as you can read it now. `null` if the endpoint lacks the scope `conversations:read`, or if you can't read the message any more. */
            readonly message: components["schemas"]["Message"] | null;
        };
        /** @description A member has sent a message. Members get it for their own messages, too, and for muted conversations. */
        readonly MessageCreatedEvent: {
            /** @description The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled. */
            readonly id: string;
            /** @description The type of the event. */
            readonly type: components["schemas"]["MessageCreatedEventType"];
            /** @description When the message was sent. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description Which message it is. */
            readonly data: components["schemas"]["MessageCreatedData"];
        };
        /**
         * @description The type of an event about a new notification.
         * @enum {string}
         */
        readonly NotificationCreatedEventType: "notification.created";
        /** @description A new notification of yours. */
        readonly NotificationCreatedData: {
            /** @description What to get, or to look for in the list. */
            readonly notification_id: components["schemas"]["Uuid"];
            /** @description The notification as `GET /notifications/{notification_id}` returns it when the event is sent, also after you have left its conversation. `null` if the endpoint lacks the scope `notifications:read`, or if it is gone. */
            readonly notification: components["schemas"]["Notification"] | null;
        };
        /** @description You have a new notification. One that counts further events is not a new one. */
        readonly NotificationCreatedEvent: {
            /** @description The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled. */
            readonly id: string;
            /** @description The type of the event. */
            readonly type: components["schemas"]["NotificationCreatedEventType"];
            /** @description When the notification was created. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description Which notification it is. */
            readonly data: components["schemas"]["NotificationCreatedData"];
        };
        /**
         * @description The type of an event about a video that is ready.
         * @enum {string}
         */
        readonly VideoUploadSucceededEventType: "video_upload.succeeded";
        /** @description A video upload of yours whose job has ended. */
        readonly VideoUploadEndedData: {
            /** @description The id of the video upload. */
            readonly job_id: components["schemas"]["Uuid"];
            /** @description The video upload as you can read it now. `null` if the endpoint lacks the scope `video_uploads:read`, or if the upload was deleted. */
            readonly video_upload: components["schemas"]["VideoUpload"] | null;
        };
        /** @description A video upload of yours has been processed. */
        readonly VideoUploadSucceededEvent: {
            /** @description The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled. */
            readonly id: string;
            /** @description The type of the event. */
            readonly type: components["schemas"]["VideoUploadSucceededEventType"];
            /** @description When the job ended. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description Which video upload it is. */
            readonly data: components["schemas"]["VideoUploadEndedData"];
        };
        /**
         * @description The type of an event about a video that can't be processed.
         * @enum {string}
         */
        readonly VideoUploadFailedEventType: "video_upload.failed";
        /** @description A video upload of yours has failed. */
        readonly VideoUploadFailedEvent: {
            /** @description The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled. */
            readonly id: string;
            /** @description The type of the event. */
            readonly type: components["schemas"]["VideoUploadFailedEventType"];
            /** @description When the job ended. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description Which video upload it is. */
            readonly data: components["schemas"]["VideoUploadEndedData"];
        };
        /**
         * @description The type of a test event.
         * @enum {string}
         */
        readonly WebhookEndpointTestedEventType: "webhook_endpoint.tested";
        /** @description The endpoint that is tested. */
        readonly WebhookEndpointTestedData: {
            /** @description The id of the webhook endpoint. */
            readonly endpoint_id: components["schemas"]["Uuid"];
        };
        /** @description A test that the owner of the endpoint has asked for. */
        readonly WebhookEndpointTestedEvent: {
            /** @description The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled. */
            readonly id: string;
            /** @description The type of the event. */
            readonly type: components["schemas"]["WebhookEndpointTestedEventType"];
            /** @description When the test was asked for. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description Which endpoint is tested. */
            readonly data: components["schemas"]["WebhookEndpointTestedData"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Uuid = components['schemas']['Uuid'];
export type Timestamp = components['schemas']['Timestamp'];
export type NotificationStatus = components['schemas']['NotificationStatus'];
export type NotificationKind = components['schemas']['NotificationKind'];
export type NotificationResource = components['schemas']['NotificationResource'];
export type UserSummary = components['schemas']['UserSummary'];
export type Notification = components['schemas']['Notification'];
export type VideoUploadStatus = components['schemas']['VideoUploadStatus'];
export type VideoProgress = components['schemas']['VideoProgress'];
export type VideoFailureCode = components['schemas']['VideoFailureCode'];
export type VideoFailure = components['schemas']['VideoFailure'];
export type VideoPoster = components['schemas']['VideoPoster'];
export type VideoSprite = components['schemas']['VideoSprite'];
export type VideoRendition = components['schemas']['VideoRendition'];
export type VideoResult = components['schemas']['VideoResult'];
export type VideoUpload = components['schemas']['VideoUpload'];
export type Message = components['schemas']['Message'];
export type MessageCreatedEventType = components['schemas']['MessageCreatedEventType'];
export type MessageCreatedData = components['schemas']['MessageCreatedData'];
export type MessageCreatedEvent = components['schemas']['MessageCreatedEvent'];
export type NotificationCreatedEventType = components['schemas']['NotificationCreatedEventType'];
export type NotificationCreatedData = components['schemas']['NotificationCreatedData'];
export type NotificationCreatedEvent = components['schemas']['NotificationCreatedEvent'];
export type VideoUploadSucceededEventType = components['schemas']['VideoUploadSucceededEventType'];
export type VideoUploadEndedData = components['schemas']['VideoUploadEndedData'];
export type VideoUploadSucceededEvent = components['schemas']['VideoUploadSucceededEvent'];
export type VideoUploadFailedEventType = components['schemas']['VideoUploadFailedEventType'];
export type VideoUploadFailedEvent = components['schemas']['VideoUploadFailedEvent'];
export type WebhookEndpointTestedEventType = components['schemas']['WebhookEndpointTestedEventType'];
export type WebhookEndpointTestedData = components['schemas']['WebhookEndpointTestedData'];
export type WebhookEndpointTestedEvent = components['schemas']['WebhookEndpointTestedEvent'];

/** What the service sends. Its `type` says which event it is. */
export type WebhookEvent =
    | MessageCreatedEvent
    | NotificationCreatedEvent
    | VideoUploadSucceededEvent
    | VideoUploadFailedEvent
    | WebhookEndpointTestedEvent;

const TYPES: ReadonlySet<string> = new Set<WebhookEvent["type"]>([
    "message.created",
    "notification.created",
    "video_upload.succeeded",
    "video_upload.failed",
    "webhook_endpoint.tested",
]);

/** The headers of a request, as an object with their names in lower case, or as `Headers`. */
export type ReceivedHeaders =
    | { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The event in a request, with its `webhook-id` as `id`, after its signature and its age were checked. `body` is what has arrived,
 * before anything has parsed it. `null` is an event of a type that a later version of the service has: answer it with 2xx.
 * Throws a `WebhookVerificationError` if the service has not sent this with the secret: answer it with 401.
 */
export function unwrap(headers: ReceivedHeaders, body: string | Uint8Array, secret: string): WebhookEvent | null {
    const header = (name: string): string => {
        const value = typeof headers["get"] === "function" ? headers["get"](name) : (headers as Readonly<Record<string, unknown>>)[name];
        return typeof value === "string" ? value : "";
    };
    const id = header("webhook-id");
    const webhook = new Webhook(secret);
    const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
    const event = webhook.verify(text, {
        "webhook-id": id,
        "webhook-timestamp": header("webhook-timestamp"),
        "webhook-signature": header("webhook-signature"),
    }) as Omit<WebhookEvent, "id">;
    return TYPES.has(event.type) ? ({ ...event, id } as WebhookEvent) : null;
}
