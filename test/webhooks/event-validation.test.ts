import { describe, expect, it } from "@jest/globals";
import type { EventType } from "../../src/contract/contract.ts";
import { createEventValidation } from "../../src/http/validation/events.ts";
import { contract } from "../support/contract.ts";

const check = createEventValidation(contract);
type Examples = Readonly<Record<string, { readonly value: { readonly data: object } }>>;
const examples = Object.entries(contract.webhooks!).flatMap(([type, { post }]) => {
  const media = post.requestBody.content["application/json"] as { readonly examples: Examples };
  return Object.values(media.examples).map(({ value }) => ({ type: type as EventType, value }));
});

describe("the validation of events", () => {
  it("has an example of each event", () => {
    expect(new Set(examples.map((it) => it.type)).size).toBe(Object.keys(contract.webhooks!).length);
  });

  it.each(examples)(
    "accepts the example of $type, and refuses it with a field more, a field less or another type",
    ({ type, value }) => {
      check(type, value);
      const { data, ...rest } = value;
      for (const wrong of [
        { ...value, leak: true },
        { ...value, data: { ...data, leak: true } },
        rest,
        { ...value, type: "other.event" },
      ])
        expect(() => check(type, wrong)).toThrow();
    },
  );
});
