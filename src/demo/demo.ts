import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scopes } from "#generated/scopes.ts";
import type { Db } from "../db/client.ts";
import { addUser } from "../users/users.ts";
import { fillDemo, type DemoUser } from "./fill.ts";

/** What somebody who tries the service out needs: two users, each with a key. */
export type Demo = { readonly users: readonly DemoUser[] };

/**
 * The demo of a data directory, made the first time: two users, and a little of everything, created through the API
 * itself. The keys are kept in the data directory, so that every start can print a request that works.
 */
export async function openDemo(url: string, db: Db, dataDir: string): Promise<Demo> {
  const path = join(dataDir, "demo.json");
  try {
    return JSON.parse(await readFile(path, "utf8")) as Demo;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const names = ["Ada Marsh", "Yuki Brandt"];
  const users = await Promise.all(names.map(async (name) => {
    const { userId, apiKey } = await addUser(db, name, scopes);
    return { name, user_id: userId, api_key: apiKey };
  }));
  const demo = { users };
  await fillDemo(url, users);
  await writeFile(path, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  return demo;
}

/** What is printed when the service is ready. */
export function demoGreeting(url: string, demo: Demo | null): string {
  const lines = [`Plumbline answers at ${url}`, `  documentation   ${url}/docs`, `  contract        ${url}/openapi.json`, ""];
  const user = demo?.users[0];
  if (user === undefined) lines.push('A key for a user: npm run -s user -- add "Your Name"');
  else lines.push(`Try it as ${user.name}:`, `  curl -H "Authorization: Bearer ${user.api_key}" "${url}/posts?limit=3"`);
  return lines.join("\n");
}
