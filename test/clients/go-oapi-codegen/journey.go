package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
	"journey/build/api"
	. "journey/steps"
)

var ctx = context.Background()

// answered is the expected body of a response, which is nil for any other response.
func answered[T any](body *T, answer fmt.Stringer) T {
	Check(body != nil, "not the expected answer: "+answer.String())
	return *body
}

// raw shows a response as it arrived.
type raw struct {
	status string
	body   []byte
}

func (it raw) String() string { return it.status + " " + string(it.body) }

func main() {
	// begin: first lines
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+Setting("API_KEY"))
		return nil
	}
	client := Must(api.NewClientWithResponses(Setting("API_URL"), api.WithRequestEditorFn(authorize)))
	account := Must(client.GetAccountWithResponse(ctx))
	// end

	client = Must(api.NewClientWithResponses(Setting("API_URL"), api.WithHTTPClient(Browser()), api.WithRequestEditorFn(authorize)))
	shortUrl(client)
	posts(client, answered(account.JSON200, raw{account.Status(), account.Body}))
	message(client)
	video(client)
	notification(client)
	problems(client)
	since_1_1_0(client)
	since_1_2_0(client)
}

// 1 create and follow a short URL
func shortUrl(client *api.ClientWithResponses) {
	answer := Must(client.CreateUrlWithResponse(ctx, nil, api.CreateUrlRequest{TargetUrl: Target}))
	created := answered(answer.JSON201, raw{answer.Status(), answer.Body})
	followed := Must(client.FollowUrlWithResponse(ctx, created.Id))
	Check(followed.StatusCode() == 302 && followed.Headers302.Location == Target, "Location is not the target")
	Passed(1, "%s leads to its target", created.Id)
}

// 2 page through posts by cursor and by offset
func posts(client *api.ClientWithResponses, me api.Account) {
	var made []uuid.UUID
	for _, title := range []string{"one", "two", "three", "four", "five"} {
		answer := Must(client.CreatePostWithResponse(ctx, nil, api.CreatePostRequest{Title: title, Body: "Measured."}))
		made = append(made, answered(answer.JSON201, raw{answer.Status(), answer.Body}).Id)
	}
	slices.Reverse(made)
	limit := int32(2)
	read := func(query api.ListPostsParams) (ids []uuid.UUID, page api.PostPageInfo) {
		query.Author, query.Limit = &me.UserId, &limit
		answer := Must(client.ListPostsWithResponse(ctx, &query))
		body := answered(answer.JSON200, raw{answer.Status(), answer.Body})
		for _, post := range body.Data {
			ids = append(ids, post.Id)
		}
		return ids, body.Page
	}
	var byCursor, byOffset []uuid.UUID
	for query := (api.ListPostsParams{}); ; {
		ids, page := read(query)
		byCursor = append(byCursor, ids...)
		if page.NextCursor == nil {
			break
		}
		query.After = page.NextCursor
	}
	oldestFirst := api.PostSortOrderOldestPostFirst
	for offset, total := int32(0), int32(1); offset < total; offset += limit {
		ids, page := read(api.ListPostsParams{Offset: &offset, Sort: &oldestFirst})
		byOffset = append(byOffset, ids...)
		total = *page.Total
	}
	Check(slices.Equal(byCursor, made), "paging by cursor does not give the posts, newest first")
	slices.Reverse(made)
	Check(slices.Equal(byOffset, made), "paging by offset does not give the posts, oldest first")
	Passed(2, "5 posts by cursor and by offset")
}

// 3 send a message twice with one key
func message(client *api.ClientWithResponses) {
	key := Key()
	members := api.CreateConversationRequest{MemberIds: []uuid.UUID{uuid.MustParse(Setting("COLLEAGUE_ID"))}}
	opened := Must(client.CreateConversationWithResponse(ctx, &api.CreateConversationParams{IdempotencyKey: key}, members))
	conversation := answered(opened.JSON201, raw{opened.Status(), opened.Body})
	send := func() *api.CreateMessageResponse {
		body := api.CreateMessageRequest{Body: "The slates come on Thursday."}
		return Must(client.CreateMessageWithResponse(ctx, conversation.Id, &api.CreateMessageParams{IdempotencyKey: key}, body))
	}
	first, second := send(), send()
	Check(answered(first.JSON201, raw{first.Status(), first.Body}).Id == answered(second.JSON201, raw{second.Status(), second.Body}).Id, "two ids")
	Check(second.Headers201.IdempotencyReplayed != nil, "not replayed")
	Passed(3, "sent twice, one message")
}

// 4 upload a video, poll until it is done and fetch its poster
func video(client *api.ClientWithResponses) {
	file := Must(os.Open(Setting("VIDEO")))
	defer file.Close()
	name := "clip.mp4"
	accepted := Must(client.CreateVideoUploadWithBodyWithResponse(ctx, &api.CreateVideoUploadParams{Name: &name}, "application/octet-stream", file))
	job, header := answered(accepted.JSON202, raw{accepted.Status(), accepted.Body}), accepted.HTTPResponse.Header
	for job.Status == api.VideoUploadStatusQueued || job.Status == api.VideoUploadStatusProcessing {
		Pause(header.Get("Retry-After"))
		answer := Must(client.GetVideoUploadWithResponse(ctx, job.Id, nil))
		job, header = answered(answer.JSON200, raw{answer.Status(), answer.Body}), answer.HTTPResponse.Header
	}
	Check(job.Status == api.VideoUploadStatusSucceeded && job.Result != nil, "the job "+string(job.Status))
	poster := Must(client.GetVideoPosterWithResponse(ctx, job.Id, nil))
	Check(int64(len(poster.Body)) == job.Result.Poster.SizeBytes, "the poster is not whole")
	Passed(4, "%d ms of %s, poster of %d bytes", job.Result.DurationMs, job.Result.VideoCodec, len(poster.Body))
}

// 5 read notifications with a filter and mark one read
func notification(client *api.ClientWithResponses) {
	status, kind := api.NotificationStatusUnread, api.NotificationKindFilterVideoUploadSucceeded
	unread := Must(client.ListNotificationsWithResponse(ctx, &api.ListNotificationsParams{Status: &status, Kind: &kind}))
	list := answered(unread.JSON200, raw{unread.Status(), unread.Body})
	marked := Must(client.UpdateNotificationWithResponse(ctx, list.Data[0].Id, nil, api.UpdateNotificationRequest{Status: api.NotificationStatusRead}))
	read := answered(marked.JSON200, raw{marked.Status(), marked.Body})
	Check(read.Status == api.NotificationStatusRead && read.ReadAt != nil, "not marked")
	Passed(5, "read %s", read.Kind)
}

// 6 provoke a 404, a 409 and a 400
func problems(client *api.ClientWithResponses) {
	id := "taken-" + Key()[:8]
	body := api.CreateUrlRequest{TargetUrl: Target, Id: &id}
	Must(client.CreateUrlWithResponse(ctx, nil, body))
	unknown := Must(client.GetUrlWithResponse(ctx, "no-such-url", nil))
	taken := Must(client.CreateUrlWithResponse(ctx, nil, body))
	offset, after := int32(0), "cursor"
	conflicting := Must(client.ListPostsWithResponse(ctx, &api.ListPostsParams{Offset: &offset, After: &after}))
	var seen []string
	for _, problem := range []api.Problem{
		answered(unknown.ApplicationproblemJSON404, raw{unknown.Status(), unknown.Body}),
		answered(taken.ApplicationproblemJSON409, raw{taken.Status(), taken.Body}),
		answered(conflicting.ApplicationproblemJSON400, raw{conflicting.Status(), conflicting.Body}),
	} {
		seen = append(seen, fmt.Sprintf("%d %s", problem.Status, problem.Code))
	}
	Check(slices.Equal(seen, []string{"404 not_found", "409 id_taken", "400 conflicting_parameters"}), strings.Join(seen, ", "))
	Check(len(*conflicting.ApplicationproblemJSON400.Errors) == 2, "the two parameters are not named")
	Passed(6, "%s", strings.Join(seen, ", "))
}
