import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/** Ranges that are not for hosts of the internet. Listed here in case `ipaddr.js` doesn't have one of them. */
const SPECIAL_PURPOSE = [
  // Teredo, ORCHID, benchmarks and other assignments for protocols.
  "2001::/23",
  // Documentation.
  "2001:db8::/32",
  "3fff::/20",
  // 6to4, which embeds an IPv4 address.
  "2002::/16",
  // Azure serves the credentials of a machine at this address, although its range is public.
  "168.63.129.16/32",
].map((it) => ipaddr.parseCIDR(it));

/** Refused even for receivers in the same network: addresses of no single host, and metadata services of clouds. */
const ALWAYS_REFUSED = [
  "0.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/128",
  "fe80::/10",
  "ff00::/8",
  // Alibaba, Azure, and Oracle with the other assignments for protocols.
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.0/24",
  // AWS, Google, Oracle and Scaleway.
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "fd00:c1::a9fe:a9fe/128",
  "fd00:42::42/128",
  // NAT64, local NAT64, 6to4 and Teredo embed any IPv4 address.
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "2002::/16",
  "2001::/32",
].map((it) => ipaddr.parseCIDR(it));

/** IPv6 addresses that end with an IPv4 address, which can get the packet: compatible, mapped and translated ones. */
const EMBEDS_IPV4 = ["::/96", "::ffff:0:0/96", "::ffff:0:0:0/96"].map((it) => ipaddr.parseCIDR(it));

type Address = ReturnType<typeof ipaddr.parse>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

const isWithin = (address: Address, [base, bits]: Range): boolean => address.kind() === base.kind() && address.match(base, bits);

/** Accepts only the canonical form, because `ipaddr.js` also reads octal numbers. A zone is only for link-local addresses. */
const parse = (text: string): Address | null => (isIP(text) === 0 || text.includes("%") ? null : ipaddr.parse(text));

/** ISATAP, which also ends with an IPv4 address, in any network. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe;

/** The IPv4 address that an address embeds, or the address itself. */
function embeddedAddress(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6) || address.range() === "loopback") return address;
  const hasIPv4 = isIsatap(address) || EMBEDS_IPV4.some((it) => isWithin(address, it));
  return hasIPv4 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/**
 * Whether an address belongs to a host on the internet. An allowlist, so that it stays right when a range gets a special
 * meaning.
 */
export function isPublic(text: string): boolean {
  const address = parse(text);
  if (address === null || address.range() !== "unicast" || SPECIAL_PURPOSE.some((it) => isWithin(address, it))) return false;
  return !(address instanceof ipaddr.IPv6) || (isWithin(address, GLOBAL_UNICAST) && !isIsatap(address));
}

/** Whether an address can belong to a receiver on the internet or in the same network. */
export function isPublicOrPrivate(text: string): boolean {
  const address = parse(text);
  return (
    address !== null && [address, embeddedAddress(address)].every((it) => !ALWAYS_REFUSED.some((range) => isWithin(it, range)))
  );
}
