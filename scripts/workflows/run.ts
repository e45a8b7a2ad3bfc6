import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scopes } from "#generated/operations.ts";
import { readConfig } from "../../src/config.ts";
import { startServer } from "../../src/server.ts";
import { addUser } from "../../src/auth/users.ts";
import { startScratchPostgres } from "../scratch-postgres.ts";
import { runWorkflows } from "./respect.ts";

/** Starts a service, runs the workflows in openapi/workflows/ against it, and prints the results. Returns the exit code. */
export async function checkWorkflows(): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), "plumbline-workflows-"));
  chmodSync(dataDir, 0o711);
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const postgres = stack.adopt(await startScratchPostgres(), (it) => it.stop());
  const settings = {
    PORT: "0",
    DATABASE_URL: postgres.url,
    DATA_DIR: dataDir,
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
    PATH: process.env["PATH"] ?? "",
  };
  const server = stack.adopt(await startServer(readConfig(settings)), (it) => it.close());

  const [user, colleague] = [await addUser(server.db, "Ada Marsh", scopes), await addUser(server.db, "Yuki Brandt", scopes)];
  const results = await runWorkflows(server.url ?? "", {
    token: user.apiKey,
    colleagueToken: colleague.apiKey,
    colleagueId: colleague.userId,
  });
  for (const { area, workflow, steps, checks, failures } of results) {
    console.log(
      `${failures.length === 0 ? "ok    " : "FAILED"} ${area.padEnd(14)} ${workflow.padEnd(22)} ${steps} steps, ${checks} checks`,
    );
    for (const failure of failures) console.log(`         ${failure.replaceAll("\n", "\n         ")}`);
  }
  return results.some((it) => it.failures.length > 0) ? 1 : 0;
}
