package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
	"journey/build/api"
	. "steps"
)

var ctx = context.Background()

// begin: first lines
// apiKey gives every request its credential.
type apiKey string

func (key apiKey) BearerAuth(context.Context, api.OperationName) (api.BearerAuth, error) {
	return api.BearerAuth{Token: string(key)}, nil
}

// end

func main() {
	// begin: first lines
	client := Must(api.NewClient(Setting("API_URL"), apiKey(Setting("API_KEY"))))
	account := Must(client.GetAccount(ctx))
	// end

	client = Must(api.NewClient(Setting("API_URL"), apiKey(Setting("API_KEY")), api.WithClient(Browser())))
	shortUrl(client)
	posts(client, As[*api.AccountHeaders](account, nil).Response)
	message(client)
	video(client)
	notification(client)
	problems(client)
}

func target() url.URL { return *Must(url.Parse(Target)) }

// 1 create and follow a short URL
func shortUrl(client *api.Client) {
	created := As[*api.URLHeaders](client.CreateUrl(ctx, &api.CreateUrlRequest{TargetURL: target()}, api.CreateUrlParams{})).Response
	followed := As[*api.FollowUrlFound](client.FollowUrl(ctx, api.FollowUrlParams{ID: created.ID}))
	Check(followed.Location == target(), "Location is not the target")
	Passed(1, "%s leads to its target", created.ID)
}

// 2 page through posts by cursor and by offset
func posts(client *api.Client, me api.Account) {
	var made []api.UUID
	for _, title := range []string{"one", "two", "three", "four", "five"} {
		post := As[*api.PostHeaders](client.CreatePost(ctx, &api.CreatePostRequest{Title: title, Body: "Measured."}, api.CreatePostParams{}))
		made = append(made, post.Response.ID)
	}
	slices.Reverse(made)
	const limit = 2
	read := func(query api.ListPostsParams) (ids []api.UUID, page api.PostPageInfo) {
		query.Author, query.Limit = api.NewOptUUID(me.UserID), api.NewOptInt32(limit)
		list := As[*api.PostPageHeaders](client.ListPosts(ctx, query)).Response
		for _, post := range list.Data {
			ids = append(ids, post.ID)
		}
		return ids, list.Page
	}
	var byCursor, byOffset []api.UUID
	for query := (api.ListPostsParams{}); ; {
		ids, page := read(query)
		byCursor = append(byCursor, ids...)
		cursor, more := page.NextCursor.Get()
		if !more {
			break
		}
		query.After = api.NewOptCursor(api.Cursor(cursor))
	}
	for offset, total := int32(0), int32(1); offset < total; offset += limit {
		ids, page := read(api.ListPostsParams{Offset: api.NewOptInt32(offset), Sort: api.NewOptSortOrder(api.SortOrderCreatedAt)})
		byOffset = append(byOffset, ids...)
		total = page.Total.Or(0)
	}
	Check(slices.Equal(byCursor, made), "paging by cursor does not give the posts, newest first")
	slices.Reverse(made)
	Check(slices.Equal(byOffset, made), "paging by offset does not give the posts, oldest first")
	Passed(2, "5 posts by cursor and by offset")
}

// 3 send a message twice with one key
func message(client *api.Client) {
	key := Key()
	members := &api.CreateConversationRequest{MemberIds: []api.UUID{api.UUID(uuid.MustParse(Setting("COLLEAGUE_ID")))}}
	conversation := As[*api.ConversationHeaders](client.CreateConversation(ctx, members, api.CreateConversationParams{IdempotencyKey: key})).Response
	send := func() *api.MessageHeaders {
		params := api.CreateMessageParams{ConversationId: conversation.ID, IdempotencyKey: key}
		return As[*api.MessageHeaders](client.CreateMessage(ctx, &api.CreateMessageRequest{Body: "The slates come on Thursday."}, params))
	}
	first, second := send(), send()
	Check(first.Response.ID == second.Response.ID, "two ids")
	Check(second.IdempotencyReplayed.IsSet(), "not replayed")
	Passed(3, "sent twice, one message")
}

// 4 upload a video, poll until it is done and fetch its poster
func video(client *api.Client) {
	file := Must(os.Open(Setting("VIDEO")))
	defer file.Close()
	params := api.CreateVideoUploadParams{Name: api.NewOptString("clip.mp4")}
	accepted := As[*api.VideoUploadHeaders](client.CreateVideoUpload(ctx, &api.CreateVideoUploadReqApplicationOctetStream{Data: file}, params))
	job, retryAfter := accepted.Response, accepted.RetryAfter
	for job.Status == api.VideoUploadStatusQueued || job.Status == api.VideoUploadStatusProcessing {
		Pause(fmt.Sprint(retryAfter))
		answer := As[*api.GetVideoUploadOKHeaders](client.GetVideoUpload(ctx, api.GetVideoUploadParams{JobID: job.ID}))
		job, retryAfter = answer.Response, answer.RetryAfter.Or(1)
	}
	result, ok := job.Result.Get()
	Check(ok && job.Status == api.VideoUploadStatusSucceeded, "the job "+string(job.Status))
	answer := As[*api.GetVideoPosterOKHeaders](client.GetVideoPoster(ctx, api.GetVideoPosterParams{JobID: job.ID}))
	poster := Must(io.ReadAll(answer.Response))
	Check(int64(len(poster)) == result.Poster.SizeBytes, "the poster is not whole")
	Passed(4, "%d ms of %s, poster of %d bytes", result.DurationMs, result.VideoCodec, len(poster))
}

// 5 read notifications with a filter and mark one read
func notification(client *api.Client) {
	unread := As[*api.NotificationPageHeaders](client.ListNotifications(ctx, api.ListNotificationsParams{
		Status: api.NewOptNotificationStatus(api.NotificationStatusUnread),
		Kind:   api.NewOptNotificationKindFilter(api.NotificationKindFilterVideoUploadSucceeded),
	})).Response
	body, params := &api.UpdateNotificationRequest{Status: api.NotificationStatusRead}, api.UpdateNotificationParams{NotificationID: unread.Data[0].ID}
	read := As[*api.NotificationHeaders](client.UpdateNotification(ctx, body, params)).Response
	Check(read.Status == api.NotificationStatusRead && !read.ReadAt.IsNull(), "not marked")
	Passed(5, "read %s", read.Kind)
}

// 6 provoke a 404, a 409 and a 400
func problems(client *api.Client) {
	body := &api.CreateUrlRequest{TargetURL: target(), ID: api.NewOptUrlId(api.UrlId("taken-" + Key()[:8]))}
	As[*api.URLHeaders](client.CreateUrl(ctx, body, api.CreateUrlParams{}))
	unknown := As[*api.NotFoundHeaders](client.GetUrl(ctx, api.GetUrlParams{ID: "no-such-url"}))
	taken := As[*api.IdTakenOrInProgressHeaders](client.CreateUrl(ctx, body, api.CreateUrlParams{}))
	both := api.ListPostsParams{Offset: api.NewOptInt32(0), After: api.NewOptCursor("cursor")}
	conflicting := As[*api.InvalidPostPageHeaders](client.ListPosts(ctx, both))
	var seen []string
	for _, problem := range []api.Problem{unknown.Response, taken.Response, conflicting.Response} {
		seen = append(seen, fmt.Sprintf("%d %s", problem.Status, problem.Code))
	}
	Check(slices.Equal(seen, []string{"404 not_found", "409 id_taken", "400 conflicting_parameters"}), strings.Join(seen, ", "))
	Check(len(conflicting.Response.Errors) == 2, "the two parameters are not named")
	Passed(6, "%s", strings.Join(seen, ", "))
}
