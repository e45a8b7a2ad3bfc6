import { describe, expect, it } from "@jest/globals";
import { ratePolicies } from "#generated/operations.ts";
import { problems, type ProblemCode } from "#generated/problems.ts";
import { DEFAULT_RATES } from "../../src/settings/values.ts";
import { resolve } from "../../src/contract/bundle.ts";
import type { Operation } from "../../src/contract/operations.ts";
import {
  contract,
  declaredResponse,
  flawsOf,
  flawsOfRequest,
  operations,
  parametersOf,
  rawOperation,
} from "../support/contract.ts";
import { openConversation } from "../support/conversations.ts";
import { ask, exampleNames, exampleRequest } from "../support/example-requests.ts";
import { problemExamples } from "./support/problem-examples.ts";
import { prepare } from "../support/prepare.ts";
import { createResources, gather } from "../support/resources.ts";
import { startTestService } from "../support/service.ts";

type Json = { readonly [key: string]: unknown };
type Found = {
  readonly where: string;
  readonly schema: Json;
  readonly value: unknown;
  readonly status?: string;
  readonly codes?: readonly string[] | null;
};

/** The examples of the document with the schemas that they illustrate. The linter compares each with its schema, too. */
const found = [...operations.flatMap(examplesOf), ...eventExamples(), ...componentExamples()];

function examplesOf(operation: Operation): Found[] {
  const parameters = parametersOf(operation).flatMap((it) =>
    values(it).map(([name, value]) => ({ where: `${operation.id} ${it.in} ${it.name}${name}`, schema: it.schema, value })),
  );
  const raw = rawOperation(operation);
  const body = raw.requestBody === undefined ? {} : resolve<{ content: Record<string, Json> }>(contract, raw.requestBody).content;
  const bodies = Object.values(body).flatMap((media) =>
    values(media).map(([name, value]) => ({ where: `${operation.id} request${name}`, schema: media["schema"] as Json, value })),
  );
  const answers = Object.keys(raw.responses).flatMap((status) => {
    const { content, problemCodes } = declaredResponse(operation, status)!;
    return Object.values(content).flatMap((media) =>
      values(media as unknown as Json).map(([name, value]) => ({
        where: `${operation.id} ${status}${name}`,
        schema: media.schema,
        value,
        status,
        codes: problemCodes,
      })),
    );
  });
  return [...parameters, ...bodies, ...answers];
}

/** The requests that the service sends to an endpoint, with their headers. */
function eventExamples(): Found[] {
  return Object.values(contract.webhooks ?? {}).flatMap(({ post }) => {
    const { operationId, parameters, requestBody } = post as unknown as {
      operationId: string;
      parameters: readonly Json[];
      requestBody: { content: Record<string, Json> };
    };
    const headers = parameters
      .map((it) => resolve<Json & { name: string; schema: Json }>(contract, it))
      .flatMap((it) =>
        values(it).map(([name, value]) => ({ where: `${operationId} header ${it.name}${name}`, schema: it.schema, value })),
      );
    const bodies = Object.values(requestBody.content).flatMap((media) =>
      values(media).map(([name, value]) => ({ where: `${operationId} event${name}`, schema: media["schema"] as Json, value })),
    );
    return [...headers, ...bodies];
  });
}

/** Headers and schemas are shared, and have their own examples. */
function componentExamples(): Found[] {
  const entries = (kind: string) => Object.entries((contract.components[kind] ?? {}) as Record<string, Json>);
  return [
    ...entries("headers").flatMap(([name, it]) =>
      values(it).map(([example, value]) => ({ where: `header ${name}${example}`, schema: it["schema"] as Json, value })),
    ),
    ...entries("schemas").flatMap(([name, it]) =>
      values(it).map(([example, value]) => ({ where: `schema ${name}${example}`, schema: it, value })),
    ),
  ];
}

/** `example` and `examples`. The latter is a map in a media type, and a list in a schema. */
function values(node: Json): [string, unknown][] {
  const { example, examples } = node as { example?: unknown; examples?: Record<string, { value: unknown }> | unknown[] };
  const named = Array.isArray(examples)
    ? examples.map((value, index): [string, unknown] => [` ${index}`, value])
    : Object.entries(examples ?? {}).map(([name, it]): [string, unknown] => [` ${name}`, it.value]);
  return [...(example === undefined ? [] : [["", example] as [string, unknown]]), ...named];
}

describe("every example of the contract", () => {
  const owners = [...Map.groupBy(found, ({ where }) => where.split(" ")[0]!)].map(([owner, examples]) => ({ owner, examples }));

  it.each(owners)("matches its schema with every object closed: $owner", ({ examples }) => {
    const flaws = examples.map(({ where, schema, value }) => ({
      where,
      flaw: (/ request /.test(where) ? flawsOfRequest : flawsOf)(schema, value),
    }));
    expect(flaws.filter(({ flaw }) => flaw !== null)).toEqual([]);
  });

  it.each(owners)("has a declared code and agrees with the catalogue if it is a problem: $owner", ({ examples }) => {
    for (const { where, value, codes, status } of examples.filter((it) => it.codes)) {
      const problem = value as { code: ProblemCode; status: number; type: string; title: string };
      expect({ where, codes }).toEqual({ where, codes: expect.arrayContaining([problem.code]) });
      expect({ where, status: problem.status, title: problem.title, type: problem.type }).toEqual({
        where,
        ...pick(problems[problem.code]),
        type: `/problems/${problem.code}`,
      });
      if (status !== "default") expect({ where, status: String(problem.status) }).toEqual({ where, status });
    }
  });

  it("has the version of this contract in API-Version", () => {
    const versions = found.filter(({ where }) => where === "header ApiVersion").map(({ value }) => value);
    expect(versions).toEqual([contract.info.version]);
  });

  it("has ids of version 7, as the service makes them", () => {
    // A key is made by a client.
    const made = found.filter(({ where }) => !where.endsWith("Idempotency-Key"));
    const ids = made.flatMap(({ value }) => JSON.stringify(value).match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []);
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.filter((it) => !/^.{14}7.{4}[89ab]/.test(it))).toEqual([]);
  });

  it("has the default numbers of a rate limit", () => {
    const shown = problemExamples.filter(({ name }) => name === "rate_limited").map(({ value }) => value.detail as string);
    const numbers = ratePolicies.map(
      (name) => `"${name}" of ${DEFAULT_RATES[name].quota} requests in ${DEFAULT_RATES[name].windowSeconds} seconds.`,
    );
    expect([...new Set(shown.map((it) => /"\w+" of [^.]+\./.exec(it)![0]))].sort()).toEqual(numbers.sort());
  });

  it.each(operations)("exists for each JSON success and each problem code of $id", (operation) => {
    const missing = Object.keys(rawOperation(operation).responses).flatMap((status) => {
      const { content, problemCodes } = declaredResponse(operation, status)!;
      const shown = found
        .filter((it) => it.where.startsWith(`${operation.id} ${status} `))
        .map(({ value }) => (value as { code?: string }).code);
      if (problemCodes !== null) return problemCodes.filter((code) => !shown.includes(code)).map((code) => `${status} ${code}`);
      return content["application/json"] !== undefined && shown.length === 0 ? [status] : [];
    });
    expect(missing).toEqual([]);
  });
});

const pick = ({ status, title }: { status: number; title: string }) => ({ status, title });

describe("every example of a request body is accepted", () => {
  const service = prepare(() => startTestService({ ROLE: "api" }));
  const requests = operations
    .filter((it) => it.body !== null)
    .flatMap((operation) => exampleNames(operation).map((example) => ({ operation, id: operation.id, example })));

  it.each(requests)("$id $example", async ({ operation, example }) => {
    const people = await gather(service);
    const ids = await createResources(operation, people);
    await openConversation(people.guest, [people.owner]);
    const { body } = await people.owner("GET", "/notifications?limit=1");
    const request = exampleRequest(operation, ids, { userId: people.guest.userId, seen: body.seen as string }, example);
    const answer = await ask(people.owner, request);
    if (answer.status >= 300) throw new Error(`${operation.id} refused the example ${example}: ${answer.text}`);
    expect(declaredResponse(operation, String(answer.status))).not.toBeNull();
  });
});
