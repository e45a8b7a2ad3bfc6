import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Body } from "../support/client.ts";
import { contract } from "../support/contract.ts";
import { prepare } from "../support/prepare.ts";
import { findProblemExample, problemExamples } from "./support/problem-examples.ts";
import { provocations, unprovoked } from "./provocations/all.ts";
import type { Provocation, Refusal } from "./provocations/provocation.ts";
import { startProvocationServices } from "./support/provocation-services.ts";

const { description } = contract.info as unknown as { description: string };

const services = prepare(startProvocationServices);
const begun = new Map<Provocation, Promise<Refusal>>();
beforeAll(() => {
  for (const it of provocations.filter(({ waits }) => waits)) begun.set(it, it.provoke(services));
  // A failure belongs to the test that awaits it.
  void Promise.allSettled(begun.values());
});

/**
 * A problem as the test compares it: without the id of the request, and with `…` for the parts that vary with the provocation.
 * Everything else must be identical.
 */
function comparable({ request_id: _, ...problem }: Body, varies: RegExp | undefined): Body {
  const fixed = (text: string) => (varies === undefined ? text : text.replace(varies, "…"));
  return {
    ...problem,
    detail: fixed(problem.detail),
    ...(problem.errors === undefined ? {} : { errors: problem.errors.map((it: Body) => ({ ...it, detail: fixed(it.detail) })) }),
  };
}

/** Problem codes that refer to no part of the request, as described in the contract. */
const WITHOUT_PLACE = ["malformed_body", "malformed_request"];

describe("every problem example of the contract", () => {
  // Those that wait come last, when they have waited beside the others.
  it.each(provocations.toSorted((one, other) => Number(one.waits ?? false) - Number(other.waits ?? false)))(
    "is exactly the response of the service: $operation $example",
    async (provocation) => {
      const { operation, example, varies, provoke } = provocation;
      const { value } = findProblemExample(operation, example);
      const { status, body } = await (begun.get(provocation) ?? provoke(services));
      expect({ status, body: comparable(body, varies) }).toEqual({ status: value.status, body: comparable(value, varies) });
      expect(body.request_id).toMatch(/^[0-9a-f-]{36}$/);
    },
    30_000,
  );

  it("is provoked by a test for each response that shows it", () => {
    expect(unprovoked().map((it) => `${it.operation.id} ${it.status} ${it.name}`)).toEqual([]);
  });

  it("includes the example in the description of the contract", () => {
    const [, shown] = /```json\n(\{\n  "type": "\/problems\/[^`]+)```/.exec(description)!;
    expect(problemExamples.map((it) => it.value)).toContainEqual(JSON.parse(shown!));
  });

  it("has errors with the invalid parts if it is a 400, except for the codes named in the description", () => {
    for (const code of WITHOUT_PLACE) expect(description).toContain(`\`${code}\``);
    const silent = problemExamples.filter(({ value }) => value.status === 400 && value.errors === undefined);
    expect([...new Set(silent.map((it) => it.name))].sort()).toEqual(WITHOUT_PLACE);
  });
});
