import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/** Ranges that are not for hosts of the internet, and which `ipaddr.js` could forget without a test here. */
const SPECIAL = [
  // Teredo, ORCHID, benchmarks and other assignments for protocols.
  "2001::/23",
  // Documentation.
  "2001:db8::/32",
  "3fff::/20",
  // 6to4, which has an IPv4 address inside.
  "2002::/16",
  // Azure serves the credentials of a machine at this address, although its range is public.
  "168.63.129.16/32",
].map((it) => ipaddr.parseCIDR(it));

/** What nobody's receiver has, not even one in the same network. */
const NEVER = [
  "0.0.0.0/32",
  "169.254.0.0/16",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/128",
  "fe80::/10",
  "fd00:ec2::254/128",
  "ff00::/8",
  // These can have any IPv4 address inside, so the ranges above could be reached through them.
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "2002::/16",
  "2001::/32",
].map((it) => ipaddr.parseCIDR(it));

type Address = ReturnType<typeof ipaddr.parse>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

const isWithin = (address: Address, [base, bits]: Range): boolean => address.kind() === base.kind() && address.match(base, bits);

/** An address in the only spelling that the system prints. `ipaddr.js` also reads octal numbers, and a zone is only for links. */
const parsed = (text: string): Address | null => (isIP(text) === 0 || text.includes("%") ? null : ipaddr.parse(text));

/**
 * Whether an address is one of a host on the internet. Everything else is false, also what is not an address: a list of what is
 * allowed stays right when a new range gets a special meaning.
 */
export function isPublic(text: string): boolean {
  const address = parsed(text);
  if (address === null || address.range() !== "unicast" || SPECIAL.some((it) => isWithin(address, it))) return false;
  if (!(address instanceof ipaddr.IPv6)) return true;
  // ISATAP puts an IPv4 address into the last bits, and a host with such an interface sends the packet there.
  const isIsatap = (address.parts[4]! & 0xfdff) === 0 && address.parts[5] === 0x5efe;
  return isWithin(address, GLOBAL_UNICAST) && !isIsatap;
}

/**
 * Whether an address can be that of a receiver in the same network. Those where clouds serve the credentials of a machine, and
 * those of no single host, can't.
 */
export function isPublicOrPrivate(text: string): boolean {
  const address = parsed(text);
  if (address === null) return false;
  const inner = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
  return !NEVER.some((it) => isWithin(inner, it));
}
