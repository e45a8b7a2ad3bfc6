import { createHash, randomUUID } from "node:crypto";
import { open } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

// What uploads and downloads cost without a service around them: node:http writes a body into a file and hashes it, and the
// package that Express serves files with sends one.

const folder = process.env["DATA_DIR"]!;
type Send = (req: IncomingMessage, path: string, options: { root: string }) => { pipe(res: ServerResponse): void };
const send = createRequire(import.meta.resolve("express"))("send") as Send;

/** The file is on the disk when the response is sent, as with the service. */
async function receive(req: IncomingMessage): Promise<object> {
  const id = randomUUID();
  const hash = createHash("sha256");
  await using file = await open(join(folder, id), "wx");
  async function* hashed() {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await file.writeFile(hashed());
  await file.sync();
  return { id, sha256: hash.digest("hex") };
}

createServer((req, res) => {
  if (req.method === "POST") {
    receive(req).then(
      (body) => res.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify(body)),
      (error: unknown) => res.writeHead(500).end(String(error)),
    );
    return;
  }
  if (req.url === "/health") res.end();
  else send(req, req.url!, { root: folder }).pipe(res);
}).listen(Number(process.env["PORT"]), "127.0.0.1");
