import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/** Free ports, for programs that can't choose one themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((it) => (it.address() as AddressInfo).port);
  await Promise.all(servers.map((it) => new Promise((done) => it.close(done))));
  return ports;
}
