import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Client } from "openapi-fetch";
import type { components, paths } from "./build/openapi.d.ts";
// begin: how to receive events
import { unwrap, WebhookVerificationError, type WebhookEvent } from "./build/webhooks.ts";
// end
import { check, present, step, videoPath } from "../typescript-steps.ts";

/** Takes the steps that 1.2.0 adds: receives events, and waits for changes. */
export async function receiveAndWait(api: Client<paths>): Promise<void> {
  const receiver = await startReceiver();
  await step(11, () => testEvent(api, receiver));
  await step(12, () => videoEvent(api, receiver));
  receiver.stop();
}

type Receiver = {
  readonly url: string;
  /** The secret with which the service signs. It is not known before the endpoint exists. */
  secret: string;
  readonly next: () => Promise<WebhookEvent>;
  readonly stop: () => void;
};

/** A receiver of webhooks, as a program that uses the API has it. */
async function startReceiver(): Promise<Receiver> {
  const events: WebhookEvent[] = [];
  const handled = new Set<string>();
  // begin: how to receive events
  const server = createServer(async (request, response) => {
    try {
      const event = unwrap(request.headers, await buffer(request), receiver.secret);
      response.writeHead(204).end();
      if (event === null || handled.has(event.id)) return;
      handled.add(event.id);
      events.push(event);
      server.emit("event");
    } catch (error) {
      response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
    }
  });
  // end
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    secret: "",
    next: async () => {
      while (events.length === 0) await once(server, "event");
      return events.shift()!;
    },
    stop: () => void server.close(),
  };
  return receiver;
}

async function testEvent(api: Client<paths>, receiver: Receiver): Promise<string> {
  // begin: how to receive events
  const { data } = await api.POST("/webhook-endpoints", {
    body: { url: receiver.url, events: ["video_upload.succeeded"], scopes: ["video_uploads:read"] },
  });
  // end
  const { endpoint, secret } = present(data, "endpoint");
  receiver.secret = secret;
  for (const signature of ["v1,AAAA", "v1,not base64", "v1", "v2,AAAA", ",", ""]) {
    const headers = { "webhook-id": "1", "webhook-timestamp": String(Math.floor(Date.now() / 1000)), "webhook-signature": signature };
    const forged = await fetch(receiver.url, { method: "POST", headers, body: JSON.stringify({ type: "webhook_endpoint.tested" }) });
    check(forged.status === 401, `${forged.status} for the signature ${signature}`);
  }
  await api.POST("/webhook-endpoints/{endpoint_id}/deliveries", { params: { path: { endpoint_id: endpoint.id } }, body: {} });
  const event = await receiver.next();
  check(event.type === "webhook_endpoint.tested", event.type);
  check(event.data.endpoint_id === endpoint.id, "not this endpoint");
  return `${event.type}, and refused forged events`;
}

async function videoEvent(api: Client<paths>, receiver: Receiver): Promise<string> {
  const bytes = await readFile(videoPath);
  const accepted = await api.POST("/video-uploads", {
    params: { query: { name: "clip.mp4" } }, headers: { "Content-Type": "application/octet-stream" },
    body: bytes as unknown as string, bodySerializer: (body) => body,
  });
  let job: components["schemas"]["VideoUpload"] = present(accepted.data, "job");
  let requests = 0;
  // begin: how to let it wait
  const params = { path: { job_id: job.id }, query: { wait: 20 } };
  while (job.status === "queued" || job.status === "processing") {
    const { data } = await api.GET("/video-uploads/{job_id}", { params });
    if (data === undefined) throw new Error("no job");
    job = data;
    requests += 1;
  }
  // end
  check(job.status === "succeeded" && requests <= 3, `${job.status} after ${requests} requests`);
  const event = await receiver.next();
  check(event.type === "video_upload.succeeded", event.type);
  check(event.data.video_upload?.id === job.id, "not this video");
  return `${event.type}, and the job after ${requests} request`;
}
