"""The steps that 1.2.0 adds: the program receives events, and waits for changes."""

import json
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread

import urllib3

from plumbline_client import (
    ApiClient, CreateWebhookEndpointRequest, VideoUploadStatus, VideoUploadsApi, WebhooksApi, WebhookScope, WebhookSubscription,
)
from steps import VIDEO, check, passed

# begin: how to receive events
from webhooks import WebhookEvent, WebhookVerificationError, unwrap
# end

events: Queue[WebhookEvent] = Queue()
handled: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    """A receiver of webhooks, as a program that uses the API has it."""

    secret = ""

    # begin: how to receive events
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = unwrap(self.headers, body, self.secret)
        except WebhookVerificationError:
            return self.answer(401)
        self.answer(204)
        if event is None or event["id"] in handled:
            return
        handled.add(event["id"])
        events.put(event)
    # end

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing, because run.ts reads what the journey prints."""


def receive_and_wait(client: ApiClient) -> None:
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    get_test_event(client, f"http://127.0.0.1:{server.server_port}/")
    get_video_event(client)
    server.shutdown()


def get_test_event(client: ApiClient, url: str) -> None:
    """11 get a test event at a webhook endpoint, and refuse forged ones"""
    api = WebhooksApi(client)
    asked = [WebhookSubscription.OnVideoUploadSucceeded]
    created = api.create_webhook_endpoint(
        CreateWebhookEndpointRequest(url=url, events=asked, scopes=[WebhookScope.WithVideoUploads]),
    )
    Receiver.secret = created.secret
    for signature in ("v1,AAAA", "v1,not base64", "v1", "v2,AAAA", ",", ""):
        headers = {"webhook-id": "1", "webhook-timestamp": str(int(time.time())), "webhook-signature": signature}
        forged = urllib3.request("POST", url, headers=headers, body=json.dumps({"type": "webhook_endpoint.tested"}))
        check(forged.status == 401, f"{forged.status} for the signature {signature}")
    api.create_webhook_delivery(created.endpoint.id)
    event = events.get(timeout=60)
    if event["type"] == "webhook_endpoint.tested":
        check(event["data"]["endpoint_id"] == str(created.endpoint.id), "not this endpoint")
    check(event["type"] == "webhook_endpoint.tested", event["type"])
    passed(11, f"{event['type']}, and refused forged events")


def get_video_event(client: ApiClient) -> None:
    """12 wait for a video with one request, and get the event about it"""
    api = VideoUploadsApi(client)
    job = api.create_video_upload(VIDEO.read_bytes(), name="clip.mp4")
    requests = 0
    while job.status in (VideoUploadStatus.QUEUED, VideoUploadStatus.PROCESSING):
        job = api.get_video_upload(job.id, wait=20)
        requests += 1
    check(job.status == VideoUploadStatus.SUCCEEDED and requests <= 3, f"{job.status} after {requests} requests")
    event = events.get(timeout=60)
    if event["type"] == "video_upload.succeeded":
        video = event["data"]["video_upload"]
        check(video is not None and video["id"] == str(job.id), "not this video")
    check(event["type"] == "video_upload.succeeded", event["type"])
    passed(12, f"{event['type']}, and the job after {requests} request")
