import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { answersIn, type Answers } from "./answers.ts";
import { environment, run } from "./commands.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const SECONDS_TO_START = 60;

export type User = { readonly userId: string; readonly apiKey: string };
export type RunningService = {
  /** What its database is, for the lines of the run. */
  readonly where: string;
  readonly url: string;
  /** A second user of the journeys. */
  readonly colleague: User;
  /** Creates a user with an API key by the user command. */
  addUser(name: string): Promise<User>;
  /** Ends it, and returns the counts of its responses. */
  stop(): Promise<Answers>;
};

/**
 * Starts the service as `npm start` does, as a separate process with its own data directory and without rate limits. `database`
 * has settings for another database than the one that it brings.
 */
export async function startService(where: string, database: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), "plumbline-clients-"));
  const settings = { NODE_ENV: "test", DATA_DIR: dataDir, PORT: "0", RATE_LIMITS: "off", LOG_LEVEL: "warn", ...database };
  const log: string[] = [];
  const child = spawn(process.execPath, ["src/main.ts"], {
    cwd: ROOT,
    env: { ...environment, ...settings, LOG_LEVEL: "info", LOG_REQUESTS: "all" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (): boolean => child.kill("SIGTERM");
  process.once("exit", kill);
  // "close" comes after all of the log was read.
  const closed = new Promise((resolve) => child.once("close", resolve));
  const stop = async (): Promise<Answers> => {
    process.off("exit", kill);
    kill();
    await closed;
    await rm(dataDir, { recursive: true, force: true });
    return answersIn(log);
  };
  const addUser = async (name: string): Promise<User> => {
    const { ok, output } = await run(
      `"${process.execPath}" scripts/plumbline.ts user add "${name}" --json`,
      ROOT,
      settings,
      SECONDS_TO_START,
    );
    if (!ok) throw new Error(output);
    const user = JSON.parse(output) as { user_id: string; api_key: string };
    return { userId: user.user_id, apiKey: user.api_key };
  };
  try {
    const url = await addressOf(child, log);
    return { where, url, colleague: await addUser("Colleague"), addUser, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The URL that the service prints. Keeps what it prints, also later. */
function addressOf(child: ChildProcess, log: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The service did not start within ${SECONDS_TO_START} s.`)),
      1000 * SECONDS_TO_START,
    );
    child.once("exit", (code) => reject(new Error(`The service ended with ${code}.`)));
    createInterface({ input: child.stdout! }).on("line", (line) => {
      log.push(line);
      const url = /running at ([^\s"]+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}
