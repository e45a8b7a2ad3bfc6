import { Resolver } from "node:dns";
import { readFileSync } from "node:fs";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import type { RatePolicy } from "#generated/operations.ts";
import { StartupError } from "../util/startup-error.ts";

/** The schemas of settings. A message describes a valid value, and never contains the actual one. */

export const httpUrl = z.url({ protocol: /^https?$/ });
export const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/\S+$/, "is a postgresql:// URL")
  .transform(withVerification);
/** The first value is the default. */
export const oneOf = <T extends string>(fallback: T, ...others: T[]) => z.enum([fallback, ...others]).default(fallback as never);
export const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
export const count = (min: number, max: number, fallback: number) => integer(min, max).default(fallback);
export const list = z.string().transform((text) => text.split(/[\s,]+/).filter((part) => part !== ""));

/**
 * Replaces these modes by `verify-full`, as the driver does with a warning that its next major version will not. With
 * `uselibpqcompat=true`, they keep the meaning of libpq.
 */
function withVerification(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}

/** Addresses of name servers in the format of c-ares. */
export const nameServers = list
  .refine((addresses) => {
    try {
      new Resolver().setServers(addresses);
      return addresses.length > 0;
    } catch {
      return false;
    }
  }, "is a list of IP addresses of name servers, each with or without a port, such as 192.0.2.1:53 or [2001:db8::1]:53")
  .optional();

export const databaseUrls = list.pipe(z.array(databaseUrl).max(16));

/** Whether a source is a URL, even without slashes, instead of a file. */
export const isHttpUrl = (source: string): boolean => /^https?:/i.test(source);

/**
 * Requires TLS except on loopback, because an attacker on the network could replace the keys. `fetch` refuses a URL with credentials, and its
 * error contains them.
 */
export function isFileOrSafeUrl(source: string): boolean {
  if (!isHttpUrl(source) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return true;
  const url = URL.parse(source);
  if (url === null || `${url.username}${url.password}` !== "") return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && isLoopback(url.hostname);
}

/** Whether a host of a setting or a URL is this machine. */
export function isLoopback(host: string): boolean {
  const plain = host.replaceAll(/[[\]]/g, "");
  return plain === "localhost" || (ipaddr.isValid(plain) && ipaddr.process(plain).range() === "loopback");
}

/** Without query and fragment, because paths are appended. Another rule reports a value that is not a URL. */
export const isAddressOfService = (url: URL | null): boolean =>
  url === null ||
  (`${url.username}${url.password}${url.search}${url.hash}` === "" && /^(\/[A-Za-z0-9._~-]{1,40}){0,3}\/?$/.test(url.pathname));

/** The rate limits of the contract: of operations, of searches for users in a day, and of wrong tokens. */
type Rates = Readonly<
  Record<RatePolicy | "searches" | "failed_authentication", { readonly quota: number; readonly windowSeconds: number }>
>;
export const DEFAULT_RATES: Rates = {
  default: { quota: 600, windowSeconds: 60 },
  writes: { quota: 120, windowSeconds: 60 },
  directory: { quota: 30, windowSeconds: 60 },
  searches: { quota: 500, windowSeconds: 86_400 },
  uploads: { quota: 60, windowSeconds: 3600 },
  follow: { quota: 1200, windowSeconds: 60 },
  playback: { quota: 1200, windowSeconds: 60 },
  failed_authentication: { quota: 30, windowSeconds: 60 },
};

/** The names of the rate limits. */
export const RATE_LIMIT_NAMES = Object.keys(DEFAULT_RATES) as (keyof Rates)[];

/** The rate limits that all processes count together. */
export const sharedRates = list.pipe(z.array(z.enum(RATE_LIMIT_NAMES))).default(["writes", "directory", "searches", "uploads"]);

const RATE = new RegExp(`^(${RATE_LIMIT_NAMES.join("|")})=([1-9]\\d{0,8})/([1-9]\\d{0,5})$`);

/** `off`, or changes to the defaults such as `writes=1000/60,uploads=10/3600`. */
export const rates = z.string().transform((text, context): Rates | null => {
  if (text === "off") return null;
  let changed = DEFAULT_RATES;
  for (const part of text.split(",").filter((it) => it !== "")) {
    const match = RATE.exec(part.trim());
    if (match === null) {
      context.addIssue({
        code: "custom",
        message: `is "off" or a list such as writes=120/60, with the policies ${RATE_LIMIT_NAMES.join(", ")}`,
      });
      return null;
    }
    changed = { ...changed, [match[1]!]: { quota: Number(match[2]), windowSeconds: Number(match[3]) } };
  }
  return changed;
});

/** `all`, `off`, or a number between them, as the share from 0 to 1. */
export const share = z
  .string()
  .default("all")
  .transform((text, context): number => {
    const value = text === "all" ? 1 : text === "off" ? 0 : /^(0|1|0?\.\d{1,6})$/.test(text) ? Number(text) : NaN;
    if (Number.isNaN(value)) context.addIssue({ code: "custom", message: "is all, off, or a share between 0 and 1 such as 0.1" });
    return value;
  });

const SECRET_LENGTH_MIN = 16;
const SECRETS_MAX = 16;

/** Secrets, separated by commas. A message never contains a secret. */
export const secrets = z.string().transform((text, context) => {
  const all = text.split(",").map((part) => part.trim());
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  if (all.includes("")) refuse("has an empty secret; separate secrets by one comma, with none at either end");
  else if (all.some((it) => it.length < SECRET_LENGTH_MIN)) refuse(`has secrets of at least ${SECRET_LENGTH_MIN} characters`);
  if (new Set(all).size < all.length) refuse("has a secret twice");
  if (all.length > SECRETS_MAX) refuse(`has at most ${SECRETS_MAX} secrets`);
  return all;
});

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a setting, or of its file without the line break at the end. */
export function valueOf(name: string, environment: Environment): string | undefined {
  // In shells and Compose files, an empty variable means "not set".
  const [value, file] = [environment[name] || undefined, environment[`${name}_FILE`] || undefined];
  if (file === undefined) return value;
  if (value !== undefined) throw new StartupError(`The settings ${name} and ${name}_FILE are both set; set one of them.`);
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "") || undefined;
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new StartupError(`The setting ${name}_FILE names ${file}, which cannot be read (${code}).`, { cause: error });
  }
}

/** The message for a rule without a message. */
export function sentence(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_value") return `is one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small") return `is at least ${issue.minimum}`;
  if (issue.code === "too_big") return `is at most ${issue.maximum}`;
  if (issue.code === "invalid_type") return "is not a number";
  return issue.code === "invalid_format" ? "is not a URL" : "is not valid";
}
