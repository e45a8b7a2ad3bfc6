import type pg from "pg";

/** A list that asks all shards costs more with each of them, and Citus would make 32: prisma/CAPACITY.md. */
const SHARDS_PER_NODE = 2;
const COUNT_NODES = "SELECT count(*)::int AS nodes FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards";

/** The number of nodes that can have shards. */
export async function countNodes(client: pg.Client): Promise<number> {
  return (await client.query<{ nodes: number }>(COUNT_NODES)).rows[0]!.nodes;
}

/** The number of shards of a table that is to be distributed. */
export async function defaultShards(client: pg.Client): Promise<number> {
  return SHARDS_PER_NODE * (await countNodes(client));
}
