/** A server that answers for a bucket as a test says: with errors, partly, or not at all. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createS3Store } from "../../../src/storage/s3-store.ts";

/** A store whose server answers this way. To a list of objects, `answer` can return false: then there are none. */
export async function fakeBucket(
  answer: (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => unknown,
  prefix?: string,
) {
  const server = createServer((request, response) => {
    const { searchParams: query } = new URL(request.url!, "http://bucket");
    if (answer(request, response, query) === false) response.end("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  return {
    store: await createS3Store({ bucket: "bucket", prefix, endpoint, credentials }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
