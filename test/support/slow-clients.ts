import { connect, type Socket } from "node:net";
import { startTestService, type TestService } from "./service.ts";

export type ServiceOfSlowClients = TestService & {
  /** Opens a connection, sends a message, and reads nothing of the response until the test resumes the socket. */
  sendUnread(message: string): Socket;
};

/** Starts an API that closes these connections when it ends. It would wait for their requests otherwise. */
export async function startForSlowClients(settings: Readonly<Record<string, string>> = {}): Promise<ServiceOfSlowClients> {
  const service = await startTestService({ ROLE: "api", ...settings });
  const { port, hostname } = new URL(service.url);
  const sockets: Socket[] = [];
  return {
    ...service,
    sendUnread(message) {
      const socket = connect(Number(port), hostname)
        .on("error", () => undefined)
        .pause();
      sockets.push(socket);
      socket.write(message);
      return socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await service.close();
    },
  };
}
