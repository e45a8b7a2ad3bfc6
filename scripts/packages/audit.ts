import { spawnSync } from "node:child_process";

/** The exit code of a skipped test in automake. */
const SKIPPED = 77;

type Audit = {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly via: readonly unknown[] }>>;
};

/**
 * Lists the known vulnerabilities, of at least high severity, of the packages that the service needs. Returns the exit code: 1 if there are
 * any, and 77 if the registry can't answer, but in CI 1, unless ALLOW_SKIPPED_AUDIT=true.
 */
export function auditPackages(): number {
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
}
