import type { Contract } from "../../../src/contract/bundle.ts";
import { componentsOf } from "../components.ts";

/** An event of the contract: its type, such as `message.created`, the name of its schema, and a reference to it. */
export type Event = { readonly type: string; readonly name: string; readonly schema: { readonly $ref: string } };

export function eventsOf({ webhooks = {} }: Contract): readonly Event[] {
  return Object.entries(webhooks).map(([type, { post }]) => {
    const { schema } = post.requestBody.content["application/json"] as { readonly schema: { readonly $ref: string } };
    return { type, name: schema.$ref.split("/").at(-1)!, schema };
  });
}

/** The part of JSON Schema that the schemas of events use. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
};

const ID: Schema = {
  type: "string",
  description: "The `webhook-id` of the delivery. It is the same in every attempt: ignore one that you have handled.",
};

/** The schemas of all events and of their fields. An event also has the `id` that `unwrap` adds. */
export function schemasOfEvents(contract: Contract): Readonly<Record<string, Schema>> {
  const events = eventsOf(contract);
  const nodes = events.map((it) => it.schema);
  const { schemas } = componentsOf(nodes, contract) as { schemas: Record<string, Schema> };
  const withId = events.map(({ name }) => {
    const { required = [], properties, ...schema } = schemas[name]!;
    return [name, { ...schema, required: ["id", ...required], properties: { id: ID, ...properties } }] as const;
  });
  return { ...schemas, ...Object.fromEntries(withId) };
}
