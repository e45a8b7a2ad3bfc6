import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { parse } from "yaml";
import { resolve } from "../../src/contract/bundle.ts";
import { bundleContract } from "../../scripts/contract/bundle.ts";
import { operationsOf, type Contract } from "../../scripts/contract/document.ts";
import { temporaryFolder } from "../support/media.ts";
import { copyContract, copyRules } from "./mutants/copy.ts";
import { applyEdit, remove, type Node } from "./mutants/edit.ts";

/** The problem that an operation has as its example for a status. */
function exampleOf(contract: Contract, id: string, status: string): unknown {
  const { operation } = operationsOf(contract).find((it) => it.operation.operationId === id)!;
  const { content } = resolve<{ content: Node }>(contract, operation.responses[status]!);
  const { examples } = content["application/problem+json"] as { examples: Record<string, { value: unknown }> };
  return Object.values(examples)[0]!.value;
}

it("an operation without a 404 and a 412 of its own gets those of its resource, as a post has them", async () => {
  await using folder = await temporaryFolder();
  const openapi = join(folder.path, "openapi");
  copyContract(openapi);
  copyRules(openapi, folder.path);
  const before = await bundleContract(openapi);
  const file = join(openapi, "posts/posts_{post_id}.yaml");
  const content = parse(readFileSync(file, "utf8")) as Node;
  for (const status of ["404", "412"]) applyEdit(content, remove("posts/posts_{post_id}.yaml", `patch responses ${status}`));
  writeFileSync(file, JSON.stringify(content));
  const after = await bundleContract(openapi);
  for (const status of ["404", "412"])
    expect(exampleOf(after, "updatePost", status)).toEqual(exampleOf(before, "updatePost", status));
  const components = Object.keys(after.components["responses"]!);
  expect(components).toEqual(expect.arrayContaining(["PostNotFound", "PostChangedSince"]));
});
