import { BlockList, isIP } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Networks whose addresses do not belong to hosts of the public internet: the special-purpose registries of IANA (RFC
 * 6890), multicast, and networks that embed IPv4 addresses, through which private ones could be reached.
 */
export const SPECIAL_NETWORKS: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // All networks outside 2000::/3, the only range of global unicast addresses. The first one contains ::, ::1 and
  // NAT64.
  '::/3',
  '4000::/2',
  '8000::/1',
  // Teredo, documentation, 6to4.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

/** A set of networks (10.0.0.0/8) and single addresses. */
export class Networks {
  private readonly four = new BlockList();
  private readonly six = new BlockList();

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix] = network.split('/');
      const [list, type] = isIP(address) === 6 ? ([this.six, 'ipv6'] as const) : ([this.four, 'ipv4'] as const);
      if (prefix === undefined) list.addAddress(address, type);
      else list.addSubnet(address, Number(prefix), type);
    }
  }

  /**
   * Returns whether an address is in one of the networks. An IPv6 address that embeds an IPv4 address (::ffff:10.0.0.1)
   * is in the networks of both.
   */
  has({ address, family }: Address): boolean {
    if (family === 4) return this.four.check(address, 'ipv4');
    return this.six.check(address, 'ipv6') || this.four.check(address, 'ipv6');
  }
}
