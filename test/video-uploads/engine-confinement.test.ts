import { expect, it } from "@jest/globals";
import { findEngine } from "../../src/video-uploads/media/engine.ts";
import { createFleet } from "../support/fleet.ts";
import { run } from "../support/running.ts";
import { finished, smallClip, upload } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

const LEVELS = { info: 30, warn: 40 };

/** Becomes a command in a world without this tool; needs the right to mount. */
const worldWithout = (tool: string): readonly string[] => [
  "unshare",
  "--mount",
  "--",
  "sh",
  "-c",
  `mount --bind /dev/null "$(readlink -f "$(command -v ${tool})")" && exec "$0" "$@"`,
];

const linesOf = (stdout: string) =>
  stdout
    .split("\n")
    .filter((it) => it.startsWith("{"))
    .map((it) => JSON.parse(it) as Record<string, unknown>);

it("says at start which engine reads videos, and what confines it", async () => {
  await using fleet = await createFleet();
  const worker = await fleet.start("worker", { LOG_LEVEL: "info" });
  const { description, confinement } = findEngine({ mode: "auto", searchPath: process.env["PATH"] });
  expect(linesOf(worker.stdout())).toContainEqual(
    expect.objectContaining({
      level: confinement.isLimited ? LEVELS.info : LEVELS.warn,
      engine: description,
      confined_by: confinement.holds,
    }),
  );
});

itNeeds(
  "mount",
  "warns at start where the operating system's limits are missing, names what is, and works all the same",
  async () => {
    const within = worldWithout("setpriv");
    await using fleet = await createFleet();
    await fleet.start("api");
    const ada = await fleet.as();
    const job = await upload(ada, await smallClip());
    await using worker = run(
      { NODE_ENV: "test", ROLE: "worker", DATABASE_URL: fleet.databaseUrl, DATA_DIR: fleet.dataDir, LOG_LEVEL: "info" },
      undefined,
      within,
    );
    await worker.ready();
    const lacks = [expect.stringContaining("prlimit"), expect.stringContaining("setpriv")];
    expect(linesOf(worker.stdout())).toContainEqual(
      expect.objectContaining({ level: LEVELS.warn, not_confined_by: expect.arrayContaining(lacks) }),
    );
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
  },
  120_000,
);
