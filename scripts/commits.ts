import { execFileSync } from "node:child_process";
import { runCommand, UsageError } from "../src/util/command.ts";
import { StartupError } from "../src/util/startup-error.ts";

const USAGE = `Checks the messages of commits: a subject of fewer than 72 characters, an empty line, and a body that says why.
Merges need no body.

Usage: npm run commits -- REVISION   checks the commits since a revision, such as origin/main`;

const SUBJECT_LENGTH_MAX = 71;
/** Lines that tools add after a body, such as Signed-off-by. */
const TRAILER = /^[A-Z][A-Za-z]*(-[A-Za-z]+)+: /;

await runCommand({ usage: USAGE, arguments: 1 }, ({ positionals: [revision] }) => {
  if (revision === undefined) throw new UsageError();
  const messages = messagesSince(revision);
  const faults = messages.flatMap(({ id, text }) => faultsIn(text).map((it) => `${id} ${text.split("\n")[0]}: ${it}`));
  console.log([...faults, `${messages.length} commits since ${revision}, ${faults.length} faults`].join("\n"));
  return faults.length === 0 ? 0 : 1;
});

function messagesSince(revision: string): { readonly id: string; readonly text: string }[] {
  const options = ["log", "--no-merges", "-z", "--format=%h %B", "--end-of-options", `${revision}..HEAD`];
  try {
    const log = execFileSync("git", options, { encoding: "utf8", maxBuffer: 2 ** 26, stdio: ["ignore", "pipe", "pipe"] });
    const entries = log.split("\0").filter((it) => it !== "");
    return entries.map((it) => ({ id: it.slice(0, it.indexOf(" ")), text: it.slice(it.indexOf(" ") + 1) }));
  } catch (error) {
    throw new StartupError(`git can't list the commits since ${revision}: ${(error as { stderr?: string }).stderr ?? ""}`);
  }
}

function faultsIn(message: string): string[] {
  const [subject = "", gap, ...body] = message.trimEnd().split("\n");
  const faults: string[] = [];
  if (subject.length > SUBJECT_LENGTH_MAX) faults.push(`the subject has ${subject.length} characters`);
  if (gap !== undefined && gap !== "") faults.push("no empty line follows the subject");
  if (!body.some((it) => it.trim() !== "" && !TRAILER.test(it))) faults.push("no body says why");
  return faults;
}
