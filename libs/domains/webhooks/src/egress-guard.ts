import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { WebhooksConfig } from '@app/config';
import { Injectable } from '@nestjs/common';
import { Networks, SPECIAL_NETWORKS, type Address } from './networks.js';

/** The addresses of a host to which connections are allowed, or the reason why there are none. */
export type Destination = { readonly addresses: readonly [Address, ...Address[]] } | { readonly fault: string };

/**
 * Milliseconds for which `faultOf` waits for DNS. A request with an `Idempotency-Key` holds a connection to PostgreSQL
 * meanwhile (docs/adr/0005), and the name servers of a host that a client chose can be slow deliberately.
 */
const CHECK_LIMIT_MS = 5000;
const UNRESOLVABLE = { fault: 'names a host that cannot be resolved' } as const;

/**
 * Decides to which hosts the platform connects on behalf of organizations: to public addresses, and to the hosts in
 * WEBHOOK_ALLOWED_HOSTS. Callers must connect to the returned addresses and never to the name, which may resolve to
 * other addresses after the check (DNS rebinding). Names are resolved with DNS queries instead of the system resolver,
 * whose threads slow DNS servers would occupy.
 */
@Injectable()
export class EgressGuard {
  private readonly special = new Networks(SPECIAL_NETWORKS);
  private readonly allowed: Networks;
  private readonly allowedNames: ReadonlySet<string>;

  constructor(
    config: WebhooksConfig,
    private readonly resolver: Resolver,
  ) {
    const isNetwork = (host: string): boolean => isIP(host.split('/')[0] ?? '') !== 0;
    this.allowed = new Networks(config.allowedHosts.filter(isNetwork));
    this.allowedNames = new Set(config.allowedHosts.filter((host) => !isNetwork(host)));
  }

  /** Returns why requests to a URL are not allowed, as the end of a sentence; undefined if they are. */
  async faultOf(text: string): Promise<string | undefined> {
    if (!URL.canParse(text)) return 'is not valid';
    const url = new URL(text);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'does not begin with http:// or https://';
    if (url.username !== '' || url.password !== '') return 'contains credentials';
    const destination = await this.resolveInTime(url.hostname);
    return 'fault' in destination ? destination.fault : undefined;
  }

  /**
   * Resolves the host of a URL. A host with one forbidden address is forbidden, because an attacker could control which
   * address is used.
   */
  async resolve(urlHost: string): Promise<Destination> {
    const host = urlHost.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const addresses = await this.addressesOf(host);
    const [first, ...others] = addresses;
    if (first === undefined) return UNRESOLVABLE;
    if (this.allowedNames.has(host) || addresses.every((address) => this.isAllowed(address))) {
      return { addresses: [first, ...others] };
    }
    return { fault: 'leads to a private address, which the operator has not allowed with WEBHOOK_ALLOWED_HOSTS' };
  }

  private async resolveInTime(urlHost: string): Promise<Destination> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Destination>((resolve) => {
      timer = setTimeout(resolve, CHECK_LIMIT_MS, UNRESOLVABLE);
    });
    try {
      return await Promise.race([this.resolve(urlHost), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private isAllowed(address: Address): boolean {
    return this.allowed.has(address) || !this.special.has(address);
  }

  private async addressesOf(host: string): Promise<Address[]> {
    const family = isIP(host);
    if (family === 4 || family === 6) return [{ address: host, family }];
    if (/^(.+\.)?localhost$/.test(host)) {
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
    }
    const none = (): string[] => [];
    const [four, six] = await Promise.all([
      this.resolver.resolve4(host).catch(none),
      this.resolver.resolve6(host).catch(none),
    ]);
    return [
      ...four.map((address): Address => ({ address, family: 4 })),
      ...six.map((address): Address => ({ address, family: 6 })),
    ];
  }
}
