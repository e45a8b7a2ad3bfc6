import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** CPU profiles of the service, summed by folder. */

type ProfileNode = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
};
/** A profile of V8, in the format of .cpuprofile. */
export type Profile = {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

const INTERVAL_US = 200;
/** A longer gap between two samples is a wait for a processor. */
const GAP_MAX_US = 2 * INTERVAL_US;

/** What V8 names in brackets. Null: the process waits. */
const OUTSIDE: ReadonlyMap<string, string | null> = new Map([
  ["(garbage collector)", "garbage collector"],
  ["(program)", "native code"],
  ["(idle)", null],
  ["(root)", null],
]);

/**
 * The microseconds of a profile in each folder of `src` or `generated` in a checkout. What a folder calls in packages and in Node counts as
 * its own. The rest is by package, or Node's.
 */
export function byFolder({ nodes, samples, timeDeltas }: Profile, checkout: string): ReadonlyMap<string, number> {
  const root = pathToFileURL(join(checkout, "/")).href;
  const byId = new Map(nodes.map((it) => [it.id, it]));
  const folders = new Map<number, string | null>();
  const visit = (node: ProfileNode, caller: string): void => {
    const { functionName, url } = node.callFrame;
    const inside = () => ownFolder(url, root) ?? (isOurs(caller) ? caller : (packageOf(url) ?? caller));
    const folder = OUTSIDE.has(functionName) ? OUTSIDE.get(functionName)! : inside();
    folders.set(node.id, folder);
    for (const child of node.children ?? []) visit(byId.get(child)!, folder ?? NODE);
  };
  visit(nodes[0]!, NODE);
  const sums = new Map<string, number>();
  samples.forEach((id, index) => {
    const folder = folders.get(id) ?? null;
    if (folder !== null) sums.set(folder, (sums.get(folder) ?? 0) + Math.min(timeDeltas[index]!, GAP_MAX_US));
  });
  return sums;
}

const NODE = "Node";
const ownFolder = (url: string, root: string) =>
  url.startsWith(root) ? (/^(?:src|generated)(?:\/[^/]+)*(?=\/[^/]+$)/.exec(url.slice(root.length))?.[0] ?? null) : null;
const packageOf = (url: string) => /.*\/(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? null;
const isOurs = (folder: string) => /^(src|generated)/.test(folder);

/** Profiles a process, which listens for the inspector at a port, while `work` runs. */
export async function profiled(port: number, work: () => Promise<unknown>): Promise<Profile> {
  const targets = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await targets.json()) as { readonly webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await once(socket, "open");
  let sent = 0;
  /** Calls a method of the Chrome DevTools Protocol. */
  const call = (method: string, params: object = {}): Promise<unknown> => {
    const id = ++sent;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const read = ({ data }: MessageEvent) => {
      const message = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown; readonly error?: object };
      if (message.id !== id) return;
      socket.removeEventListener("message", read);
      if (message.error === undefined) resolve(message.result);
      else reject(new Error(`${method}: ${JSON.stringify(message.error)}`));
    };
    socket.addEventListener("message", read);
    socket.send(JSON.stringify({ id, method, params }));
    return promise;
  };
  try {
    await call("Profiler.enable");
    await call("Profiler.setSamplingInterval", { interval: INTERVAL_US });
    await call("Profiler.start");
    await work();
    return ((await call("Profiler.stop")) as { readonly profile: Profile }).profile;
  } finally {
    // The process would wait for it at its end.
    socket.close();
  }
}
