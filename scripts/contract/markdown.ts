import { operationsOf, type Contract } from "./document.ts";
import type { Assessment } from "./assessment.ts";
import type { Change } from "./change.ts";
import { referencesOf } from "./direction.ts";

const USERS_MAX = 6;

/** The changes to a contract as Markdown, for a review. */
export function changesAsMarkdown(since: string, revision: Contract, { changes, needed, lowestVersion }: Assessment): string {
  if (needed === null) return `# Changes to the contract since ${since}\n\nNone.\n`;
  const [added, removed] = [
    changes.filter((it) => isOperation(it) && it.what.startsWith("is new")),
    changes.filter((it) => isOperation(it) && it.what === "is removed"),
  ];
  const others = changes.filter((it) => !added.includes(it) && !removed.includes(it));
  const words = others.filter((it) => it.impact === "patch");
  return [
    `# Changes to the contract since ${since}`,
    `They need a **${needed}** version: ${lowestVersion} or higher.`,
    ...section(
      "Operations added",
      added.map((it) => `- ${it.subject} ${it.what}`),
    ),
    ...section(
      "Operations removed",
      removed.map((it) => `- **${it.impact}** · ${it.subject}`),
    ),
    ...section(
      "Changed",
      bySubject(
        others.filter((it) => it.impact !== "patch"),
        revision,
      ),
    ),
    ...section(
      "Only reworded",
      words.map((it) => `- ${it.subject}: ${it.what}`),
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

const isOperation = ({ subject }: Change): boolean => /^`[A-Z]+ \/[^`]*`$/.test(subject);

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];

function bySubject(changes: readonly Change[], revision: Contract): string[] {
  return [...Map.groupBy(changes, (it) => it.subject)].flatMap(([subject, same], index) => [
    ...(index === 0 ? [] : [""]),
    `### ${subject}${usersOf(revision, subject)}`,
    "",
    ...same.map((it) => `- **${it.impact}** · ${it.what}`),
  ]);
}

/** The operations that use a schema, directly or indirectly. */
function usersOf(contract: Contract, subject: string): string {
  const name = /^schema `(.+)`$/.exec(subject)?.[1];
  if (name === undefined) return "";
  const users = operationsOf(contract)
    .filter(({ path, operation }) =>
      referencesOf(contract, [contract.paths[path]!["parameters"], operation]).has(`#/components/schemas/${name}`),
    )
    .map((it) => it.name);
  if (users.length === 0) return "";
  const named = users
    .slice(0, USERS_MAX)
    .map((it) => `\`${it}\``)
    .join(", ");
  return `, in ${named}${users.length > USERS_MAX ? ` and ${users.length - USERS_MAX} more` : ""}`;
}
