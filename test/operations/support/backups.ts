import pg from "pg";
import { openSession } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

/** Waits until the archive has everything that was committed. */
export async function archiveAll(url: string): Promise<void> {
  await using client = await openSession(url);
  const { rows } = await client.query<{ file: string }>("SELECT pg_walfile_name(pg_switch_wal()) AS file");
  await eventually("the archive", async () => {
    const { rows: archived } = await client.query<{ last: string | null }>(
      "SELECT last_archived_wal AS last FROM pg_stat_archiver",
    );
    return (archived[0]!.last ?? "") >= rows[0]!.file;
  });
}

/** Whether a server has ended its recovery, and accepts writes. */
export async function isPrimary(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return !(await client.query<{ it: boolean }>("SELECT pg_is_in_recovery() AS it")).rows[0]!.it;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
