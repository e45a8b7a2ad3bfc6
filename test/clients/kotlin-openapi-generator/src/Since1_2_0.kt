import java.io.File
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.time.Duration
import plumbline.apis.VideoUploadsApi
import plumbline.apis.WebhooksApi
import plumbline.infrastructure.ApiClient
import plumbline.infrastructure.Serializer
import plumbline.models.CreateWebhookEndpointRequest
import plumbline.models.VideoUploadStatus
import plumbline.models.VideoUploadSucceededEvent
import plumbline.models.WebhookEndpointTestedEvent
import plumbline.models.WebhookScope
import plumbline.models.WebhookSubscription

/** The steps that 1.2.0 adds: the program receives events, and waits for changes. */
internal object Since1_2_0 {
    private val EVENTS_URL = setting("EVENTS_URL")

    fun run() {
        testEvent()
        videoEvent()
    }

    /** The next event that the receiver of run.ts has got. */
    private inline fun <reified T : Any> nextEvent(): T {
        val request = HttpRequest.newBuilder(URI.create(EVENTS_URL)).build()
        val answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString())
        check(answer.statusCode() == 200) { "no event" }
        return checkNotNull(Serializer.moshi.adapter(T::class.java).fromJson(answer.body()))
    }

    /** 11 get a test event at a webhook endpoint. */
    private fun testEvent() {
        val webhooks = WebhooksApi(API_URL)
        val body = CreateWebhookEndpointRequest(
            url = EVENTS_URL,
            events = setOf(WebhookSubscription.OnVideoUploadSucceeded),
            scopes = setOf(WebhookScope.WithVideoUploads),
        )
        val endpoint = webhooks.createWebhookEndpoint(body).endpoint
        webhooks.createWebhookDelivery(endpoint.id)
        val event = nextEvent<WebhookEndpointTestedEvent>()
        check(event.type.value == "webhook_endpoint.tested") { "the event ${event.type}" }
        check(event.`data`.endpointId == endpoint.id) { "not this endpoint" }
        passed(11, event.type.value)
    }

    /** 12 wait for a video with one request, and get the event about it. */
    private fun videoEvent() {
        // Longer than `wait`, because the default of the client is 10 seconds.
        val patient = ApiClient.defaultClient.newBuilder().readTimeout(Duration.ofSeconds(30)).build()
        note("the client gives up after 10 s; for a longer `wait`, pass the API object an `OkHttpClient` with a longer `readTimeout`")
        val videos = VideoUploadsApi(API_URL, patient)
        var job = videos.createVideoUpload(File(setting("VIDEO")), name = "clip.mp4")
        var requests = 0
        while (job.status == VideoUploadStatus.queued || job.status == VideoUploadStatus.processing) {
            job = videos.getVideoUpload(job.id, wait = 20)
            requests += 1
        }
        check(job.status == VideoUploadStatus.succeeded && requests <= 3) { "${job.status} after $requests requests" }
        val event = nextEvent<VideoUploadSucceededEvent>()
        check(event.type.value == "video_upload.succeeded") { "the event ${event.type}" }
        check(event.`data`.videoUpload?.id == job.id) { "not this video" }
        passed(12, "${event.type}, and the job after $requests request")
    }
}
