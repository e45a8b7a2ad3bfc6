import { openAsBlob } from "node:fs";
import {
  createVideoUpload, createWebhookDelivery, createWebhookEndpoint, getVideoUpload, type VideoUploadSucceededEvent, type WebhookEndpointTestedEvent,
} from "./build/client/index.js";
import { check, eventsUrl, nextEvent, present, step, videoPath } from "../typescript-steps.ts";

/** Takes the steps that 1.2.0 adds: receives events, and waits for changes. */
export async function receiveAndWait(): Promise<void> {
  await step(11, testEvent);
  await step(12, videoEvent);
}

async function testEvent(): Promise<string> {
  const { data } = await createWebhookEndpoint({
    body: { url: eventsUrl, events: ["video_upload.succeeded"], scopes: ["video_uploads:read"] },
  });
  const { endpoint } = present(data, "endpoint");
  present((await createWebhookDelivery({ path: { endpoint_id: endpoint.id }, body: {} })).data, "delivery");
  const event = (await nextEvent()) as WebhookEndpointTestedEvent;
  check(event.type === "webhook_endpoint.tested", event.type);
  check(event.data.endpoint_id === endpoint.id, "not this endpoint");
  return event.type;
}

async function videoEvent(): Promise<string> {
  let { data: job } = await createVideoUpload({ query: { name: "clip.mp4" }, body: await openAsBlob(videoPath) });
  let requests = 0;
  while (job?.status === "queued" || job?.status === "processing") {
    ({ data: job } = await getVideoUpload({ path: { job_id: job.id }, query: { wait: 20 } }));
    requests += 1;
  }
  check(job?.status === "succeeded" && requests <= 3, `${job?.status} after ${requests} requests`);
  const event = (await nextEvent()) as VideoUploadSucceededEvent;
  check(event.type === "video_upload.succeeded", event.type);
  check(event.data.video_upload?.id === job?.id, "not this video");
  return `${event.type}, and the job after ${requests} request`;
}
