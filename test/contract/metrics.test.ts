import { describe, expect, it } from "@jest/globals";
import type { Contract } from "../../scripts/contract/document.ts";
import { isComplete, metricsOf, metricsReport } from "../../scripts/contract/metrics.ts";
import { contract } from "../support/contract.ts";
import { released } from "./mutants/copy.ts";
import { applyEdit, remove, set, type Edit } from "./mutants/edit.ts";

function metricsAfter(...edits: readonly Edit[]): ReturnType<typeof metricsOf> {
  const copy = structuredClone(released) as unknown as Record<string, unknown>;
  for (const edit of edits) applyEdit(copy, edit);
  return metricsOf(copy as unknown as Contract);
}

const without = (at: string) => remove("generated/openapi.json", at);
const withThis = (at: string, to: unknown) => set("generated/openapi.json", at, to);

describe("the metrics of the contract", () => {
  it.each(metricsOf(contract as unknown as Contract))("100 %: $name", ({ total, missing }) => {
    expect(total).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  it.each([
    ["operations with a description", "GET /posts", without("paths /posts get description")],
    [
      "JSON bodies of 2xx responses with an example",
      "POST /posts, 201",
      without("paths /posts post responses 201 content application/json examples"),
    ],
    ["401, 403, 404 and 429 declared where they can occur", "GET /posts, 401", without("paths /posts get responses 401")],
    ["401, 403, 404 and 429 declared where they can occur", "GET /posts, 403", without("paths /posts get responses 403")],
    ["401, 403, 404 and 429 declared where they can occur", "GET /u/{id}, 404", without("paths /u/{id} get responses 404")],
    ["401, 403, 404 and 429 declared where they can occur", "GET /u/{id}, 429", without("paths /u/{id} get responses 429")],
    [
      "error responses in application/problem+json",
      "GET /posts, 500",
      withThis("paths /posts get responses 500", { description: "Broken.", content: { "application/json": {} } }),
    ],
    [
      "strings, numbers and arrays of requests with limits",
      "POST /posts, body.title",
      without("components schemas CreatePostRequest properties title maxLength"),
    ],
    [
      "strings, numbers and arrays of requests with limits",
      "POST /conversations, body.member_ids",
      without("components schemas CreateConversationRequest properties member_ids maxItems"),
    ],
    [
      "strings, numbers and arrays of requests with limits",
      "GET /posts, offset",
      without("components parameters Offset schema maximum"),
    ],
    [
      "strings, numbers and arrays of requests with limits",
      "PATCH /posts/{post_id}, body.title",
      without("components schemas UpdatePostRequest properties title type"),
    ],
    [
      "strings, numbers and arrays of requests with limits",
      "GET /posts, offset",
      without("components parameters Offset schema type"),
    ],
    ["closed objects in requests", "POST /posts, body", without("components schemas CreatePostRequest additionalProperties")],
    ["201 and 202 with Location", "POST /posts, 201", without("paths /posts post responses 201 headers Location")],
    ["201 and 202 with links", "POST /posts, 201", without("paths /posts post responses 201 links")],
    ["POSTs that can be retried safely, or say why not", "POST /posts", without("paths /posts post parameters")],
  ])("report the absence of %s in %s", (name, place, edit) => {
    const metrics = metricsAfter(edit);
    expect(metrics.filter((it) => it.missing.length > 0).map((it) => [it.name, it.missing])).toEqual([[name, [place]]]);
    expect(isComplete(metrics)).toBe(false);
    expect(metricsReport(released, metrics)).toContain(`${name}\n${" ".repeat(19)}missing in ${place}`);
  });

  it("count an object schema without a type", () => {
    const metrics = metricsAfter(
      without("components schemas CreatePostRequest type"),
      without("components schemas CreatePostRequest additionalProperties"),
    );
    expect(metrics.filter((it) => it.missing.length > 0).map((it) => [it.name, it.missing])).toEqual([
      ["closed objects in requests", ["POST /posts, body"]],
    ]);
  });

  it("accept a written reason instead of an idempotency key", () => {
    expect(
      isComplete(
        metricsAfter(
          without("paths /posts post parameters"),
          withThis("paths /posts post x-no-idempotency-key", "Posts are merged by their title."),
        ),
      ),
    ).toBe(true);
  });
});
