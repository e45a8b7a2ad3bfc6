import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "./eventually.ts";

export type Wire = { readonly url: string; /** How many connections it has cut. */ cuts(): number } & AsyncDisposable;
type Faults = {
  /** Breaks the connection that has carried so many bytes to the service, once. */
  readonly cutAfterBytes?: number;
  /** What must be so before it breaks the connection, such as that the service has read some of the bytes. */
  readonly cutWhen?: () => Promise<boolean>;
  /** How fast what the service says arrives. */
  readonly bytesPerSecond?: number;
};

/** A way to a service that is as bad as networks are. */
export async function layWire(
  serviceUrl: string,
  { cutAfterBytes = Infinity, cutWhen = async () => true, bytesPerSecond = Infinity }: Faults,
): Promise<Wire> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(Number(new URL(serviceUrl).port), "127.0.0.1");
    let carriedBytes = 0;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(socket);
          other.destroy();
        });
    }
    near.on("data", (bytes: Buffer) => {
      carriedBytes += bytes.length;
      if (cuts === 0 && carriedBytes > cutAfterBytes) {
        cuts++;
        near.pause();
        void eventually("a moment to cut the wire", cutWhen).finally(() => near.destroy());
      } else if (!far.write(bytes)) {
        near.pause();
        far.once("drain", () => near.resume());
      }
    });
    void carry(far, near, bytesPerSecond);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function carry(from: Socket, to: Socket, bytesPerSecond: number): Promise<void> {
  try {
    for await (const bytes of from as AsyncIterable<Buffer>) {
      if (!to.write(bytes)) await once(to, "drain");
      if (bytesPerSecond !== Infinity) await delay((bytes.length / bytesPerSecond) * 1_000);
    }
    to.end();
  } catch {
    to.destroy();
  }
}
