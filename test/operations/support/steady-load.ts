import type { Client } from "../../support/client.ts";
import { openPersistentConnection, type PersistentConnection } from "../../support/keep-alive.ts";
import { seededRandom } from "../../support/seed.ts";

/** Clients that each send one request after the other, of many kinds, until they are stopped and have sent enough. */
export function startSteadyLoad(
  url: string,
  [user, other]: readonly [Client, Client],
  { clients: count, requests }: { readonly clients: number; readonly requests: number },
) {
  const random = seededRandom("steady load");
  const failures: string[] = [];
  const statuses: Record<string, number> = {};
  let [sent, latestMs, isStopped] = [0, 0, false];

  const one = async (connection: PersistentConnection, conversation: string): Promise<boolean> => {
    const [line, expected, body] = requestFor(random(10), conversation);
    const key = `Idempotency-Key: restart-${String(sent).padStart(8, "0")}-${random(2 ** 31)}\r\n`;
    const sinceMs = performance.now();
    sent++;
    const answer = await connection.ask(line, body === undefined ? {} : { headers: key, body });
    latestMs = Math.max(latestMs, performance.now() - sinceMs);
    const status = answer?.status ?? "lost";
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status !== expected) failures.push(`${line}: ${status} ${answer?.text.slice(0, 200) ?? ""}`);
    return answer !== null && answer.connection !== "close";
  };

  const client = async (): Promise<void> => {
    const open = () => openPersistentConnection(url, `Authorization: ${user.authorization}\r\n`);
    let connection = open();
    const body = JSON.stringify({ member_ids: [other.userId] });
    const key = `Idempotency-Key: restart-conversation-${random(2 ** 31)}\r\n`;
    const begun = await connection.ask("POST /conversations", { headers: key, body });
    const { id } = JSON.parse(begun!.text) as { id: string };
    while (!isStopped || sent < requests) if (!(await one(connection, id))) connection = open();
    connection.socket.destroy();
  };

  const clients = Promise.all(Array.from({ length: count }, client));
  return {
    /** Waits until enough requests were sent, and returns what became of all of them. */
    async stop() {
      isStopped = true;
      await clients;
      return { sent, failures, statuses, latestMs };
    },
  };
}

/** A random read or write. Every write has an idempotency key. */
function requestFor(chance: number, conversation: string): readonly [line: string, expected: number, body?: string] {
  if (chance === 0) return ["POST /posts", 201, JSON.stringify({ title: "Restart", body: "Nothing of it is seen." })];
  if (chance === 1) return [`POST /conversations/${conversation}/messages`, 201, JSON.stringify({ body: "Still here." })];
  if (chance === 2) return ["POST /urls", 201, JSON.stringify({ target_url: "https://www.example.com/" })];
  if (chance === 3) return ["GET /posts?limit=1", 200];
  if (chance === 4) return [`GET /conversations/${conversation}/messages?limit=1`, 200];
  if (chance === 5) return ["GET /u/nothing-here", 404];
  return ["GET /account", 200];
}
