import type pg from "pg";

/** Each shard makes lists over all shards slower; the default of Citus is 32. See prisma/CAPACITY.md. */
const SHARDS_PER_NODE = 2;
const COUNT_NODES = "SELECT count(*)::int AS nodes FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards";

/** The number of nodes that can have shards. */
export async function countNodes(client: pg.Client): Promise<number> {
  return (await client.query<{ nodes: number }>(COUNT_NODES)).rows[0]!.nodes;
}

/** The number of shards of a new distributed table. */
export async function defaultShards(client: pg.Client): Promise<number> {
  return SHARDS_PER_NODE * (await countNodes(client));
}
