import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repository } from "../../support/processes.ts";

type Condition = "service_started" | "service_healthy" | "service_completed_successfully";

/** What tests read of a service in compose.yaml. */
export type ComposeService = {
  readonly image: string;
  readonly build?: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: Condition }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: true };
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly cap_add?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly restart?: string;
  readonly deploy?: { readonly resources?: { readonly limits?: Readonly<Record<string, string | number>> } };
};
export type ComposeFile = {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
};

/** A folder or file of the repository, such as `scripts/deploy/haproxy.cfg`. */
export const readHere = (path: string): string => readFileSync(join(repository, path), "utf8");

/** compose.yaml without interpolation. */
export const readComposeFile = (): unknown => parse(readHere("compose.yaml"), { merge: true });

/**
 * compose.yaml with the variables of an environment file. Throws as Compose does if a required variable is empty. Of the
 * syntax of variables, it knows only what is used there.
 */
export function interpolate(variables: Readonly<Record<string, string>>): ComposeFile {
  const fill = (text: string) =>
    text.replaceAll(/\$\$|\$\{([A-Z0-9_]+)(?::([-?])([^}]*))?\}/g, (_all, name?: string, kind?: string, fallback = "") => {
      if (name === undefined) return "$";
      if (variables[name]) return variables[name];
      if (kind === "?") throw new Error(`required variable ${name} is missing a value`);
      return kind === "-" ? (fallback as string) : "";
    });
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return fill(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, walk(part)]));
  };
  return walk(readComposeFile()) as ComposeFile;
}

/** The variables that compose.yaml requires. */
export const requiredVariables = (): string[] => [
  ...new Set([...readHere("compose.yaml").matchAll(/\$\{([A-Z0-9_]+):\?\}/g)].map((it) => it[1]!)),
];

/** A duration such as `30s` or `1m30s` in seconds. */
export function secondsOf(duration: string): number {
  const [, minutes = "0", seconds = "0"] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}
