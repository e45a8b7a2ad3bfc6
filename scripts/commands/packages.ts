import { noun, verb } from "./define.ts";

const audit = verb(
  "audit",
  "list the known vulnerabilities, of at least high severity, of the packages that the service needs; the exit code is 1 if there are any, and 77 if the registry can't answer, or 1 in CI without ALLOW_SKIPPED_AUDIT=true",
  {},
  async () => (await import("../packages/audit.ts")).auditPackages(),
);

export const packages = noun("packages", "the packages of npm", [audit]);
