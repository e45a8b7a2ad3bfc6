import { beforeAll, describe, expect, it } from "@jest/globals";
import { readContract } from "../../src/contract/bundle.ts";
import { compareContracts } from "../../scripts/contract/compare.ts";
import type { Contract, RawOperation } from "../../scripts/contract/document.ts";
import { assess, lineOf, reportOf } from "../../scripts/contract/assessment.ts";
import { changesAsMarkdown } from "../../scripts/contract/markdown.ts";
import type { Change } from "../../scripts/contract/change.ts";
import { mostSevere } from "../../scripts/contract/versions.ts";
import { released as base } from "./support/contract-copy.ts";
import { applyEdit, listOf, readTable, type Edits, type Node } from "./support/edits.ts";

/** A change of the released contract, its rating, and the subjects that a report must name; none if it must not mention the change. */
type Planned = {
  readonly name: string;
  readonly verdict: string;
  readonly subjects: readonly string[];
  readonly edits: Edits;
};
type Row = readonly [subjects: string | readonly string[], edits?: Edits];
const plans = Object.entries(readTable<Record<string, Record<string, Row>>>("compat")).flatMap(([verdict, rows]) =>
  Object.entries(rows).map(([name, [subjects, edits = {}]]): Planned => ({ name, verdict, subjects: [subjects].flat(), edits })),
);
/** How many changes share a contract. With 1, each has its own: slower, to examine a single change. */
const GROUP_MAX = 20;
const AT_ONCE = 2;

function changed(contract: Contract, edits: readonly Edits[], version = contract.info.version): Contract {
  const copy = structuredClone(contract) as unknown as Node;
  for (const [edit, value] of edits.flatMap(listOf))
    applyEdit(copy, edit.replaceAll(/(?<=^\w+ |> )schema /g, "components schemas "), value);
  return { ...copy, info: { ...(copy["info"] as Contract["info"]), version } } as Contract;
}

/** Groups changes that one comparison can report, because each has a different subject, or none has one. */
function groupsOf(all: readonly Planned[]): Planned[][] {
  const groups: Planned[][] = [];
  for (const plan of all) {
    const fits = (group: Planned[]) =>
      group.length < GROUP_MAX &&
      group.every((it) => (it.subjects.length === 0) === (plan.subjects.length === 0)) &&
      !group.some((it) => it.subjects.some((subject) => plan.subjects.includes(subject)));
    const group = groups.find(fits);
    if (group === undefined) groups.push([plan]);
    else group.push(plan);
  }
  return groups;
}

/** The reported changes for each plan: those about its own subjects, and those about a subject that no plan of its group expects. */
async function reportAll(): Promise<Map<Planned, readonly Change[]>> {
  const reports = new Map<Planned, readonly Change[]>();
  const groups = groupsOf(plans);
  const work = async () => {
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
      const found = await compareContracts(
        base,
        changed(
          base,
          group.map((it) => it.edits),
        ),
      );
      for (const plan of group) {
        const others = group.filter((it) => it !== plan).flatMap((it) => it.subjects);
        reports.set(
          plan,
          found.filter((it) => !others.includes(it.subject)),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return reports;
}

describe("the compatibility gate", () => {
  let reports: Map<Planned, readonly Change[]>;
  beforeAll(async () => {
    reports = await reportAll();
  }, 300_000);

  it.each(plans.map((it, index) => [it.verdict, it.name, index] as const))("rates as %s: %s", (verdict, _name, index) => {
    const plan = plans[index]!;
    const report = reports.get(plan)!;
    expect({
      verdict: mostSevere(report.map((it) => it.impact)) ?? "none",
      subjects: [...new Set(report.map((it) => it.subject))].sort(),
      report: report.map(lineOf),
    }).toEqual({ verdict, subjects: [...plan.subjects].sort(), report: report.map(lineOf) });
  });

  it("rates changes of an event as those of a response, and a fraction that becomes a whole number as major", async () => {
    const contract = readContract() as unknown as Contract & { webhooks: Record<string, { post: RawOperation }> };
    const event = contract.webhooks["message.created"]!.post;
    const before = changed(contract, [{ "set schema Url properties click_count type": "number" }]);
    const after = changed(contract, [
      "remove webhooks video_upload.failed",
      "remove schema MessageCreatedData properties sequence",
      { "set schema MessageCreatedData required": ["conversation_id", "message_id", "message"] },
      { "set webhooks message.created post parameters": event.parameters!.slice(1) },
      "remove webhooks message.created post responses 410",
      { "set schema MessageCreatedData properties extra": { type: "string" } },
      { "set webhooks post.created": { post: { ...event, operationId: "receivePostCreated", summary: "A post was published" } } },
    ]);
    const found = await compareContracts(before, after);
    expect(found.map((it) => `${it.impact} ${lineOf(it)}`)).toEqual([
      'major schema `Url`: field `click_count`: `type`: "number" → "integer"',
      'major `webhook message.created`: parameter `status of the response`: the values of `enum` lose "410"',
      'major schema `MessageCreatedData`: the required fields lose "sequence"',
      "major schema `MessageCreatedData`: field `sequence`: is removed",
      "major `webhook message.created`: response 200, header `webhook-id`: is removed",
      "major `webhook video_upload.failed`: is removed",
      "minor schema `MessageCreatedData`: field `extra`: is new (string)",
      "minor `webhook post.created`: is new: A post was published",
    ]);
  });

  it("needs a higher version for some changes, and reports them and what to do", async () => {
    const revision = changed(base, [plans.find((it) => it.name === "a new operation")!.edits]);
    const assessment = await assess(base, revision);
    expect(assessment).toMatchObject({ isVersionEnough: false, needed: "minor", lowestVersion: "1.1.0" });
    expect(reportOf(base, revision, assessment)).toBe(
      [
        "Changes since 1.0.0:",
        "  minor  `PUT /posts`: is new: Read the archive",
        "These changes need a minor version, 1.1.0 or higher. The contract says 1.0.0: raise info.version in openapi/openapi.yaml, or undo the changes.",
      ].join("\n"),
    );
  });

  it("needs no higher version without a change", async () => {
    expect(await assess(base, base)).toMatchObject({ isVersionEnough: true, needed: null, lowestVersion: "1.0.0" });
  });

  it("uses the rating of a reviewed change, and reports exceptions without a change", async () => {
    const revision = changed(base, [{ "set schema CreatePostRequest properties title pattern": "^[^\\x00]*$" }], "1.1.0");
    const change =
      'schema `CreatePostRequest`: field `title`: `pattern`: "^ *[^\\\\s\\\\x00-\\\\x1f\\\\x7f][^\\\\x00-\\\\x1f\\\\x7f]*$" → "^[^\\\\x00]*$"';
    const exception = { change, impact: "minor", because: "The new pattern accepts all that the old one accepts." } as const;
    const exceptions = [exception, { ...exception, change: "schema `Post`: is removed" }];
    const { needed, isVersionEnough, unused } = await assess(base, revision, exceptions);
    expect({ needed, isVersionEnough, unused }).toEqual({
      needed: "minor",
      isVersionEnough: true,
      unused: ["schema `Post`: is removed"],
    });
  });

  it("needs a higher major version for a breaking change, and reports changes in Markdown, from old to new", async () => {
    const edits: Edits = {
      "set paths /posts put": { operationId: "getArchive", summary: "Read the archive", description: "It was.", responses: {} },
      "remove paths /health": null,
      "set components parameters Limit schema default": 50,
      "set schema MemberRole enum": ["owner", "guest"],
      "set paths /account get summary": "Who am I?",
    };
    const revision = changed(base, [edits]);
    const assessment = await assess(base, revision);
    expect(assessment).toMatchObject({ isVersionEnough: false, needed: "major", lowestVersion: "2.0.0" });
    expect(changesAsMarkdown("1.0.0", revision, assessment)).toBe(`# Changes to the contract since 1.0.0

They need a **major** version: 2.0.0 or higher.

## Operations added

- \`PUT /posts\` is new: Read the archive

## Operations removed

- **major** · \`GET /health\`

## Changed

### schema \`MemberRole\`, in \`GET /conversations/{conversationId}/members\`, \`PUT /conversations/{conversationId}/members/{user_id}\`

- **major** · the values of \`enum\` gain "guest" and lose "member"

### parameter \`limit\`

- **major** · \`default\`: 20 → 50

## Only reworded

- \`GET /account\`: summary is reworded
`);
  });
});
