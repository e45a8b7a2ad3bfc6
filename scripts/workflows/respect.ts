import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { runTool, ToolError } from "../generate/run-tool.ts";

export const WORKFLOWS_FOLDER = join(import.meta.dirname, "../../openapi/workflows");

/** The workflows of all areas: Arazzo files, sorted by name. */
export const workflowFiles = (): string[] =>
  readdirSync(WORKFLOWS_FOLDER)
    .filter((name) => name.endsWith(".arazzo.yaml"))
    .sort();

/** The users in the workflows. */
export type Users = { readonly token: string; readonly colleagueToken: string; readonly colleagueId: string };
export type WorkflowResult = {
  readonly area: string;
  readonly workflow: string;
  readonly steps: number;
  readonly checks: number;
  readonly failures: readonly string[];
};

type Check = { readonly name: string; readonly passed: boolean; readonly message?: string };
type Step = { readonly stepId: string; readonly status: string; readonly checks: readonly Check[] };
type Report = {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly executedWorkflows: readonly {
          readonly workflowId: string;
          readonly status: string;
          readonly executedSteps: readonly Step[];
        }[];
      }
    >
  >;
};

/** Runs the workflows of some files, or of all, and compares each response with the contract. The results include the failures. */
export async function runWorkflows(serviceUrl: string, users: Users, names = workflowFiles()): Promise<WorkflowResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-workflows-"));
  const report = join(folder, "report.json");
  const inputs = {
    token: users.token,
    colleague_token: users.colleagueToken,
    colleague_id: users.colleagueId,
    key: randomUUID(),
  };
  try {
    const files = names.map((name) => join(WORKFLOWS_FOLDER, name));
    await runTool("@redocly/cli", "redocly", [
      "respect",
      ...files,
      "--server",
      `api=${serviceUrl}`,
      "--json-output",
      report,
      ...Object.entries(inputs).flatMap(([name, value]) => ["--input", `${name}=${value}`]),
    ]).catch((error: unknown) => {
      // If a workflow fails, there is a report; if the tool fails, there is none.
      if (!(error instanceof ToolError) || !readdirSync(folder).includes("report.json")) throw error;
    });
    return resultsOf(JSON.parse(readFileSync(report, "utf8")) as Report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function resultsOf(report: Report): WorkflowResult[] {
  return Object.entries(report.files).flatMap(([file, { executedWorkflows }]) =>
    executedWorkflows.map(({ workflowId, status, executedSteps }) => {
      const failures = executedSteps
        .filter((it) => it.status !== "success")
        .flatMap(({ stepId, checks }) => checks.filter((it) => !it.passed).map((it) => `${stepId}: ${it.message ?? it.name}`));
      return {
        area: basename(file, ".arazzo.yaml"),
        workflow: workflowId,
        steps: new Set(executedSteps.map((it) => it.stepId)).size,
        checks: executedSteps.flatMap((it) => it.checks).length,
        // A step that was repeated until it succeeded has failed checks, but its workflow has not failed.
        failures: status === "success" ? [] : failures.length > 0 ? failures : [`ended as ${status}`],
      };
    }),
  );
}
