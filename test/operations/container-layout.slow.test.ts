import { readdirSync } from "node:fs";
import { expect } from "@jest/globals";
import { createClient, patient, type Client } from "../support/client.ts";
import { secondsOf } from "./support/compose.ts";
import { startSurroundings, type Surroundings } from "./support/compose-surroundings.ts";
import { buildLayout, type Layout } from "./support/container-layout.ts";
import { withKey } from "../support/conversations.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import type { Running } from "../support/processes.ts";
import { finished, smallClip } from "../support/videos.ts";

const APIS = ["api-1", "api-2"];
const WORKERS = ["worker-1", "worker-2"];

itNeeds(
  ["haproxy", "pgbouncer", "ffmpeg"],
  "the files of the image, with compose.yaml and its configuration, serve a post, a message and a video, and stop with 0",
  async () => {
    await using stack = new AsyncDisposableStack();
    const layout = stack.use(buildLayout());
    expect(readdirSync(layout.path("/app/node_modules/.cache/node"))).toHaveLength(1);
    await expectReadOnly(layout);
    const world = await startSurroundings(stack, layout);
    const start = (name: string) => stack.use(layout.start(world.environmentOf(name), world.services[name]!.command));

    const migrate = start("migrate");
    expect({ code: await migrate.exited, stderr: migrate.stderr() }).toEqual({ code: 0, stderr: "" });
    expect(migrate.stdout()).toMatch(/^Applied .*_baseline/);
    const processes = new Map([...APIS, ...WORKERS].map((name) => [name, start(name)]));
    for (const it of processes.values()) await it.ready();
    for (const name of ["api-1", "worker-1"]) expect(await checkHealth(layout, world, name)).toBe(0);

    // A client repeats what returns 503, for example because the machine is busy when the first connection is opened.
    const [ada, yuki] = [patient(await addUser(layout, world)), patient(await addUser(layout, world))];
    expect(await ada("GET", "/health")).toMatchObject({ status: 200 });
    // The image has only the production dependencies, which must be enough for these pages.
    for (const page of ["/docs", "/docs/redoc.standalone.js", "/openapi.json"])
      expect({ page, status: (await fetch(world.url + page)).status }).toEqual({ page, status: 200 });
    // A failure of the journey says what the processes logged about it.
    await travel(ada, yuki).catch((cause: unknown) => {
      const complaints = [...processes].map(([name, it]) => complaintsOf(name, it.stdout())).join("");
      throw new Error(`${String(cause)}\n${complaints}`, { cause });
    });
    for (const name of APIS) {
      const own = createClient(`http://${world.local(`${name}:3000`)}`, {
        ...ada,
        name: ada.userName,
        authorization: ada.authorization!,
      });
      expect(await patient(own)("GET", "/account")).toMatchObject({ status: 200 });
    }

    await Promise.all([...processes].map(([name, it]) => stop(it, secondsOf(world.services[name]!.stop_grace_period!))));
    for (const name of ["api-1", "worker-1"]) expect(await checkHealth(layout, world, name)).toBe(1);
    for (const [name, it] of processes) expect({ name, stderr: it.stderr() }).toEqual({ name, stderr: "" });
    expect(processes.get("worker-1")!.stdout()).toMatch(/native .*ffmpeg/);
  },
);

/** The warnings and errors in a log, for the reader of this test's output. */
const complaintsOf = (name: string, log: string): string =>
  log
    .split("\n")
    .filter((line) => /^\{"level":[4-6]0,/.test(line))
    .map((line) => `${name}: ${line}\n`)
    .join("");

/** Requests of every area through the proxy, which gives each of them to any of the API processes. */
async function travel(ada: Client, yuki: Client): Promise<void> {
  const post = await ada("POST", "/posts", { title: "Contained", body: "In the layout of the image." }, withKey());
  expect(post.status).toBe(201);
  expect((await yuki("GET", `/posts/${post.body.id}`)).body).toMatchObject({ title: "Contained" });
  const opened = await ada("POST", "/conversations", { member_ids: [yuki.userId] }, withKey());
  const messages = `/conversations/${opened.body.id}/messages`;
  for (let n = 1; n <= 10; n++)
    expect(await ada("POST", messages, { body: `Message ${n}` }, withKey())).toMatchObject({ status: 201 });
  expect((await yuki("GET", messages)).body.data).toHaveLength(10);
  const accepted = await ada("POST", "/video-uploads", await smallClip(), withKey());
  expect(accepted).toMatchObject({ status: 202 });
  const video = await finished(ada, accepted.body);
  expect(video).toMatchObject({ status: "succeeded", attempt: 1 });
  expect((await notificationsOf(yuki)).map(([kind]) => kind)).toEqual(["message.created", "conversation.member_added"]);
}

/** Creates a user as an operator does, with a command in a container. */
async function addUser(layout: Layout, world: Surroundings): Promise<Client> {
  await using command = layout.start(world.environmentOf("api-1"), [
    "node",
    "scripts/plumbline.ts",
    "user",
    "add",
    "Contained",
    "--json",
  ]);
  expect({ code: await command.exited, stderr: command.stderr() }).toMatchObject({ code: 0 });
  const { user_id: userId, api_key: apiKey } = JSON.parse(command.stdout()) as Record<string, string>;
  return createClient(world.url, { userId: userId!, name: "Contained", authorization: `Bearer ${apiKey}` });
}

/** The exit code of the health check in a container. */
async function checkHealth(layout: Layout, world: Surroundings, name: string): Promise<number | string> {
  await using check = layout.start(world.environmentOf(name), layout.healthcheck);
  return await check.exited;
}

/** The user of the image can write none of its files, and can write to /data. */
async function expectReadOnly(layout: Layout): Promise<void> {
  const script = (file: string) => `require("node:fs").writeFileSync(${JSON.stringify(file)}, "")`;
  for (const [file, code] of [
    ["/app/src/main.ts", 1],
    ["/app/node_modules/.cache/file", 1],
    ["/app/file", 1],
    ["/data/file", 0],
  ] as const) {
    await using attempt = layout.start({}, ["node", "-e", script(layout.path(file))]);
    expect({ file, code: await attempt.exited }).toEqual({ file, code });
  }
}

/** Stops a process as a container engine does. */
async function stop(it: Running, graceSeconds: number): Promise<void> {
  const startedMs = performance.now();
  it.child.kill("SIGTERM");
  expect(await it.exited).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(graceSeconds * 1_000);
}
