package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"journey/build/api"
	. "journey/steps"
)

// since_1_2_0 takes the steps that 1.2.0 adds: it receives events, and waits for changes.
func since_1_2_0(client *api.ClientWithResponses) {
	testEvent(client)
	videoEvent(client)
}

// nextEvent waits for the next event that has arrived at the webhook endpoint.
func nextEvent[T any]() (event T) {
	response := Must(http.Get(Setting("EVENTS_URL")))
	defer response.Body.Close()
	Check(response.StatusCode == 200, "no event has come")
	if err := json.NewDecoder(response.Body).Decode(&event); err != nil {
		Check(false, err.Error())
	}
	return event
}

// 11 get a test event at a webhook endpoint
func testEvent(client *api.ClientWithResponses) {
	created := Must(client.CreateWebhookEndpointWithResponse(ctx, nil, api.CreateWebhookEndpointRequest{
		Url:    Setting("EVENTS_URL"),
		Events: []api.WebhookSubscription{api.WebhookSubscriptionOnVideoUploadSucceeded},
		Scopes: &[]api.WebhookScope{api.WebhookScopeWithVideoUploads},
	}))
	endpoint := answered(created.JSON201, raw{created.Status(), created.Body}).Endpoint
	sent := Must(client.CreateWebhookDeliveryWithResponse(ctx, endpoint.Id, nil, api.CreateWebhookDeliveryRequest{}))
	answered(sent.JSON202, raw{sent.Status(), sent.Body})
	event := nextEvent[api.WebhookEndpointTestedEvent]()
	Check(event.Type == "webhook_endpoint.tested", string(event.Type))
	Check(event.Data.EndpointId == endpoint.Id, "not this endpoint")
	Passed(11, "%s", event.Type)
}

// 12 wait for a video with one request, and get the event about it
func videoEvent(client *api.ClientWithResponses) {
	file := Must(os.Open(Setting("VIDEO")))
	defer file.Close()
	name, wait, requests := "clip.mp4", api.Wait(20), 0
	accepted := Must(client.CreateVideoUploadWithBodyWithResponse(ctx, &api.CreateVideoUploadParams{Name: &name}, "application/octet-stream", file))
	job := answered(accepted.JSON202, raw{accepted.Status(), accepted.Body})
	for job.Status == api.VideoUploadStatusQueued || job.Status == api.VideoUploadStatusProcessing {
		answer := Must(client.GetVideoUploadWithResponse(ctx, job.Id, &api.GetVideoUploadParams{Wait: &wait}))
		job = answered(answer.JSON200, raw{answer.Status(), answer.Body})
		requests++
	}
	Check(job.Status == api.VideoUploadStatusSucceeded && requests <= 3, fmt.Sprintf("%s after %d requests", job.Status, requests))
	event := nextEvent[api.VideoUploadSucceededEvent]()
	Check(event.Type == "video_upload.succeeded", string(event.Type))
	Check(event.Data.VideoUpload != nil && event.Data.VideoUpload.Id == job.Id, "not this video")
	Passed(12, "%s, and the job after %d request", event.Type, requests)
}
