import type { Logger } from "pino";
import type { EventType } from "../../contract/contract.ts";
import type { EventSources } from "../../contract/events.ts";
import type { Connections } from "../../database/client.ts";
import type { Egress } from "../egress/egress.ts";
import type { OnDelivery } from "./attempt-result.ts";
import type { DeliveryLimits } from "./limits.ts";

/** The dependencies of the delivery of events. */
export type DeliveryParts = Connections & {
  readonly log: Logger;
  readonly egress: Egress;
  readonly limits: DeliveryLimits;
  readonly eventSources: EventSources<Connections>;
  /** Throws an error if the contract doesn't describe this event. */
  readonly checkEvent: (type: EventType, body: unknown) => void;
  readonly onDelivery: OnDelivery;
};
