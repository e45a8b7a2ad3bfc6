import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A name server for tests. */
export type NameServer = AsyncDisposable & {
  /** Where it listens, such as `127.0.0.1:53053`. */
  readonly address: string;
  /** The names in all queries for IPv4 addresses so far: each lookup has one. */
  readonly lookups: readonly string[];
};

type Options = {
  /**
   * The addresses of a name, of both families or of the one that is asked for. A text that is no address is another name (CNAME).
   * An empty list says that the name doesn't exist, and null sends no answer at all.
   */
  readonly answers: (name: string, family: 4 | 6) => readonly string[] | null | Promise<readonly string[] | null>;
};

const TYPES = { 4: 1, 6: 28, 0: 5 } as const;
const NXDOMAIN = 3;

/** Starts a real name server (DNS over UDP, RFC 1035). It is asked twice for each name: for IPv4 and for IPv6 addresses. */
export async function startNameServer({ answers }: Options): Promise<NameServer> {
  const lookups: string[] = [];
  const server = createSocket("udp4");
  server.on("message", (query, { port, address }) => void respond(query, port, address));
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  let isOpen = true;

  async function respond(query: Buffer, port: number, address: string): Promise<void> {
    const { name, type, end } = questionOf(query);
    if (type === TYPES[4]) lookups.push(name);
    const found = await answers(name, type === TYPES[6] ? 6 : 4);
    if (found === null || !isOpen) return;
    const records = found.map((it) => ({ type: TYPES[isIP(it) as 0 | 4 | 6], data: dataOf(it) }));
    const matching = records.filter((it) => it.type === type || it.type === TYPES[0]);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (found.length === 0 ? NXDOMAIN : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(matching.length, 6);
    server.send(Buffer.concat([header, query.subarray(12, end), ...matching.map(encoded)]), port, address);
  }

  return {
    address: `127.0.0.1:${server.address().port}`,
    lookups,
    async [Symbol.asyncDispose]() {
      isOpen = false;
      server.close();
      await once(server, "close");
    },
  };
}

/** The first question of a query, and where it ends. */
function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function dataOf(text: string): Buffer {
  if (isIP(text) !== 0) return Buffer.from(ipaddr.parse(text).toByteArray());
  const labels = text.split(".").map((it) => Buffer.concat([Buffer.from([it.length]), Buffer.from(it)]));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

/** A record about the name of the question, which is at byte 12 of the message. Its time to live is 0. */
function encoded({ type, data }: { readonly type: number; readonly data: Buffer }): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
