import { beforeAll, describe, expect, it } from "@jest/globals";
import { readContract } from "../../src/contract/bundle.ts";
import { compareContracts } from "../../scripts/contract/compare.ts";
import type { Contract, RawOperation } from "../../scripts/contract/document.ts";
import { assess, lineOf, reportOf } from "../../scripts/contract/assessment.ts";
import { changesAsMarkdown } from "../../scripts/contract/markdown.ts";
import type { Change } from "../../scripts/contract/change.ts";
import { mostSevere } from "../../scripts/contract/versions.ts";
import { released as base } from "./mutants/copy.ts";
import { breaking, compatible, words, type ContractChange } from "./mutants/contract-changes.ts";
import { append, applyEdit, remove, set } from "./mutants/edit.ts";

const changes = [...words, ...compatible, ...breaking];
/** How many changes share a contract. With 1, each has its own: slower, to examine a single change. */
const GROUP_MAX = 20;
const AT_ONCE = 2;

const contract = readContract() as unknown as Contract;
const MESSAGE = "components schemas MessageCreatedData";
const SENT = "webhooks message.created post";
const EVENT = (contract as unknown as { webhooks: Record<string, { post: RawOperation }> }).webhooks["message.created"]!.post;
const CHANGES_OF_EVENTS = [
  ["major", "`webhook message.created`: is removed", remove("", "webhooks message.created")],
  ["major", "schema `MessageCreatedData`: field `sequence`: is removed", remove("", `${MESSAGE} properties sequence`)],
  [
    "major",
    'schema `MessageCreatedData`: the required fields lose "sequence"',
    set("", `${MESSAGE} required`, ["conversation_id", "message_id", "message"]),
  ],
  [
    "major",
    "`webhook message.created`: response 200, header `webhook-id`: is removed",
    set("", `${SENT} parameters`, EVENT.parameters!.slice(1)),
  ],
  [
    "major",
    '`webhook message.created`: parameter `status of the response`: the values of `enum` lose "410"',
    remove("", `${SENT} responses 410`),
  ],
  [
    "minor",
    "schema `MessageCreatedData`: field `extra`: is new (string)",
    set("", `${MESSAGE} properties extra`, { type: "string" }),
  ],
  [
    "minor",
    "`webhook post.created`: is new: A post was published",
    set("", "webhooks post.created", { post: { ...EVENT, operationId: "receivePostCreated", summary: "A post was published" } }),
  ],
] as const;

function changed(edits: ContractChange["edits"], version = base.info.version): Contract {
  const copy = structuredClone(base) as unknown as Record<string, unknown>;
  for (const edit of edits) applyEdit(copy, edit);
  return { ...copy, info: { ...(copy["info"] as Contract["info"]), version } } as Contract;
}

/** Groups changes that one comparison can report, because each has a different subject. */
function groupsOf(all: readonly ContractChange[]): ContractChange[][] {
  const groups: ContractChange[][] = [];
  for (const change of all) {
    const fits = (group: ContractChange[]) =>
      change.subjects.length > 0 &&
      group.length < GROUP_MAX &&
      group.every((it) => it.subjects.length > 0 && !it.subjects.some((subject) => change.subjects.includes(subject)));
    const group = groups.find(fits);
    if (group === undefined) groups.push([change]);
    else group.push(change);
  }
  return groups;
}

/**
 * The reported changes for each planned change: those about its own subjects, and those about a subject that no change of
 * its group expects.
 */
async function reportAll(): Promise<Map<ContractChange, readonly Change[]>> {
  const reports = new Map<ContractChange, readonly Change[]>();
  const groups = groupsOf(changes);
  const work = async () => {
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
      const found = await compareContracts(base, changed(group.flatMap((it) => it.edits)));
      for (const change of group) {
        const others = group.filter((it) => it !== change).flatMap((it) => it.subjects);
        reports.set(
          change,
          found.filter((it) => !others.includes(it.subject)),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return reports;
}

describe("the compatibility gate", () => {
  it.each([
    ["a fraction", "a whole number", "number", "integer"],
    ["a whole number", "a fraction", "integer", "number"],
  ])("rates %s in a response that becomes %s as major", async (_was, _is, was, now) => {
    const type = (to: string) =>
      changed([set("generated/openapi.json", "components schemas Url properties click_count type", to)]);
    const found = await compareContracts(type(was), type(now));
    expect(found.map(({ impact, subject }) => ({ impact, subject }))).toEqual([{ impact: "major", subject: "schema `Url`" }]);
  });

  it.each(CHANGES_OF_EVENTS)("rates as %s, as in a response, of an event: %s", async (verdict, what, edit) => {
    const revision = structuredClone(contract) as unknown as Record<string, unknown>;
    applyEdit(revision, edit);
    const [found, ...others] = await compareContracts(contract, revision as Contract);
    expect([found?.impact, lineOf(found!)]).toEqual([verdict, what]);
    expect(others.filter((it) => it.impact === "major")).toEqual([]);
  });

  let reports: Map<ContractChange, readonly Change[]>;

  beforeAll(async () => {
    reports = await reportAll();
  }, 300_000);

  it.each(changes.map((it, index) => [it.verdict, it.name, index] as const))("rates as %s: %s", (verdict, _name, index) => {
    const change = changes[index]!;
    const report = reports.get(change)!;
    expect({
      verdict: mostSevere(report.map((it) => it.impact)) ?? "none",
      subjects: [...new Set(report.map((it) => it.subject))].sort(),
      report: report.map(lineOf),
    }).toEqual({ verdict, subjects: [...change.subjects].sort(), report: report.map(lineOf) });
  });

  it("accepts only a version that is high enough for the changes", async () => {
    const [breaks, adds] = [breaking[0]!.edits, compatible[0]!.edits];
    const verdicts = await Promise.all([
      assess(base, changed(adds, "1.1.0")),
      assess(base, changed(adds, "1.0.1")),
      assess(base, changed(breaks, "1.9.0")),
      assess(base, changed(breaks, "2.0.0")),
      assess(base, base),
    ]);
    expect(verdicts.map(({ isVersionEnough, needed, lowestVersion }) => [isVersionEnough, needed, lowestVersion])).toEqual([
      [true, "minor", "1.1.0"],
      [false, "minor", "1.1.0"],
      [false, "major", "2.0.0"],
      [true, "major", "2.0.0"],
      [true, null, "1.0.0"],
    ]);
  });

  it("reports what has changed and what to do", async () => {
    const revision = changed(compatible[0]!.edits);
    expect(reportOf(base, revision, await assess(base, revision))).toBe(
      [
        "Changes since 1.0.0:",
        "  minor  `PUT /posts`: is new: Read the archive",
        "These changes need a minor version, 1.1.0 or higher. The contract says 1.0.0: raise info.version in openapi/openapi.yaml, or undo the changes.",
      ].join("\n"),
    );
  });

  it("uses the rating of a reviewed change, and reports exceptions without a change", async () => {
    const revision = changed([set("", "components schemas CreatePostRequest properties title pattern", "^[^\\x00]*$")], "1.1.0");
    const [change] = (await assess(base, revision)).changes;
    const exception = {
      change: lineOf(change!),
      impact: "minor",
      because: "The new pattern accepts all that the old one accepts.",
    } as const;
    const { needed, isVersionEnough, unused } = await assess(base, revision, [
      exception,
      { ...exception, change: "schema `Post`: is removed" },
    ]);
    expect({ before: change!.impact, needed, isVersionEnough, unused }).toEqual({
      before: "major",
      needed: "minor",
      isVersionEnough: true,
      unused: ["schema `Post`: is removed"],
    });
  });

  it("reports changes in Markdown, from old to new", async () => {
    const revision = changed([
      ...compatible[0]!.edits,
      remove("", "paths /health"),
      set("", "components parameters Limit schema default", 50),
      set("", "components schemas MemberRole enum", ["owner"]),
      append("", "components schemas MemberRole enum", "guest"),
      set("", "paths /account get summary", "Who am I?"),
    ]);
    expect(changesAsMarkdown("1.0.0", revision, await assess(base, revision))).toBe(`# Changes to the contract since 1.0.0

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

  it("is tested with at least 30 changes of each kind", () => {
    expect(breaking.length).toBeGreaterThanOrEqual(30);
    expect(compatible.length).toBeGreaterThanOrEqual(30);
  });
});
