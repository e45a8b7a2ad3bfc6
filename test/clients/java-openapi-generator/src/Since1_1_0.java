import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;
import plumbline.ApiClient;
import plumbline.ApiException;
import plumbline.api.ConversationsApi;
import plumbline.api.PlaybackApi;
import plumbline.api.PostsApi;
import plumbline.api.ServiceApi;
import plumbline.api.UsersApi;
import plumbline.api.VideoUploadsApi;
import plumbline.model.Conversation;
import plumbline.model.ConversationSortOrder;
import plumbline.model.CreatePlaybackRequest;
import plumbline.model.PutReadPositionRequest;
import plumbline.model.UpdateAccountRequest;
import plumbline.model.User;

/** The steps that 1.1.0 adds, some of them as a colleague. */
final class Since1_1_0 {
  private static final String NAME = "Mara " + UUID.randomUUID().toString().substring(0, 8);
  private static final ApiClient COLLEAGUE = new ApiClient();

  private Since1_1_0() {}

  static void run(ApiClient client) throws ApiException, IOException, InterruptedException {
    COLLEAGUE.setBasePath(Journey.setting("API_URL"));
    COLLEAGUE.setBearerToken(Journey.setting("COLLEAGUE_KEY"));
    people(client);
    unread();
    readPosition();
    playback(client);
  }

  /** 7 change a name, and find it as a colleague. */
  private static void people(ApiClient client) throws ApiException {
    var me = new ServiceApi(client).updateAccount(new UpdateAccountRequest().displayName(NAME)).execute();
    var users = new UsersApi(COLLEAGUE);
    var profile = users.getUser(me.getUserId()).execute();
    Journey.check(NAME.equals(profile.getDisplayName()) && !profile.getDeleted(), "not the new name");
    var found = users.findUsers(NAME).execute().getData().stream().map(User::getId).toList();
    Journey.check(found.equals(List.of(me.getUserId())), "not found by name");
    var post = new PostsApi(COLLEAGUE).listPosts().author(me.getUserId()).execute().getData().get(0);
    Journey.check(NAME.equals(post.getAuthor().getDisplayName()), "no name beside the post");
    Journey.passed(7, post.getTitle() + " by " + post.getAuthor().getDisplayName());
  }

  /** The conversation to which the renamed user has sent the newest message, as the colleague sees it. */
  private static Conversation conversation() throws ApiException {
    var page = new ConversationsApi(COLLEAGUE).listConversations().sort(ConversationSortOrder.RecentlyActiveConversationFirst).execute();
    return page.getData().stream()
        .filter(it -> it.getLastMessage() != null && NAME.equals(it.getLastMessage().getSender().getDisplayName()))
        .findFirst().orElseThrow();
  }

  /** 8 see an unread message in the list of conversations. */
  private static void unread() throws ApiException {
    var listed = conversation();
    Journey.check(listed.getUnreadCount() == 1, listed.getUnreadCount() + " unread");
    Journey.check(listed.getLastMessage().getExcerpt().equals("The slates come on Thursday."), "not the newest message");
    Journey.passed(8, listed.getUnreadCount() + " unread: " + listed.getLastMessage().getExcerpt());
  }

  /** 9 mark it as read. */
  private static void readPosition() throws ApiException {
    var listed = conversation();
    int sequence = listed.getLastMessage().getSequence();
    var body = new PutReadPositionRequest().sequence(sequence);
    var read = new ConversationsApi(COLLEAGUE).putReadPosition(listed.getId(), body).execute();
    Journey.check(read.getUnreadCount() == 0 && read.getLastReadSequence() == sequence, "not read");
    Journey.check(conversation().getUnreadCount() == 0, "unread in the list");
    Journey.passed(9, "read up to message " + sequence);
  }

  /** 10 play a video through its link, without a credential. */
  private static void playback(ApiClient client) throws ApiException, IOException, InterruptedException {
    var video = new VideoUploadsApi(client).listVideoUploads().execute().getData().get(0);
    var renditions = new PlaybackApi(client).createPlayback(video.getId()).createPlaybackRequest(new CreatePlaybackRequest()).execute().getRenditions();
    var rendition = renditions.get(renditions.size() - 1);
    var link = HttpRequest.newBuilder(URI.create(Journey.setting("API_URL")).resolve(rendition.getHref()));
    var http = HttpClient.newHttpClient();
    var whole = http.send(link.build(), BodyHandlers.ofByteArray());
    Journey.check(whole.statusCode() == 200 && whole.body().length == rendition.getSizeBytes(), "the rendition is not whole");
    var part = http.send(link.header("Range", "bytes=1000-1999").build(), BodyHandlers.ofByteArray());
    Journey.check(part.statusCode() == 206 && part.body().length == 1000, "not the requested range");
    Journey.passed(10, rendition.getSizeBytes() + " bytes without a header, and a range");
  }
}
