import { beforeAll, describe, expect, it } from "@jest/globals";
import { runWorkflows, workflowFiles, type WorkflowResult } from "../../scripts/workflows/respect.ts";
import { areas } from "./support/areas.ts";
import type { Client } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const tokenOf = (user: Client) => user.authorization!.replace("Bearer ", "");

describe("openapi/workflows", () => {
  const service = prepare(() => startTestService());
  let results: readonly WorkflowResult[];
  beforeAll(async () => {
    const [user, colleague] = [await service.as(), await service.as()];
    results = await runWorkflows(service.url, {
      token: tokenOf(user),
      colleagueToken: tokenOf(colleague),
      colleagueId: colleague.userId,
    });
  }, 400_000);

  it("has a file for every area", () => {
    expect(workflowFiles()).toEqual(areas.map((area) => `${area}.arazzo.yaml`));
  });

  it.each(areas)("works step by step against the service: %s", (area) => {
    const own = results.filter((it) => it.area === area);
    expect(own.length).toBeGreaterThan(0);
    expect(own.flatMap((it) => it.failures)).toEqual([]);
    expect(own.every((it) => it.steps > 0 && it.checks >= it.steps)).toBe(true);
  });

  it("fails with wrong credentials", async () => {
    const answers = await runWorkflows(service.url, { token: "wrong", colleagueToken: "wrong", colleagueId: "wrong" }, [
      "posts.arazzo.yaml",
    ]);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.every((it) => it.failures.length > 0)).toBe(true);
  }, 120_000);
});
