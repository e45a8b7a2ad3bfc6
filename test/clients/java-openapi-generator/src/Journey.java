import java.io.File;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import plumbline.ApiClient;
import plumbline.ApiException;
import plumbline.ApiResponse;
import plumbline.api.ConversationsApi;
import plumbline.api.MessagesApi;
import plumbline.api.NotificationsApi;
import plumbline.api.PostsApi;
import plumbline.api.ServiceApi;
import plumbline.api.UrlsApi;
import plumbline.api.VideoUploadsApi;
import plumbline.model.CreateConversationRequest;
import plumbline.model.CreateMessageRequest;
import plumbline.model.CreatePostRequest;
import plumbline.model.CreateUrlRequest;
import plumbline.model.Message;
import plumbline.model.NotificationKindFilter;
import plumbline.model.NotificationStatus;
import plumbline.model.Post;
import plumbline.model.Problem;
import plumbline.model.PostSortOrder;
import plumbline.model.UpdateNotificationRequest;
import plumbline.model.VideoUpload;
import plumbline.model.VideoUploadStatus;

/** The journey of run.ts through the Java client. */
final class Journey {
  private static final String TARGET = "https://www.example.com/slates/order/5531";
  // begin: first lines
  private static final ApiClient CLIENT = new ApiClient();

  // end

  private Journey() {}

  public static void main(String[] arguments) throws Exception {
    // begin: first lines
    CLIENT.setBasePath(setting("API_URL"));
    CLIENT.setBearerToken(setting("API_KEY"));
    var account = new ServiceApi(CLIENT).getAccount().execute();
    // end
    CLIENT.setHttpClient(CLIENT.getHttpClient().newBuilder().followRedirects(false).build());
    shortUrl();
    posts(account.getUserId());
    message();
    video();
    notification();
    problems();
    Since1_1_0.run(CLIENT);
    Since1_2_0.run(CLIENT);
  }

  /** 1 create and follow a short URL. */
  private static void shortUrl() throws ApiException {
    var urls = new UrlsApi(CLIENT);
    var created = urls.createUrl(new CreateUrlRequest().targetUrl(URI.create(TARGET))).execute();
    var followed = failure(() -> urls.followUrl(created.getId()).execute());
    check(followed.getCode() == 302 && header(followed.getResponseHeaders(), "location").equals(Optional.of(TARGET)), "Location is not the target");
    note("a 302 throws an `ApiException`; read `Location` from its headers");
    passed(1, created.getId() + " leads to its target");
  }

  /** 2 page through posts by cursor and by offset. */
  private static void posts(UUID me) throws ApiException {
    var posts = new PostsApi(CLIENT);
    var made = new ArrayList<UUID>();
    for (var title : List.of("one", "two", "three", "four", "five")) {
      made.add(posts.createPost(new CreatePostRequest().title(title).body("Measured.")).execute().getId());
    }
    Collections.reverse(made);
    var byCursor = new ArrayList<UUID>();
    String after = null;
    do {
      var page = posts.listPosts().author(me).limit(2).after(after).execute();
      page.getData().stream().map(Post::getId).forEach(byCursor::add);
      after = page.getPage().getNextCursor();
    } while (after != null);
    var byOffset = new ArrayList<UUID>();
    for (int offset = 0, total = 1; offset < total; offset += 2) {
      var page = posts.listPosts().author(me).sort(PostSortOrder.OldestPostFirst).limit(2).offset(offset).execute();
      page.getData().stream().map(Post::getId).forEach(byOffset::add);
      total = page.getPage().getTotal();
    }
    check(byCursor.equals(made), "paging by cursor does not give the posts, newest first");
    Collections.reverse(made);
    check(byOffset.equals(made), "paging by offset does not give the posts, oldest first");
    passed(2, "5 posts by cursor and by offset");
  }

  /** 3 send a message twice with one key. */
  private static void message() throws ApiException {
    var key = UUID.randomUUID().toString();
    var members = new CreateConversationRequest().memberIds(Set.of(UUID.fromString(setting("COLLEAGUE_ID"))));
    var conversation = new ConversationsApi(CLIENT).createConversation(key, members).execute();
    var answers = new ArrayList<ApiResponse<Message>>();
    for (var attempt = 1; attempt <= 2; attempt++) {
      var body = new CreateMessageRequest().body("The slates come on Thursday.");
      answers.add(new MessagesApi(CLIENT).createMessage(conversation.getId(), key, body).executeWithHttpInfo());
    }
    check(answers.get(0).getData().getId().equals(answers.get(1).getData().getId()), "two ids");
    check(header(answers.get(1).getHeaders(), "idempotency-replayed").equals(Optional.of("true")), "not replayed");
    passed(3, "sent twice, one message");
  }

  /** 4 upload a video, poll until it is done and fetch its poster. */
  private static void video() throws ApiException, InterruptedException {
    var videos = new VideoUploadsApi(CLIENT);
    ApiResponse<VideoUpload> answer = videos.createVideoUpload(new File(setting("VIDEO"))).name("clip.mp4").executeWithHttpInfo();
    while (Set.of(VideoUploadStatus.QUEUED, VideoUploadStatus.PROCESSING).contains(answer.getData().getStatus())) {
      Thread.sleep(1000 * Long.parseLong(header(answer.getHeaders(), "retry-after").orElse("1")));
      answer = videos.getVideoUpload(answer.getData().getId()).executeWithHttpInfo();
    }
    var job = answer.getData();
    check(job.getStatus() == VideoUploadStatus.SUCCEEDED, "the job " + job.getStatus());
    var result = job.getResult();
    var poster = videos.getVideoPoster(job.getId()).execute();
    check(poster.length() == result.getPoster().getSizeBytes(), "the poster is not whole");
    passed(4, "%d ms of %s, poster of %d bytes".formatted(result.getDurationMs(), result.getVideoCodec(), poster.length()));
  }

  /** 5 read notifications with a filter and mark one read. */
  private static void notification() throws ApiException {
    var notifications = new NotificationsApi(CLIENT);
    var unread = notifications.listNotifications()
        .status(NotificationStatus.UNREAD).kind(NotificationKindFilter.VideoUploadSucceeded).execute();
    var body = new UpdateNotificationRequest().status(NotificationStatus.READ);
    var read = notifications.updateNotification(unread.getData().get(0).getId(), body).execute();
    check(read.getStatus() == NotificationStatus.READ && read.getReadAt() != null, "not marked");
    passed(5, "read " + read.getKind());
  }

  /** 6 provoke a 404, a 409 and a 400. */
  private static void problems() throws ApiException {
    var urls = new UrlsApi(CLIENT);
    var taken = new CreateUrlRequest().targetUrl(URI.create(TARGET)).id("taken-" + UUID.randomUUID().toString().substring(0, 8));
    urls.createUrl(taken).execute();
    var problems = new ArrayList<Problem>();
    for (var failure : List.of(
        failure(() -> urls.getUrl("no-such-url").execute()),
        failure(() -> urls.createUrl(taken).execute()),
        failure(() -> new PostsApi(CLIENT).listPosts().offset(0).after("cursor").execute()))) {
      problems.add(failure.getErrorObject());
    }
    var seen = problems.stream().map(it -> it.getStatus() + " " + it.getCode()).toList();
    check(seen.equals(List.of("404 not_found", "409 id_taken", "400 conflicting_parameters")), seen.toString());
    check(problems.get(2).getErrors().size() == 2, "the two parameters are not named");
    passed(6, String.join(", ", seen));
  }

  private interface Call {
    void run() throws ApiException;
  }

  private static ApiException failure(Call call) {
    try {
      call.run();
    } catch (ApiException failure) {
      return failure;
    }
    throw new AssertionError("nothing was refused");
  }

  private static Optional<String> header(Map<String, List<String>> headers, String name) {
    return headers.getOrDefault(name, List.of()).stream().findFirst();
  }

  static String setting(String name) {
    return Optional.ofNullable(System.getenv(name)).orElseThrow(() -> new IllegalStateException(name + " is not set; run.ts sets it"));
  }

  static void passed(int step, String detail) {
    System.out.println("ok " + step + " " + detail);
  }

  static void note(String text) {
    System.out.println("note " + text);
  }

  static void check(boolean condition, String message) {
    if (!condition) throw new AssertionError(message);
  }
}
