/** What takes long in every adapter: memory, and the server with more features. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeNeeds } from "../support/needs.ts";
import { sized } from "../support/size.ts";
import { aFolder, inMoto, inS3rver, type StoreKind } from "../support/stores.ts";
import { testObjectStore } from "./support/object-store-suite.ts";

/** A folder is measured with an upload, and both buckets use the same code, so at the usual size one of them is measured. */
const MEASURED = sized([inS3rver], [aFolder, inS3rver, inMoto]);
const LARGE_MIB = sized(80, 128);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The memory of this process outside the heap, which includes the bytes of buffers. */
async function heldBytes(): Promise<number> {
  const held: number[] = [];
  // V8 frees buffers in another thread. What is really held stays in each collection.
  for (let collection = 0; collection < 3; collection++) {
    collectGarbage();
    held.push(process.memoryUsage().external);
    await new Promise(setImmediate);
  }
  return Math.min(...held);
}

testObjectStore(inMoto);

for (const { name, start, needs } of MEASURED)
  describeNeeds(needs, `the object store in ${name}`, () => {
    let backend: Awaited<ReturnType<StoreKind["start"]>>;
    beforeAll(async () => {
      backend = await start();
    });
    afterAll(() => backend.stop());

    it(`holds less than 48 MiB in memory while it stores an object of ${LARGE_MIB} MiB`, async () => {
      const store = await backend.open();
      let mostBytes = 0;
      async function* large(): AsyncIterable<Uint8Array> {
        for (let count = 0; count < LARGE_MIB; count += 1) {
          // Each chunk is new, so a store that retained them all would hold as much.
          yield new Uint8Array(1024 * 1024).fill(count);
          if (count % 40 === 39) mostBytes = Math.max(mostBytes, await heldBytes());
        }
      }
      const beforeBytes = await heldBytes();
      await store.put("large", large(), { maxBytes: 1024 * 1024 * 1024 });
      expect(mostBytes - beforeBytes).toBeLessThan(48 * 1024 * 1024);
    });
  });
