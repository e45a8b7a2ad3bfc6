import { spawnSync } from "node:child_process";
import { runCommand } from "../src/util/command.ts";

const USAGE = `Lists the known vulnerabilities, of at least high severity, of the packages that the service needs.
The exit code is 1 if there are any. If the registry can't answer, the command says so, and the exit code is 0.

Usage: npm run audit`;

type Audit = {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly via: readonly unknown[] }>>;
};

await runCommand({ usage: USAGE }, () => {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], { encoding: "utf8", maxBuffer: 2 ** 26 });
  const { message, vulnerabilities } = JSON.parse(stdout) as Audit;
  if (vulnerabilities === undefined) return console.log(`SKIPPED: the registry does not answer npm audit: ${message}`);
  const severe = Object.entries(vulnerabilities).filter(([, it]) => ["high", "critical"].includes(it.severity));
  for (const [name, { severity, via }] of severe) console.error(`${name}: ${severity}, ${JSON.stringify(via)}`);
  console.log(`${severe.length} packages have known vulnerabilities of at least high severity.`);
  return severe.length === 0 ? 0 : 1;
});
