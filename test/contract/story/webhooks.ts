import { eventually } from "../../support/eventually.ts";
import { startReceiver } from "../../support/receiver.ts";
import { shownBody, type Users, type ExampleAnswers } from "./example-answers.ts";

/**
 * Mara creates an endpoint, disables it, and enables it at a receiver that exists. It receives a test event twice, and gets a new
 * secret.
 */
export async function webhooksExamples({ mara }: Users): Promise<ExampleAnswers> {
  const created = await mara("POST", "/webhook-endpoints", shownBody("createWebhookEndpoint", "site_office"));
  const path = created.headers.get("location")!;
  const atExample = {
    "createWebhookEndpoint site_office": created,
    "getWebhookEndpoint active": await mara("GET", path),
    "listWebhookEndpoints one": await mara("GET", "/webhook-endpoints"),
    "updateWebhookEndpoint disable": await mara("PATCH", path, shownBody("updateWebhookEndpoint", "disable")),
  };

  // No server has the URL of the examples, and no response below contains it.
  await using receiver = await startReceiver();
  await mara("PATCH", path, { url: receiver.url, status: "active" });
  const sent = await mara("POST", `${path}/deliveries`, shownBody("createWebhookDelivery", "test"));
  const delivery = sent.headers.get("location")!;
  const arrived = () =>
    eventually("the test event has arrived", async () => {
      const answer = await mara("GET", delivery);
      return answer.body.status === "succeeded" && answer;
    });
  const delivered = {
    "createWebhookDelivery test": sent,
    "getWebhookDelivery test": await arrived(),
    "listWebhookDeliveries test": await mara("GET", `${path}/deliveries`),
    "createWebhookAttempt again": await mara("POST", `${delivery}/attempts`, shownBody("createWebhookAttempt", "again")),
  };
  await arrived();
  const rotated = await mara("POST", `${path}/secrets`, shownBody("createWebhookSecret", "rotate"));
  return { ...atExample, ...delivered, "createWebhookSecret rotate": rotated };
}
