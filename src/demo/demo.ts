import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scopes } from "#generated/operations.ts";
import type { Db } from "../database/client.ts";
import { addUser } from "../users/users.ts";
import { fillDemo, type DemoUser } from "./fill.ts";

/** What somebody who tries the service out needs: two users, each with a key. */
export type Demo = { readonly users: readonly DemoUser[]; readonly complete: boolean };

const NAMES = ["Ada Marsh", "Yuki Brandt"];

/**
 * A request as a demo user that works in a shell. The demo of a data directory is made the first time: two users, and a
 * little of everything, created through the API itself. The keys are kept in the data directory, so that every start can
 * print a request that works; and they are kept before anything is created, so that a start that was cut short is
 * continued by the next one.
 */
export async function openDemo(url: string, db: Db, dataDir: string): Promise<string> {
  const path = join(dataDir, "demo.json");
  const { users, complete } = (await readDemo(path, db)) ?? (await keep(path, { users: await addDemoUsers(db), complete: false }));
  if (!complete) {
    await fillDemo(url, users);
    await keep(path, { users, complete: true });
  }
  return `curl -H "Authorization: Bearer ${users[0]!.api_key}" "${url}/posts?limit=3"`;
}

/** What an earlier start has kept; null when there is nothing, or when it is of a database that is no longer there. */
async function readDemo(path: string, db: Db): Promise<Demo | null> {
  try {
    const demo = JSON.parse(await readFile(path, "utf8")) as Demo;
    const known = await db.user.count({ where: { id: { in: demo.users.map((it) => it.user_id) } } });
    return known === demo.users.length ? demo : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return null;
  }
}

function addDemoUsers(db: Db): Promise<DemoUser[]> {
  return Promise.all(
    NAMES.map(async (name) => {
      const { userId, apiKey } = await addUser(db, name, scopes);
      return { name, user_id: userId, api_key: apiKey };
    }),
  );
}

/** All of it or nothing: half a file would stand in the way of every later start. */
async function keep(path: string, demo: Demo): Promise<Demo> {
  await writeFile(`${path}.unfinished`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.unfinished`, path);
  return demo;
}
