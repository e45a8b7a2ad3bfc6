import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Simulates the service after a minor version: an unknown field in every object, unknown values in open sets, and an
 * unknown header. The contract tells clients to accept these; a client that doesn't would break with a later version.
 */
export async function startNextMinorVersion(serviceUrl: string): Promise<{ url: string; stop: () => void }> {
  const server = createServer((incoming, outgoing) => forward(serviceUrl, incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

function forward(serviceUrl: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const options = { method: incoming.method ?? "GET", headers: { ...incoming.headers, "accept-encoding": "identity" } };
  const onward = request(new URL(incoming.url ?? "/", serviceUrl), options, (answer) => {
    const headers: OutgoingHttpHeaders = { ...answer.headers, "api-version": "1.3.0", "new-header": "1" };
    if (!/[/+]json\b/.test(answer.headers["content-type"] ?? "")) {
      outgoing.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(outgoing);
      return;
    }
    const chunks: Buffer[] = [];
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.on("end", () => {
      delete headers["transfer-encoding"];
      const body = Buffer.from(JSON.stringify(grown(JSON.parse(Buffer.concat(chunks).toString()))));
      outgoing.writeHead(answer.statusCode ?? 502, { ...headers, "content-length": body.length }).end(body);
    });
  });
  onward.on("error", () => outgoing.destroy());
  incoming.pipe(onward);
}

/**
 * The fields with open sets (`x-extensible-enum` in the contract), by name, except the kinds and codes that the journey
 * checks.
 */
const OPEN_SETS: Readonly<Record<string, string>> = {
  container: "new_container",
  video_codec: "new_codec",
  audio_codec: "new_codec",
  stage: "new_stage",
  content_type: "video/new",
};
/** Fields that are open sets only in a certain object: the resource of a notification, and the credential of an account. */
const OPEN_WITHIN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  resource: { type: "new_resource" },
  credential: { kind: "new_credential" },
};

/** A value of JSON as a later minor version could have it. */
export function grown(value: unknown, within = ""): unknown {
  if (Array.isArray(value)) return within === "scopes" ? [...value, "new:scope"] : value.map((it) => grown(it));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    typeof member === "string" ? (OPEN_WITHIN[within]?.[name] ?? OPEN_SETS[name] ?? member) : grown(member, name),
  ]);
  return { ...(Object.fromEntries(members) as object), new_field: { reason: "a minor version" } };
}
