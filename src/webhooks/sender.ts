import { z } from "zod";
import type { Senders } from "../contract/events.ts";

const ids = z.object({ endpoint_id: z.uuid() });

/** The test event. */
export const webhookSenders: Pick<Senders<object>, "webhook_endpoint.tested"> = {
  "webhook_endpoint.tested": { scope: null, data: (_env, event) => Promise.resolve(ids.parse(event.ids)) },
};
