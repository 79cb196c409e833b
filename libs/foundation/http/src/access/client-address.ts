import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Number of 16-bit groups in the network part of an IPv6 address: one client usually has a whole /64 network. */
const NETWORK_GROUPS = 4;

/**
 * Returns the address of the client for limits: an IPv4 address, or the /64 network of an IPv6 address. Express
 * computes `ip` from `X-Forwarded-For` according to `TRUST_PROXY`; requests on the fast path have this member as well.
 */
export function clientAddressOf(request: object): string {
  const { ip, socket } = request as { readonly ip?: string; readonly socket?: { readonly remoteAddress?: string } };
  return limitedAddress(ip ?? socket?.remoteAddress ?? 'unknown');
}

export function limitedAddress(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    while (groups.length + last.length < 8) groups.push('0');
    groups.push(...last);
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
