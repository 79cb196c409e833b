import { X509Certificate, type KeyObject } from 'node:crypto';
import type { Meter } from '../budget.js';
import { derChildren, objectId, readDer } from './der.js';
import { verifyingSteps } from './key-costs.js';

/** The conditions that a chain must satisfy. */
export interface ChainRules {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The leaf must be valid for this name or address; empty accepts every leaf. */
  readonly host: string;
  /** Object ids of extended key usages, one of which every certificate of the chain must allow. */
  readonly usages: readonly string[];
}

interface Link {
  readonly der: Buffer;
  readonly certificate: X509Certificate;
  readonly extensions: ReadonlyMap<string, Extension>;
  readonly weak: boolean;
}

interface Extension {
  readonly critical: boolean;
  readonly body: Buffer;
}

export const ANY_USAGE = '2.5.29.37.0';
const BASIC_CONSTRAINTS = '2.5.29.19';
const NAME_CONSTRAINTS = '2.5.29.30';
/**
 * Object ids of the extensions that can be critical: key usage, alternative names, basic constraints, policies,
 * extended key usage.
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  '2.5.29.15',
  '2.5.29.17',
  BASIC_CONSTRAINTS,
  '2.5.29.32',
  '2.5.29.37',
]);
/** Signatures with MD5 or SHA-1, for RSA and ECDSA. */
const WEAK_SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
]);
/** Maximum number of signature checks before a chain counts as not found, so that no set of certificates takes long. */
const MOST_CHECKS = 100;

/**
 * Returns a chain from the leaf (the last of `ders`) to the root (the first) with any of the certificates between them,
 * given in any order; undefined if there is none. Throws the error of Node.js if a certificate cannot be read.
 */
export function findChain(ders: readonly Buffer[], rules: ChainRules, meter: Meter): Buffer[] | undefined {
  const links = ders.map(readLink);
  const root = links[0];
  const leaf = links[links.length - 1];
  if (root === undefined || leaf === undefined) return undefined;
  if (rules.host !== '' && !matchesHost(leaf.certificate, rules.host)) return undefined;
  const chain = new ChainSearch(root, links.slice(1, -1), rules, meter).from(leaf);
  return chain?.map(({ der }) => der);
}

class ChainSearch {
  private checks = 0;

  constructor(
    private readonly root: Link,
    private readonly between: readonly Link[],
    private readonly rules: ChainRules,
    private readonly meter: Meter,
  ) {}

  from(leaf: Link): readonly Link[] | undefined {
    return isCurrent(leaf, this.rules.now) ? this.extend([leaf]) : undefined;
  }

  private extend(chain: readonly Link[]): readonly Link[] | undefined {
    const last = chain[chain.length - 1];
    if (last === undefined) return undefined;
    if (last.der.equals(this.root.der)) return allowsUsage(chain, this.rules.usages) ? chain : undefined;
    for (const issuer of [this.root, ...this.between]) {
      if (chain.includes(issuer) || !this.signed(last, issuer, chain.length - 1)) continue;
      const found = this.extend([...chain, issuer]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private signed(link: Link, issuer: Link, authoritiesBelow: number): boolean {
    if (!link.certificate.checkIssued(issuer.certificate) || link.weak) return false;
    if (!isCurrent(issuer, this.rules.now) || !mayIssue(issuer, authoritiesBelow)) return false;
    if (++this.checks > MOST_CHECKS) return false;
    const key = issuer.certificate.publicKey;
    this.meter.work(verifyingSteps(key));
    return verifies(link.certificate, key);
  }
}

function readLink(der: Buffer): Link {
  const certificate = new X509Certificate(der);
  const [signed, algorithm] = derChildren(readDer(der).body);
  const [id] = algorithm === undefined ? [] : derChildren(algorithm.body);
  const wrapper = signed === undefined ? undefined : derChildren(signed.body).find(({ tag }) => tag === 0xa3);
  const extensions = new Map<string, Extension>();
  for (const extension of wrapper === undefined ? [] : derChildren(readDer(wrapper.body).body)) {
    const parts = derChildren(extension.body);
    const [name, mark] = parts;
    const value = parts[parts.length - 1];
    if (name === undefined || value === undefined) continue;
    extensions.set(objectId(name.body), { critical: mark?.tag === 0x01 && mark.body[0] !== 0, body: value.body });
  }
  return { der, certificate, extensions, weak: id !== undefined && WEAK_SIGNATURES.has(objectId(id.body)) };
}

function verifies(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.verify(key);
  } catch {
    return false;
  }
}

/** Returns whether a certificate is within its dates and has no unsupported critical extension. */
function isCurrent({ certificate, extensions }: Link, now: number): boolean {
  if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo)) return false;
  return [...extensions].every(([id, { critical }]) => !critical || UNDERSTOOD.has(id));
}

/**
 * Returns whether a certificate is an authority whose path length allows the authorities below it. Authorities with
 * name constraints are not trusted.
 */
function mayIssue({ certificate, extensions }: Link, authoritiesBelow: number): boolean {
  if (!certificate.ca || extensions.has(NAME_CONSTRAINTS)) return false;
  const constraints = extensions.get(BASIC_CONSTRAINTS);
  const length = constraints === undefined ? undefined : derChildren(readDer(constraints.body).body)[1];
  return length === undefined || authoritiesBelow <= Number(`0x${length.body.toString('hex') || '0'}`);
}

/**
 * Returns whether every certificate of the chain allows one of the wanted usages. A certificate without usages allows
 * all.
 */
function allowsUsage(chain: readonly Link[], wanted: readonly string[]): boolean {
  if (wanted.includes(ANY_USAGE)) return true;
  let left = wanted;
  for (const { certificate } of chain.toReversed()) {
    const allowed = certificate.keyUsage as readonly string[] | undefined;
    if (allowed === undefined || allowed.length === 0 || allowed.includes(ANY_USAGE)) continue;
    left = left.filter((usage) => allowed.includes(usage));
  }
  return left.length > 0;
}

function matchesHost(certificate: X509Certificate, host: string): boolean {
  const address = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  const isAddress = address.includes(':') || /^\d+(\.\d+){3}$/.test(address);
  const found = isAddress ? certificate.checkIP(address) : certificate.checkHost(host, { subject: 'never' });
  return found !== undefined;
}
