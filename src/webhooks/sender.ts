import { z } from "zod";
import type { EventSources } from "../contract/events.ts";

const ids = z.object({ endpoint_id: z.uuid() });

/** The test event. */
export const webhookEventSources: Pick<EventSources<object>, "webhook_endpoint.tested"> = {
  "webhook_endpoint.tested": { scope: null, data: (_env, event) => Promise.resolve(ids.parse(event.ids)) },
};
