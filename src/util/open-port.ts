import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { StartupError } from "./startup-error.ts";

/** Opens a port, and returns its number. Throws a StartupError with the message of `sentence` for an error code. */
export async function openPort(server: Server, host: string, port: number, sentence: (code: string) => string): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new StartupError(sentence((error as NodeJS.ErrnoException).code ?? "unknown error"), { cause: error });
  }
  return (server.address() as AddressInfo).port;
}
