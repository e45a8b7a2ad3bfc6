import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.UUID
import plumbline.apis.ConversationsApi
import plumbline.apis.PlaybackApi
import plumbline.apis.PostsApi
import plumbline.apis.ServiceApi
import plumbline.apis.UsersApi
import plumbline.apis.VideoUploadsApi
import plumbline.infrastructure.ApiClient
import plumbline.models.Conversation
import plumbline.models.ConversationSortOrder
import plumbline.models.CreatePlaybackRequest
import plumbline.models.PutReadPositionRequest
import plumbline.models.UpdateAccountRequest

/** The steps that 1.1.0 adds, some of them as a colleague. */
internal object Since1_1_0 {
    private val NAME = "Mara ${UUID.randomUUID().toString().take(8)}"

    fun run() {
        people()
        unread()
        readPosition()
        playback()
    }

    private fun <T : ApiClient> asColleague(api: T): T = api.apply { accessTokenProvider = { setting("COLLEAGUE_KEY") } }

    /** 7 change a name, and find it as a colleague. */
    private fun people() {
        val me = ServiceApi(API_URL).updateAccount(UpdateAccountRequest(displayName = NAME))
        val users = asColleague(UsersApi(API_URL))
        val profile = users.getUser(me.userId)
        check(profile.displayName == NAME && !profile.deleted) { "not the new name" }
        check(users.findUsers(NAME).`data`.map { it.id } == listOf(me.userId)) { "not found by name" }
        val post = asColleague(PostsApi(API_URL)).listPosts(author = me.userId).`data`.first()
        check(post.author.displayName == NAME) { "no name beside the post" }
        note("to act for a second user, set `accessTokenProvider` of an API object")
        passed(7, "${post.title} by ${post.author.displayName}")
    }

    /** The conversation to which the renamed user has sent the newest message, as the colleague sees it. */
    private fun conversation(): Conversation =
        asColleague(ConversationsApi(API_URL)).listConversations(sort = ConversationSortOrder.RecentlyActiveConversationFirst)
            .`data`.first { it.lastMessage?.sender?.displayName == NAME }

    /** 8 see an unread message in the list of conversations. */
    private fun unread() {
        val listed = conversation()
        check(listed.unreadCount == 1) { "${listed.unreadCount} unread" }
        check(listed.lastMessage?.excerpt == "The slates come on Thursday.") { "not the newest message" }
        passed(8, "${listed.unreadCount} unread: ${listed.lastMessage.excerpt}")
    }

    /** 9 mark it as read. */
    private fun readPosition() {
        val listed = conversation()
        val sequence = checkNotNull(listed.lastMessage).sequence
        val read = asColleague(ConversationsApi(API_URL)).putReadPosition(listed.id, PutReadPositionRequest(sequence))
        check(read.unreadCount == 0 && read.lastReadSequence == sequence) { "not read" }
        check(conversation().unreadCount == 0) { "unread in the list" }
        passed(9, "read up to message $sequence")
    }

    /** 10 play a video through its link, without a credential. */
    private fun playback() {
        val video = VideoUploadsApi(API_URL).listVideoUploads().`data`.first()
        val rendition = PlaybackApi(API_URL).createPlayback(video.id, createPlaybackRequest = CreatePlaybackRequest()).renditions.last()
        val link = HttpRequest.newBuilder(URI.create(API_URL).resolve(rendition.href))
        val http = HttpClient.newHttpClient()
        val whole = http.send(link.build(), BodyHandlers.ofByteArray())
        check(whole.statusCode() == 200 && whole.body().size.toLong() == rendition.sizeBytes) { "the rendition is not whole" }
        val part = http.send(link.header("Range", "bytes=1000-1999").build(), BodyHandlers.ofByteArray())
        check(part.statusCode() == 206 && part.body().size == 1000) { "not the requested range" }
        passed(10, "${rendition.sizeBytes} bytes without a header, and a range")
    }
}
