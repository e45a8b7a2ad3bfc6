import type pg from "pg";
import { hasCitus, IS_ON_EVERY_NODE, pendingSteps } from "../../src/database/distribution/index.ts";
import { readFunctions } from "../../src/database/functions.ts";
import { TABLE_DISTRIBUTIONS } from "../operations/distribution.ts";
import type { Subject } from "./database.ts";
import { fault, good, warning, type Checks } from "./finding.ts";

/** A running node completes two-phase commits within a minute. */
const PREPARED_MAX_MINUTES = 5;
const CONNECT_TIMEOUT = "2s";

type NodeInfo = {
  readonly version: string;
  readonly max_connections: number;
  readonly max_prepared_transactions: number;
  readonly wal_level: string;
  readonly functions: Readonly<Record<string, string>>;
};
type Node = { readonly name: string; readonly isCoordinator: boolean; readonly info: NodeInfo | null };

const NODE_INFO = `SELECT json_build_object(
    'version', (SELECT substring(citus_version() FROM '^Citus \\S+') || ' with the extension ' || extversion FROM pg_extension WHERE extname = 'citus'),
    'max_connections', current_setting('max_connections')::int,
    'max_prepared_transactions', current_setting('max_prepared_transactions')::int,
    'wal_level', current_setting('wal_level'),
    'functions', (SELECT json_object_agg(proname, md5(prosrc)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND ${IS_ON_EVERY_NODE}))`;

const NODES = "SELECT nodeid, nodename || ':' || nodeport AS name, groupid FROM pg_dist_node WHERE noderole = 'primary'";

/** Runs a statement with a single result on each node. Null for a node that doesn't respond. */
async function askNodes(client: pg.Client, statement: string) {
  await client.query(`SET citus.node_connection_timeout = '${CONNECT_TIMEOUT}'`);
  const { rows } = await client.query<{ name: string; groupid: number; result: string | null }>(
    `SELECT name, groupid, CASE WHEN success THEN result END AS result
    FROM (${NODES}) AS node JOIN run_command_on_all_nodes($1, give_warning_for_connection_errors => true) USING (nodeid) ORDER BY groupid`,
    [statement],
  );
  await client.query("RESET citus.node_connection_timeout");
  return rows;
}

async function findNodes({ direct }: Subject): Promise<Node[]> {
  const rows = await askNodes(direct, NODE_INFO);
  return rows.map(({ name, groupid, result }) => ({
    name,
    isCoordinator: groupid === 0,
    info: result === null ? null : (JSON.parse(result) as NodeInfo),
  }));
}

/** Whether tables of this database are distributed. With the extension alone, they are not. */
async function isDistributed({ direct }: Subject): Promise<boolean> {
  return (await hasCitus(direct)) && (await direct.query("SELECT 1 FROM pg_dist_partition LIMIT 1")).rows.length > 0;
}

/** The nodes. Null if the database is not distributed, or if a node doesn't respond, which `cluster_nodes` reports. */
async function findAll(subject: Subject): Promise<(Node & { readonly info: NodeInfo })[] | null> {
  if (!(await isDistributed(subject))) return null;
  const nodes = await findNodes(subject);
  return nodes.every((it): it is Node & { info: NodeInfo } => it.info !== null) ? nodes : null;
}

const namesOf = (nodes: readonly { readonly name: string }[]) => nodes.map((it) => it.name).join(", ");

/** The transactions that were prepared this long ago and have not ended. */
export async function findOldPrepared(client: pg.Client, minutes: number): Promise<string[]> {
  const gids = `SELECT coalesce(json_agg(gid ORDER BY gid), '[]') FROM pg_prepared_xacts
    WHERE database = current_database() AND prepared <= clock_timestamp() - ${minutes} * interval '1 minute'`;
  const rows = await askNodes(client, gids);
  return rows.flatMap(({ name, result }) => (JSON.parse(result ?? "[]") as string[]).map((gid) => `${gid} on ${name}`));
}

/** Checks of a database that is distributed with Citus. */
export const clusterChecks: Checks<Subject> = {
  async cluster_nodes(subject) {
    if (!(await isDistributed(subject))) return null;
    const nodes = await findNodes(subject);
    const silent = nodes.filter(({ info }) => info === null);
    if (silent.length > 0)
      return fault(
        `No answer comes from ${silent.length} of ${nodes.length} nodes of the cluster (${namesOf(silent)}), so requests for rows there get 503; start them, or let the coordinator log in to them.`,
      );
    const { rows: apart } = await subject.direct.query<{ pair: string }>(
      `SELECT from_nodename || ':' || from_nodeport || ' to ' || to_nodename || ':' || to_nodeport AS pair
      FROM citus_check_cluster_node_health() WHERE NOT result`,
    );
    if (apart.length === 0) return good(`All ${nodes.length} nodes of the cluster answer, and reach each other.`);
    return fault(
      `Nodes of the cluster don't reach each other (${apart.map((it) => it.pair).join(", ")}); check the network and pg_hba.conf.`,
    );
  },

  async cluster_settings(subject) {
    const nodes = await findAll(subject);
    if (nodes === null) return null;
    const versions = Map.groupBy(nodes, ({ info }) => info.version);
    if (versions.size > 1) {
      const found = [...versions].map(([version, all]) => `${version} on ${namesOf(all)}`).join(", ");
      return fault(
        `The nodes have different versions (${found}); install the same Citus on all of them, and run \`ALTER EXTENSION citus UPDATE\` on each.`,
      );
    }
    const few = nodes.filter(({ info }) => info.max_prepared_transactions < info.max_connections);
    if (few.length > 0)
      return fault(
        `On ${namesOf(few)}, max_prepared_transactions is less than max_connections, so writes to several nodes can fail; raise it, and restart PostgreSQL.`,
      );
    const physical = nodes.filter(({ info }) => info.wal_level !== "logical");
    if (physical.length > 0)
      return warning(
        `On ${namesOf(physical)}, wal_level is not logical, so a shard there moves only while it is not written; set it to logical, and restart PostgreSQL.`,
      );
    return good(`All nodes have ${nodes[0]!.info.version}, and the settings that they need.`);
  },

  async cluster_tables(subject) {
    if ((await findAll(subject)) === null) return null;
    const steps = await pendingSteps(subject.direct, TABLE_DISTRIBUTIONS, {
      statementTimeoutSeconds: subject.config.DATABASE_STATEMENT_TIMEOUT_SECONDS,
    });
    if (steps.length === 0) return good("Every table and every setting of the database is where it should be.");
    return fault(
      `The distribution of the database lacks ${steps.length} steps (${steps.map(({ title }) => title).join(", ")}); \`npm run -s plumbline -- database distribute\` shows them.`,
    );
  },

  async cluster_functions(subject) {
    const nodes = await findAll(subject);
    if (nodes === null) return null;
    const { functions } = nodes.find((it) => it.isCoordinator)!.info;
    const names = readFunctions().map(({ name }) => name);
    const wrong = nodes
      .map((it) => ({ ...it, names: names.filter((name) => it.info.functions?.[name] !== functions?.[name]) }))
      .filter((it) => it.names.length > 0);
    if (wrong.length === 0) return good("Every node has the functions of the coordinator.");
    const found = wrong.map((it) => `${it.name}: ${it.names.join(", ")}`).join("; ");
    return fault(
      `Nodes lack functions of the coordinator, or have others (${found}); run \`SELECT start_metadata_sync_to_all_nodes()\` on the coordinator.`,
    );
  },

  async cluster_transactions(subject) {
    if ((await findAll(subject)) === null) return null;
    const old = await findOldPrepared(subject.direct, PREPARED_MAX_MINUTES);
    if (old.length === 0) return good(`No transaction has been prepared for more than ${PREPARED_MAX_MINUTES} minutes.`);
    return fault(
      `Transactions have been prepared for more than ${PREPARED_MAX_MINUTES} minutes (${old.join(", ")}), and hold their locks; run \`SELECT recover_prepared_transactions()\` on every node.`,
    );
  },
};
