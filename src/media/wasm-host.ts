/**
 * The child process of the wasm engine: runs one command of the wasm build. Node's permission model limits it to the files of the
 * command.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

/** The only argument from the parent, as JSON. */
export type WasmCommand = {
  readonly corePath: string;
  readonly tool: "ffmpeg" | "ffprobe";
  readonly args: readonly string[];
  /** Absolute paths. The command can open no other files. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The path to open each file: another user may be unable to traverse its parent folders. */
  readonly opened: Readonly<Record<string, string>>;
  readonly outputMaxBytes: number;
};

/** This program itself failed: a missing file, or a denied permission. */
const BROKEN_EXIT_CODE = 70;
/** The wasm code trapped. A native process would end by a signal. */
const CRASHED_EXIT_CODE = 71;

type Attributes = { size?: number; blocks?: number; mode?: number };
type StreamOps = {
  read(stream: unknown, into: Uint8Array, offset: number, length: number, position: number): number;
  write(stream: unknown, from: Uint8Array, offset: number, length: number, position: number): number;
  llseek(stream: { position: number }, offset: number, whence: number): number;
};
type FileNode = {
  node_ops: { getattr(node: FileNode): Attributes; setattr(node: FileNode, attributes: Attributes): void };
  stream_ops: StreamOps;
};
type Core = {
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, content: Uint8Array): void;
    lookupPath(path: string): { node: FileNode };
    readonly ErrnoError: new (errno: number) => Error;
  };
  setLogger(log: (line: { type: string; message: string }) => void): void;
  exec(...args: string[]): number;
  ffprobe(...args: string[]): number;
};
type CreateCore = (options: { wasmBinary: Uint8Array; locateFile: (name: string) => string }) => Promise<Core>;

/** The error numbers of the wasm C library, by the names of the host. */
const WASM_ERRNO: Record<string, number> = { EDQUOT: 19, EFBIG: 22, ENOSPC: 51 };
const WASM_EIO = 29;
const WASM_EINVAL = 28;
const SEEK_CUR = 1;
const SEEK_END = 2;

/** Makes a host file available under the same path in the wasm file system, so that both engines use the same arguments. */
function mountFile(core: Core, path: string, writable: boolean, { opened, outputMaxBytes }: WasmCommand): void {
  const { FS } = core;
  const fd = fs.openSync(opened[path]!, writable ? "w+" : "r");
  let sizeBytes = fs.fstatSync(fd).size;
  const onHost = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      throw new FS.ErrnoError(WASM_ERRNO[code] ?? WASM_EIO);
    }
  };
  FS.mkdirTree(dirname(path));
  FS.writeFile(path, new Uint8Array(0));
  const { node } = FS.lookupPath(path);
  const { getattr } = node.node_ops;
  node.node_ops = {
    getattr: (it) => ({ ...getattr(it), size: sizeBytes, blocks: Math.ceil(sizeBytes / 512) }),
    setattr: (_, { size }) => {
      if (size === undefined || !writable) return;
      onHost(() => fs.ftruncateSync(fd, size));
      sizeBytes = size;
    },
  };
  node.stream_ops = {
    read: (_, into, offset, length, position) => onHost(() => fs.readSync(fd, into, offset, length, position)),
    write: (_, from, offset, length, position) => {
      if (!writable) throw new FS.ErrnoError(WASM_EIO);
      if (position + length > outputMaxBytes) throw new FS.ErrnoError(WASM_ERRNO["EFBIG"] ?? WASM_EIO);
      const written = onHost(() => fs.writeSync(fd, from, offset, length, position));
      sizeBytes = Math.max(sizeBytes, position + written);
      return written;
    },
    llseek: (stream, offset, whence) => {
      const base = whence === SEEK_CUR ? stream.position : whence === SEEK_END ? sizeBytes : 0;
      if (base + offset < 0) throw new FS.ErrnoError(WASM_EINVAL);
      return base + offset;
    },
  };
}

/** Synchronous, so that progress is visible while the synchronous command runs. */
function writeLine(fd: number, line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}

async function run(command: WasmCommand): Promise<number> {
  // The build expects the worker of a browser, and needs these two globals.
  Object.assign(globalThis, { self: globalThis, location: { href: "file:///" } });
  // The sockets of the build are WebSockets. The permission model denies the network already; this is a second barrier.
  for (const name of ["WebSocket", "EventSource", "fetch"]) Reflect.deleteProperty(globalThis, name);
  const createCore = createRequire(command.corePath)(command.corePath) as CreateCore;
  const wasmBinary = fs.readFileSync(command.corePath.replace(/\.js$/, ".wasm"));
  const core = await createCore({ wasmBinary, locateFile: (name) => name });
  core.setLogger(({ type, message }) => {
    // Every normal exit of the build goes through an abort and logs it.
    if (!message.startsWith("Aborted(")) writeLine(type === "stdout" ? 1 : 2, message);
  });
  for (const path of command.reads) mountFile(core, path, false, command);
  for (const path of command.writes) mountFile(core, path, true, command);
  try {
    if (command.tool === "ffmpeg") return core.exec(...command.args);
    // The ffprobe of this build never sets its exit status, so the output decides.
    core.ffprobe(...command.args);
    return 0;
  } catch (error) {
    // The C function `exit` throws an object with the status.
    if (typeof error === "object" && error !== null && "status" in error) return Number(error.status);
    throw error;
  }
}

try {
  process.exit((await run(JSON.parse(process.argv[2] ?? "") as WasmCommand)) === 0 ? 0 : 1);
} catch (error) {
  writeLine(2, `wasm host: ${String(error)}`);
  process.exit(error instanceof Error && error.name === "RuntimeError" ? CRASHED_EXIT_CODE : BROKEN_EXIT_CODE);
}
