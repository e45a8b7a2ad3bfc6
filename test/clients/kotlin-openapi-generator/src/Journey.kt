import java.io.File
import java.net.URI
import java.util.UUID
import plumbline.apis.ConversationsApi
import plumbline.apis.MessagesApi
import plumbline.apis.NotificationsApi
import plumbline.apis.PostsApi
import plumbline.apis.ServiceApi
import plumbline.apis.UrlsApi
import plumbline.apis.VideoUploadsApi
import plumbline.infrastructure.ApiClient
import plumbline.infrastructure.ClientError
import plumbline.infrastructure.ClientException
import plumbline.infrastructure.Serializer
import plumbline.infrastructure.Success
import plumbline.models.CreateConversationRequest
import plumbline.models.CreateMessageRequest
import plumbline.models.CreatePostRequest
import plumbline.models.CreateUrlRequest
import plumbline.models.NotificationKindFilter
import plumbline.models.NotificationStatus
import plumbline.models.Problem
import plumbline.models.PostSortOrder
import plumbline.models.UpdateNotificationRequest
import plumbline.models.VideoUpload
import plumbline.models.VideoUploadStatus

/** The journey of run.ts through the Kotlin client. */
private val TARGET = URI("https://www.example.com/slates/order/5531")
internal val API_URL = setting("API_URL")

fun main() {
    // begin: first lines
    ApiClient.accessToken = setting("API_KEY")
    val account = ServiceApi(API_URL).getAccount()
    // end
    shortUrl()
    posts(account.userId)
    message()
    video()
    notification()
    problems()
    Since1_1_0.run()
    Since1_2_0.run()
}

/** 1 create and follow a short URL. */
private fun shortUrl() {
    val created = UrlsApi(API_URL).createUrl(CreateUrlRequest(targetUrl = TARGET))
    check(created.expiresAt == null) { "an expiry that the request doesn't have" }
    val client = ApiClient.defaultClient.newBuilder().followRedirects(false).build()
    val followed = UrlsApi(API_URL, client).followUrlWithHttpInfo(created.id)
    check(followed.statusCode == 302 && header(followed.headers, "location") == TARGET.toString()) { "Location is not the target" }
    note("`followUrl` throws on a 302; read `Location` with `followUrlWithHttpInfo`")
    passed(1, "${created.id} leads to its target")
}

/** 2 page through posts by cursor and by offset. */
private fun posts(me: UUID) {
    val posts = PostsApi(API_URL)
    val made = listOf("one", "two", "three", "four", "five")
        .map { posts.createPost(CreatePostRequest(title = it, body = "Measured.")).id }
    val byCursor = mutableListOf<UUID>()
    var after: String? = null
    do {
        val page = posts.listPosts(author = me, limit = 2, after = after)
        byCursor += page.`data`.map { it.id }
        after = page.page.nextCursor
    } while (after != null)
    val byOffset = mutableListOf<UUID>()
    var total = 1
    for (offset in 0..Int.MAX_VALUE step 2) {
        if (offset >= total) break
        val page = posts.listPosts(author = me, sort = PostSortOrder.OldestPostFirst, limit = 2, offset = offset)
        byOffset += page.`data`.map { it.id }
        total = checkNotNull(page.page.total)
    }
    check(byCursor == made.reversed()) { "paging by cursor does not give the posts, newest first" }
    check(byOffset == made) { "paging by offset does not give the posts, oldest first" }
    passed(2, "5 posts by cursor and by offset")
}

/** 3 send a message twice with one key. */
private fun message() {
    val key = UUID.randomUUID().toString()
    val members = CreateConversationRequest(memberIds = setOf(UUID.fromString(setting("COLLEAGUE_ID"))))
    val conversation = ConversationsApi(API_URL).createConversation(key, members)
    check(conversation.lastMessageAt == null) { "a message before the first" }
    val answers = List(2) {
        val body = CreateMessageRequest(body = "The slates come on Thursday.")
        MessagesApi(API_URL).createMessageWithHttpInfo(conversation.id, key, body) as Success
    }
    check(answers[0].`data`?.id == answers[1].`data`?.id) { "two ids" }
    check(header(answers[1].headers, "idempotency-replayed") == "true") { "not replayed" }
    passed(3, "sent twice, one message")
}

/** 4 upload a video, poll until it is done and fetch its poster. */
private fun video() {
    val videos = VideoUploadsApi(API_URL)
    val id = videos.createVideoUpload(File(setting("VIDEO")), name = "clip.mp4").id
    var job: VideoUpload
    while (true) {
        val answer = videos.getVideoUploadWithHttpInfo(id, null, null, null) as Success
        job = checkNotNull(answer.`data`)
        if (job.status != VideoUploadStatus.queued && job.status != VideoUploadStatus.processing) break
        Thread.sleep(1000 * (header(answer.headers, "retry-after") ?: "1").toLong())
    }
    check(job.status == VideoUploadStatus.succeeded) { "the job ${job.status}" }
    val result = checkNotNull(job.result)
    val poster = videos.getVideoPoster(id).length()
    check(poster == result.poster.sizeBytes) { "the poster is not whole" }
    passed(4, "${result.durationMs} ms of ${result.videoCodec}, poster of $poster bytes")
}

/** 5 read notifications with a filter and mark one read. */
private fun notification() {
    val notifications = NotificationsApi(API_URL)
    val unread = notifications.listNotifications(
        status = NotificationStatus.unread,
        kind = NotificationKindFilter.VideoUploadSucceeded,
    ).`data`.first()
    check(unread.readAt == null) { "read before it was marked" }
    val read = notifications.updateNotification(unread.id, UpdateNotificationRequest(NotificationStatus.read))
    check(read.status == NotificationStatus.read && read.readAt != null) { "not marked" }
    passed(5, "read ${read.kind}")
}

/** 6 provoke a 404, a 409 and a 400. */
private fun problems() {
    val urls = UrlsApi(API_URL)
    val taken = CreateUrlRequest(targetUrl = TARGET, id = "taken-${UUID.randomUUID().toString().take(8)}")
    urls.createUrl(taken)
    val problems = listOf(
        problem { urls.getUrl("no-such-url") },
        problem { urls.createUrl(taken) },
        problem { PostsApi(API_URL).listPosts(offset = 0, after = "cursor") },
    )
    note("a `ClientException` has the problem as text; parse it with `Serializer`")
    val seen = problems.map { "${it.status} ${it.code}" }
    check(seen == listOf("404 not_found", "409 id_taken", "400 conflicting_parameters")) { seen }
    check(problems[2].errors?.size == 2) { "the two parameters are not named" }
    passed(6, seen.joinToString(", "))
}

private fun problem(call: () -> Any): Problem {
    val failure = runCatching(call).exceptionOrNull() as? ClientException ?: error("nothing was refused")
    val text = (failure.response as ClientError<*>).body as String
    return checkNotNull(Serializer.moshi.adapter(Problem::class.java).fromJson(text))
}

private fun header(headers: Map<String, List<String>>, name: String): String? = headers[name]?.firstOrNull()

internal fun setting(name: String): String = System.getenv(name) ?: error("$name is not set; run.ts sets it")

internal fun passed(step: Int, detail: String) = println("ok $step $detail")

internal fun note(text: String) = println("note $text")
