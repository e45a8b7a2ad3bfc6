// Generated: do not edit, run `npm run generate`.

export interface paths {
    readonly "/account": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get your account
         * @description Returns your user id and the scopes of your credential. Make this your first request: it works with every valid credential, whatever its scopes.
         */
        readonly get: operations["getAccount"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change your account
         * @description Changes your display name, which other users see beside what you write and do. They see the new name at once, except in titles of notifications that were there before. A name with characters that can't be displayed is refused, never changed.
         */
        readonly patch: operations["updateAccount"];
        readonly trace?: never;
    };
    readonly "/conversations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your conversations
         * @description Returns every conversation that you are a member of. With `sort=-last_message_at`, a conversation that gets a message while you page is never missed, but may appear twice, the second time at the end. *Conversations* says how to sort it in.
         */
        readonly get: operations["listConversations"];
        readonly put?: never;
        /**
         * Start a conversation
         * @description Creates a conversation with you as its owner and the given users as members. Each of the other members gets a notification. If one of the users doesn't exist, you get 422 `unknown_user`, and nothing is created. The `Idempotency-Key` is required, so that a retry doesn't start a second conversation.
         */
        readonly post: operations["createConversation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/conversations/{conversationId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a conversation
         * @description Returns a conversation that you are a member of. Use it to refresh `member_count` and `last_message_at`, or to show
         *     the conversation that a notification is about.
         *
         *     - If you are not a member, you get 403 `not_a_member`.
         *     - If no conversation has this id, you get 404.
         */
        readonly get: operations["getConversation"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the title of a conversation
         * @description Replaces the title, which you can't remove. Only the owner can change it. If two requests change it at the same time, the last one wins. Existing notifications keep the old title; the next event shows the new one.
         */
        readonly patch: operations["updateConversation"];
        readonly trace?: never;
    };
    readonly "/conversations/{conversationId}/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the members of a conversation
         * @description Returns the current members of a conversation, in the order in which they joined. Use it to show the participants and to find out who the owner is. Users who have left are not listed, but their messages stay.
         */
        readonly get: operations["listMembers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/conversations/{conversationId}/members/{user_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Add a member
         * @description Adds a user to the conversation. Only the owner can add members. The new member can read all earlier messages and gets a notification. You get 201 if this request added the user, and 200 if the user was already a member; then the role and `joined_at` don't change.
         */
        readonly put: operations["putMember"];
        readonly post?: never;
        /**
         * Remove a member, or leave
         * @description Ends the membership of a user. The owner can remove anyone; every member can remove themselves, which is how you leave a conversation. If you retry after leaving, you get 403 `not_a_member`: the first request succeeded. *Conversations* describes what happens when the owner or the last member leaves.
         */
        readonly delete: operations["deleteMember"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Hand over a conversation
         * @description Makes a member the owner in your place; you stay as a member. Only the owner can do this. Naming yourself changes nothing. If you retry after losing the response, you get 403 `not_the_owner` if the first request succeeded: list the members to see the owner.
         */
        readonly patch: operations["updateMember"];
        readonly trace?: never;
    };
    readonly "/conversations/{conversationId}/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List messages
         * @description Returns the messages of a conversation, newest first. To read the history, send each `next_cursor` as `before` until it is `null`. To stay up to date, send the `prev_cursor` of the newest page as `after`; if `has_newer` is `true`, ask again at once with the new `prev_cursor`, else with `wait`. *Messages* describes both directions.
         */
        readonly get: operations["listMessages"];
        readonly put?: never;
        /**
         * Send a message
         * @description Adds a message to the conversation and notifies the other members. When you get the response, the message is stored and its `sequence` is final. A retry with the same `Idempotency-Key`, which is required, never sends a message twice. *Messages* describes retries.
         */
        readonly post: operations["createMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/conversations/{conversationId}/messages/{message_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a message
         * @description Returns one message of the conversation. Use it to show the message that a notification is about. The id of a message in another conversation returns 404, even if you are a member of both.
         */
        readonly get: operations["getMessage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/conversations/{conversationId}/mute": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Mute a conversation
         * @description Messages that others send from now on don't notify you. This concerns only you: other members are notified as before and don't learn of it. `muted` of the conversation says so, and its `unread_count` still counts. Existing notifications stay. Repeating the request changes nothing, and leaving the conversation ends it.
         */
        readonly put: operations["putMute"];
        readonly post?: never;
        /**
         * Unmute a conversation
         * @description Messages that others send from now on notify you again. Those that were sent while the conversation was muted don't. If the conversation is not muted, nothing changes.
         */
        readonly delete: operations["deleteMute"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/conversations/{conversationId}/read-position": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Say what you have read
         * @description Says that you have read every message up to `sequence`. The position never goes back: a lower `sequence` changes nothing. Your notifications about the conversation are marked as read, unless they tell of a newer message.
         */
        readonly put: operations["putReadPosition"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Check readiness
         * @description Returns 200 if this instance is ready for requests. Use it in load balancers and monitoring. 503 means that the instance is starting, stopping, cut off from its database, or can't write where it stores videos. Send it no requests for now, but don't restart it because of a 503; see `GET /health/live`.
         */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Check liveness
         * @description Returns 200 if this process can read and answer requests, including while it is starting or stopping. Use it to decide whether to restart a process that hangs: any other response, or none, means that a restart can help. The database is not checked.
         */
        readonly get: operations["getLiveness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/notifications": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your notifications
         * @description Returns your notifications with an event in the last 90 days, and the number of unread ones. Without `archived=only`, archived ones are left out. To poll cheaply, send the `ETag` of the last response as `If-None-Match`. While this page and `unread_count` stay the same, you get 304 without a body; keep using the `seen` you have.
         */
        readonly get: operations["listNotifications"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Mark notifications as read, or archive them
         * @description Marks as read everything that had happened when you listed your notifications, or only what is about one conversation, and archives it if you wish. Use it when the user clears the badge: send the `seen` of the list that was shown. Repeating the request is safe: the second time, `updated_count` is 0.
         */
        readonly patch: operations["updateNotifications"];
        readonly trace?: never;
    };
    readonly "/notifications/{notification_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a notification
         * @description Returns one of your notifications. Use it to see whether a notification that you show has changed.
         *
         *     - Getting a notification doesn't mark it as read.
         *     - A notification of another user, or one whose newest event is older than 90 days, returns 404.
         */
        readonly get: operations["getNotification"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Mark or archive a notification
         * @description Marks one notification as `read`, or as `unread` to come back to it later, and archives it. Send the `seen` of the list
         *     that you showed with `read`, so that the notification stays unread if something has happened since.
         *
         *     - Setting what is set already returns 200 and changes nothing.
         *     - An unread notification can't be archived.
         */
        readonly patch: operations["updateNotification"];
        readonly trace?: never;
    };
    readonly "/playback/{job_id}/{file}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Play a file by its link
         * @description Returns the file that a link of `createPlayback` leads to: the poster, the sprite, its WebVTT file or a rendition. It
         *     needs no credential: use the `href` as it is.
         *     To seek, send a single `Range`, as players do.
         *
         *     Each link is for one file of one video, until it expires or the video is deleted.
         */
        readonly get: operations["getPlaybackFile"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/posts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List posts
         * @description Returns the posts of all users, or of one `author`. Page by cursor to read every post: send the `next_cursor` of each page as `after`. Page by offset to show numbered pages: send `offset` to get the `total` as well. *Posts* compares the two.
         */
        readonly get: operations["listPosts"];
        readonly put?: never;
        /**
         * Publish a post
         * @description Publishes a post with you as its author. Every user can read it as soon as you get the response.
         *
         *     Two identical requests publish two posts. To retry safely, send an `Idempotency-Key`: a retry with the same key
         *     returns the first post.
         */
        readonly post: operations["createPost"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/posts/{post_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a post
         * @description Returns a post by any author. Keep its `ETag`: send it as `If-None-Match` to get the post again only if it has changed, or as `If-Match` to change the post safely.
         */
        readonly get: operations["getPost"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a post
         * @description Deletes a post permanently. Only the author of a post can delete it. Send the `ETag` of the version you read as
         *     `If-Match` to delete only that version; if the post has changed since, you get 412.
         *
         *     Deleting it again returns 404. If you retry after losing the response, a 404 means that the first request succeeded.
         */
        readonly delete: operations["deletePost"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a post
         * @description Replaces the fields that you send and leaves the others as they are. Only the author of a post can change it. To avoid overwriting another edit, send the `ETag` of the version you read as `If-Match`. If the post has changed since, you get 412 and nothing changes.
         */
        readonly patch: operations["updatePost"];
        readonly trace?: never;
    };
    readonly "/u/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow a short URL
         * @description Redirects to the target of a short URL or, if it has expired or was deleted, to its `expired_url`. Share this address with people: it works in any browser and needs no credentials. *URLs* describes how clicks are counted, and what people see if the short URL leads nowhere.
         */
        readonly get: operations["followUrl"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/urls": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your short URLs
         * @description Returns every short URL that you created and have not deleted, including expired ones. Short URLs that you create while paging don't shift or repeat the items on later pages.
         */
        readonly get: operations["listUrls"];
        readonly put?: never;
        /**
         * Create a short URL
         * @description Creates a short URL that redirects to `target_url`. You can share it as soon as you get the response. To retry without creating a second short URL, send an `Idempotency-Key`. *URLs* describes targets, ids and retries.
         */
        readonly post: operations["createUrl"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/urls/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a short URL
         * @description Returns one of your short URLs with its click count. Use it to see how often the short URL was followed; this
         *     request doesn't count as a click.
         *
         *     - An expired short URL is still returned. A deleted one returns 404.
         *     - A short URL of another user returns 404.
         */
        readonly get: operations["getUrl"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a short URL
         * @description Deletes a short URL permanently, with its clicks per day. From then on, following it leads to its `expired_url` or
         *     returns 410, and its id can never be used again.
         *
         *     Deleting it again returns 404. If you retry after losing the response, a 404 means that the first request succeeded.
         */
        readonly delete: operations["deleteUrl"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/urls/{id}/clicks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the clicks per day
         * @description Returns how often one of your short URLs was followed on each day in UTC, also on days without a click. Without
         *     parameters, you get the last 30 days.
         *
         *     - Days are kept for 400 days, today included. *URLs* describes what counts as a click.
         *     - A deleted short URL, or one of another user, returns 404.
         */
        readonly get: operations["getUrlClicks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Find users by name
         * @description Returns up to 20 users whose names begin with `name`. Use it to find a colleague for a conversation. It has two rate limits of its own, and an operator can turn it off: then you get 403 `directory_disabled`. There are no further pages; if `truncated` is `true`, ask for more letters of the name.
         */
        readonly get: operations["findUsers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a user
         * @description Returns the public profile of a user. There is no 404: an id that belongs to no user, or to none any more, returns `deleted: true` without a name. The service keeps nothing of a deleted user, not even the id, so it can't tell the two.
         */
        readonly get: operations["getUser"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/video-uploads": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your video uploads
         * @description Returns every video upload that you have not deleted, in whatever state. Use `status` to list only those in one
         *     state.
         *
         *     - The state of a job can change while you page. With `status`, an upload can leave the list before you reach it.
         *     - A resumable upload is not in the list until it is complete.
         */
        readonly get: operations["listVideoUploads"];
        readonly put?: never;
        /**
         * Upload a video
         * @description Stores a video and starts a job that processes it. The body is the file itself, as `application/octet-stream` or any `video/*`. Poll the job at `Location`; *Video uploads* describes retries, limits and resumable uploads.
         */
        readonly post: operations["createVideoUpload"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/video-uploads/{job_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a video upload
         * @description Returns the state of a video upload and, when its job has succeeded, the result. To poll, wait for `Retry-After`, then ask again with the `ETag` as `If-None-Match`. Without `Retry-After`, the job is finished and doesn't change any more. A failed job returns 200 with `status: failed`. With `wait`, you need not poll.
         */
        readonly get: operations["getVideoUpload"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a video upload
         * @description Deletes the video, its job, and all files of its result, in any state. A running job is stopped, and you get no
         *     notification about it.
         *
         *     Deleting it again returns 404. If you retry after losing the response, a 404 means that the first request succeeded.
         */
        readonly delete: operations["deleteVideoUpload"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/video-uploads/{job_id}/original": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download the uploaded file
         * @description Returns the bytes that you uploaded, whatever the state of the job. `sha256` and `size_bytes` of the video upload are
         *     theirs. To continue an interrupted download, send a single `Range`.
         *
         *     If the operator doesn't keep uploaded files, it returns 404 as soon as the job has succeeded.
         */
        readonly get: operations["getVideoOriginal"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/video-uploads/{job_id}/playback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get links to play a video
         * @description Returns links to all files of a video. They need no header until `expires_at`, so a
         *     page can use them in `<video>` and `<img>`. To continue after that, send the request again, without the same
         *     `Idempotency-Key`. [A page](/docs/player) shows how.
         *
         *     Until the job has succeeded, you get 409 `not_ready`. A failed job has nothing to play and always returns 409.
         */
        readonly post: operations["createPlayback"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/video-uploads/{job_id}/poster": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the poster of a video
         * @description Returns a still image of the video as JPEG. Show it before playback. The poster never changes, so you can cache it
         *     by its `ETag`.
         *
         *     Until the job has succeeded, you get 409 `not_ready`. A failed job has no poster and always returns 409.
         */
        readonly get: operations["getVideoPoster"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/video-uploads/{job_id}/renditions/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a rendition of a video
         * @description Returns the bytes of one rendition: H.264 and AAC in an MP4 that a player can start before it has the whole file. Use the `href` of a rendition in `result` to get here. To seek, send a single `Range`. A rendition never changes, so you can cache it by its `ETag`.
         */
        readonly get: operations["getVideoRendition"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/video-uploads/{job_id}/transfer": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the offset of a resumable upload
         * @description Returns the number of bytes stored in `Upload-Offset`, and in `Upload-Length` the size of the whole upload, if it is known. Use it to resume an upload after an interruption, or to show its progress. The response has headers only, so HEAD is the usual method. When the upload is complete, `Upload-Complete` is `?1` and the job is at `/video-uploads/{job_id}`.
         */
        readonly get: operations["getUploadTransfer"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a resumable upload
         * @description Deletes a resumable upload that is not complete, with all bytes received. Use it to give up an upload. When an upload is complete, delete it with `deleteVideoUpload` instead.
         */
        readonly delete: operations["deleteUploadTransfer"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Continue a resumable upload
         * @description Appends the body to a resumable upload at `Upload-Offset`, which must be the number of bytes stored. With `Upload-Complete: ?1` these are the last bytes and you get 202; with `?0` more follow and you get 204. *Video uploads* describes interruptions, limits and refusals.
         */
        readonly patch: operations["updateUploadTransfer"];
        readonly trace?: never;
    };
    readonly "/webhook-endpoints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Returns your webhook endpoints, newest first. You can have 10 of them. No response of this operation has a secret.
         */
        readonly get: operations["listWebhookEndpoints"];
        readonly put?: never;
        /**
         * Create a webhook endpoint
         * @description Creates an endpoint at a `url` of yours, to which the service sends `events` from now on. The response has the secret that
         *     signs them. Keep it: only a retry returns it again.
         *
         *     With `scopes`, events contain the resource, and not only its id. Your credential must have each of them, also to repeat the
         *     request.
         */
        readonly post: operations["createWebhookEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook-endpoints/{endpoint_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description Returns one of your webhook endpoints without its secret. `status` tells whether the service sends events to it, and whether they arrive.
         */
        readonly get: operations["getWebhookEndpoint"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a webhook endpoint
         * @description Deletes a webhook endpoint with its deliveries. No attempt begins after the response; one that has begun can still arrive.
         *
         *     Deleting it again returns 404.
         */
        readonly delete: operations["deleteWebhookEndpoint"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a webhook endpoint
         * @description Replaces the fields that you send and leaves the others as they are. `{"status": "active"}` enables a disabled endpoint, and ends
         *     a pause. So does a new `url`.
         *
         *     Your credential must have all `scopes` that the endpoint has then, except to send `{"status": "disabled"}` alone. Another
         *     `url`, or other `scopes`, cause a notification `webhook_endpoint.changed`.
         */
        readonly patch: operations["updateWebhookEndpoint"];
        readonly trace?: never;
    };
    readonly "/webhook-endpoints/{endpoint_id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint
         * @description Returns the events of the last 7 days for one of your endpoints, newest first: how often each was attempted, what your receiver answered, and when the next attempt begins.
         */
        readonly get: operations["listWebhookDeliveries"];
        readonly put?: never;
        /**
         * Send a test event
         * @description Sends the event `webhook_endpoint.tested` to one of your endpoints, whatever events it has asked for, and also while it is paused. Poll the delivery to see what your receiver has answered.
         */
        readonly post: operations["createWebhookDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns one event for one of your endpoints, with the outcome of the last attempt. While an attempt follows, the response has `Retry-After`. Deliveries are kept for 7 days.
         */
        readonly get: operations["getWebhookDelivery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/attempts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send an event again
         * @description Attempts a delivery again within seconds, whether it has succeeded, has failed or waits, also while the endpoint is paused, and with the same `webhook-id`. It then has another day for its attempts.
         */
        readonly post: operations["createWebhookAttempt"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/webhook-endpoints/{endpoint_id}/secrets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rotate the secret of a webhook endpoint
         * @description Replaces the secret of an endpoint by a new one. For 24 hours, the previous secret signs every event, too, so that you can change your receiver without missing one. Another rotation in this time replaces the new secret, and the previous one stays.
         */
        readonly post: operations["createWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly "message.created": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * message.created: a message was sent
         * @description Sent to the endpoints of all members of the conversation, the sender included.
         */
        readonly post: operations["receiveMessageCreated"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "notification.created": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * notification.created: a notification was created
         * @description Sent to your endpoints when you get a new notification.
         */
        readonly post: operations["receiveNotificationCreated"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "video_upload.failed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * video_upload.failed: a video upload has failed
         * @description Sent to your endpoints when the job of a video upload of yours has failed.
         */
        readonly post: operations["receiveVideoUploadFailed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "video_upload.succeeded": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * video_upload.succeeded: a video upload has succeeded
         * @description Sent to your endpoints when the job of a video upload of yours has succeeded.
         */
        readonly post: operations["receiveVideoUploadSucceeded"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "webhook_endpoint.tested": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * webhook_endpoint.tested: a test event was asked for
         * @description Sent to one endpoint when its owner asks for a test event.
         */
        readonly post: operations["receiveWebhookEndpointTested"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Your account and the credential of this request. */
        readonly Account: {
            /** @description The credential of this request. */
            readonly credential: components["schemas"]["Credential"];
            /** @description Your name, as other users see it. `PATCH /account` changes it. */
            readonly display_name: string;
            /** @description The scopes of the credential, in alphabetical order and without duplicates. */
            readonly scopes: readonly components["schemas"]["Scope"][];
            /** @description Your user id. It appears as `author_id`, `sender_id`, `created_by` and in lists of members. */
            readonly user_id: components["schemas"]["Uuid"];
        };
        /**
         * @description The status that you can give to many notifications at once.
         * @enum {string}
         */
        readonly BulkNotificationStatus: "read";
        /** @description A conversation, as each of its members sees it. */
        readonly Conversation: {
            /** @description When the conversation was created. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description The id of the user who created the conversation. The user may have left since. */
            readonly created_by: components["schemas"]["Uuid"];
            /** @description The id of the conversation. */
            readonly id: components["schemas"]["Uuid"];
            /** @description The newest message, to be shown in a list. `null` if there are no messages. */
            readonly last_message: components["schemas"]["LastMessage"] | null;
            /**
             * Format: date-time
             * @description When the newest message was sent. `null` if there are no messages.
             */
            readonly last_message_at: string | null;
            /**
             * Format: int32
             * @description The `sequence` of the newest message that you have read: at first that of the newest one when you joined. It never goes back.
             */
            readonly last_read_sequence: number;
            /**
             * Format: int32
             * @description The number of members, including you.
             */
            readonly member_count: number;
            /** @description Whether you get no notifications of messages here. They still count as unread. */
            readonly muted: boolean;
            /** @description The title, a single line. `null` if it has none. */
            readonly title: string | null;
            /**
             * Format: int32
             * @description The number of messages after `last_read_sequence`.
             */
            readonly unread_count: number;
        };
        /** @description One page of the conversations that you are a member of. */
        readonly ConversationPage: {
            /** @description The conversations on this page, in the requested order. */
            readonly data: readonly components["schemas"]["Conversation"][];
            /** @description The position of this page in the list. */
            readonly page: components["schemas"]["PageInfo"];
        };
        /**
         * @description The order of a list of conversations: `-created_at` is newest first, `created_at` is oldest first, `-last_message_at` is the one with the newest message first.
         * @enum {string}
         */
        readonly ConversationSortOrder: "-created_at" | "created_at" | "-last_message_at";
        /** @description The conversation to start. */
        readonly CreateConversationRequest: {
            /** @description The `user_id` of each user to add, at most once. You become a member in any case; including your own id changes nothing. */
            readonly member_ids: readonly components["schemas"]["Uuid"][];
            /** @description The title: a single line that is not blank. Leave it out for a conversation without a title. */
            readonly title?: string;
        };
        /** @description A new webhook endpoint, and its secret. */
        readonly CreatedWebhookEndpoint: {
            /** @description The endpoint as you can read it again. */
            readonly endpoint: components["schemas"]["WebhookEndpoint"];
            /** @description The secret that signs the events. Keep it, because only a retry returns it again. */
            readonly secret: components["schemas"]["WebhookSecretValue"];
        };
        /** @description The message to send. You become its sender. */
        readonly CreateMessageRequest: {
            /** @description The text, not blank, at most 4 000 Unicode code points (an emoji can take several). Line breaks are kept. */
            readonly body: string;
        };
        /** @description How long the links of a playback work. */
        readonly CreatePlaybackRequest: {
            /**
             * Format: int32
             * @description How many seconds the links work, from a minute to a day. If you leave it out, an hour.
             * @default 3600
             */
            readonly expires_in_seconds?: number;
        };
        /** @description The post to publish. You become its author. */
        readonly CreatePostRequest: {
            /** @description The text, not blank. Line breaks are kept. */
            readonly body: string;
            /** @description The title: a single line that is not blank. */
            readonly title: string;
        };
        /** @description The short URL to create. */
        readonly CreateUrlRequest: {
            /**
             * Format: uri
             * @description The address to redirect to when the short URL has expired or was deleted. The rules of `target_url` apply to it. It can't be changed, and it stays when you delete the short URL. Leave it out for a short URL that then returns 410.
             */
            readonly expired_url?: string;
            /**
             * Format: date-time
             * @description When the short URL stops working: a moment in the future, at most ten years from now. Leave it out for a short URL that doesn't expire. The format is RFC 3339 with any UTC offset, upper-case `T` and `Z`, at most nine decimals and no leap second. The service drops fractions smaller than a millisecond.
             */
            readonly expires_at?: string;
            /** @description The short code to use. If you leave it out, the service generates one of eight letters and digits. */
            readonly id?: components["schemas"]["UrlId"];
            /**
             * Format: uri
             * @description The address to redirect to: an absolute `http` or `https` URL (RFC 3986) with a host and without credentials. Percent-encode non-ASCII characters, and write a host that has them in Punycode. The service returns the URL exactly as you send it, only with the scheme in lower case.
             */
            readonly target_url: string;
        };
        /** @description An empty object. Later minor versions can add optional fields. */
        readonly CreateWebhookAttemptRequest: Record<string, never>;
        /** @description An empty object. Later minor versions can add optional fields. */
        readonly CreateWebhookDeliveryRequest: Record<string, never>;
        /** @description Where to send which events. */
        readonly CreateWebhookEndpointRequest: {
            /** @description What the endpoint is for, a single line. */
            readonly description?: string;
            /** @description The events to send. */
            readonly events: readonly components["schemas"]["WebhookSubscription"][];
            /** @description What the events contain in addition to ids: the resource, if the endpoint has the scope to read it. Without scopes, they have ids only. The endpoint keeps its scopes when the credential that has given them expires: it ends when you delete it, or when it is disabled. */
            readonly scopes?: readonly components["schemas"]["WebhookScope"][];
            /** @description The https address of your receiver, without a user, a password or a fragment. It must be public. */
            readonly url: string;
        };
        /** @description An empty object. Later minor versions can add optional fields. */
        readonly CreateWebhookSecretRequest: Record<string, never>;
        /** @description The credential of this request. It never includes the secret. */
        readonly Credential: {
            /**
             * Format: date-time
             * @description When the credential expires. `null` for an API key that doesn't expire.
             */
            readonly expires_at: string | null;
            /** @description `api_key` for an API key of this service, `jwt` for an access token of the operator's identity provider. More values may be added. */
            readonly kind: string;
        };
        /**
         * @description An opaque position in one list. Send it back exactly as you received it; its content can change at any time.
         * @example AVw4tOZS5E2n8jcNniYOJxNlUKSjptB
         */
        readonly Cursor: string;
        /** @description The clicks of one day. */
        readonly DailyClicks: {
            /**
             * Format: int64
             * @description How many times GET led to the target on this day. A click can take a few seconds to appear.
             */
            readonly click_count: number;
            /** @description The day in UTC, from midnight to midnight. */
            readonly date: components["schemas"]["Day"];
        };
        /**
         * @description A day in UTC, such as `2026-11-18` (the `full-date` of RFC 3339). Days sort as strings.
         * @example 2026-11-18
         */
        readonly Day: string;
        /** @description A small page for people in a browser, in English. Its text can change at any time. */
        readonly DeadLinkPage: string;
        /** @description The result of a successful health check. */
        readonly Health: {
            /** @description The version of the service that implements the contract. */
            readonly service_version: string;
            /** @description Always `pass`. If the check fails, the response is not a 200. */
            readonly status: components["schemas"]["HealthStatus"];
            /** @description The version of the contract, equal to the `API-Version` header. */
            readonly version: string;
        };
        /**
         * @description The result of a health check. The only value is `pass`: if the check fails, the response is not a 200.
         * @enum {string}
         */
        readonly HealthStatus: "pass";
        /**
         * @description The rule that this part of the request breaks. More values may be added: treat a value that you don't know as "this
         *     part is not valid".
         *
         *     - For a rule of the schema, it is the JSON Schema keyword, such as `maximum`.
         *     - `depth`: the body has more than 32 levels.
         *     - `unexpected_body`: the operation takes no body.
         *     - `upload_length`: the upload is longer or shorter than announced.
         *     - `form`: the value breaks another rule of its format, such as percent-encoding that is not UTF-8.
         *     - For a rule outside the schema, it is the code of the problem.
         */
        readonly InputErrorCode: string;
        /** @description The beginning of the newest message of a conversation. */
        readonly LastMessage: {
            /** @description When the message was accepted. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description The first 140 Unicode code points of the text, without a sign that more follows. */
            readonly excerpt: string;
            /** @description The user who sent the message, with the current name. */
            readonly sender: components["schemas"]["UserSummary"];
            /**
             * Format: int32
             * @description The number of the message, and so the number of messages in the conversation.
             */
            readonly sequence: number;
        };
        /** @description The membership of one user in one conversation. */
        readonly Member: {
            /** @description Whether the user was deleted. If so, show that in place of the name. The membership of such a user ends soon after the deletion, as if the user had left. */
            readonly deleted: boolean;
            /** @description The name of the user, for display. It is not unique and can change. `A deleted user` if the user was deleted. */
            readonly display_name: string;
            /** @description When the user joined, or last rejoined, the conversation. */
            readonly joined_at: components["schemas"]["Timestamp"];
            /** @description What the user can do in this conversation. */
            readonly role: components["schemas"]["MemberRole"];
            /** @description The id of the member. */
            readonly user_id: components["schemas"]["Uuid"];
        };
        /** @description One page of the members of a conversation. */
        readonly MemberPage: {
            /** @description The members on this page, in the order in which they joined. */
            readonly data: readonly components["schemas"]["Member"][];
            /** @description The position of this page in the list. */
            readonly page: components["schemas"]["PageInfo"];
        };
        /**
         * @description The role of a member. The `owner` can change the title, add members, remove others and hand over the conversation; every conversation has exactly one. Everyone else is a `member`.
         * @enum {string}
         */
        readonly MemberRole: "owner" | "member";
        /**
         * @description The role that a member gets. With `owner`, the owner until now becomes a `member`.
         * @enum {string}
         */
        readonly MemberRoleChange: "owner";
        /** @description A message in a conversation. Nobody can change it. If its sender is deleted, the service replaces `sender_id` and `body`. */
        readonly Message: {
            /** @description The text with its line breaks. */
            readonly body: string;
            /** @description The id of the conversation that the message belongs to. */
            readonly conversation_id: components["schemas"]["Uuid"];
            /** @description When the message was accepted. Use it for display only; order messages by `sequence`. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description The id of the message. */
            readonly id: components["schemas"]["Uuid"];
            /** @description The user who sent the message, with the current name. */
            readonly sender: components["schemas"]["UserSummary"];
            /** @description The id of the user who sent the message. The user may have left the conversation since. */
            readonly sender_id: components["schemas"]["Uuid"];
            /**
             * Format: int32
             * @description The number of the message in its conversation: 1, 2, 3 and so on, without gaps. If you have every number up to n, you have every message up to n.
             */
            readonly sequence: number;
        };
        /** @description A message in a conversation of which you are a member. */
        readonly MessageCreatedData: {
            /** @description The conversation that the message is in. */
            readonly conversation_id: components["schemas"]["Uuid"];
            /** @description The message as you can read it now. `null` if the endpoint lacks the scope `conversations:read`, or if you can't read the message any more. */
            readonly message: components["schemas"]["Message"] | null;
            /** @description The message that was sent. */
            readonly message_id: components["schemas"]["Uuid"];
            /**
             * Format: int32
             * @description The position of the message in its conversation, without gaps. Events can arrive in any order: compare this number.
             */
            readonly sequence: number;
        };
        /** @description A member has sent a message. Members get it for their own messages, too, and for muted conversations. */
        readonly MessageCreatedEvent: {
            /** @description Which message it is. */
            readonly data: components["schemas"]["MessageCreatedData"];
            /** @description When the message was sent. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description The type of the event. */
            readonly type: components["schemas"]["MessageCreatedEventType"];
        };
        /**
         * @description The type of an event about a new message.
         * @enum {string}
         */
        readonly MessageCreatedEventType: "message.created";
        /** @description One page of the messages of a conversation. */
        readonly MessagePage: {
            /** @description The messages on this page. They are always newest first, in whichever direction you read. */
            readonly data: readonly components["schemas"]["Message"][];
            /** @description The position of this page in the conversation. */
            readonly page: components["schemas"]["MessagePageInfo"];
        };
        /** @description The position of this page in the conversation, with cursors in both directions. */
        readonly MessagePageInfo: {
            /** @description Whether messages newer than this page existed when it was read. If `false`, you are up to date: ask again later with `prev_cursor`. */
            readonly has_newer: boolean;
            /**
             * Format: int32
             * @description The page size that was applied. A page can hold fewer items than this, or none, without being the last page.
             */
            readonly limit: number;
            /** @description Send this value as `before` to get older messages. Only `null` means that there are none. */
            readonly next_cursor: string | null;
            /** @description Send this value as `after` to get newer messages, now or later. It is always present, even on an empty page. */
            readonly prev_cursor: components["schemas"]["Cursor"];
        };
        /** @description A notification about something that happened to you. While it is unread, further events on the same subject are counted in it. Notifications are kept for 90 days after their newest event. */
        readonly Notification: {
            /** @description The user who caused the newest event, with the current name. `null` if no user did, as for your videos, or if the service doesn't know. It is not part of the version that `ETag` identifies. */
            readonly actor: components["schemas"]["UserSummary"] | null;
            /**
             * Format: date-time
             * @description When the notification was archived. Archiving it again keeps the first time. `null` if it is not archived.
             */
            readonly archived_at: string | null;
            /** @description Further text to show, such as the beginning of a message. `null` if the title is enough. */
            readonly body: string | null;
            /** @description When the first of the events happened. It never changes and determines the position in the list. */
            readonly created_at: components["schemas"]["Timestamp"];
            /**
             * Format: int32
             * @description The number of events that the notification stands for, such as the messages of a conversation since you last read it. `title`, `body` and `resource` describe the newest event.
             */
            readonly event_count: number;
            /** @description The id of the notification. */
            readonly id: components["schemas"]["Uuid"];
            /** @description What happened. */
            readonly kind: components["schemas"]["NotificationKind"];
            /**
             * Format: date-time
             * @description When the notification was marked as read. Marking it again keeps the first time. `null` while it is unread.
             */
            readonly read_at: string | null;
            /** @description The resource that the notification is about. */
            readonly resource: components["schemas"]["NotificationResource"];
            /** @description Whether you have read the notification. */
            readonly status: components["schemas"]["NotificationStatus"];
            /** @description A one-line text to show to the user. */
            readonly title: string;
            /** @description When the newest of the events happened. */
            readonly updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description What a list does with archived notifications.
         * @enum {string}
         */
        readonly NotificationArchiveFilter: "exclude" | "only";
        /** @description A new notification of yours. */
        readonly NotificationCreatedData: {
            /** @description The notification as `GET /notifications/{notification_id}` returns it when the event is sent, also after you have left its conversation. `null` if the endpoint lacks the scope `notifications:read`, or if it is gone. */
            readonly notification: components["schemas"]["Notification"] | null;
            /** @description What to get, or to look for in the list. */
            readonly notification_id: components["schemas"]["Uuid"];
        };
        /** @description You have a new notification. One that counts further events is not a new one. */
        readonly NotificationCreatedEvent: {
            /** @description Which notification it is. */
            readonly data: components["schemas"]["NotificationCreatedData"];
            /** @description When the notification was created. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description The type of the event. */
            readonly type: components["schemas"]["NotificationCreatedEventType"];
        };
        /**
         * @description The type of an event about a new notification.
         * @enum {string}
         */
        readonly NotificationCreatedEventType: "notification.created";
        /** @description What happened: the resource, a dot and the event. More values may be added: for a kind you don't know, show `title` and `body`. */
        readonly NotificationKind: string;
        /**
         * @description A kind of notification to filter by.
         * @enum {string}
         */
        readonly NotificationKindFilter: "message.created" | "conversation.member_added" | "video_upload.succeeded" | "video_upload.failed" | "webhook_endpoint.disabled" | "webhook_endpoint.created" | "webhook_endpoint.changed";
        /** @description One page of your notifications. */
        readonly NotificationPage: {
            /** @description The notifications on this page, in the requested order. */
            readonly data: readonly components["schemas"]["Notification"][];
            /** @description The position of this page in the list. */
            readonly page: components["schemas"]["PageInfo"];
            /** @description Marks how far this list goes. Send it to mark everything up to here as read, on this page or not, and nothing newer. It differs in every response and doesn't affect the `ETag`. */
            readonly seen: components["schemas"]["Cursor"];
            /**
             * Format: int32
             * @description The number of your unread notifications, regardless of filters and page. The count stops at 1 000, which means "1 000 or more".
             */
            readonly unread_count: number;
        };
        /** @description The resource that a notification is about. It may have been deleted since. */
        readonly NotificationResource: {
            /** @description The path of the resource. Resolve it against the URL of the request. */
            readonly href: string;
            /** @description The id of the resource. */
            readonly id: string;
            /** @description The type of the resource. More values may be added. */
            readonly type: string;
        };
        /**
         * @description The order of a list of notifications: `-created_at` is newest first, `created_at` is oldest first.
         * @enum {string}
         */
        readonly NotificationSortOrder: "-created_at" | "created_at";
        /**
         * @description Whether the notification has been read.
         * @enum {string}
         */
        readonly NotificationStatus: "unread" | "read";
        /** @description The position of this page in the list. */
        readonly PageInfo: {
            /**
             * Format: int32
             * @description The page size that was applied. A page can hold fewer items than this, or none, without being the last page.
             */
            readonly limit: number;
            /** @description Send this value as `after` to get the next page. Only `null` means that this is the last page. */
            readonly next_cursor: string | null;
        };
        /** @description Links to the poster, the sprite and the renditions of a video. Everyone who has a link can use it without a credential until `expires_at`. */
        readonly Playback: {
            /** @description When the links stop working. */
            readonly expires_at: components["schemas"]["Timestamp"];
            /** @description The still image to show before playback, with its link. */
            readonly poster: components["schemas"]["PlaybackPoster"];
            /** @description The versions of the video with their links, smallest first. */
            readonly renditions: readonly components["schemas"]["PlaybackRendition"][];
            /** @description The picture to show while seeking, with its links. `null` if `result` of the video has none. */
            readonly sprite: components["schemas"]["PlaybackSprite"] | null;
        };
        /** @description A still image of the video, with a link to it. */
        readonly PlaybackPoster: {
            /** @description The media type of the image. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The height of the image in pixels.
             */
            readonly height: number;
            /** @description The path of the image with its token. Resolve it against the URL of the request. It is a credential until `expires_at`. */
            readonly href: string;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /**
             * Format: int32
             * @description The width of the image in pixels.
             */
            readonly width: number;
        };
        /** @description A version of the video, with a link to it. */
        readonly PlaybackRendition: {
            /** @description The media type of the file. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The duration of the rendition in milliseconds.
             */
            readonly duration_ms: number;
            /**
             * Format: int32
             * @description The height of the video in pixels.
             */
            readonly height: number;
            /** @description The path of the video with its token. Resolve it against the URL of the request. It supports range requests. It is a credential until `expires_at`. */
            readonly href: string;
            /** @description Rendition name. The number is the maximum length of the shorter side, in pixels. More values may be added. */
            readonly name: string;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /**
             * Format: int32
             * @description The width of the video in pixels.
             */
            readonly width: number;
        };
        /** @description One image of many tiles that show the video at regular intervals, with a link to it and to a WebVTT file that names the tiles. */
        readonly PlaybackSprite: {
            /** @description The media type of the image. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The height of the image in pixels. It is a multiple of `tile_height`.
             */
            readonly height: number;
            /** @description The path of the image with its token. Resolve it against the URL of the request. It is a credential until `expires_at`. */
            readonly href: string;
            /**
             * Format: int32
             * @description How much of the video each tile stands for, in milliseconds. It shows the middle of that time.
             */
            readonly interval_ms: number;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /**
             * Format: int32
             * @description How many tiles the image has, from left to right and from top to bottom.
             */
            readonly tile_count: number;
            /**
             * Format: int32
             * @description The height of each tile in pixels.
             */
            readonly tile_height: number;
            /**
             * Format: int32
             * @description The width of each tile in pixels.
             */
            readonly tile_width: number;
            /** @description A file that players can read, with a cue for each tile. */
            readonly webvtt: components["schemas"]["PlaybackWebvtt"];
            /**
             * Format: int32
             * @description The width of the image in pixels. It is a multiple of `tile_width`.
             */
            readonly width: number;
        };
        /** @description A WebVTT file of the tiles of a sprite. Each cue has the link to a tile: that of the image, with the fragment `#xywh=x,y,width,height`. */
        readonly PlaybackWebvtt: {
            /** @description The media type of the file. More values may be added. */
            readonly content_type: string;
            /** @description The path of the file with its token. Resolve it against the URL of the request. It is a credential until `expires_at`, as the links in the file are. */
            readonly href: string;
        };
        /** @description A post. Every user can read it; only its author can change or delete it. */
        readonly Post: {
            /** @description The user who wrote the post, with the current name. It is not part of the version that `ETag` identifies. */
            readonly author: components["schemas"]["UserSummary"];
            /** @description The id of the user who wrote the post. */
            readonly author_id: components["schemas"]["Uuid"];
            /** @description The text with its line breaks. The service returns it exactly as it was sent and doesn't interpret markup. */
            readonly body: string;
            /** @description When the post was published. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description The id of the post. */
            readonly id: components["schemas"]["Uuid"];
            /** @description The title, a single line. */
            readonly title: string;
            /** @description When the post was last changed. Equal to `created_at` if it was never changed. */
            readonly updated_at: components["schemas"]["Timestamp"];
        };
        /** @description One page of posts. */
        readonly PostPage: {
            /** @description The posts on this page, in the requested order. */
            readonly data: readonly components["schemas"]["Post"][];
            /** @description The position of this page in the list. */
            readonly page: components["schemas"]["PostPageInfo"];
        };
        /** @description The position of this page in the list, for both ways of paging. */
        readonly PostPageInfo: {
            /**
             * Format: int32
             * @description The page size that was applied. A page can hold fewer items than this, or none, without being the last page.
             */
            readonly limit: number;
            /** @description Send this value as `after` to get the next page. Only `null` means that this is the last page. It is present for both ways of paging, so you can start a list by offset and continue it by cursor. */
            readonly next_cursor: string | null;
            /**
             * Format: int32
             * @description The offset that was applied. `null` if you page by cursor.
             */
            readonly offset: number | null;
            /**
             * Format: int32
             * @description The number of posts that match. The count stops at 10 000, which means "10 000 or more". `null` if you page by cursor.
             */
            readonly total: number | null;
        };
        /**
         * @description The order of a list of posts: `-created_at` is newest first, `created_at` is oldest first.
         * @enum {string}
         */
        readonly PostSortOrder: "-created_at" | "created_at";
        /** @description An error, in the format of problem details (RFC 9457). Every response with a status of 400 or above has this format, except the page that a browser gets from `followUrl`. Branch on `code` and show `detail` to people. */
        readonly Problem: {
            /** @description The kind of problem, for your program. */
            readonly code: components["schemas"]["ProblemCode"];
            /** @description A sentence about this occurrence, for people. Its wording can change at any time: don't parse it. */
            readonly detail: string;
            /** @description The parts of the request that are not valid, at most fifty. Left out if no part can be named. */
            readonly errors?: readonly components["schemas"]["ProblemError"][];
            /** @description The value of the `X-Request-Id` header of this response. Quote it when you ask for help. */
            readonly request_id: components["schemas"]["Uuid"];
            /**
             * Format: int32
             * @description The HTTP status of this response.
             */
            readonly status: number;
            /** @description A short name for the kind of problem. It is the same every time the code occurs. */
            readonly title: string;
            /** @description A URI reference that identifies the kind of problem: `/problems/` and the code, after the path prefix of the service if it has one. Resolve it against the URL of the request to get a page that explains the code. */
            readonly type: string;
        };
        /** @description The kind of problem. More values may be added: treat a code that you don't know by the status of its response. */
        readonly ProblemCode: string;
        /** @description A part of the request that is not valid, and why. */
        readonly ProblemError: {
            /** @description The rule that was broken, for your program. */
            readonly code: components["schemas"]["InputErrorCode"];
            /** @description A sentence about this part of the request, for people. */
            readonly detail: string;
            /** @description Which part of the request `pointer` refers to. */
            readonly in: components["schemas"]["RequestPart"];
            /**
             * Format: json-pointer
             * @description A JSON Pointer (RFC 6901). In the body, it points at the value (`/member_ids/3`; the empty string is the whole body). Elsewhere, it holds the name of the parameter (`/limit`, `/job_id`), or of the header in lower case (`/idempotency-key`).
             */
            readonly pointer: string;
        };
        /** @description The newest message that you have read. */
        readonly PutReadPositionRequest: {
            /**
             * Format: int32
             * @description The `sequence` of the message, or 0 if you have read none.
             */
            readonly sequence: number;
        };
        /** @description What you have read in a conversation. */
        readonly ReadPosition: {
            /**
             * Format: int32
             * @description The `sequence` of the newest message that you have read.
             */
            readonly last_read_sequence: number;
            /**
             * Format: int32
             * @description The number of messages after it.
             */
            readonly unread_count: number;
        };
        /**
         * @description A part of a request.
         * @enum {string}
         */
        readonly RequestPart: "body" | "query" | "path" | "header";
        /** @description A permission of a credential: the area, a colon, and `read` or `write`. More values may be added. */
        readonly Scope: string;
        /**
         * Format: date-time
         * @description A moment in UTC with exactly three decimals (RFC 3339), such as `2026-11-18T17:20:05.331Z`. Timestamps sort as strings.
         * @example 2026-11-18T17:20:05.331Z
         */
        readonly Timestamp: string;
        /** @description What to change in your account. */
        readonly UpdateAccountRequest: {
            /** @description Your new name, a single line. It must have something visible, no spaces at its ends, no control characters, and no characters that turn the direction of text. */
            readonly display_name: string;
        };
        /** @description The fields to replace. */
        readonly UpdateConversationRequest: {
            /** @description The new title: a single line that is not blank. */
            readonly title: string;
        };
        /** @description The role to give to the member. */
        readonly UpdateMemberRequest: {
            /** @description The new role. */
            readonly role: components["schemas"]["MemberRoleChange"];
        };
        /** @description The status to give to one notification. */
        readonly UpdateNotificationRequest: {
            /** @description `true` archives the notification, which needs the status `read`. `false` takes it out of the archive. If you leave it out, `read` leaves it where it is, and `unread` takes it out. */
            readonly archived?: boolean;
            /** @description The `seen` of the list that you showed. With it, setting the status to `read` leaves the notification unread if something has happened since. If you leave it out, the notification is marked as it is now, as shown in the response. */
            readonly seen?: components["schemas"]["Cursor"];
            /** @description The new status. */
            readonly status: components["schemas"]["NotificationStatus"];
        };
        /** @description The status to give to your notifications, and which of them to mark. */
        readonly UpdateNotificationsRequest: {
            /** @description `true` archives the notifications, too, and those that were read before. `false` is the same as leaving it out: none enters or leaves the archive. */
            readonly archived?: boolean;
            /** @description Mark only notifications about this conversation. If you leave it out, all notifications are marked. If no conversation has this id, none is. */
            readonly conversation_id?: components["schemas"]["Uuid"];
            /** @description The `seen` of the list that you showed. */
            readonly seen: components["schemas"]["Cursor"];
            /** @description The new status. You can only mark many notifications as `read`. */
            readonly status: components["schemas"]["BulkNotificationStatus"];
        };
        /** @description The result of marking many notifications. */
        readonly UpdateNotificationsResult: {
            /**
             * Format: int32
             * @description The number of your notifications that are still unread. Some may be newer than `seen`, about something else, or not marked yet. The count stops at 1 000, which means "1 000 or more".
             */
            readonly unread_count: number;
            /**
             * Format: int32
             * @description The number of notifications that this request marked as read or archived. `1000` means that more are being changed in the background, which takes a few seconds.
             */
            readonly updated_count: number;
        };
        /** @description The fields to replace, at least one. Fields that you leave out don't change. */
        readonly UpdatePostRequest: {
            /** @description The new text, not blank. It replaces the whole of the old text. */
            readonly body?: string;
            /** @description The new title: a single line that is not blank. */
            readonly title?: string;
        };
        /** @description The fields to replace, at least one. Fields that you leave out don't change. */
        readonly UpdateWebhookEndpointRequest: {
            /** @description What the endpoint is for, a single line. */
            readonly description?: string;
            /** @description The events to send from now on, in place of the earlier ones. Those that wait are still sent. */
            readonly events?: readonly components["schemas"]["WebhookSubscription"][];
            /** @description What the events contain from now on, in place of the earlier scopes. */
            readonly scopes?: readonly components["schemas"]["WebhookScope"][];
            /** @description `disabled` stops all events: those that wait fail, and new ones are not kept. `active` begins again with new events; if the operator has disabled the endpoint, it returns 409 `disabled_by_operator`. */
            readonly status?: components["schemas"]["WebhookEndpointSwitch"];
            /** @description The new address. Events that wait are sent to it, too. */
            readonly url?: string;
        };
        /**
         * @description Whether the upload is complete (a boolean as in RFC 9651): `?1` if it is, `?0` if more bytes follow.
         * @enum {string}
         */
        readonly UploadCompleteness: "?0" | "?1";
        /** @description A short URL. After you create it, only `click_count` and `last_clicked_at` change; its target never does. */
        readonly Url: {
            /**
             * Format: int64
             * @description How many times GET led to the target. What led to `expired_url` doesn't count. A click can take a few seconds to appear.
             */
            readonly click_count: number;
            /** @description When the short URL was created. */
            readonly created_at: components["schemas"]["Timestamp"];
            /**
             * Format: uri
             * @description The address that the short URL redirects to when it has expired or was deleted, as you sent it, with the scheme in lower case. `null` if it then returns 410.
             */
            readonly expired_url: string | null;
            /**
             * Format: date-time
             * @description When the short URL stops working. From then on, following it leads to `expired_url` or returns 410. `null` if it doesn't expire.
             */
            readonly expires_at: string | null;
            /** @description The short code, chosen by you or generated by the service. */
            readonly id: components["schemas"]["UrlId"];
            /**
             * Format: date-time
             * @description When the newest click of `click_count` was. A click can take a few seconds to appear. `null` without one.
             */
            readonly last_clicked_at: string | null;
            /**
             * Format: uri
             * @description The address to share. It redirects to the target.
             */
            readonly short_url: string;
            /**
             * Format: uri
             * @description The address that the short URL redirects to, as you sent it, with the scheme in lower case.
             */
            readonly target_url: string;
        };
        /** @description The clicks of a short URL by day. A click before the service counted days is only in the `click_count` of the short URL. */
        readonly UrlClicks: {
            /**
             * Format: int64
             * @description The sum of the clicks of these days.
             */
            readonly click_count: number;
            /** @description One entry for each day, oldest first, also for a day without a click. */
            readonly days: readonly components["schemas"]["DailyClicks"][];
            /** @description The first day in `days`. */
            readonly from: components["schemas"]["Day"];
            /** @description The last day in `days`. */
            readonly to: components["schemas"]["Day"];
        };
        /**
         * @description The short code, which is also the id of the short URL. It is case-sensitive and never reused, even after the short URL is deleted.
         * @example boathouse-doors
         */
        readonly UrlId: string;
        /** @description One page of your short URLs. */
        readonly UrlPage: {
            /** @description The short URLs on this page, in the requested order. */
            readonly data: readonly components["schemas"]["Url"][];
            /** @description The position of this page in the list. */
            readonly page: components["schemas"]["PageInfo"];
        };
        /**
         * @description The order of a list of short URLs: `-created_at` is newest first, `created_at` is oldest first.
         * @enum {string}
         */
        readonly UrlSortOrder: "-created_at" | "created_at";
        /** @description The public profile of a user. */
        readonly User: {
            /**
             * Format: date-time
             * @description Since when the user exists. `null` if the user was deleted.
             */
            readonly created_at: string | null;
            /** @description Whether there is no such user any more. An id that never belonged to a user looks the same, because the service keeps nothing of a deleted user. */
            readonly deleted: boolean;
            /** @description The name of the user, for display. It is not unique and can change. `null` if the user was deleted. */
            readonly display_name: string | null;
            /** @description The id of the user. */
            readonly id: components["schemas"]["Uuid"];
        };
        /** @description The users whose names begin with what you sent. */
        readonly UserMatches: {
            /** @description The users, in the order of their names without case and accents. */
            readonly data: readonly components["schemas"]["User"][];
            /** @description Whether there are more matches, which you get only with a longer name. */
            readonly truncated: boolean;
        };
        /** @description A user, as shown beside what they wrote or did. It is read when the response is made: a rename shows at once, and changes neither `updated_at` nor the `ETag` of what it is beside. */
        readonly UserSummary: {
            /** @description Whether the user was deleted. If so, show that in place of a name. */
            readonly deleted: boolean;
            /** @description The name of the user, for display. It is not unique and can change. `null` if the user was deleted. */
            readonly display_name: string | null;
            /** @description The id of the user. */
            readonly id: components["schemas"]["Uuid"];
        };
        /**
         * Format: uuid
         * @description A UUID (RFC 9562) of 36 characters in lower case. Compare it as a string and don't parse it.
         * @example 01a1efac-3ed3-7e8e-9855-dcb0c0290103
         */
        readonly Uuid: string;
        /** @description Why processing failed. Uploading the same file again can only help after `processing_timeout`, `insufficient_storage` and `internal_error`, and after `storage_quota_exceeded` if you delete something first. */
        readonly VideoFailure: {
            /** @description The reason, for your program. */
            readonly code: components["schemas"]["VideoFailureCode"];
            /** @description The reason as a sentence, for people. */
            readonly detail: string;
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
        /** @description A still image of the video. */
        readonly VideoPoster: {
            /** @description The media type of the image. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The height of the image in pixels.
             */
            readonly height: number;
            /** @description The path of the image file. Resolve it against the URL of the request. */
            readonly href: string;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /**
             * Format: int32
             * @description The width of the image in pixels.
             */
            readonly width: number;
        };
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
        /** @description A version of the video for playback. It never has more pixels than the original. */
        readonly VideoRendition: {
            /** @description The media type of the file. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The duration of the rendition in milliseconds.
             */
            readonly duration_ms: number;
            /**
             * Format: int32
             * @description The height of the video in pixels.
             */
            readonly height: number;
            /** @description The path of the video file. Resolve it against the URL of the request. It supports range requests. */
            readonly href: string;
            /** @description Rendition name. The number is the maximum length of the shorter side, in pixels. More values may be added. */
            readonly name: string;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /**
             * Format: int32
             * @description The width of the video in pixels.
             */
            readonly width: number;
        };
        /** @description The properties of the uploaded video, with its poster, sprite and renditions. */
        readonly VideoResult: {
            /** @description The codec of the sound that the renditions have, such as `aac` or `opus`. More values may be added. `null` for a video without sound, also if it has a track without any. */
            readonly audio_codec: string | null;
            /** @description The container format, detected from the bytes. More values may be added. */
            readonly container: string;
            /**
             * Format: int32
             * @description The duration of the video in milliseconds, measured in the longest rendition. The file can declare another one.
             */
            readonly duration_ms: number;
            /**
             * Format: int32
             * @description The height of the video in pixels, after rotation.
             */
            readonly height: number;
            /** @description A still image to show before playback. */
            readonly poster: components["schemas"]["VideoPoster"];
            /** @description The versions for playback, smallest first. There is always one with a shorter side of at most 480 pixels, and one of at most 720 if the original is large enough. */
            readonly renditions: readonly components["schemas"]["VideoRendition"][];
            /** @description Small pictures to show while seeking. `null` for a video that was processed before version 1.1.0. */
            readonly sprite: components["schemas"]["VideoSprite"] | null;
            /** @description The video codec, such as `h264`, `hevc`, `vp9` or `av1`. More values may be added. */
            readonly video_codec: string;
            /**
             * Format: int32
             * @description The width of the video in pixels, after rotation.
             */
            readonly width: number;
        };
        /** @description One image of many tiles that show the video at regular intervals. Show them while a user seeks. `createPlayback` returns links to it. */
        readonly VideoSprite: {
            /** @description The media type of the image. More values may be added. */
            readonly content_type: string;
            /**
             * Format: int32
             * @description The height of the image in pixels. It is a multiple of `tile_height`.
             */
            readonly height: number;
            /**
             * Format: int32
             * @description How much of the video each tile stands for, in milliseconds. It shows the middle of that time.
             */
            readonly interval_ms: number;
            /**
             * Format: int64
             * @description The size of the file in bytes.
             */
            readonly size_bytes: number;
            /**
             * Format: int32
             * @description How many tiles the image has, from left to right and from top to bottom.
             */
            readonly tile_count: number;
            /**
             * Format: int32
             * @description The height of each tile in pixels.
             */
            readonly tile_height: number;
            /**
             * Format: int32
             * @description The width of each tile in pixels.
             */
            readonly tile_width: number;
            /**
             * Format: int32
             * @description The width of the image in pixels. It is a multiple of `tile_width`.
             */
            readonly width: number;
        };
        /** @description An uploaded video and the job that processes it. `result` is set only when the job has succeeded, `error` only when it has failed. */
        readonly VideoUpload: {
            /**
             * Format: int32
             * @description The number of times processing has started: 0 while the job waits for its first attempt. A job fails permanently after three attempts that lose their worker or fail because of an internal error. Attempts that are interrupted for another reason count here, but not among the three; see *Video uploads*.
             */
            readonly attempt: number;
            /** @description When the upload was accepted. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description Why the job failed. `null` unless `status` is `failed`. */
            readonly error: components["schemas"]["VideoFailure"] | null;
            /**
             * Format: date-time
             * @description When the job succeeded or failed. `null` until then.
             */
            readonly finished_at: string | null;
            /** @description The id of the video upload and of its job. */
            readonly id: components["schemas"]["Uuid"];
            /** @description The name that you sent with the upload. `null` if you sent none. */
            readonly name: string | null;
            /** @description The progress of processing. */
            readonly progress: components["schemas"]["VideoProgress"];
            /** @description The result of the job. `null` unless `status` is `succeeded`. */
            readonly result: components["schemas"]["VideoResult"] | null;
            /** @description The SHA-256 of the bytes received, in hexadecimal. Compare it with that of your file. */
            readonly sha256: string;
            /**
             * Format: int64
             * @description The size of the uploaded file in bytes.
             */
            readonly size_bytes: number;
            /**
             * Format: date-time
             * @description When the current or last attempt started. `null` before the first attempt.
             */
            readonly started_at: string | null;
            /** @description The state of the job. */
            readonly status: components["schemas"]["VideoUploadStatus"];
        };
        /** @description A video upload of yours whose job has ended. */
        readonly VideoUploadEndedData: {
            /** @description The id of the video upload. */
            readonly job_id: components["schemas"]["Uuid"];
            /** @description The video upload as you can read it now. `null` if the endpoint lacks the scope `video_uploads:read`, or if the upload was deleted. */
            readonly video_upload: components["schemas"]["VideoUpload"] | null;
        };
        /** @description A video upload of yours has failed. */
        readonly VideoUploadFailedEvent: {
            /** @description Which video upload it is. */
            readonly data: components["schemas"]["VideoUploadEndedData"];
            /** @description When the job ended. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description The type of the event. */
            readonly type: components["schemas"]["VideoUploadFailedEventType"];
        };
        /**
         * @description The type of an event about a video that can't be processed.
         * @enum {string}
         */
        readonly VideoUploadFailedEventType: "video_upload.failed";
        /** @description One page of your video uploads. */
        readonly VideoUploadPage: {
            /** @description The video uploads on this page, in the requested order. */
            readonly data: readonly components["schemas"]["VideoUpload"][];
            /** @description The position of this page in the list. */
            readonly page: components["schemas"]["PageInfo"];
        };
        /**
         * @description The order of a list of video uploads: `-created_at` is newest first, `created_at` is oldest first.
         * @enum {string}
         */
        readonly VideoUploadSortOrder: "-created_at" | "created_at";
        /**
         * @description The state of the job. `queued` and `processing` mean that it is in progress. `succeeded` and `failed` are final and never change.
         * @enum {string}
         */
        readonly VideoUploadStatus: "queued" | "processing" | "succeeded" | "failed";
        /** @description A video upload of yours has been processed. */
        readonly VideoUploadSucceededEvent: {
            /** @description Which video upload it is. */
            readonly data: components["schemas"]["VideoUploadEndedData"];
            /** @description When the job ended. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description The type of the event. */
            readonly type: components["schemas"]["VideoUploadSucceededEventType"];
        };
        /**
         * @description The type of an event about a video that is ready.
         * @enum {string}
         */
        readonly VideoUploadSucceededEventType: "video_upload.succeeded";
        /** @description An event for one webhook endpoint, and what has become of it. */
        readonly WebhookDelivery: {
            /**
             * Format: int32
             * @description The number of attempts so far, since it was last sent again.
             */
            readonly attempt_count: number;
            /**
             * Format: date-time
             * @description When the last attempt ended. `null` before the first one.
             */
            readonly attempted_at: string | null;
            /** @description When the event happened. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description The id of the webhook endpoint. */
            readonly endpoint_id: components["schemas"]["Uuid"];
            /** @description The type of the event that is sent. */
            readonly event: components["schemas"]["WebhookEvent"];
            /** @description Why there was no response in the last attempt, or why no attempt follows. Otherwise `null`, also if your receiver has refused the event and another attempt follows. `name_not_found` also means a name that leads to an address that is not allowed, and `not_http` a status below 100 or above 599. More values may be added. */
            readonly failure: string | null;
            /** @description The id of the delivery, which each attempt sends as `webhook-id`. */
            readonly id: components["schemas"]["Uuid"];
            /**
             * Format: date-time
             * @description When the next attempt begins, at the earliest: not before the pause of the endpoint ends, except for a test event or one that you send again. `null` if none follows.
             */
            readonly next_attempt_at: string | null;
            /** @description The beginning of the last response of your receiver to a test event (`webhook_endpoint.tested`), as the text of its first 1 024 bytes. `null` for other events, and if there was no response. */
            readonly response_excerpt: string | null;
            /**
             * Format: int32
             * @description The status of the last response of your receiver. `null` if there was none.
             */
            readonly response_status: number | null;
            /** @description `pending`: an attempt follows. `succeeded`: your receiver has answered with 2xx. `failed`: no attempt follows. More values may be added. */
            readonly status: string;
        };
        /** @description One page of deliveries. */
        readonly WebhookDeliveryPage: {
            /** @description The deliveries on this page, newest first. */
            readonly data: readonly components["schemas"]["WebhookDelivery"][];
            /** @description The position of this page in the list. */
            readonly page: components["schemas"]["PageInfo"];
        };
        /**
         * @description What has become of an event for an endpoint.
         * @enum {string}
         */
        readonly WebhookDeliveryStatus: "pending" | "succeeded" | "failed";
        /** @description An address of yours to which the service sends events. */
        readonly WebhookEndpoint: {
            /** @description When the endpoint was created. */
            readonly created_at: components["schemas"]["Timestamp"];
            /** @description What the endpoint is for. `null` if you have sent none. */
            readonly description: string | null;
            /** @description Why the endpoint is disabled: `owner`, you have disabled it; `failing`, nothing has arrived for 5 days; `gone`, your receiver has returned 410; `credential_revoked`, the operator has revoked the API key that created or changed it; `operator`, the operator has disabled it, and only the operator can enable it. `null` if it is not disabled. More values may be added. */
            readonly disabled_because: string | null;
            /** @description The events that are sent, in the order in which you sent them. */
            readonly events: readonly components["schemas"]["WebhookEvent"][];
            /**
             * Format: date-time
             * @description When the first attempt failed after which none has succeeded. `null` if the last attempt has succeeded.
             */
            readonly failing_since: string | null;
            /** @description The id of the webhook endpoint. */
            readonly id: components["schemas"]["Uuid"];
            /**
             * Format: date-time
             * @description Until when events wait, because your receiver did not answer, refused them, or asked for it. Test events, and those that you send again, don't wait, and a success ends the pause. `null` if the endpoint is not paused. The response that creates an endpoint leaves it out.
             */
            readonly paused_until?: string | null;
            /**
             * Format: date-time
             * @description Until when the previous secret signs events, too. `null` without a rotation in the last 24 hours.
             */
            readonly previous_secret_expires_at: string | null;
            /** @description What the events contain in addition to ids, in the order in which you sent the scopes. */
            readonly scopes: readonly components["schemas"]["Scope"][];
            /** @description `active`: events are sent. `failing`: they are sent, but since `failing_since` none has arrived. `disabled`: nothing is sent. More values may be added. */
            readonly status: string;
            /** @description The address of your receiver, as you sent it. */
            readonly url: string;
        };
        /** @description One page of your webhook endpoints. */
        readonly WebhookEndpointPage: {
            /** @description The webhook endpoints on this page, newest first. */
            readonly data: readonly components["schemas"]["WebhookEndpoint"][];
            /** @description The position of this page in the list. */
            readonly page: components["schemas"]["PageInfo"];
        };
        /**
         * @description Whether events are sent to an endpoint.
         * @enum {string}
         */
        readonly WebhookEndpointSwitch: "active" | "disabled";
        /** @description The endpoint that is tested. */
        readonly WebhookEndpointTestedData: {
            /** @description The id of the webhook endpoint. */
            readonly endpoint_id: components["schemas"]["Uuid"];
        };
        /** @description A test that the owner of the endpoint has asked for. */
        readonly WebhookEndpointTestedEvent: {
            /** @description Which endpoint is tested. */
            readonly data: components["schemas"]["WebhookEndpointTestedData"];
            /** @description When the test was asked for. */
            readonly timestamp: components["schemas"]["Timestamp"];
            /** @description The type of the event. */
            readonly type: components["schemas"]["WebhookEndpointTestedEventType"];
        };
        /**
         * @description The type of a test event.
         * @enum {string}
         */
        readonly WebhookEndpointTestedEventType: "webhook_endpoint.tested";
        /** @description The type of an event: the resource, a dot and what happened. More values may be added. */
        readonly WebhookEvent: string;
        /**
         * @description A scope that lets events contain the resource.
         * @enum {string}
         */
        readonly WebhookScope: "conversations:read" | "notifications:read" | "video_uploads:read";
        /** @description A new secret of a webhook endpoint. */
        readonly WebhookSecret: {
            /** @description Until when the previous secret signs events, too. */
            readonly previous_secret_expires_at: components["schemas"]["Timestamp"];
            /** @description The new secret. Keep it, because only a retry returns it again. */
            readonly secret: components["schemas"]["WebhookSecretValue"];
        };
        /** @description A secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in Base64. */
        readonly WebhookSecretValue: string;
        /**
         * @description A type of event that an endpoint can ask for.
         * @enum {string}
         */
        readonly WebhookSubscription: "message.created" | "notification.created" | "video_upload.succeeded" | "video_upload.failed";
    };
    responses: {
        /** @description `If-Match` names another file than the one that is there now. */
        readonly AnotherFile: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential lacks the scope, or you are not the author of the post. */
        readonly AuthorOnlyPostsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service has no clicks for these days, or they are in the wrong order. */
        readonly ClickDaysNotPossible: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is larger than this operation accepts. You get this response as soon as the size is known, and the service may close the connection. */
        readonly ContentTooLarge: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The conversation already has 100 members. */
        readonly ConversationFull: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such conversation or, in this conversation, no such member or message. */
        readonly ConversationNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The bytes don't match the digest that you sent. The bytes of this request are not kept, and the upload hasn't changed. If `Repr-Digest` doesn't match, the bytes of an earlier request may be damaged: delete the upload and start again. */
        readonly DigestMismatch: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Whether the whole upload has arrived. Present only for a resumable upload.
                 * @example ?0
                 */
                readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                /**
                 * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                 * @example 1048576
                 */
                readonly "Upload-Offset"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The bytes don't match the digest that you sent, or the idempotency key was used for different bytes. Nothing was stored. If `Location` is present, the resumable upload has begun: send the bytes there again. */
        readonly DigestMismatchOrKeyReused: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The path at which to resume a resumable upload. Present if this request, or an earlier one with the same idempotency key, has started the upload: the bytes that the service has are kept.
                 * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/transfer
                 */
                readonly Location?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Whether the whole upload has arrived. Present only for a resumable upload.
                 * @example ?0
                 */
                readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                /**
                 * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                 * @example 1048576
                 */
                readonly "Upload-Offset"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The operator has disabled the endpoint, so you can't enable it. Nothing was changed. */
        readonly EndpointDisabledByOperator: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The endpoint is disabled, so the service sends nothing to it, or the first request with this idempotency key is still running. */
        readonly EndpointDisabledOrInProgress: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                 * @example 2
                 */
                readonly "Retry-After"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description You have 10 endpoints, or the first request with this idempotency key is still running. */
        readonly EndpointLimitOrInProgress: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                 * @example 2
                 */
                readonly "Retry-After"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service can't send events to this address, or the idempotency key was used before. Nothing was created. */
        readonly EndpointNotPossible: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service can't send events to this address. Nothing was changed. */
        readonly EndpointUrlNotAllowed: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Answer with any 2xx within 10 seconds. The body is ignored, except that the delivery shows its beginning. */
        readonly EventReceived: {
            headers: {
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Return 410 to have the endpoint disabled. After any other response that is no 2xx, the event is sent again. */
        readonly EventUnwanted: {
            headers: {
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The short URL was deleted or has expired, and has no `expired_url`. Its id is never used again. */
        readonly Gone: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/html": components["schemas"]["DeadLinkPage"];
            };
        };
        /** @description The first request with this idempotency key is still running. Wait, then retry the same request. */
        readonly IdempotencyInProgress: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                 * @example 2
                 */
                readonly "Retry-After"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The idempotency key was used for a different request. Nothing was done. */
        readonly IdempotencyKeyReused: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The id is taken, or the first request with this idempotency key is still running. */
        readonly IdTakenOrInProgress: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                 * @example 2
                 */
                readonly "Retry-After"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description This instance is starting, stopping, cut off from its database, or can't write where it stores videos. */
        readonly InstanceNotReady: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeAccountWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeConversationsRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeConversationsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeNotificationsRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeNotificationsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopePostsRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopePostsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeUrlsRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeUrlsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeUsersRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeVideoUploadsRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeVideoUploadsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeWebhookEndpointsRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is valid, but it lacks the scope that this operation needs. */
        readonly InsufficientScopeWebhookEndpointsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service failed unexpectedly. Quote the `request_id` when you ask for help. */
        readonly InternalError: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter, a header or the body is not valid, or the body can't be read. */
        readonly InvalidBody: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The id, a day or a header is not valid, a query parameter is unknown, or the request has a body. */
        readonly InvalidClickDays: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The id is not valid. */
        readonly InvalidFollowedId: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/html": components["schemas"]["DeadLinkPage"];
            };
        };
        /** @description The body or the `Idempotency-Key` is not valid, or one of them is missing. */
        readonly InvalidKeyedBody: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or the body is not valid, the body can't be read, `seen` is not from a list of your notifications, or you archive a notification as `unread`. */
        readonly InvalidMark: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter is not valid, the cursor is not from this conversation or its message is lost, or you sent both `before` and `after`. */
        readonly InvalidMessagePage: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The name is missing, too short or too long, a query parameter is unknown, or the request has a body. */
        readonly InvalidName: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter is not valid or unknown, the cursor is not from this list, or the request has a body. */
        readonly InvalidPage: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is not valid. The upload still exists: resume from `Upload-Offset`, or get the offset if it is absent. The bytes of this request are not kept, except those already confirmed to you. If the body of the last request has no `Content-Length` and ends before the announced length, all of its bytes are kept: send the rest. */
        readonly InvalidPart: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Whether the whole upload has arrived. Present only for a resumable upload.
                 * @example ?0
                 */
                readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                /**
                 * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                 * @example 1048576
                 */
                readonly "Upload-Offset"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter is not valid, the cursor is not from this list, or you sent both `offset` and `after`. */
        readonly InvalidPostPage: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A query parameter is unknown, or the request has a body. */
        readonly InvalidQuery: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or a header is not valid, a query parameter is unknown, or the request has a body. */
        readonly InvalidRequestConversationId: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or a header is not valid, a query parameter is unknown, or the request has a body. */
        readonly InvalidRequestEndpointId: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or a header is not valid, a query parameter is unknown, or the request has a body. */
        readonly InvalidRequestJobId: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or a header is not valid, a query parameter is unknown, or the request has a body. */
        readonly InvalidRequestNotificationId: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or a header is not valid, a query parameter is unknown, or the request has a body. */
        readonly InvalidRequestPostId: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or a header is not valid, a query parameter is unknown, or the request has a body. */
        readonly InvalidRequestUserId: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or the body is not valid, the body can't be read, or `seen` is not from a list of your notifications. */
        readonly InvalidSeen: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or header is not valid, the body is empty, or the lengths of a resumable upload differ: that of `Upload-Length`, and with `Upload-Complete: ?1` that of the body. Nothing was stored, unless `Location` is present: then the upload has begun, and you can resume it there from `Upload-Offset`. */
        readonly InvalidUpload: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The path at which to resume a resumable upload. Present if this request, or an earlier one with the same idempotency key, has started the upload: the bytes that the service has are kept.
                 * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/transfer
                 */
                readonly Location?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Whether the whole upload has arrived. Present only for a resumable upload.
                 * @example ?0
                 */
                readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                /**
                 * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                 * @example 1048576
                 */
                readonly "Upload-Offset"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The id or a header is not valid, a query parameter is unknown, or the request has a body. */
        readonly InvalidUrlId: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The job hasn't changed. There is no body. `Retry-After` is present while the job is in progress. */
        readonly JobNotModified: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly ETag: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                 * @example 2
                 */
                readonly "Retry-After"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The link has expired, or it is not a link that the service has made for this file. */
        readonly LinkRefused: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `If-Match` names a version, but the `ETag` of a list is weak and matches none. Nothing was changed. */
        readonly ListTagIsWeak: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential lacks the scope, or you are not a member of the conversation. */
        readonly MembersOnlyConversationsRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential lacks the scope, or you are not a member of the conversation. */
        readonly MembersOnlyConversationsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The name has characters that can't be displayed, or spaces at an end. Nothing was changed. */
        readonly NameNotAllowed: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential lacks the scope, or the operator doesn't allow searching for users. */
        readonly NoDirectoryUsersRead: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The `Content-Type` is neither `application/octet-stream` nor a video type, or the body is compressed. */
        readonly NotABinaryUpload: {
            headers: {
                /**
                 * @description The media types that this operation accepts as a body (RFC 9110, section 15.5.16).
                 * @example application/json
                 */
                readonly Accept?: string;
                /**
                 * @description The values of `Content-Encoding` that this operation accepts (RFC 9110, section 15.5.16). Present only if the body has another one.
                 * @example identity
                 */
                readonly "Accept-Encoding"?: string;
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The `Content-Type` is not `application/partial-upload`, or the body is compressed. */
        readonly NotAPartialUpload: {
            headers: {
                /**
                 * @description The media types that this operation accepts as a body (RFC 9110, section 15.5.16).
                 * @example application/json
                 */
                readonly Accept?: string;
                /**
                 * @description The values of `Content-Encoding` that this operation accepts (RFC 9110, section 15.5.16). Present only if the body has another one.
                 * @example identity
                 */
                readonly "Accept-Encoding"?: string;
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `If-Match` doesn't match the current version. Nothing was changed. */
        readonly NotificationChangedSince: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such notification, it has been removed, or it belongs to another user. */
        readonly NotificationNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The version that you have is current. There is no body. `ETag` and `Cache-Control` are those of a 200. */
        readonly NotModified: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly ETag: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The job has not succeeded: it is still in progress, or it has failed and there will be no result. */
        readonly NotReady: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The job has not succeeded: it is still in progress, or it has failed and there will be no result. Or the first request with this idempotency key is still running. */
        readonly NotReadyOrInProgress: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                 * @example 2
                 */
                readonly "Retry-After"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such video upload, it was deleted, or it belongs to another user. Or the operator doesn't keep the uploaded files of jobs that have succeeded. */
        readonly OriginalNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request was refused before it reached the operation. Later minor versions can add other statuses here. The body is always a problem document. */
        readonly Other: {
            headers: {
                /**
                 * @description The methods that this path supports (RFC 9110, section 10.2.1). Present only with 405.
                 * @example GET, HEAD, PATCH, DELETE, OPTIONS
                 */
                readonly Allow?: string;
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential lacks the scope, you are not a member, or you are a member but not the owner. */
        readonly OwnerOnlyConversationsWrite: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
                 * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
                 */
                readonly "WWW-Authenticate"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description With these bytes, the video would be larger than the operator allows, or, your files would exceed your storage quota. The bytes of this request are not kept, except those already confirmed to you. You get this response as soon as the size is known, and the service may close the connection. */
        readonly PartTooLarge: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Whether the whole upload has arrived. Present only for a resumable upload.
                 * @example ?0
                 */
                readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                /**
                 * @description The limits of an upload (a dictionary as in RFC 9651): `max-size` is the maximum size of the upload in bytes, `min-append-size` the minimum number of bytes per request except the last, and `max-age` the number of seconds until an incomplete upload is removed.
                 * @example max-size=2147483648, min-append-size=268436, max-age=86400
                 */
                readonly "Upload-Limit"?: string;
                /**
                 * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                 * @example 1048576
                 */
                readonly "Upload-Offset"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The bytes arrived too slowly. The bytes already received are kept: resume from `Upload-Offset`. */
        readonly PartTooSlow: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description `?1` if the whole upload has arrived, `?0` if more bytes are expected (a boolean as in RFC 9651).
                 * @example ?0
                 */
                readonly "Upload-Complete": components["schemas"]["UploadCompleteness"];
                /**
                 * @description The number of bytes that are stored. Resume from here.
                 * @example 1048576
                 */
                readonly "Upload-Offset": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The link was valid, but the video or its owner was deleted. */
        readonly PlaybackNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such post, or it was deleted. */
        readonly PostNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `If-Match` doesn't match the current version. Nothing was changed. */
        readonly PreconditionFailed: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The range is beyond the end of the file. */
        readonly RangeNotSatisfiable: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The size of the file in bytes (RFC 9110, section 14.4).
                 * @example bytes *\/18432051
                 */
                readonly "Content-Range": string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description You have exceeded the rate limit, or too many of your requests are running at the same time. Nothing was done. */
        readonly TooManyRequestsDefault: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description You have exceeded the rate limit, or too many of your requests are running at the same time. Nothing was done. */
        readonly TooManyRequestsDirectory: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description You have exceeded the rate limit, or too many of your requests are running at the same time. Nothing was done. */
        readonly TooManyRequestsFollow: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description You have exceeded the rate limit, or too many of your requests are running at the same time. Nothing was done. */
        readonly TooManyRequestsPlayback: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description You have exceeded the rate limit, or too many of your requests are running at the same time. Nothing was done. */
        readonly TooManyRequestsWrites: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description You have exceeded a limit. Nothing was done. There are three limits: the rate limit of this operation, the uploads that you send at the same time (8 by default), and your incomplete resumable uploads (100). */
        readonly TooManyUploadsDefault: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description You have exceeded a limit. Nothing was done. There are three limits: the rate limit of this operation, the uploads that you send at the same time (8 by default), and your incomplete resumable uploads (100). */
        readonly TooManyUploadsUploads: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credentials are missing or not accepted. */
        readonly Unauthenticated: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description How to authenticate (RFC 9110, section 11.6.1, with the parameters of RFC 6750, section 3).
                 * @example Bearer realm="plumbline", error="invalid_token"
                 */
                readonly "WWW-Authenticate": string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service is temporarily unavailable. */
        readonly Unavailable: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The conversation has no message with this `sequence` yet. */
        readonly UnknownSequence: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No short URL has, or ever had, this id. */
        readonly UnknownUrl: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/html": components["schemas"]["DeadLinkPage"];
            };
        };
        /** @description The user doesn't exist. No member was added. */
        readonly UnknownUser: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description One of the users doesn't exist, or the idempotency key was used for a different request. Nothing was created. */
        readonly UnknownUserOrKeyReused: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body doesn't have the media type that this operation accepts, or it is compressed. */
        readonly UnsupportedMediaType: {
            headers: {
                /**
                 * @description The media types that this operation accepts as a body (RFC 9110, section 15.5.16).
                 * @example application/json
                 */
                readonly Accept?: string;
                /**
                 * @description The values of `Content-Encoding` that this operation accepts (RFC 9110, section 15.5.16). Present only if the body has another one.
                 * @example identity
                 */
                readonly "Accept-Encoding"?: string;
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service failed unexpectedly. Quote the `request_id` when you ask for help. If `Location` is present, the bytes of a resumable upload are kept: get the offset there, and resume. */
        readonly UploadFailed: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The path at which to resume a resumable upload. Present if this request, or an earlier one with the same idempotency key, has started the upload: the bytes that the service has are kept.
                 * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/transfer
                 */
                readonly Location?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description An earlier request has already started this upload.
         *
         *     - `idempotency_in_progress`: the first request is still running. Wait, then retry the same request.
         *     - `upload_offset_mismatch`: the resumable upload with this idempotency key is not complete, or another request has
         *       taken over this upload. Resume at `Location`.
         */
        readonly UploadInProgress: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The path at which to resume a resumable upload. Present if this request, or an earlier one with the same idempotency key, has started the upload: the bytes that the service has are kept.
                 * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/transfer
                 */
                readonly Location?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                 * @example 2
                 */
                readonly "Retry-After"?: number;
                /**
                 * @description Whether the whole upload has arrived. Present only for a resumable upload.
                 * @example ?0
                 */
                readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                /**
                 * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                 * @example 1048576
                 */
                readonly "Upload-Offset"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `Upload-Offset` is not the number of bytes stored, or the upload is already complete. The bytes of this request were not stored. Resume from the `Upload-Offset` of this response. */
        readonly UploadOffsetMismatch: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description `?1` if the whole upload has arrived, `?0` if more bytes are expected (a boolean as in RFC 9651).
                 * @example ?0
                 */
                readonly "Upload-Complete": components["schemas"]["UploadCompleteness"];
                /**
                 * @description The number of bytes that are stored. Resume from here.
                 * @example 1048576
                 */
                readonly "Upload-Offset": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The bytes arrived too slowly.
         *
         *     - Nothing of a plain upload is kept: send it again.
         *     - The bytes already received of a resumable upload are kept. Resume at `Location` from `Upload-Offset`.
         */
        readonly UploadTooSlow: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The path at which to resume a resumable upload. Present if this request, or an earlier one with the same idempotency key, has started the upload: the bytes that the service has are kept.
                 * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/transfer
                 */
                readonly Location?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Whether the whole upload has arrived. Present only for a resumable upload.
                 * @example ?0
                 */
                readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                /**
                 * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                 * @example 1048576
                 */
                readonly "Upload-Offset"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service is temporarily unavailable. If `Location` is present, the bytes of a resumable upload are kept: get the offset there, and resume. */
        readonly UploadUnavailable: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The path at which to resume a resumable upload. Present if this request, or an earlier one with the same idempotency key, has started the upload: the bytes that the service has are kept.
                 * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/transfer
                 */
                readonly Location?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                 * @example 5
                 */
                readonly "Retry-After": number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `If-Match` doesn't match the current version, which includes the click count. Nothing was changed. */
        readonly UrlChangedSince: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such short URL, it was deleted, or it belongs to another user. */
        readonly UrlNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is well-formed, but the service can't carry it out. Nothing was created. */
        readonly UrlNotPossible: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The file is larger than the operator allows, or (`storage_quota_exceeded`) your files would exceed your storage quota, 20 GiB by default. Nothing was stored, unless `Location` is present: then bytes of a resumable upload are kept. You get this response as soon as the size is known, and the service may close the connection. */
        readonly VideoTooLarge: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The path at which to resume a resumable upload. Present if this request, or an earlier one with the same idempotency key, has started the upload: the bytes that the service has are kept.
                 * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/transfer
                 */
                readonly Location?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Whether the whole upload has arrived. Present only for a resumable upload.
                 * @example ?0
                 */
                readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                /**
                 * @description The limits of an upload (a dictionary as in RFC 9651): `max-size` is the maximum size of the upload in bytes, `min-append-size` the minimum number of bytes per request except the last, and `max-age` the number of seconds until an incomplete upload is removed.
                 * @example max-size=2147483648, min-append-size=268436, max-age=86400
                 */
                readonly "Upload-Limit"?: string;
                /**
                 * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                 * @example 1048576
                 */
                readonly "Upload-Offset"?: number;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `If-Match` doesn't match the current version. Nothing was changed. */
        readonly VideoUploadChangedSince: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such video upload, it was deleted, or it belongs to another user. */
        readonly VideoUploadNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such endpoint or delivery of yours, or it is older than 7 days. */
        readonly WebhookDeliveryNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such endpoint, or it belongs to another user. */
        readonly WebhookEndpointNotFound: {
            headers: {
                /**
                 * @description The version of the contract that the service implements, equal to `info.version` of this document.
                 * @example 1.3.0
                 */
                readonly "API-Version": string;
                /**
                 * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                 * @example private, no-cache
                 */
                readonly "Cache-Control"?: string;
                /**
                 * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: string;
                /**
                 * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";r=598;t=42
                 */
                readonly RateLimit?: string;
                /**
                 * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                 * @example "default";q=600;w=60
                 */
                readonly "RateLimit-Policy"?: string;
                /**
                 * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                 * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                 */
                readonly "X-Request-Id": components["schemas"]["Uuid"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
        readonly After: components["schemas"]["Cursor"];
        /** @description With `only`, you get the archived notifications. By default, you get all others. */
        readonly ArchivedFilter: components["schemas"]["NotificationArchiveFilter"];
        /**
         * @description Return only posts by the user with this id. If the user has no posts or doesn't exist, the list is empty.
         * @example 019cad9d-67a0-7f04-a2cb-593947eaa099
         */
        readonly Author: components["schemas"]["Uuid"];
        /** @description The `next_cursor` of a page. Returns the messages older than that page. You can't combine it with `after`. Without either, the list starts at the newest message. */
        readonly Before: components["schemas"]["Cursor"];
        /**
         * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
         * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
         */
        readonly ConsistencyToken: string;
        /**
         * @description The digest of the body of this request (RFC 9530). Send it to detect damage in transit before the upload is accepted. Send exactly one, `sha-256` or `sha-512`; other algorithms return 400. In a resumable upload, a body with a digest is stored completely or not at all: if the connection breaks, none of its bytes are kept.
         * @example sha-256=:KHC5bP7zVCkUDhMKjzRX/D17CeFyuC4HtmUfcUrARhY=:
         */
        readonly ContentDigest: string;
        /**
         * @description The id of the conversation. You must be a member.
         * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
         */
        readonly ConversationId: components["schemas"]["Uuid"];
        /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. `-last_message_at` has the conversation with the newest message first. One without messages counts with its creation. Items of the same millisecond are ordered by `id`. */
        readonly ConversationSort: components["schemas"]["ConversationSortOrder"];
        /**
         * @description The id of the delivery. It is the `webhook-id` of each of its attempts.
         * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
         */
        readonly DeliveryId: components["schemas"]["Uuid"];
        /** @description Return only deliveries with this status. If you leave it out, all are returned. */
        readonly DeliveryStatusFilter: components["schemas"]["WebhookDeliveryStatus"];
        /**
         * @description The id of the webhook endpoint, as returned when it was created.
         * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
         */
        readonly EndpointId: components["schemas"]["Uuid"];
        /**
         * @description The first day, in UTC: at most 399 days ago, and not after `to`. Without it, it is the 29th day before `to`, or the oldest day that is kept.
         * @example 2026-11-18
         */
        readonly From: components["schemas"]["Day"];
        /**
         * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
         * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
         */
        readonly IdempotencyKey: string;
        /**
         * @description The `ETag` of the version that you want to change (RFC 9110, section 13.1.1). If the resource has changed since, you get 412 and nothing changes. `*` matches any version. A weak tag or a malformed value matches none, so you get 412.
         * @example "5f1d2a90b7c34e68"
         */
        readonly IfMatch: string;
        /**
         * @description The `ETag` of the file that you want (RFC 9110, section 13.1.1), such as that of the part that you have. If the file has another one, you get 412, whatever you send as `If-None-Match` and `Range`. `*` matches any file. A weak tag or a malformed value matches none.
         * @example "5f1d2a90b7c34e68"
         */
        readonly IfMatchOfFile: string;
        /**
         * @description Leave it out: the `ETag` of a list is weak, so every value except `*` returns 412 (RFC 9110, section 13.1.1). `seen` says what you have read.
         * @example *
         */
        readonly IfMatchOfList: string;
        /**
         * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
         * @example "5f1d2a90b7c34e68"
         */
        readonly IfNoneMatch: string;
        /**
         * @description The `ETag` of the part that you have (RFC 9110, section 13.1.5). You get the range if the file still has this `ETag`, and the whole file otherwise.
         * @example "5f1d2a90b7c34e68"
         */
        readonly IfRange: string;
        /**
         * @description The id of the video upload, as in `Location` and in the body of the 202.
         * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
         */
        readonly JobId: components["schemas"]["Uuid"];
        /** @description Return only notifications of this kind. If you leave it out, all are returned. */
        readonly KindFilter: components["schemas"]["NotificationKindFilter"];
        /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
        readonly Limit: number;
        /**
         * @description The id of a message in this conversation.
         * @example 01a1e83e-2f64-73b0-a35c-00a15ed8abcc
         */
        readonly MessageId: components["schemas"]["Uuid"];
        /**
         * @description The beginning of the name, at least two characters. Case and accents make no difference, nor does the kind of an apostrophe, a hyphen or a space. *Users* lists what is the same. An accent that is a character of its own, or an invisible character, doesn't count towards the two.
         * @example tomas
         */
        readonly NameBeginning: string;
        /** @description The `prev_cursor` of a page. Returns the messages that follow that page, up to `limit`, starting with those closest to it. You can't combine it with `before`. */
        readonly NewerThan: components["schemas"]["Cursor"];
        /**
         * @description The id of the notification, as shown in the list.
         * @example 01a1e83e-2f64-7ee8-aa93-7592e339d309
         */
        readonly NotificationId: components["schemas"]["Uuid"];
        /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. Items of the same millisecond are ordered by `id`. */
        readonly NotificationSort: components["schemas"]["NotificationSortOrder"];
        /** @description The number of posts to skip. Send it to page by offset; leave it out to page by cursor. Beyond the last post, the page is empty. You can't combine it with `after`. */
        readonly Offset: number;
        /**
         * @description The name of the file, as in the link.
         * @example 720p.mp4
         */
        readonly PlaybackFileName: string;
        /**
         * @description What the link allows and until when, sealed by the service. It is opaque. It works only for the video and the file in its path.
         * @example AUDPeVbF_gbx7V8-0SkFLNuyjVHXlJjdsXd4h2hmnJvxuqsxgs2zSy6L4piw3Lx_eIrVdy0rM_P89NS9nf5f3ufiJ7-la2h-LZLD6_7GdT9GMiFX
         */
        readonly PlaybackToken: string;
        /**
         * @description The id of the post, as returned when it was published.
         * @example 01a1efac-3ed3-7e8e-9855-dcb0c0290103
         */
        readonly PostId: components["schemas"]["Uuid"];
        /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. Items of the same millisecond are ordered by `id`. */
        readonly PostSort: components["schemas"]["PostSortOrder"];
        /**
         * @description The id of the user, as shown beside what the user wrote or did.
         * @example 019d7cdc-5a55-7010-b2e4-5c902909406c
         */
        readonly ProfileId: components["schemas"]["Uuid"];
        /**
         * @description One range of bytes (RFC 9110, section 14.2). If it is not a valid range, it is ignored and you get the whole file.
         * @example bytes=0-1048575
         */
        readonly Range: string;
        /**
         * @description The name of the rendition, as in `result`.
         * @example 480p
         */
        readonly RenditionName: string;
        /**
         * @description The digest of the whole video (RFC 9530), however many requests you send it in. Send exactly one, `sha-256` or `sha-512`, with the last bytes: in a plain upload, or with `Upload-Complete: ?1`. With `?0` it returns 400.
         * @example sha-256=:KHC5bP7zVCkUDhMKjzRX/D17CeFyuC4HtmUfcUrARhY=:
         */
        readonly ReprDigest: string;
        /**
         * @description Lets you retry this request safely; this operation requires it. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
         * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
         */
        readonly RequiredIdempotencyKey: string;
        /** @description Return only notifications with this status. If you leave it out, all are returned. */
        readonly StatusFilter: components["schemas"]["NotificationStatus"];
        /**
         * @description The last day, in UTC. It can be today, but no later day. Without it, it is today.
         * @example 2026-11-20
         */
        readonly To: components["schemas"]["Day"];
        /**
         * @description Send this header to start a resumable upload (draft-ietf-httpbis-resumable-upload-11): `?1` if the body is the whole video, `?0` if you send more with `updateUploadTransfer`. Without it, the upload is a plain one.
         * @example ?1
         */
        readonly UploadComplete: components["schemas"]["UploadCompleteness"];
        /**
         * @description `?1` if these are the last bytes of the video, `?0` if more follow.
         * @example ?1
         */
        readonly UploadCompleteRequired: components["schemas"]["UploadCompleteness"];
        /**
         * @description Over HTTP/1.1, send `8` (draft -11) to get interim responses (104): first the address of a new upload, then the `Upload-Offset` of a large one. Other versions are ignored.
         *     Don't send it with an HTTP library that takes a 104 for the response, such as `http.client` of Python: the next request then gets the response to this one.
         * @example 8
         */
        readonly UploadDraftInteropVersion: string;
        /**
         * @description The total size of a resumable upload in bytes. Send it as soon as you know it, so that the service can refuse an upload that is too large at once, and detect one that ends too early. With `Upload-Complete: ?1`, the `Content-Length` says the same. The size can be announced several times, but not changed: another one returns 400.
         * @example 184320512
         */
        readonly UploadLength: string;
        /**
         * @description The position of the body in the video, in bytes: the last `Upload-Offset` that `getUploadTransfer` returned.
         * @example 1048576
         */
        readonly UploadOffset: string;
        /**
         * @description The id of the short URL, which is its short code. Case-sensitive.
         * @example boathouse-doors
         */
        readonly UrlCode: components["schemas"]["UrlId"];
        /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. Items of the same millisecond are ordered by `id`. */
        readonly UrlSort: components["schemas"]["UrlSortOrder"];
        /**
         * @description The id of the user whose membership you add, change or end.
         * @example 019d7cdc-5a55-7010-b2e4-5c902909406c
         */
        readonly UserId: components["schemas"]["Uuid"];
        /**
         * @description A label for the upload, such as the file name: a single line without slashes. It is for display only. The service doesn't use it, not even its extension, to process the video.
         * @example doors-rehung.mov
         */
        readonly VideoName: string;
        /** @description Return only uploads with this status. If you leave it out, all are returned. */
        readonly VideoStatusFilter: components["schemas"]["VideoUploadStatus"];
        /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. Items of the same millisecond are ordered by `id`. */
        readonly VideoUploadSort: components["schemas"]["VideoUploadSortOrder"];
        /** @description How many seconds the response can wait for something new. It comes as soon as there is something, and otherwise when the time is over, or earlier if too many requests wait. With `0`, it comes at once. See *Waiting*. */
        readonly Wait: number;
        /**
         * @description The id of the delivery, the same in every attempt. Ignore an event that you have handled.
         * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
         */
        readonly WebhookId: components["schemas"]["Uuid"];
        /**
         * @description Signatures of `webhook-id`, `webhook-timestamp` and the body in the form of Standard Webhooks, separated by spaces. After a rotation of the secret, there are two for a day. One that fits is enough.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        readonly WebhookSignature: string;
        /**
         * @description When the attempt began, in seconds since 1970-01-01. Libraries refuse one that is more than 5 minutes old.
         * @example 1795022672
         */
        readonly WebhookTimestamp: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The media types that this operation accepts as a body (RFC 9110, section 15.5.16).
         * @example application/json
         */
        readonly Accept: string;
        /**
         * @description The values of `Content-Encoding` that this operation accepts (RFC 9110, section 15.5.16). Present only if the body has another one.
         * @example identity
         */
        readonly AcceptEncoding: string;
        /**
         * @description The unit of ranges that you can request: always `bytes`.
         * @example bytes
         */
        readonly AcceptRanges: "bytes";
        /**
         * @description The methods that this path supports (RFC 9110, section 10.2.1). Present only with 405.
         * @example GET, HEAD, PATCH, DELETE, OPTIONS
         */
        readonly Allow: string;
        /**
         * @description The version of the contract that the service implements, equal to `info.version` of this document.
         * @example 1.3.0
         */
        readonly ApiVersion: string;
        /**
         * @description Tells a browser to save the file under the name of the upload (RFC 6266), and not to show it.
         * @example attachment; filename=doors-rehung.mov
         */
        readonly AttachmentDisposition: string;
        /**
         * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
         * @example private, no-cache
         */
        readonly CacheControl: string;
        /**
         * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
         * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
         */
        readonly ConsistencyToken: string;
        /**
         * @description The size of this response body in bytes.
         * @example 1048576
         */
        readonly ContentLength: number;
        /**
         * @description The range of bytes in this response and the size of the file (RFC 9110, section 14.4).
         * @example bytes 0-1048575/18432051
         */
        readonly ContentRange: string;
        /**
         * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
         * @example "5f1d2a90b7c34e68"
         */
        readonly ETag: string;
        /**
         * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
         * @example true
         */
        readonly IdempotencyReplayed: "true";
        /**
         * @description Tells a browser to show the file, and under which name to save it (RFC 6266): the name of the upload with that of the file.
         * @example inline; filename=doors-rehung.720p.mp4
         */
        readonly InlineDisposition: string;
        /**
         * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
         * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
         */
        readonly Link: string;
        /**
         * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
         * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
         */
        readonly Location: string;
        /**
         * @description The path of the delivery. Resolve it against the URL of the request.
         * @example /webhook-endpoints/01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55/deliveries/01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
         */
        readonly LocationOfDelivery: string;
        /**
         * @description The path of the request: `POST` to it again for new links. There is nothing to get at this path. The links are in the body.
         * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/playback
         */
        readonly LocationOfPlayback: string;
        /**
         * @description The path at which to resume a resumable upload. Present if this request, or an earlier one with the same idempotency key, has started the upload: the bytes that the service has are kept.
         * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/transfer
         */
        readonly LocationOfResumable: string;
        /**
         * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
         * @example "default";r=598;t=42
         */
        readonly RateLimit: string;
        /**
         * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
         * @example "default";q=600;w=60
         */
        readonly RateLimitPolicy: string;
        /**
         * @description Tells the browser not to send the short URL to the target in the `Referer` header.
         * @example no-referrer
         */
        readonly ReferrerPolicy: "no-referrer";
        /**
         * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
         * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
         */
        readonly RequestId: components["schemas"]["Uuid"];
        /**
         * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
         * @example 5
         */
        readonly RetryAfter: number;
        /**
         * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
         * @example 2
         */
        readonly RetryAfterWhenWaiting: number;
        /**
         * @description Tells search engines not to index the short URL. They can still index the target.
         * @example noindex
         */
        readonly RobotsTag: "noindex";
        /**
         * @description The target of the short URL or, if it has expired or was deleted, its `expired_url`: as it was sent when the short URL was created, with the scheme in lower case.
         * @example https://www.example.org/boathouse/doors?from=newsletter
         */
        readonly TargetLocation: string;
        /**
         * @description The size of the file in bytes (RFC 9110, section 14.4).
         * @example bytes *\/18432051
         */
        readonly UnsatisfiedContentRange: string;
        /**
         * @description `?1` if the whole upload has arrived, `?0` if more bytes are expected (a boolean as in RFC 9651).
         * @example ?0
         */
        readonly UploadComplete: components["schemas"]["UploadCompleteness"];
        /**
         * @description Whether the whole upload has arrived. Present only for a resumable upload.
         * @example ?0
         */
        readonly UploadCompleteOfResumable: components["schemas"]["UploadCompleteness"];
        /**
         * @description The size of the whole upload in bytes. Present once you have announced it: with `Upload-Length`, or with `Upload-Complete: ?1` and `Content-Length`.
         * @example 184320512
         */
        readonly UploadLength: number;
        /**
         * @description The limits of an upload (a dictionary as in RFC 9651): `max-size` is the maximum size of the upload in bytes, `min-append-size` the minimum number of bytes per request except the last, and `max-age` the number of seconds until an incomplete upload is removed.
         * @example max-size=2147483648, min-append-size=268436, max-age=86400
         */
        readonly UploadLimit: string;
        /**
         * @description The number of bytes that are stored. Resume from here.
         * @example 1048576
         */
        readonly UploadOffset: number;
        /**
         * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
         * @example 1048576
         */
        readonly UploadOffsetOfResumable: number;
        /**
         * @description How to authenticate (RFC 9110, section 11.6.1, with the parameters of RFC 6750, section 3).
         * @example Bearer realm="plumbline", error="invalid_token"
         */
        readonly WwwAuthenticate: string;
        /**
         * @description The scope that the credential lacks (RFC 6750, section 3). Present only with the code `insufficient_scope`.
         * @example Bearer realm="plumbline", error="insufficient_scope", scope="posts:write"
         */
        readonly WwwAuthenticateScope: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Your account and the credential of this request. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
            readonly 400: components["responses"]["InvalidQuery"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly updateAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description What to change. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateAccountRequest"];
            };
        };
        readonly responses: {
            /** @description Your account with the new name. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeAccountWrite"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["NameNotAllowed"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listConversations: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
                readonly after?: components["parameters"]["After"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. `-last_message_at` has the conversation with the newest message first. One without messages counts with its creation. Items of the same millisecond are ordered by `id`. */
                readonly sort?: components["parameters"]["ConversationSort"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of conversations. The page is empty if you are in none. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ConversationPage"];
                };
            };
            readonly 400: components["responses"]["InvalidPage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeConversationsRead"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createConversation: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Lets you retry this request safely; this operation requires it. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key": components["parameters"]["RequiredIdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The members, with an optional title. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateConversationRequest"];
            };
        };
        readonly responses: {
            /** @description The conversation is created. Its members can send messages. */
            readonly 201: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Conversation"];
                };
            };
            readonly 400: components["responses"]["InvalidKeyedBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeConversationsWrite"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["UnknownUserOrKeyReused"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getConversation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The conversation. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Conversation"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestConversationId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MembersOnlyConversationsRead"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly updateConversation: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
            };
            readonly cookie?: never;
        };
        /** @description The new title. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateConversationRequest"];
            };
        };
        readonly responses: {
            /** @description The conversation with its new title. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Conversation"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["OwnerOnlyConversationsWrite"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listMembers: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
                readonly after?: components["parameters"]["After"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of members. A conversation always has at least one. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MemberPage"];
                };
            };
            readonly 400: components["responses"]["InvalidPage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MembersOnlyConversationsRead"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly putMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
                /**
                 * @description The id of the user whose membership you add, change or end.
                 * @example 019d7cdc-5a55-7010-b2e4-5c902909406c
                 */
                readonly user_id: components["parameters"]["UserId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The user was already a member. Nothing changed. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The user is now a member. `Location` is the path of the membership, which supports PUT, PATCH and DELETE. To read it, list the members. */
            readonly 201: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Member"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestConversationId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["OwnerOnlyConversationsWrite"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 409: components["responses"]["ConversationFull"];
            readonly 422: components["responses"]["UnknownUser"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly deleteMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
                /**
                 * @description The id of the user whose membership you add, change or end.
                 * @example 019d7cdc-5a55-7010-b2e4-5c902909406c
                 */
                readonly user_id: components["parameters"]["UserId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The user is no longer a member. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequestConversationId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["OwnerOnlyConversationsWrite"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly updateMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
                /**
                 * @description The id of the user whose membership you add, change or end.
                 * @example 019d7cdc-5a55-7010-b2e4-5c902909406c
                 */
                readonly user_id: components["parameters"]["UserId"];
            };
            readonly cookie?: never;
        };
        /** @description The new role. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateMemberRequest"];
            };
        };
        readonly responses: {
            /** @description The new owner. Everyone else is now a `member`, including you. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Member"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["OwnerOnlyConversationsWrite"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listMessages: {
        readonly parameters: {
            readonly query?: {
                /** @description The `prev_cursor` of a page. Returns the messages that follow that page, up to `limit`, starting with those closest to it. You can't combine it with `before`. */
                readonly after?: components["parameters"]["NewerThan"];
                /** @description The `next_cursor` of a page. Returns the messages older than that page. You can't combine it with `after`. Without either, the list starts at the newest message. */
                readonly before?: components["parameters"]["Before"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description How many seconds the response can wait for something new. It comes as soon as there is something, and otherwise when the time is over, or earlier if too many requests wait. With `0`, it comes at once. See *Waiting*. */
                readonly wait?: components["parameters"]["Wait"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of messages. The page is empty if there are none. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MessagePage"];
                };
            };
            readonly 400: components["responses"]["InvalidMessagePage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MembersOnlyConversationsRead"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description Lets you retry this request safely; this operation requires it. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key": components["parameters"]["RequiredIdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
            };
            readonly cookie?: never;
        };
        /** @description The text of the message. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateMessageRequest"];
            };
        };
        readonly responses: {
            /** @description The message is sent, by this request or by the one that it retries. */
            readonly 201: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                };
            };
            readonly 400: components["responses"]["InvalidKeyedBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MembersOnlyConversationsWrite"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
                /**
                 * @description The id of a message in this conversation.
                 * @example 01a1e83e-2f64-73b0-a35c-00a15ed8abcc
                 */
                readonly message_id: components["parameters"]["MessageId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The message. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestConversationId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MembersOnlyConversationsRead"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly putMute: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The conversation is muted for you. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequestConversationId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MembersOnlyConversationsWrite"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly deleteMute: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The conversation is not muted for you. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequestConversationId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MembersOnlyConversationsWrite"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly putReadPosition: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the conversation. You must be a member.
                 * @example 01a1e35e-f078-759b-82a0-5d32985fb4e7
                 */
                readonly conversationId: components["parameters"]["ConversationId"];
            };
            readonly cookie?: never;
        };
        /** @description The newest message that you have read. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PutReadPositionRequest"];
            };
        };
        readonly responses: {
            /** @description Your position now. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReadPosition"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MembersOnlyConversationsWrite"];
            readonly 404: components["responses"]["ConversationNotFound"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["UnknownSequence"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description This instance is ready. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["InstanceNotReady"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getLiveness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description This process is running. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            readonly 500: components["responses"]["InternalError"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listNotifications: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
                readonly after?: components["parameters"]["After"];
                /** @description With `only`, you get the archived notifications. By default, you get all others. */
                readonly archived?: components["parameters"]["ArchivedFilter"];
                /** @description Return only notifications of this kind. If you leave it out, all are returned. */
                readonly kind?: components["parameters"]["KindFilter"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. Items of the same millisecond are ordered by `id`. */
                readonly sort?: components["parameters"]["NotificationSort"];
                /** @description Return only notifications with this status. If you leave it out, all are returned. */
                readonly status?: components["parameters"]["StatusFilter"];
                /** @description How many seconds the response can wait for something new. It comes as soon as there is something, and otherwise when the time is over, or earlier if too many requests wait. With `0`, it comes at once. See *Waiting*. */
                readonly wait?: components["parameters"]["Wait"];
            };
            readonly header?: {
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of notifications, with the number of all unread ones. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NotificationPage"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["InvalidPage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeNotificationsRead"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly updateNotifications: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Leave it out: the `ETag` of a list is weak, so every value except `*` returns 412 (RFC 9110, section 13.1.1). `seen` says what you have read.
                 * @example *
                 */
                readonly "If-Match"?: components["parameters"]["IfMatchOfList"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description Which notifications to mark. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateNotificationsRequest"];
            };
        };
        readonly responses: {
            /** @description The notifications are marked. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UpdateNotificationsResult"];
                };
            };
            readonly 400: components["responses"]["InvalidSeen"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeNotificationsWrite"];
            readonly 412: components["responses"]["ListTagIsWeak"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getNotification: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the notification, as shown in the list.
                 * @example 01a1e83e-2f64-7ee8-aa93-7592e339d309
                 */
                readonly notification_id: components["parameters"]["NotificationId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The notification. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Notification"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["InvalidRequestNotificationId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeNotificationsRead"];
            readonly 404: components["responses"]["NotificationNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly updateNotification: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the version that you want to change (RFC 9110, section 13.1.1). If the resource has changed since, you get 412 and nothing changes. `*` matches any version. A weak tag or a malformed value matches none, so you get 412.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the notification, as shown in the list.
                 * @example 01a1e83e-2f64-7ee8-aa93-7592e339d309
                 */
                readonly notification_id: components["parameters"]["NotificationId"];
            };
            readonly cookie?: never;
        };
        /** @description The new status, and whether to archive it. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateNotificationRequest"];
            };
        };
        readonly responses: {
            /** @description The notification with its current status. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Notification"];
                };
            };
            readonly 400: components["responses"]["InvalidMark"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeNotificationsWrite"];
            readonly 404: components["responses"]["NotificationNotFound"];
            readonly 412: components["responses"]["NotificationChangedSince"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getPlaybackFile: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description What the link allows and until when, sealed by the service. It is opaque. It works only for the video and the file in its path.
                 * @example AUDPeVbF_gbx7V8-0SkFLNuyjVHXlJjdsXd4h2hmnJvxuqsxgs2zSy6L4piw3Lx_eIrVdy0rM_P89NS9nf5f3ufiJ7-la2h-LZLD6_7GdT9GMiFX
                 */
                readonly token: components["parameters"]["PlaybackToken"];
            };
            readonly header?: {
                /**
                 * @description The `ETag` of the file that you want (RFC 9110, section 13.1.1), such as that of the part that you have. If the file has another one, you get 412, whatever you send as `If-None-Match` and `Range`. `*` matches any file. A weak tag or a malformed value matches none.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatchOfFile"];
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description The `ETag` of the part that you have (RFC 9110, section 13.1.5). You get the range if the file still has this `ETag`, and the whole file otherwise.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Range"?: components["parameters"]["IfRange"];
                /**
                 * @description One range of bytes (RFC 9110, section 14.2). If it is not a valid range, it is ignored and you get the whole file.
                 * @example bytes=0-1048575
                 */
                readonly Range?: components["parameters"]["Range"];
            };
            readonly path: {
                /**
                 * @description The name of the file, as in the link.
                 * @example 720p.mp4
                 */
                readonly file: components["parameters"]["PlaybackFileName"];
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The whole file. */
            readonly 200: {
                headers: {
                    /**
                     * @description The unit of ranges that you can request: always `bytes`.
                     * @example bytes
                     */
                    readonly "Accept-Ranges"?: "bytes";
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Tells a browser to show the file, and under which name to save it (RFC 6266): the name of the upload with that of the file.
                     * @example inline; filename=doors-rehung.720p.mp4
                     */
                    readonly "Content-Disposition"?: string;
                    /**
                     * @description The size of this response body in bytes.
                     * @example 1048576
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/jpeg": string;
                    readonly "text/vtt": string;
                    readonly "video/mp4": string;
                };
            };
            /** @description The requested range. */
            readonly 206: {
                headers: {
                    /**
                     * @description The unit of ranges that you can request: always `bytes`.
                     * @example bytes
                     */
                    readonly "Accept-Ranges"?: "bytes";
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Tells a browser to show the file, and under which name to save it (RFC 6266): the name of the upload with that of the file.
                     * @example inline; filename=doors-rehung.720p.mp4
                     */
                    readonly "Content-Disposition"?: string;
                    /**
                     * @description The size of this response body in bytes.
                     * @example 1048576
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description The range of bytes in this response and the size of the file (RFC 9110, section 14.4).
                     * @example bytes 0-1048575/18432051
                     */
                    readonly "Content-Range": string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/jpeg": string;
                    readonly "text/vtt": string;
                    readonly "video/mp4": string;
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["InvalidRequestJobId"];
            readonly 403: components["responses"]["LinkRefused"];
            readonly 404: components["responses"]["PlaybackNotFound"];
            readonly 412: components["responses"]["AnotherFile"];
            readonly 416: components["responses"]["RangeNotSatisfiable"];
            readonly 429: components["responses"]["TooManyRequestsPlayback"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listPosts: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
                readonly after?: components["parameters"]["After"];
                /**
                 * @description Return only posts by the user with this id. If the user has no posts or doesn't exist, the list is empty.
                 * @example 019cad9d-67a0-7f04-a2cb-593947eaa099
                 */
                readonly author?: components["parameters"]["Author"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The number of posts to skip. Send it to page by offset; leave it out to page by cursor. Beyond the last post, the page is empty. You can't combine it with `after`. */
                readonly offset?: components["parameters"]["Offset"];
                /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. Items of the same millisecond are ordered by `id`. */
                readonly sort?: components["parameters"]["PostSort"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of posts. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PostPage"];
                };
            };
            readonly 400: components["responses"]["InvalidPostPage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopePostsRead"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createPost: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The title and the text of the post. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreatePostRequest"];
            };
        };
        readonly responses: {
            /** @description The post is published. */
            readonly 201: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Post"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopePostsWrite"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getPost: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the post, as returned when it was published.
                 * @example 01a1efac-3ed3-7e8e-9855-dcb0c0290103
                 */
                readonly post_id: components["parameters"]["PostId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The post in its current version. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Post"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["InvalidRequestPostId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopePostsRead"];
            readonly 404: components["responses"]["PostNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly deletePost: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the version that you want to change (RFC 9110, section 13.1.1). If the resource has changed since, you get 412 and nothing changes. `*` matches any version. A weak tag or a malformed value matches none, so you get 412.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the post, as returned when it was published.
                 * @example 01a1efac-3ed3-7e8e-9855-dcb0c0290103
                 */
                readonly post_id: components["parameters"]["PostId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The post is deleted. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequestPostId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["AuthorOnlyPostsWrite"];
            readonly 404: components["responses"]["PostNotFound"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly updatePost: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the version that you want to change (RFC 9110, section 13.1.1). If the resource has changed since, you get 412 and nothing changes. `*` matches any version. A weak tag or a malformed value matches none, so you get 412.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the post, as returned when it was published.
                 * @example 01a1efac-3ed3-7e8e-9855-dcb0c0290103
                 */
                readonly post_id: components["parameters"]["PostId"];
            };
            readonly cookie?: never;
        };
        /** @description The fields to replace. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdatePostRequest"];
            };
        };
        readonly responses: {
            /** @description The changed post. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Post"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["AuthorOnlyPostsWrite"];
            readonly 404: components["responses"]["PostNotFound"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly followUrl: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the short URL, which is its short code. Case-sensitive.
                 * @example boathouse-doors
                 */
                readonly id: components["parameters"]["UrlCode"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Redirects to the address in `Location`. There is no body. */
            readonly 302: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description The target of the short URL or, if it has expired or was deleted, its `expired_url`: as it was sent when the short URL was created, with the scheme in lower case.
                     * @example https://www.example.org/boathouse/doors?from=newsletter
                     */
                    readonly Location: string;
                    /**
                     * @description Tells the browser not to send the short URL to the target in the `Referer` header.
                     * @example no-referrer
                     */
                    readonly "Referrer-Policy"?: "no-referrer";
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    /**
                     * @description Tells search engines not to index the short URL. They can still index the target.
                     * @example noindex
                     */
                    readonly "X-Robots-Tag"?: "noindex";
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidFollowedId"];
            readonly 404: components["responses"]["UnknownUrl"];
            readonly 410: components["responses"]["Gone"];
            readonly 429: components["responses"]["TooManyRequestsFollow"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listUrls: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
                readonly after?: components["parameters"]["After"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. Items of the same millisecond are ordered by `id`. */
                readonly sort?: components["parameters"]["UrlSort"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of short URLs. The page is empty if you have none. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UrlPage"];
                };
            };
            readonly 400: components["responses"]["InvalidPage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeUrlsRead"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createUrl: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The target, with an optional short code, expiry and `expired_url`. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateUrlRequest"];
            };
        };
        readonly responses: {
            /** @description The short URL is created and can be followed. */
            readonly 201: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Url"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeUrlsWrite"];
            readonly 409: components["responses"]["IdTakenOrInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["UrlNotPossible"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getUrl: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the short URL, which is its short code. Case-sensitive.
                 * @example boathouse-doors
                 */
                readonly id: components["parameters"]["UrlCode"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The short URL. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Url"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["InvalidUrlId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeUrlsRead"];
            readonly 404: components["responses"]["UrlNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly deleteUrl: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the version that you want to change (RFC 9110, section 13.1.1). If the resource has changed since, you get 412 and nothing changes. `*` matches any version. A weak tag or a malformed value matches none, so you get 412.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the short URL, which is its short code. Case-sensitive.
                 * @example boathouse-doors
                 */
                readonly id: components["parameters"]["UrlCode"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The short URL is deleted. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidUrlId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeUrlsWrite"];
            readonly 404: components["responses"]["UrlNotFound"];
            readonly 412: components["responses"]["UrlChangedSince"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getUrlClicks: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The first day, in UTC: at most 399 days ago, and not after `to`. Without it, it is the 29th day before `to`, or the oldest day that is kept.
                 * @example 2026-11-18
                 */
                readonly from?: components["parameters"]["From"];
                /**
                 * @description The last day, in UTC. It can be today, but no later day. Without it, it is today.
                 * @example 2026-11-20
                 */
                readonly to?: components["parameters"]["To"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path: {
                /**
                 * @description The id of the short URL, which is its short code. Case-sensitive.
                 * @example boathouse-doors
                 */
                readonly id: components["parameters"]["UrlCode"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The clicks of each day from `from` to `to`. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UrlClicks"];
                };
            };
            readonly 400: components["responses"]["InvalidClickDays"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeUrlsRead"];
            readonly 404: components["responses"]["UrlNotFound"];
            readonly 422: components["responses"]["ClickDaysNotPossible"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly findUsers: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The beginning of the name, at least two characters. Case and accents make no difference, nor does the kind of an apostrophe, a hyphen or a space. *Users* lists what is the same. An accent that is a character of its own, or an invisible character, doesn't count towards the two.
                 * @example tomas
                 */
                readonly name: components["parameters"]["NameBeginning"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The users whose names begin with `name`. The list is empty if there are none. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UserMatches"];
                };
            };
            readonly 400: components["responses"]["InvalidName"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["NoDirectoryUsersRead"];
            readonly 429: components["responses"]["TooManyRequestsDirectory"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the user, as shown beside what the user wrote or did.
                 * @example 019d7cdc-5a55-7010-b2e4-5c902909406c
                 */
                readonly user_id: components["parameters"]["ProfileId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The profile, or that there is no such user any more. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["User"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestUserId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeUsersRead"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listVideoUploads: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
                readonly after?: components["parameters"]["After"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The order of the list: `-created_at` is newest first, `created_at` is oldest first. Items of the same millisecond are ordered by `id`. */
                readonly sort?: components["parameters"]["VideoUploadSort"];
                /** @description Return only uploads with this status. If you leave it out, all are returned. */
                readonly status?: components["parameters"]["VideoStatusFilter"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of video uploads. The page is empty if you have none. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["VideoUploadPage"];
                };
            };
            readonly 400: components["responses"]["InvalidPage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsRead"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createVideoUpload: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A label for the upload, such as the file name: a single line without slashes. It is for display only. The service doesn't use it, not even its extension, to process the video.
                 * @example doors-rehung.mov
                 */
                readonly name?: components["parameters"]["VideoName"];
            };
            readonly header?: {
                /**
                 * @description The digest of the body of this request (RFC 9530). Send it to detect damage in transit before the upload is accepted. Send exactly one, `sha-256` or `sha-512`; other algorithms return 400. In a resumable upload, a body with a digest is stored completely or not at all: if the connection breaks, none of its bytes are kept.
                 * @example sha-256=:KHC5bP7zVCkUDhMKjzRX/D17CeFyuC4HtmUfcUrARhY=:
                 */
                readonly "Content-Digest"?: components["parameters"]["ContentDigest"];
                /**
                 * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The digest of the whole video (RFC 9530), however many requests you send it in. Send exactly one, `sha-256` or `sha-512`, with the last bytes: in a plain upload, or with `Upload-Complete: ?1`. With `?0` it returns 400.
                 * @example sha-256=:KHC5bP7zVCkUDhMKjzRX/D17CeFyuC4HtmUfcUrARhY=:
                 */
                readonly "Repr-Digest"?: components["parameters"]["ReprDigest"];
                /**
                 * @description Send this header to start a resumable upload (draft-ietf-httpbis-resumable-upload-11): `?1` if the body is the whole video, `?0` if you send more with `updateUploadTransfer`. Without it, the upload is a plain one.
                 * @example ?1
                 */
                readonly "Upload-Complete"?: components["parameters"]["UploadComplete"];
                /**
                 * @description Over HTTP/1.1, send `8` (draft -11) to get interim responses (104): first the address of a new upload, then the `Upload-Offset` of a large one. Other versions are ignored.
                 *     Don't send it with an HTTP library that takes a 104 for the response, such as `http.client` of Python: the next request then gets the response to this one.
                 * @example 8
                 */
                readonly "Upload-Draft-Interop-Version"?: components["parameters"]["UploadDraftInteropVersion"];
                /**
                 * @description The total size of a resumable upload in bytes. Send it as soon as you know it, so that the service can refuse an upload that is too large at once, and detect one that ends too early. With `Upload-Complete: ?1`, the `Content-Length` says the same. The size can be announced several times, but not changed: another one returns 400.
                 * @example 184320512
                 */
                readonly "Upload-Length"?: components["parameters"]["UploadLength"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The bytes of the video: at least one, and at most what the operator allows (2 GiB by default). */
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": string;
                readonly "video/*": string;
            };
        };
        readonly responses: {
            /** @description The video is stored and its job is queued. */
            readonly 202: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                     * @example 5
                     */
                    readonly "Retry-After": number;
                    /**
                     * @description Whether the whole upload has arrived. Present only for a resumable upload.
                     * @example ?0
                     */
                    readonly "Upload-Complete"?: components["schemas"]["UploadCompleteness"];
                    /**
                     * @description The limits of an upload (a dictionary as in RFC 9651): `max-size` is the maximum size of the upload in bytes, `min-append-size` the minimum number of bytes per request except the last, and `max-age` the number of seconds until an incomplete upload is removed.
                     * @example max-size=2147483648, min-append-size=268436, max-age=86400
                     */
                    readonly "Upload-Limit"?: string;
                    /**
                     * @description The number of bytes that are stored. Resume from here. Present only for a resumable upload.
                     * @example 1048576
                     */
                    readonly "Upload-Offset"?: number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["VideoUpload"];
                };
            };
            /** @description A resumable upload has started. Send the rest to `Location`. There is no body. You get this response only if you sent `Upload-Complete`. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description `?1` if the whole upload has arrived, `?0` if more bytes are expected (a boolean as in RFC 9651).
                     * @example ?0
                     */
                    readonly "Upload-Complete": components["schemas"]["UploadCompleteness"];
                    /**
                     * @description The limits of an upload (a dictionary as in RFC 9651): `max-size` is the maximum size of the upload in bytes, `min-append-size` the minimum number of bytes per request except the last, and `max-age` the number of seconds until an incomplete upload is removed.
                     * @example max-size=2147483648, min-append-size=268436, max-age=86400
                     */
                    readonly "Upload-Limit"?: string;
                    /**
                     * @description The number of bytes that are stored. Resume from here.
                     * @example 1048576
                     */
                    readonly "Upload-Offset": number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidUpload"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsWrite"];
            readonly 408: components["responses"]["UploadTooSlow"];
            readonly 409: components["responses"]["UploadInProgress"];
            readonly 413: components["responses"]["VideoTooLarge"];
            readonly 415: components["responses"]["NotABinaryUpload"];
            readonly 422: components["responses"]["DigestMismatchOrKeyReused"];
            readonly 429: components["responses"]["TooManyUploadsUploads"];
            readonly 500: components["responses"]["UploadFailed"];
            readonly 503: components["responses"]["UploadUnavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getVideoUpload: {
        readonly parameters: {
            readonly query?: {
                /** @description How many seconds the response can wait for something new. It comes as soon as there is something, and otherwise when the time is over, or earlier if too many requests wait. With `0`, it comes at once. See *Waiting*. */
                readonly wait?: components["parameters"]["Wait"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The current state of the video upload. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                     * @example 2
                     */
                    readonly "Retry-After"?: number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["VideoUpload"];
                };
            };
            readonly 304: components["responses"]["JobNotModified"];
            readonly 400: components["responses"]["InvalidRequestJobId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsRead"];
            readonly 404: components["responses"]["VideoUploadNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly deleteVideoUpload: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the version that you want to change (RFC 9110, section 13.1.1). If the resource has changed since, you get 412 and nothing changes. `*` matches any version. A weak tag or a malformed value matches none, so you get 412.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
            };
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The video upload is deleted. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequestJobId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsWrite"];
            readonly 404: components["responses"]["VideoUploadNotFound"];
            readonly 412: components["responses"]["VideoUploadChangedSince"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getVideoOriginal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the file that you want (RFC 9110, section 13.1.1), such as that of the part that you have. If the file has another one, you get 412, whatever you send as `If-None-Match` and `Range`. `*` matches any file. A weak tag or a malformed value matches none.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatchOfFile"];
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description The `ETag` of the part that you have (RFC 9110, section 13.1.5). You get the range if the file still has this `ETag`, and the whole file otherwise.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Range"?: components["parameters"]["IfRange"];
                /**
                 * @description One range of bytes (RFC 9110, section 14.2). If it is not a valid range, it is ignored and you get the whole file.
                 * @example bytes=0-1048575
                 */
                readonly Range?: components["parameters"]["Range"];
            };
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The whole file. */
            readonly 200: {
                headers: {
                    /**
                     * @description The unit of ranges that you can request: always `bytes`.
                     * @example bytes
                     */
                    readonly "Accept-Ranges"?: "bytes";
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description Tells a browser to save the file under the name of the upload (RFC 6266), and not to show it.
                     * @example attachment; filename=doors-rehung.mov
                     */
                    readonly "Content-Disposition"?: string;
                    /**
                     * @description The size of this response body in bytes.
                     * @example 1048576
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            /** @description The requested range. */
            readonly 206: {
                headers: {
                    /**
                     * @description The unit of ranges that you can request: always `bytes`.
                     * @example bytes
                     */
                    readonly "Accept-Ranges"?: "bytes";
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description Tells a browser to save the file under the name of the upload (RFC 6266), and not to show it.
                     * @example attachment; filename=doors-rehung.mov
                     */
                    readonly "Content-Disposition"?: string;
                    /**
                     * @description The size of this response body in bytes.
                     * @example 1048576
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description The range of bytes in this response and the size of the file (RFC 9110, section 14.4).
                     * @example bytes 0-1048575/18432051
                     */
                    readonly "Content-Range": string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["InvalidRequestJobId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsRead"];
            readonly 404: components["responses"]["OriginalNotFound"];
            readonly 412: components["responses"]["AnotherFile"];
            readonly 416: components["responses"]["RangeNotSatisfiable"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createPlayback: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        /** @description How long the links work. Send an empty object or no body for an hour. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreatePlaybackRequest"];
            };
        };
        readonly responses: {
            /** @description The links work from now on, until `expires_at`. */
            readonly 201: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of the request: `POST` to it again for new links. There is nothing to get at this path. The links are in the body.
                     * @example /video-uploads/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/playback
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Playback"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsRead"];
            readonly 404: components["responses"]["VideoUploadNotFound"];
            readonly 409: components["responses"]["NotReadyOrInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getVideoPoster: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the file that you want (RFC 9110, section 13.1.1), such as that of the part that you have. If the file has another one, you get 412, whatever you send as `If-None-Match` and `Range`. `*` matches any file. A weak tag or a malformed value matches none.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatchOfFile"];
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description The `ETag` of the part that you have (RFC 9110, section 13.1.5). You get the range if the file still has this `ETag`, and the whole file otherwise.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Range"?: components["parameters"]["IfRange"];
                /**
                 * @description One range of bytes (RFC 9110, section 14.2). If it is not a valid range, it is ignored and you get the whole file.
                 * @example bytes=0-1048575
                 */
                readonly Range?: components["parameters"]["Range"];
            };
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The whole file. */
            readonly 200: {
                headers: {
                    /**
                     * @description The unit of ranges that you can request: always `bytes`.
                     * @example bytes
                     */
                    readonly "Accept-Ranges"?: "bytes";
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The size of this response body in bytes.
                     * @example 1048576
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/jpeg": string;
                };
            };
            /** @description The requested range. */
            readonly 206: {
                headers: {
                    /**
                     * @description The unit of ranges that you can request: always `bytes`.
                     * @example bytes
                     */
                    readonly "Accept-Ranges"?: "bytes";
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The size of this response body in bytes.
                     * @example 1048576
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description The range of bytes in this response and the size of the file (RFC 9110, section 14.4).
                     * @example bytes 0-1048575/18432051
                     */
                    readonly "Content-Range": string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/jpeg": string;
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["InvalidRequestJobId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsRead"];
            readonly 404: components["responses"]["VideoUploadNotFound"];
            readonly 409: components["responses"]["NotReady"];
            readonly 412: components["responses"]["AnotherFile"];
            readonly 416: components["responses"]["RangeNotSatisfiable"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getVideoRendition: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the file that you want (RFC 9110, section 13.1.1), such as that of the part that you have. If the file has another one, you get 412, whatever you send as `If-None-Match` and `Range`. `*` matches any file. A weak tag or a malformed value matches none.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatchOfFile"];
                /**
                 * @description The `ETag` that you have, or a list of them (RFC 9110, section 13.1.2). If one of them is current, you get 304 without a body. If the value is malformed, it is ignored and you get 200.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description The `ETag` of the part that you have (RFC 9110, section 13.1.5). You get the range if the file still has this `ETag`, and the whole file otherwise.
                 * @example "5f1d2a90b7c34e68"
                 */
                readonly "If-Range"?: components["parameters"]["IfRange"];
                /**
                 * @description One range of bytes (RFC 9110, section 14.2). If it is not a valid range, it is ignored and you get the whole file.
                 * @example bytes=0-1048575
                 */
                readonly Range?: components["parameters"]["Range"];
            };
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
                /**
                 * @description The name of the rendition, as in `result`.
                 * @example 480p
                 */
                readonly name: components["parameters"]["RenditionName"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The whole file. */
            readonly 200: {
                headers: {
                    /**
                     * @description The unit of ranges that you can request: always `bytes`.
                     * @example bytes
                     */
                    readonly "Accept-Ranges"?: "bytes";
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The size of this response body in bytes.
                     * @example 1048576
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "video/mp4": string;
                };
            };
            /** @description The requested range. */
            readonly 206: {
                headers: {
                    /**
                     * @description The unit of ranges that you can request: always `bytes`.
                     * @example bytes
                     */
                    readonly "Accept-Ranges"?: "bytes";
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The size of this response body in bytes.
                     * @example 1048576
                     */
                    readonly "Content-Length"?: number;
                    /**
                     * @description The range of bytes in this response and the size of the file (RFC 9110, section 14.4).
                     * @example bytes 0-1048575/18432051
                     */
                    readonly "Content-Range": string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "video/mp4": string;
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["InvalidRequestJobId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsRead"];
            readonly 404: components["responses"]["VideoUploadNotFound"];
            readonly 409: components["responses"]["NotReady"];
            readonly 412: components["responses"]["AnotherFile"];
            readonly 416: components["responses"]["RangeNotSatisfiable"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getUploadTransfer: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The current offset of the upload. There is no body. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description `?1` if the whole upload has arrived, `?0` if more bytes are expected (a boolean as in RFC 9651).
                     * @example ?0
                     */
                    readonly "Upload-Complete": components["schemas"]["UploadCompleteness"];
                    /**
                     * @description The size of the whole upload in bytes. Present once you have announced it: with `Upload-Length`, or with `Upload-Complete: ?1` and `Content-Length`.
                     * @example 184320512
                     */
                    readonly "Upload-Length"?: number;
                    /**
                     * @description The limits of an upload (a dictionary as in RFC 9651): `max-size` is the maximum size of the upload in bytes, `min-append-size` the minimum number of bytes per request except the last, and `max-age` the number of seconds until an incomplete upload is removed.
                     * @example max-size=2147483648, min-append-size=268436, max-age=86400
                     */
                    readonly "Upload-Limit"?: string;
                    /**
                     * @description The number of bytes that are stored. Resume from here.
                     * @example 1048576
                     */
                    readonly "Upload-Offset": number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequestJobId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsWrite"];
            readonly 404: components["responses"]["VideoUploadNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly deleteUploadTransfer: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The upload is deleted. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequestJobId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsWrite"];
            readonly 404: components["responses"]["VideoUploadNotFound"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly updateUploadTransfer: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The digest of the body of this request (RFC 9530). Send it to detect damage in transit before the upload is accepted. Send exactly one, `sha-256` or `sha-512`; other algorithms return 400. In a resumable upload, a body with a digest is stored completely or not at all: if the connection breaks, none of its bytes are kept.
                 * @example sha-256=:KHC5bP7zVCkUDhMKjzRX/D17CeFyuC4HtmUfcUrARhY=:
                 */
                readonly "Content-Digest"?: components["parameters"]["ContentDigest"];
                /**
                 * @description The digest of the whole video (RFC 9530), however many requests you send it in. Send exactly one, `sha-256` or `sha-512`, with the last bytes: in a plain upload, or with `Upload-Complete: ?1`. With `?0` it returns 400.
                 * @example sha-256=:KHC5bP7zVCkUDhMKjzRX/D17CeFyuC4HtmUfcUrARhY=:
                 */
                readonly "Repr-Digest"?: components["parameters"]["ReprDigest"];
                /**
                 * @description `?1` if these are the last bytes of the video, `?0` if more follow.
                 * @example ?1
                 */
                readonly "Upload-Complete": components["parameters"]["UploadCompleteRequired"];
                /**
                 * @description Over HTTP/1.1, send `8` (draft -11) to get interim responses (104): first the address of a new upload, then the `Upload-Offset` of a large one. Other versions are ignored.
                 *     Don't send it with an HTTP library that takes a 104 for the response, such as `http.client` of Python: the next request then gets the response to this one.
                 * @example 8
                 */
                readonly "Upload-Draft-Interop-Version"?: components["parameters"]["UploadDraftInteropVersion"];
                /**
                 * @description The total size of a resumable upload in bytes. Send it as soon as you know it, so that the service can refuse an upload that is too large at once, and detect one that ends too early. With `Upload-Complete: ?1`, the `Content-Length` says the same. The size can be announced several times, but not changed: another one returns 400.
                 * @example 184320512
                 */
                readonly "Upload-Length"?: components["parameters"]["UploadLength"];
                /**
                 * @description The position of the body in the video, in bytes: the last `Upload-Offset` that `getUploadTransfer` returned.
                 * @example 1048576
                 */
                readonly "Upload-Offset": components["parameters"]["UploadOffset"];
            };
            readonly path: {
                /**
                 * @description The id of the video upload, as in `Location` and in the body of the 202.
                 * @example 01a1ef8f-34ae-7320-b9dd-21e52cd552a0
                 */
                readonly job_id: components["parameters"]["JobId"];
            };
            readonly cookie?: never;
        };
        /** @description The next bytes of the video. The last request can have an empty body. */
        readonly requestBody: {
            readonly content: {
                readonly "application/partial-upload": string;
            };
        };
        readonly responses: {
            /** @description The upload is complete and its job is queued. */
            readonly 202: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The version of this response (RFC 9110, section 8.8.3). It is opaque; equal tags mean equal content.
                     * @example "5f1d2a90b7c34e68"
                     */
                    readonly ETag: string;
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                     * @example 5
                     */
                    readonly "Retry-After": number;
                    /**
                     * @description `?1` if the whole upload has arrived, `?0` if more bytes are expected (a boolean as in RFC 9651).
                     * @example ?0
                     */
                    readonly "Upload-Complete": components["schemas"]["UploadCompleteness"];
                    /**
                     * @description The limits of an upload (a dictionary as in RFC 9651): `max-size` is the maximum size of the upload in bytes, `min-append-size` the minimum number of bytes per request except the last, and `max-age` the number of seconds until an incomplete upload is removed.
                     * @example max-size=2147483648, min-append-size=268436, max-age=86400
                     */
                    readonly "Upload-Limit"?: string;
                    /**
                     * @description The number of bytes that are stored. Resume from here.
                     * @example 1048576
                     */
                    readonly "Upload-Offset": number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["VideoUpload"];
                };
            };
            /** @description The bytes are stored and more are expected. There is no body. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description `?1` if the whole upload has arrived, `?0` if more bytes are expected (a boolean as in RFC 9651).
                     * @example ?0
                     */
                    readonly "Upload-Complete": components["schemas"]["UploadCompleteness"];
                    /**
                     * @description The limits of an upload (a dictionary as in RFC 9651): `max-size` is the maximum size of the upload in bytes, `min-append-size` the minimum number of bytes per request except the last, and `max-age` the number of seconds until an incomplete upload is removed.
                     * @example max-size=2147483648, min-append-size=268436, max-age=86400
                     */
                    readonly "Upload-Limit"?: string;
                    /**
                     * @description The number of bytes that are stored. Resume from here.
                     * @example 1048576
                     */
                    readonly "Upload-Offset": number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidPart"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeVideoUploadsWrite"];
            readonly 404: components["responses"]["VideoUploadNotFound"];
            readonly 408: components["responses"]["PartTooSlow"];
            readonly 409: components["responses"]["UploadOffsetMismatch"];
            readonly 413: components["responses"]["PartTooLarge"];
            readonly 415: components["responses"]["NotAPartialUpload"];
            readonly 422: components["responses"]["DigestMismatch"];
            readonly 429: components["responses"]["TooManyUploadsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listWebhookEndpoints: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
                readonly after?: components["parameters"]["After"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of your webhook endpoints. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpointPage"];
                };
            };
            readonly 400: components["responses"]["InvalidPage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsRead"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description Where to send which events. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateWebhookEndpointRequest"];
            };
        };
        readonly responses: {
            /** @description The endpoint is created. */
            readonly 201: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsWrite"];
            readonly 409: components["responses"]["EndpointLimitOrInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["EndpointNotPossible"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path: {
                /**
                 * @description The id of the webhook endpoint, as returned when it was created.
                 * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
                 */
                readonly endpoint_id: components["parameters"]["EndpointId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook endpoint. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestEndpointId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsRead"];
            readonly 404: components["responses"]["WebhookEndpointNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly deleteWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the webhook endpoint, as returned when it was created.
                 * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
                 */
                readonly endpoint_id: components["parameters"]["EndpointId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook endpoint is deleted. */
            readonly 204: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequestEndpointId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsWrite"];
            readonly 404: components["responses"]["WebhookEndpointNotFound"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly updateWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the webhook endpoint, as returned when it was created.
                 * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
                 */
                readonly endpoint_id: components["parameters"]["EndpointId"];
            };
            readonly cookie?: never;
        };
        /** @description The fields to replace. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["UpdateWebhookEndpointRequest"];
            };
        };
        readonly responses: {
            /** @description The changed webhook endpoint. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsWrite"];
            readonly 404: components["responses"]["WebhookEndpointNotFound"];
            readonly 409: components["responses"]["EndpointDisabledByOperator"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 422: components["responses"]["EndpointUrlNotAllowed"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly listWebhookDeliveries: {
        readonly parameters: {
            readonly query?: {
                /** @description The `next_cursor` of the previous page. Send it with the same filters and sort order. Without it, you get the first page. */
                readonly after?: components["parameters"]["After"];
                /** @description The maximum number of items per page. A value out of range returns 400. It can change from one page to the next. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description Return only deliveries with this status. If you leave it out, all are returned. */
                readonly status?: components["parameters"]["DeliveryStatusFilter"];
            };
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path: {
                /**
                 * @description The id of the webhook endpoint, as returned when it was created.
                 * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
                 */
                readonly endpoint_id: components["parameters"]["EndpointId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of deliveries. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The next page as a link (RFC 8288) with `rel="next"`, including filters, sort order and page size. Present unless `next_cursor` is `null`.
                     * @example </posts?limit=20&after=AVw4tOZS5E2n8jcNniYOJxNlUKSjptB_XAwzL4sSJAg_0iuQL4kR6BgY-MmdXV2YMZV1BNkOlF3i6PVO54HMdfY22FCZCVqjABZaZwNvm1QNa-IR>; rel="next"
                     */
                    readonly Link?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            readonly 400: components["responses"]["InvalidPage"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsRead"];
            readonly 404: components["responses"]["WebhookEndpointNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description The id of the webhook endpoint, as returned when it was created.
                 * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
                 */
                readonly endpoint_id: components["parameters"]["EndpointId"];
            };
            readonly cookie?: never;
        };
        /** @description An empty object, or no body. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateWebhookDeliveryRequest"];
            };
        };
        readonly responses: {
            /** @description The test event will be sent within seconds. */
            readonly 202: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of the delivery. Resolve it against the URL of the request.
                     * @example /webhook-endpoints/01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55/deliveries/01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                     * @example 5
                     */
                    readonly "Retry-After": number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsWrite"];
            readonly 404: components["responses"]["WebhookEndpointNotFound"];
            readonly 409: components["responses"]["EndpointDisabledOrInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly getWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `Consistency-Token` of an earlier response, or up to 100 of them, separated by commas. The response is then at least as new as those, and can come from a replica of the database. Without it, with more tokens, or with one that the service can't read, you read the latest state. See *Consistency*.
                 * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                 */
                readonly "Consistency-Token"?: components["parameters"]["ConsistencyToken"];
            };
            readonly path: {
                /**
                 * @description The id of the delivery. It is the `webhook-id` of each of its attempts.
                 * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                 */
                readonly delivery_id: components["parameters"]["DeliveryId"];
                /**
                 * @description The id of the webhook endpoint, as returned when it was created.
                 * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
                 */
                readonly endpoint_id: components["parameters"]["EndpointId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The delivery. */
            readonly 200: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description The number of seconds to wait before you ask again (RFC 9110, section 10.2.3). Absent if there is nothing to wait for.
                     * @example 2
                     */
                    readonly "Retry-After"?: number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestEndpointId"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsRead"];
            readonly 404: components["responses"]["WebhookDeliveryNotFound"];
            readonly 429: components["responses"]["TooManyRequestsDefault"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createWebhookAttempt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description The id of the delivery. It is the `webhook-id` of each of its attempts.
                 * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                 */
                readonly delivery_id: components["parameters"]["DeliveryId"];
                /**
                 * @description The id of the webhook endpoint, as returned when it was created.
                 * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
                 */
                readonly endpoint_id: components["parameters"]["EndpointId"];
            };
            readonly cookie?: never;
        };
        /** @description An empty object, or no body. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateWebhookAttemptRequest"];
            };
        };
        readonly responses: {
            /** @description The event will be sent within seconds. */
            readonly 202: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of the delivery. Resolve it against the URL of the request.
                     * @example /webhook-endpoints/01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55/deliveries/01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description The number of seconds to wait before you retry (RFC 9110, section 10.2.3).
                     * @example 5
                     */
                    readonly "Retry-After": number;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsWrite"];
            readonly 404: components["responses"]["WebhookDeliveryNotFound"];
            readonly 409: components["responses"]["EndpointDisabledOrInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly createWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Lets you retry this request safely for 72 hours. Choose a new key for each new request, such as a random UUID, and send the same key with every retry. You can write it plain or as a quoted structured-field string; both are the same key. See *Idempotency*.
                 * @example 6c0b8d0e-2f7c-4b5e-9b1e-3d7a5c1f0e42
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description The id of the webhook endpoint, as returned when it was created.
                 * @example 01a1efa4-51c8-7b1a-93cf-2f6f0d1c7e55
                 */
                readonly endpoint_id: components["parameters"]["EndpointId"];
            };
            readonly cookie?: never;
        };
        /** @description An empty object, or no body. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateWebhookSecretRequest"];
            };
        };
        readonly responses: {
            /** @description The new secret signs events from now on. */
            readonly 201: {
                headers: {
                    /**
                     * @description The version of the contract that the service implements, equal to `info.version` of this document.
                     * @example 1.3.0
                     */
                    readonly "API-Version": string;
                    /**
                     * @description `private, no-cache` if the response has an `ETag`: you can store it, but check with `If-None-Match` before you use it again. `private, max-age=…` for a file behind a playback link: you can use it again until the link expires. `no-store` otherwise.
                     * @example private, no-cache
                     */
                    readonly "Cache-Control"?: string;
                    /**
                     * @description Identifies the version of the data that you read. Send it with later requests to read this version or a newer one. It is opaque. Absent if the operator has no replicas of the database, or if the request was refused before any data were read. See *Consistency*.
                     * @example AVxBZ2mT0r4mJt0Pq1n0bSkhd7cQm1Yx3v8uXb0cW9yGJvD2m4aQ6kzP
                     */
                    readonly "Consistency-Token"?: string;
                    /**
                     * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Nothing was done this time. Absent on the first response.
                     * @example true
                     */
                    readonly "Idempotency-Replayed"?: "true";
                    /**
                     * @description The path of what was created or started. Resolve it against the URL of the request (RFC 9110, section 10.2.2).
                     * @example /posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103
                     */
                    readonly Location: string;
                    /**
                     * @description The rate limit policy of this operation, the number of requests remaining (`r`) and the seconds until the limit is fully reset (`t`). Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";r=598;t=42
                     */
                    readonly RateLimit?: string;
                    /**
                     * @description The rate limit policy of this operation: `q` requests in `w` seconds. Finding users has two, separated by a comma. Absent if the operator has turned rate limits off.
                     * @example "default";q=600;w=60
                     */
                    readonly "RateLimit-Policy"?: string;
                    /**
                     * @description Identifies this request in the logs of the service. The service always generates it and ignores a value that you send.
                     * @example 01a1efb0-be44-7990-afcc-e07c3e7fb97b
                     */
                    readonly "X-Request-Id": components["schemas"]["Uuid"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            readonly 400: components["responses"]["InvalidBody"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["InsufficientScopeWebhookEndpointsWrite"];
            readonly 404: components["responses"]["WebhookEndpointNotFound"];
            readonly 409: components["responses"]["IdempotencyInProgress"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequestsWrites"];
            readonly 500: components["responses"]["InternalError"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Other"];
        };
    };
    readonly receiveMessageCreated: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The id of the delivery, the same in every attempt. Ignore an event that you have handled.
                 * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                 */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `webhook-id`, `webhook-timestamp` and the body in the form of Standard Webhooks, separated by spaces. After a rotation of the secret, there are two for a day. One that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description When the attempt began, in seconds since 1970-01-01. Libraries refuse one that is more than 5 minutes old.
                 * @example 1795022672
                 */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MessageCreatedEvent"];
            };
        };
        readonly responses: {
            readonly 204: components["responses"]["EventReceived"];
            readonly 410: components["responses"]["EventUnwanted"];
        };
    };
    readonly receiveNotificationCreated: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The id of the delivery, the same in every attempt. Ignore an event that you have handled.
                 * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                 */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `webhook-id`, `webhook-timestamp` and the body in the form of Standard Webhooks, separated by spaces. After a rotation of the secret, there are two for a day. One that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description When the attempt began, in seconds since 1970-01-01. Libraries refuse one that is more than 5 minutes old.
                 * @example 1795022672
                 */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NotificationCreatedEvent"];
            };
        };
        readonly responses: {
            readonly 204: components["responses"]["EventReceived"];
            readonly 410: components["responses"]["EventUnwanted"];
        };
    };
    readonly receiveVideoUploadFailed: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The id of the delivery, the same in every attempt. Ignore an event that you have handled.
                 * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                 */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `webhook-id`, `webhook-timestamp` and the body in the form of Standard Webhooks, separated by spaces. After a rotation of the secret, there are two for a day. One that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description When the attempt began, in seconds since 1970-01-01. Libraries refuse one that is more than 5 minutes old.
                 * @example 1795022672
                 */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["VideoUploadFailedEvent"];
            };
        };
        readonly responses: {
            readonly 204: components["responses"]["EventReceived"];
            readonly 410: components["responses"]["EventUnwanted"];
        };
    };
    readonly receiveVideoUploadSucceeded: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The id of the delivery, the same in every attempt. Ignore an event that you have handled.
                 * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                 */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `webhook-id`, `webhook-timestamp` and the body in the form of Standard Webhooks, separated by spaces. After a rotation of the secret, there are two for a day. One that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description When the attempt began, in seconds since 1970-01-01. Libraries refuse one that is more than 5 minutes old.
                 * @example 1795022672
                 */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["VideoUploadSucceededEvent"];
            };
        };
        readonly responses: {
            readonly 204: components["responses"]["EventReceived"];
            readonly 410: components["responses"]["EventUnwanted"];
        };
    };
    readonly receiveWebhookEndpointTested: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The id of the delivery, the same in every attempt. Ignore an event that you have handled.
                 * @example 01a1efa4-9f30-7c11-8a55-6a0b1f0e2d77
                 */
                readonly "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `webhook-id`, `webhook-timestamp` and the body in the form of Standard Webhooks, separated by spaces. After a rotation of the secret, there are two for a day. One that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description When the attempt began, in seconds since 1970-01-01. Libraries refuse one that is more than 5 minutes old.
                 * @example 1795022672
                 */
                readonly "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The event. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookEndpointTestedEvent"];
            };
        };
        readonly responses: {
            readonly 204: components["responses"]["EventReceived"];
            readonly 410: components["responses"]["EventUnwanted"];
        };
    };
}
