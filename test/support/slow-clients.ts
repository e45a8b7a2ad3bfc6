import type { Socket } from "node:net";
import { startTestService, type TestService } from "./service.ts";
import { leave, openSocket } from "./socket.ts";

export type ServiceOfSlowClients = TestService & {
  /** Opens a connection, sends a message, and reads nothing of the response until the test resumes the socket. */
  sendUnread(message: string): Socket;
};

/** Starts an API that closes these connections when it ends. It would wait for their requests otherwise. */
export async function startForSlowClients(settings: Readonly<Record<string, string>> = {}): Promise<ServiceOfSlowClients> {
  const service = await startTestService({ ROLE: "api", ...settings });
  const sockets: Socket[] = [];
  return {
    ...service,
    sendUnread(message) {
      const socket = openSocket(service.url, message).pause();
      sockets.push(socket);
      return socket;
    },
    async [Symbol.asyncDispose]() {
      await leave(sockets);
      await service.close();
    },
  };
}
