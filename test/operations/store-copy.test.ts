import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import { copyStore } from "../../scripts/store/copy.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { temporaryFolder } from "../support/media.ts";

it("`store copy` copies an object again of which a copy has only a part, and no other", async () => {
  await using folder = await temporaryFolder();
  const store = createFileStore(join(folder.path, "live"));
  for (const key of ["a/whole", "a/part"]) await store.put(key, Readable.from([Buffer.from("12 bytes now")]), { maxBytes: 12 });
  const copy = join(folder.path, "copy");
  expect(await copyStore(store, copy, 14)).toMatchObject({ copied: 2, bytes: 24 });
  await truncate(join(copy, "objects/a/part"), 5);
  expect(await copyStore(store, copy, 14)).toMatchObject({ copied: 1, bytes: 12 });
  expect(await copyStore(store, copy, 14)).toMatchObject({ copied: 0 });
});
