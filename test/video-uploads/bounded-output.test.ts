import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { boundOutput } from "../../src/media/bounded-output.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../src/media/limits.ts";
import { temporaryFolder } from "../support/media.ts";

const ended = { exitCode: 0, exitSignal: null, stoppedFor: null, stdout: "", stderr: "" };

it("output that has reached its limit fails, though the tool reports success, and so do several files together", async () => {
  for (const files of [[1_000], [999, 1]]) {
    await using folder = await temporaryFolder();
    const limits = { ...DEFAULT_MEDIA_LIMITS, resultAlwaysBytes: 0, resultRatioMax: 10 };
    const plan = { sourceBytes: 100, plannedBytes: 2_000 };
    const output = await boundOutput(folder.path, plan, limits, { minFreeBytes: 0, quotaBytes: Infinity });
    expect(output.maxBytes).toBe(1_000);
    const write = (sizeBytes: number, index: number) => writeFile(join(folder.path, `${index}.mp4`), Buffer.alloc(sizeBytes));
    await write(998, 0);
    await expect(output.check(ended)).resolves.toBeUndefined();
    for (const [index, sizeBytes] of files.entries()) await write(sizeBytes, index);
    await expect(output.check(ended)).rejects.toMatchObject({ code: "result_too_large", retryable: false });
    await write(1_001, 0);
    expect(await output.inspect()).toBe("result_limit");
  }
});
