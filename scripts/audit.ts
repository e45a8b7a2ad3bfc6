import { spawnSync } from "node:child_process";
import { runCommand } from "../src/util/command.ts";

/** The exit code of a skipped test in automake. */
const SKIPPED = 77;

const USAGE = `Lists the known vulnerabilities, of at least high severity, of the packages that the service needs.
The exit code is 1 if there are any. If the registry can't answer, nothing was checked: the command says so, and the exit
code is ${SKIPPED}. In CI (CI=true), it is then 1, unless ALLOW_SKIPPED_AUDIT=true.

Usage: npm run audit`;

type Audit = {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly via: readonly unknown[] }>>;
};

await runCommand({ usage: USAGE }, () => {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], { encoding: "utf8", maxBuffer: 2 ** 26 });
  const { message, vulnerabilities } = JSON.parse(stdout) as Audit;
  if (vulnerabilities === undefined) {
    console.error(
      `SKIPPED: no package was checked for vulnerabilities, because the registry does not answer npm audit: ${message}`,
    );
    return process.env["CI"] === "true" && process.env["ALLOW_SKIPPED_AUDIT"] !== "true" ? 1 : SKIPPED;
  }
  const severe = Object.entries(vulnerabilities).filter(([, it]) => ["high", "critical"].includes(it.severity));
  for (const [name, { severity, via }] of severe) console.error(`${name}: ${severity}, ${JSON.stringify(via)}`);
  console.log(`${severe.length} packages have known vulnerabilities of at least high severity.`);
  return severe.length === 0 ? 0 : 1;
});
