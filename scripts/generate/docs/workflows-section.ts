import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { workflowFiles, WORKFLOWS_FOLDER } from "../../workflows/respect.ts";

type Workflow = {
  readonly summary: string;
  readonly description: string;
  readonly steps: readonly { readonly operationId: string; readonly description: string }[];
};
type Arazzo = {
  readonly info: { readonly title: string; readonly description: string };
  readonly workflows: readonly Workflow[];
};

/** The workflows as lists of steps. `anchorOf` returns the link to the description of an operation. */
export function workflowsSection(anchorOf: (operationId: string) => string): string {
  const areas = workflowFiles().map((name) => parse(readFileSync(join(WORKFLOWS_FOLDER, name), "utf8")) as Arazzo);
  const sections = areas.map(({ info, workflows }) =>
    [
      `## ${info.title}`,
      ...workflows.map(({ summary, description, steps }) =>
        [
          `**${summary}.** ${description}`,
          steps
            .map((it, index) => `${index + 1}. [\`${it.operationId}\`](${anchorOf(it.operationId)}): ${it.description}`)
            .join("\n"),
        ].join("\n\n"),
      ),
    ].join("\n\n"),
  );
  return [
    "# Workflows",
    "Typical sequences of operations. Each workflow is an Arazzo file in `openapi/workflows`, and the tests run it against the service.",
    ...sections,
  ].join("\n\n");
}
