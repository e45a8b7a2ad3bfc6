package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"journey/build/client"
	. "steps"
)

// answered is the body of an answer and its headers, which the client returns beside an error.
func answered[T any](body *T, answer *http.Response, err error) (T, http.Header) {
	return *Must(body, err), answer.Header
}

// refused is the problem of an answer, which the client returns as the bytes of an error.
func refused[T any](_ *T, _ *http.Response, err error) (problem plumbline.Problem) {
	failure, ok := err.(*plumbline.GenericOpenAPIError)
	Check(ok, "not refused")
	Check(json.Unmarshal(failure.Body(), &problem) == nil, "not a problem")
	return problem
}

func main() {
	// begin: first lines
	configuration := plumbline.NewConfiguration()
	configuration.Servers = plumbline.ServerConfigurations{{URL: Setting("API_URL")}}
	client := plumbline.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), plumbline.ContextAccessToken, Setting("API_KEY"))
	account, _, err := client.ServiceAPI.GetAccount(ctx).Execute()
	// end

	shortUrl(ctx, configuration)
	posts(ctx, client, Must(account, err).UserId)
	message(ctx, client)
	video(ctx, client)
	notification(ctx, client)
	problems(ctx, client)
}

// 1 create and follow a short URL
func shortUrl(ctx context.Context, configuration *plumbline.Configuration) {
	configuration.HTTPClient = Browser()
	client := plumbline.NewAPIClient(configuration)
	created, _ := answered(client.UrlsAPI.CreateUrl(ctx).CreateUrlRequest(*plumbline.NewCreateUrlRequest(Target)).Execute())
	_, followed, _ := client.UrlsAPI.FollowUrl(ctx, created.Id).Execute()
	Note("a 302 is an error; read `Location` from the response beside it")
	Check(followed.StatusCode == 302 && followed.Header.Get("Location") == Target, "Location is not the target")
	Passed(1, "%s leads to its target", created.Id)
}

// 2 page through posts by cursor and by offset
func posts(ctx context.Context, client *plumbline.APIClient, me string) {
	const limit = 2
	var made, byCursor, byOffset []string
	for _, title := range []string{"one", "two", "three", "four", "five"} {
		post, _ := answered(client.PostsAPI.CreatePost(ctx).CreatePostRequest(*plumbline.NewCreatePostRequest(title, "Measured.")).Execute())
		made = append([]string{post.Id}, made...)
	}
	read := func(request plumbline.ApiListPostsRequest) (ids []string, page plumbline.PostPageInfo) {
		answer, _ := answered(request.Author(me).Limit(limit).Execute())
		for _, post := range answer.Data {
			ids = append(ids, post.Id)
		}
		return ids, answer.Page
	}
	for request := client.PostsAPI.ListPosts(ctx); ; {
		ids, page := read(request)
		byCursor = append(byCursor, ids...)
		after := page.NextCursor.Get()
		if after == nil {
			break
		}
		request = client.PostsAPI.ListPosts(ctx).After(*after)
	}
	for offset, total := int32(0), int32(1); offset < total; offset += limit {
		ids, page := read(client.PostsAPI.ListPosts(ctx).Offset(offset).Sort(plumbline.OldestPostFirst))
		byOffset = append(byOffset, ids...)
		total = *page.Total.Get()
	}
	Check(slices.Equal(byCursor, made), "paging by cursor does not give the posts, newest first")
	slices.Reverse(made)
	Check(slices.Equal(byOffset, made), "paging by offset does not give the posts, oldest first")
	Passed(2, "5 posts by cursor and by offset")
}

// 3 send a message twice with one key
func message(ctx context.Context, client *plumbline.APIClient) {
	key := Key()
	members := *plumbline.NewCreateConversationRequest([]string{Setting("COLLEAGUE_ID")})
	conversation, _ := answered(client.ConversationsAPI.CreateConversation(ctx).IdempotencyKey(key).CreateConversationRequest(members).Execute())
	send := func() (plumbline.Message, http.Header) {
		body := *plumbline.NewCreateMessageRequest("The slates come on Thursday.")
		return answered(client.MessagesAPI.CreateMessage(ctx, conversation.Id).IdempotencyKey(key).CreateMessageRequest(body).Execute())
	}
	first, _ := send()
	second, header := send()
	Check(first.Id == second.Id, "two ids")
	Check(header.Get("Idempotency-Replayed") == "true", "not replayed")
	Passed(3, "sent twice, one message")
}

// 4 upload a video, poll until it is done and fetch its poster
func video(ctx context.Context, client *plumbline.APIClient) {
	file := Must(os.Open(Setting("VIDEO")))
	job, header := answered(client.VideoUploadsAPI.CreateVideoUpload(ctx).Name("clip.mp4").Body(file).Execute())
	for job.Status == plumbline.QUEUED || job.Status == plumbline.PROCESSING {
		Pause(header.Get("Retry-After"))
		job, header = answered(client.VideoUploadsAPI.GetVideoUpload(ctx, job.Id).Execute())
	}
	Check(job.Status == plumbline.SUCCEEDED && job.Result.IsSet(), "the job "+string(job.Status))
	result := job.Result.Get()
	poster, _ := answered(client.VideoUploadsAPI.GetVideoPoster(ctx, job.Id).Execute())
	size := Must(poster.Stat()).Size()
	Check(size == result.Poster.SizeBytes, "the poster is not whole")
	Passed(4, "%d ms of %s, poster of %d bytes", result.DurationMs, result.VideoCodec, size)
}

// 5 read notifications with a filter and mark one read
func notification(ctx context.Context, client *plumbline.APIClient) {
	list, _ := answered(client.NotificationsAPI.ListNotifications(ctx).Status(plumbline.UNREAD).Kind(plumbline.VideoUploadSucceeded).Execute())
	mark := *plumbline.NewUpdateNotificationRequest(plumbline.READ)
	read, _ := answered(client.NotificationsAPI.UpdateNotification(ctx, list.Data[0].Id).UpdateNotificationRequest(mark).Execute())
	Check(read.Status == plumbline.READ && read.ReadAt.IsSet(), "not marked")
	Passed(5, "read %s", read.Kind)
}

// 6 provoke a 404, a 409 and a 400
func problems(ctx context.Context, client *plumbline.APIClient) {
	body := *plumbline.NewCreateUrlRequest(Target)
	body.SetId("taken-" + Key()[:8])
	answered(client.UrlsAPI.CreateUrl(ctx).CreateUrlRequest(body).Execute())
	unknown := refused(client.UrlsAPI.GetUrl(ctx, "no-such-url").Execute())
	taken := refused(client.UrlsAPI.CreateUrl(ctx).CreateUrlRequest(body).Execute())
	conflicting := refused(client.PostsAPI.ListPosts(ctx).Offset(0).After("cursor").Execute())
	Note("a `GenericOpenAPIError` has the problem as bytes; parse them into a `Problem`")
	var seen []string
	for _, problem := range []plumbline.Problem{unknown, taken, conflicting} {
		seen = append(seen, fmt.Sprintf("%d %s", problem.Status, problem.Code))
	}
	Check(slices.Equal(seen, []string{"404 not_found", "409 id_taken", "400 conflicting_parameters"}), strings.Join(seen, ", "))
	Check(len(conflicting.Errors) == 2, "the two parameters are not named")
	Passed(6, "%s", strings.Join(seen, ", "))
}
