import { Webhook } from "standardwebhooks";
import type { EndpointRow } from "../store.ts";

/** The headers of an attempt (Standard Webhooks). For a day after a rotation, the previous secret signs, too. */
export function signedHeaders(endpoint: EndpointRow, id: string, body: string, now = new Date()): Record<string, string> {
  const { secret, previousSecret, previousSecretUntil: until } = endpoint;
  const isPreviousValid = previousSecret !== null && until !== null && new Date(until) > now;
  const signatures = [secret, ...(isPreviousValid ? [previousSecret] : [])].map((it) => new Webhook(it).sign(id, now, body));
  return {
    "Content-Type": "application/json",
    "User-Agent": "Plumbline-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": signatures.join(" "),
  };
}
