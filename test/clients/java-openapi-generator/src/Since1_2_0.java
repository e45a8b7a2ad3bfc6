import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Set;
import plumbline.ApiClient;
import plumbline.ApiException;
import plumbline.api.VideoUploadsApi;
import plumbline.api.WebhooksApi;
import plumbline.model.CreateWebhookEndpointRequest;
import plumbline.model.VideoUploadStatus;
import plumbline.model.VideoUploadSucceededEvent;
import plumbline.model.WebhookEndpointTestedEvent;
import plumbline.model.WebhookScope;
import plumbline.model.WebhookSubscription;

/** The steps that 1.2.0 adds: the program receives events, and waits for changes. */
final class Since1_2_0 {
  private static final String EVENTS_URL = Journey.setting("EVENTS_URL");

  private Since1_2_0() {}

  static void run(ApiClient client) throws ApiException, IOException, InterruptedException {
    testEvent(client);
    videoEvent(client);
  }

  /** The next event that the receiver of run.ts has got, as JSON. */
  private static String nextEvent() throws IOException, InterruptedException {
    var answer = HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(EVENTS_URL)).build(), BodyHandlers.ofString());
    Journey.check(answer.statusCode() == 200, "no event");
    return answer.body();
  }

  /** 11 get a test event at a webhook endpoint. */
  private static void testEvent(ApiClient client) throws ApiException, IOException, InterruptedException {
    var webhooks = new WebhooksApi(client);
    var body = new CreateWebhookEndpointRequest().url(EVENTS_URL)
        .events(Set.of(WebhookSubscription.OnVideoUploadSucceeded)).scopes(Set.of(WebhookScope.WithVideoUploads));
    var endpoint = webhooks.createWebhookEndpoint(body).execute().getEndpoint();
    webhooks.createWebhookDelivery(endpoint.getId()).execute();
    var event = WebhookEndpointTestedEvent.fromJson(nextEvent());
    Journey.check(event.getType().getValue().equals("webhook_endpoint.tested"), "the event " + event.getType());
    Journey.check(event.getData().getEndpointId().equals(endpoint.getId()), "not this endpoint");
    Journey.passed(11, event.getType().getValue());
  }

  /** 12 wait for a video with one request, and get the event about it. */
  private static void videoEvent(ApiClient client) throws ApiException, IOException, InterruptedException {
    // Longer than `wait`, because the default of the client is 10 seconds.
    client.setReadTimeout(30_000);
    Journey.note("the client gives up after 10 s; for a longer `wait`, use `setReadTimeout`");
    var videos = new VideoUploadsApi(client);
    var job = videos.createVideoUpload(new File(Journey.setting("VIDEO"))).name("clip.mp4").execute();
    var requests = 0;
    while (Set.of(VideoUploadStatus.QUEUED, VideoUploadStatus.PROCESSING).contains(job.getStatus())) {
      // With an `int`, Java calls `Object.wait`.
      job = videos.getVideoUpload(job.getId()).wait(Integer.valueOf(20)).execute();
      requests++;
    }
    Journey.note("`wait(20)` is `Object.wait` and doesn't compile; pass an `Integer`");
    Journey.check(job.getStatus() == VideoUploadStatus.SUCCEEDED && requests <= 3, job.getStatus() + " after " + requests + " requests");
    var event = VideoUploadSucceededEvent.fromJson(nextEvent());
    var video = event.getData().getVideoUpload();
    Journey.check(event.getType().getValue().equals("video_upload.succeeded"), "the event " + event.getType());
    Journey.check(video != null && video.getId().equals(job.getId()), "not this video");
    Journey.passed(12, event.getType() + ", and the job after " + requests + " request");
  }
}
