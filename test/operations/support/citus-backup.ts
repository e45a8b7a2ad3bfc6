import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ENVIRONMENT, type Cluster } from "../../../src/embedded-postgres/cluster.ts";
import { isPrimary } from "./backups.ts";
import { describeServer } from "../../support/citus.ts";
import { eventually } from "../../support/eventually.ts";
import { startNode, type PostgresNode } from "../../support/postgres-nodes.ts";

/** Each node archives into a folder beside its files, which `prepareArchive` makes. */
export const ARCHIVING = { archive_mode: "on", archive_command: "cp %p ../archive/%f" };

/** Makes the folder for the archive of the node in this folder. PostgreSQL runs as another user if root runs the test. */
export function prepareArchive(nodeDir: string): string {
  const archive = join(nodeDir, "archive");
  mkdirSync(archive);
  chmodSync(archive, 0o777);
  return archive;
}

/** Copies the files of a running node with pg_basebackup, without the log, which is in the archive. */
export async function takeBaseBackup({ url }: PostgresNode): Promise<Cluster> {
  const copy = describeServer({});
  const { dir, user, passwordFile, binaries } = copy;
  mkdirSync(dir, { mode: 0o700 });
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  writeFileSync(passwordFile, "none\n");
  const options = [`--dbname=${url}`, `--pgdata=${dir}`, "--wal-method=none", "--checkpoint=fast", "--no-sync"];
  await promisify(execFile)(join(binaries.dir, "bin/pg_basebackup"), options, { cwd: "/", env: ENVIRONMENT, ...user });
  return copy;
}

/** Starts a node from a copy of its files, on another port, and lets it recover up to a restore point. */
export async function restoreNode(
  copy: Cluster,
  archive: string,
  point: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresNode> {
  const signal = join(copy.dir, "recovery.signal");
  writeFileSync(signal, "");
  if (copy.user !== undefined) chownSync(signal, copy.user.uid, copy.user.gid);
  const node = await startNode({
    ...copy,
    settings: {
      ...copy.settings,
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: point,
      recovery_target_action: "promote",
      ...settings,
    },
  });
  await eventually("the end of the recovery", () => isPrimary(node.url), 60_000);
  return node;
}

/** The folder that has the files of a node. */
export const folderOf = ({ dir }: Cluster) => dirname(dir);
