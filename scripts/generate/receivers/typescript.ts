import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import type { Contract } from "../../../src/contract/bundle.ts";
import { eventsOf, schemasOfEvents } from "./events.ts";

/** The module for receivers in TypeScript: the types of the events, and `unwrap`. */
export async function typescriptReceiver(contract: Contract, marker: string): Promise<string> {
  const document = { openapi: "3.1.0", info: contract.info, paths: {}, components: { schemas: schemasOfEvents(contract) } };
  const types = await openapiTS(document as unknown as OpenAPI3, {
    immutable: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
  });
  const events = eventsOf(contract);
  // The tool also writes empty types for sections that the document lacks.
  const written = astToString(types).replaceAll(
    /^export type (paths|webhooks|\$defs|operations) = Record<string, never>;\n/gm,
    "",
  );
  return `// ${marker}

import { Webhook, WebhookVerificationError } from "standardwebhooks";

export { WebhookVerificationError };

${written}
/** What the service sends. Its \`type\` says which event it is. */
export type WebhookEvent =
${events.map(({ name }) => `    | ${name}`).join("\n")};

const TYPES: ReadonlySet<string> = new Set<WebhookEvent["type"]>([
${events.map(({ type }) => `    ${JSON.stringify(type)},`).join("\n")}
]);

/** The headers of a request, as an object with their names in lower case, or as \`Headers\`. */
export type ReceivedHeaders =
    | { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The event in a request, with its \`webhook-id\` as \`id\`, after its signature and its age were checked. \`body\` is what has arrived,
 * before anything has parsed it. \`null\` is an event of a type that a later version of the service has: answer it with 2xx.
 * Throws a \`WebhookVerificationError\` if the service has not sent this with the secret: answer it with 401.
 */
export function unwrap(headers: ReceivedHeaders, body: string | Uint8Array, secret: string): WebhookEvent | null {
    const header = (name: string): string => {
        const value = typeof headers["get"] === "function" ? headers["get"](name) : (headers as Readonly<Record<string, unknown>>)[name];
        return typeof value === "string" ? value : "";
    };
    const id = header("webhook-id");
    const webhook = new Webhook(secret);
    const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
    const event = webhook.verify(text, {
        "webhook-id": id,
        "webhook-timestamp": header("webhook-timestamp"),
        "webhook-signature": header("webhook-signature"),
    }) as Omit<WebhookEvent, "id">;
    return TYPES.has(event.type) ? ({ ...event, id } as WebhookEvent) : null;
}
`;
}
