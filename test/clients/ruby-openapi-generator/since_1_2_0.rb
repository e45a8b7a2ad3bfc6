# frozen_string_literal: true

require 'net/http'

# The steps that 1.2.0 adds: the program receives events, and waits for changes.
module ReceiveAndWait
  EVENTS_URL = ENV.fetch('EVENTS_URL')

  module_function

  def run
    test_event
    video_event
  end

  # The next event at the webhook endpoint, as the body of its request.
  def next_event
    answer = Net::HTTP.get_response(URI(EVENTS_URL))
    check(answer.code == '200', 'no event')
    JSON.parse(answer.body, symbolize_names: true)
  end

  # 11 get a test event at a webhook endpoint.
  def test_event
    webhooks = Plumbline::WebhooksApi.new
    endpoint = webhooks.create_webhook_endpoint(
      Plumbline::CreateWebhookEndpointRequest.new(
        url: EVENTS_URL,
        events: [Plumbline::WebhookSubscription::OnVideoUploadSucceeded],
        scopes: [Plumbline::WebhookScope::WithVideoUploads]
      )
    ).endpoint
    webhooks.create_webhook_delivery(endpoint.id)
    event = Plumbline::WebhookEndpointTestedEvent.build_from_hash(next_event)
    check(event.type == 'webhook_endpoint.tested', event.type)
    check(event.data.endpoint_id == endpoint.id, 'not this endpoint')
    passed 11, event.type
  end

  # 12 wait for a video with one request, and get the event about it.
  def video_event
    videos = Plumbline::VideoUploadsApi.new
    job = videos.create_video_upload(File.binread(ENV.fetch('VIDEO')), name: 'clip.mp4')
    requests = 0
    while [Plumbline::VideoUploadStatus::QUEUED, Plumbline::VideoUploadStatus::PROCESSING].include?(job.status)
      job = videos.get_video_upload(job.id, wait: 20)
      requests += 1
    end
    check(job.status == Plumbline::VideoUploadStatus::SUCCEEDED && requests <= 3, "#{job.status} after #{requests} requests")
    event = Plumbline::VideoUploadSucceededEvent.build_from_hash(next_event)
    check(event.type == 'video_upload.succeeded', event.type)
    check(event.data.video_upload&.id == job.id, 'not this video')
    passed 12, "#{event.type}, and the job after #{requests} request"
  end
end

ReceiveAndWait.run
