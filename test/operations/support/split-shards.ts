import { readFileSync } from "node:fs";

const PAGE = new URL("../../../prisma/DISTRIBUTED.md", import.meta.url);

/** The tables whose groups are split. */
export const SPLIT = ["conversations", "notifications", "posts", "short_urls"];

type Ask = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Splits each shard of a table with the statement of prisma/DISTRIBUTED.md. */
export async function splitShards(ask: Ask, table: string): Promise<void> {
  const statement = /^SELECT format\([^;]*?(?= \\gexec$)/m.exec(readFileSync(PAGE, "utf8"))![0];
  for (const row of await ask(statement.replace("conversations", table))) await ask(row["format"] as string);
}
