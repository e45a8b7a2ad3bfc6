import { openAsBlob } from "node:fs";
import {
  createVideoUpload, createWebhookDelivery, createWebhookEndpoint, getVideoUpload, type VideoUploadSucceededEvent, type WebhookEndpointTestedEvent,
} from "./build/client.ts";
import { check, eventsUrl, nextEvent, step, videoPath } from "../typescript-steps.ts";
import { expect } from "./expect.ts";

/** Takes the steps that 1.2.0 adds: receives events, and waits for changes. */
export async function receiveAndWait(): Promise<void> {
  await step(11, testEvent);
  await step(12, videoEvent);
}

async function testEvent(): Promise<string> {
  const asked = { url: eventsUrl, events: ["video_upload.succeeded" as const], scopes: ["video_uploads:read" as const] };
  const { endpoint } = expect(await createWebhookEndpoint(asked), 201).data;
  expect(await createWebhookDelivery(endpoint.id, {}), 202);
  const event = (await nextEvent()) as WebhookEndpointTestedEvent;
  check(event.type === "webhook_endpoint.tested", event.type);
  check(event.data.endpoint_id === endpoint.id, "not this endpoint");
  return event.type;
}

async function videoEvent(): Promise<string> {
  let { data: job } = expect(await createVideoUpload(await openAsBlob(videoPath), { name: "clip.mp4" }), 202);
  let requests = 0;
  while (job.status === "queued" || job.status === "processing") {
    ({ data: job } = expect(await getVideoUpload(job.id, { wait: 20 }), 200));
    requests += 1;
  }
  check(job.status === "succeeded" && requests <= 3, `${job.status} after ${requests} requests`);
  const event = (await nextEvent()) as VideoUploadSucceededEvent;
  check(event.type === "video_upload.succeeded", event.type);
  check(event.data.video_upload?.id === job.id, "not this video");
  return `${event.type}, and the job after ${requests} request`;
}
