package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"journey/build/api"
	. "journey/steps"
)

// colleague sends a request with the credential of the other user.
func colleague(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+Setting("COLLEAGUE_KEY"))
	return nil
}

// since_1_1_0 takes the steps that 1.1.0 adds, some of them as a colleague.
func since_1_1_0(client *api.ClientWithResponses) {
	name := "Mara " + Key()[:8]
	people(client, name)
	unread(client, name)
	readPosition(client, name)
	playback(client)
}

// 7 change a name, and find it as a colleague
func people(client *api.ClientWithResponses, name string) {
	renamed := Must(client.UpdateAccountWithResponse(ctx, api.UpdateAccountRequest{DisplayName: name}))
	me := answered(renamed.JSON200, raw{renamed.Status(), renamed.Body})
	shown := Must(client.GetUserWithResponse(ctx, me.UserId, colleague))
	profile := answered(shown.JSON200, raw{shown.Status(), shown.Body})
	Check(!profile.Deleted && *profile.DisplayName == name, "not the new name")
	found := Must(client.FindUsersWithResponse(ctx, &api.FindUsersParams{Name: name}, colleague))
	matches := answered(found.JSON200, raw{found.Status(), found.Body}).Data
	Check(len(matches) == 1 && matches[0].Id == me.UserId, "not found by name")
	listed := Must(client.ListPostsWithResponse(ctx, &api.ListPostsParams{Author: &me.UserId}, colleague))
	post := answered(listed.JSON200, raw{listed.Status(), listed.Body}).Data[0]
	Check(*post.Author.DisplayName == name, "no name beside the post")
	Passed(7, "%s by %s", post.Title, *post.Author.DisplayName)
}

// conversationWith is the one to which the renamed user has sent the newest message, as the colleague sees it.
func conversationWith(client *api.ClientWithResponses, name string) api.Conversation {
	sort := api.ConversationSortOrderRecentlyActiveConversationFirst
	listed := Must(client.ListConversationsWithResponse(ctx, &api.ListConversationsParams{Sort: &sort}, colleague))
	for _, it := range answered(listed.JSON200, raw{listed.Status(), listed.Body}).Data {
		if it.LastMessage != nil && *it.LastMessage.Sender.DisplayName == name {
			return it
		}
	}
	Check(false, "conversation is missing")
	return api.Conversation{}
}

// 8 see an unread message in the list of conversations
func unread(client *api.ClientWithResponses, name string) {
	conversation := conversationWith(client, name)
	Check(conversation.UnreadCount == 1, fmt.Sprintf("%d unread", conversation.UnreadCount))
	Check(conversation.LastMessage.Excerpt == "The slates come on Thursday.", "not the newest message")
	Passed(8, "%d unread: %s", conversation.UnreadCount, conversation.LastMessage.Excerpt)
}

// 9 mark it as read
func readPosition(client *api.ClientWithResponses, name string) {
	conversation := conversationWith(client, name)
	sequence := conversation.LastMessage.Sequence
	put := Must(client.PutReadPositionWithResponse(ctx, conversation.Id, api.PutReadPositionRequest{Sequence: sequence}, colleague))
	read := answered(put.JSON200, raw{put.Status(), put.Body})
	Check(read.UnreadCount == 0 && read.LastReadSequence == sequence, "not read")
	Check(conversationWith(client, name).UnreadCount == 0, "unread in the list")
	Passed(9, "read up to message %d", sequence)
}

// 10 play a video through its link, without a credential
func playback(client *api.ClientWithResponses) {
	listed := Must(client.ListVideoUploadsWithResponse(ctx, nil))
	video := answered(listed.JSON200, raw{listed.Status(), listed.Body}).Data[0]
	created := Must(client.CreatePlaybackWithResponse(ctx, video.Id, nil, api.CreatePlaybackRequest{}))
	renditions := answered(created.JSON201, raw{created.Status(), created.Body}).Renditions
	rendition := renditions[len(renditions)-1]
	status, size := play(rendition.Href, "")
	Check(status == 200 && size == rendition.SizeBytes, "the rendition is not whole")
	status, size = play(rendition.Href, "bytes=1000-1999")
	Check(status == 206 && size == 1000, "not the requested range")
	Passed(10, "%d bytes without a header, and a range", rendition.SizeBytes)
}

func play(href, byteRange string) (status int, size int64) {
	request := Must(http.NewRequest("GET", Setting("API_URL")+href, nil))
	if byteRange != "" {
		request.Header.Set("Range", byteRange)
	}
	response := Must(http.DefaultClient.Do(request))
	defer response.Body.Close()
	return response.StatusCode, Must(io.Copy(io.Discard, response.Body))
}
