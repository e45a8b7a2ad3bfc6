<?php

declare(strict_types=1);

/** The steps that 1.2.0 adds: the program receives events, and waits for changes. */

use Plumbline\Api\VideoUploadsApi;
use Plumbline\Api\WebhooksApi;
use Plumbline\Model\CreateWebhookEndpointRequest;
use Plumbline\Model\VideoUploadStatus;
use Plumbline\Model\VideoUploadSucceededEvent;
use Plumbline\Model\WebhookEndpointTestedEvent;
use Plumbline\Model\WebhookScope;
use Plumbline\Model\WebhookSubscription;
use Plumbline\ObjectSerializer;

/** The next event at the webhook endpoint, as the body of its request. */
function nextEvent(string $url): string
{
    return (string) (new GuzzleHttp\Client())->get($url)->getBody();
}

/** 11 get a test event at a webhook endpoint. */
function testEvent(string $url): void
{
    $webhooks = new WebhooksApi();
    $endpoint = $webhooks->createWebhookEndpoint(new CreateWebhookEndpointRequest([
        'url' => $url,
        'events' => [WebhookSubscription::ON_VIDEO_UPLOAD_SUCCEEDED],
        'scopes' => [WebhookScope::WITH_VIDEO_UPLOADS],
    ]))->getEndpoint();
    $webhooks->createWebhookDelivery($endpoint->getId());
    $event = ObjectSerializer::deserialize(nextEvent($url), WebhookEndpointTestedEvent::class);
    check($event->getType() === 'webhook_endpoint.tested', $event->getType());
    check($event->getData()->getEndpointId() === $endpoint->getId(), 'not this endpoint');
    passed(11, $event->getType());
}

/** 12 wait for a video with one request, and get the event about it. */
function videoEvent(string $url): void
{
    $videos = new VideoUploadsApi();
    $job = $videos->createVideoUpload(new SplFileObject(getenv('VIDEO')), 'clip.mp4');
    $requests = 0;
    while (in_array($job->getStatus(), [VideoUploadStatus::QUEUED, VideoUploadStatus::PROCESSING], true)) {
        $job = $videos->getVideoUpload($job->getId(), wait: 20);
        $requests++;
    }
    check($job->getStatus() === VideoUploadStatus::SUCCEEDED && $requests <= 3, "{$job->getStatus()} after $requests requests");
    $event = ObjectSerializer::deserialize(nextEvent($url), VideoUploadSucceededEvent::class);
    check($event->getType() === 'video_upload.succeeded', $event->getType());
    check($event->getData()->getVideoUpload()?->getId() === $job->getId(), 'not this video');
    passed(12, "{$event->getType()}, and the job after $requests request");
}

testEvent(getenv('EVENTS_URL'));
videoEvent(getenv('EVENTS_URL'));
