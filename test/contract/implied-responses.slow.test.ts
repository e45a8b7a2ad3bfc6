import { expect, it } from "@jest/globals";
import { readContract, resolve } from "../../src/contract/bundle.ts";
import { operationsOf, type Contract } from "../../scripts/contract/document.ts";
import { bundleWith } from "./support/contract-copy.ts";
import type { Node } from "./support/edits.ts";

/** The problem that an operation has as its example for a status. */
function exampleOf(contract: Contract, id: string, status: string): unknown {
  const { operation } = operationsOf(contract).find((it) => it.operation.operationId === id)!;
  const { content } = resolve<{ content: Node }>(contract, operation.responses[status]!);
  const { examples } = content["application/problem+json"] as { examples: Record<string, { value: unknown }> };
  return Object.values(examples)[0]!.value;
}

it("an operation without a 404 and a 412 of its own gets those of its resource, as a post has them", async () => {
  const patch = "posts/posts_{post_id}.yaml patch responses";
  const after = await bundleWith({ [`remove ${patch} 404`]: null, [`remove ${patch} 412`]: null });
  for (const status of ["404", "412"])
    expect(exampleOf(after, "updatePost", status)).toEqual(
      exampleOf(readContract() as unknown as Contract, "updatePost", status),
    );
  expect(Object.keys(after.components["responses"]!)).toEqual(expect.arrayContaining(["PostNotFound", "PostChangedSince"]));
});

it("a deprecated operation has the headers that announce it in each of its responses", async () => {
  const mark = { deprecated_at: "2026-12-01", sunset_at: "2027-06-15", link: "/changelog" };
  const { paths } = await bundleWith({
    "set posts/posts.yaml get deprecated": true,
    "set posts/posts.yaml get x-deprecation": mark,
  });
  const { responses } = (paths["/posts"] as unknown as Record<"get", { responses: Record<string, { headers: object }> }>).get;
  for (const [status, { headers }] of Object.entries(responses))
    expect([status, Object.keys(headers)]).toEqual([status, expect.arrayContaining(["Deprecation", "Sunset", "Link"])]);
});
