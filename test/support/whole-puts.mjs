/**
 * Loaded with `--import` before s3rver, which writes an object directly into its file, and responds before it is written. Two
 * puts of one key at once mixed their bytes. S3 promises one of the two, so here a put replaces the object when all its bytes are
 * there.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import FilesystemStore from "s3rver/lib/stores/filesystem.js";

let last = Promise.resolve();

FilesystemStore.prototype.putObject = async function putObject({ bucket, key, content, metadata }) {
  const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
  const md5 = createHash("md5").update(bytes).digest("hex");
  const put = async () => {
    const [fresh, path] = [join(this.rootDirectory, `.${randomUUID()}`), this.getResourcePath(bucket, key, "object")];
    await writeFile(fresh, bytes);
    await mkdir(dirname(path), { recursive: true });
    await rename(fresh, path);
    await this.putMetadata(bucket, key, metadata, md5);
  };
  const done = last.then(put);
  last = done.catch(() => undefined);
  await done;
  return { size: bytes.length, md5 };
};
