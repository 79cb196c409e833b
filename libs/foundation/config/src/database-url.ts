import { readFileSync } from 'node:fs';

/** A host of a URL. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/** What TLS checks: nothing, the chain of the certificate, or also its host name. */
type TlsMode = 'disable' | 'no-verify' | 'verify-ca' | 'verify-full';

/** A URL of PostgreSQL, with the parameters of libpq that the driver does not support or treats differently. */
export interface DatabaseUrl {
  /** The URL of the first host, without these parameters. */
  readonly base: string;
  /** In the order of the URL; empty if its path or a parameter names a socket. */
  readonly hosts: readonly DatabaseHost[];
  /** Undefined: the URL does not say. */
  readonly tls: TlsMode | undefined;
  /** Paths of PEM files. */
  readonly caFile: string | undefined;
  readonly certificateFile: string | undefined;
  readonly keyFile: string | undefined;
  /** Whether only a server that accepts writes may be used. */
  readonly writable: boolean;
}

const DEFAULT_PORT = 5432;
const AUTHORITY = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const HOST = /^(\[[\da-fA-F:.]+\]|[^:@[\]]*)(?::(\d{1,5}))?$/;

/** The values of `sslmode`. The driver treats `require` like `verify-full`, and so does this. */
const TLS_MODES: Readonly<Record<string, TlsMode>> = {
  disable: 'disable',
  'no-verify': 'no-verify',
  require: 'verify-full',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
};
/** The values of `ssl`, a parameter of the driver. */
const TLS_FLAGS: Readonly<Record<string, TlsMode>> = {
  true: 'verify-full',
  '1': 'verify-full',
  false: 'disable',
  '0': 'disable',
  'no-verify': 'no-verify',
};
/** The values of `target_session_attrs`. */
const TARGETS = ['any', 'read-write', 'primary'];
const OWN_PARAMETERS = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'target_session_attrs', 'uselibpqcompat'];

/**
 * Parses the URL of PostgreSQL, which may list several hosts: `postgres://user:password@a:5432,b:5432/database`. Throws
 * an Error that does not repeat the URL, because it may contain a password.
 */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  const [, scheme = '', credentials = '', authority = '', rest = ''] = AUTHORITY.exec(url.replace(/\/+$/, '')) ?? [];
  if (scheme === '') throw new Error('expected a URL that begins with postgres:// or postgresql://');
  const hosts = authority === '' ? [] : authority.split(',').map(parseHost);
  const [first] = hosts;
  const plain = `${scheme}${credentials}${first === undefined ? '' : authority.split(',')[0]}${rest}`;
  if (!URL.canParse(plain)) throw new Error('expected a URL such as postgres://user:password@host:5432/database');
  const base = new URL(plain);
  const read = (name: string): string | undefined => base.searchParams.get(name) ?? undefined;
  const parsed = {
    hosts: base.searchParams.has('host') ? [] : hosts,
    tls: tlsOf(read('sslmode'), read('ssl')),
    caFile: read('sslrootcert'),
    certificateFile: read('sslcert'),
    keyFile: read('sslkey'),
    writable: requiresWrites(read('target_session_attrs'), hosts.length),
  };
  for (const name of OWN_PARAMETERS) base.searchParams.delete(name);
  // Without own parameters, the URL reaches the driver as it is: serializing it would encode its other parameters anew.
  const isPlain = OWN_PARAMETERS.every((name) => !plain.includes(`${name}=`));
  return { base: isPlain ? plain : base.toString(), ...parsed };
}

function parseHost(text: string): DatabaseHost {
  const [, host = '', port = String(DEFAULT_PORT)] = HOST.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) {
    throw new Error(
      'expected host:port, or several of them separated by commas, between @ and the name of the database',
    );
  }
  return { host: decodeURIComponent(host.replace(/^\[(.+)\]$/, '$1')), port: Number(port) };
}

function tlsOf(mode: string | undefined, flag: string | undefined): TlsMode | undefined {
  if (mode === undefined) return flag === undefined ? undefined : (TLS_FLAGS[flag] ?? unsupported('ssl', TLS_FLAGS));
  // They would send the password without TLS if the server, or whoever is in between, asks for it.
  return TLS_MODES[mode] ?? unsupported('sslmode', TLS_MODES);
}

function unsupported(parameter: string, values: Readonly<Record<string, unknown>>): never {
  throw new Error(`expected ${parameter} to be one of ${Object.keys(values).join(', ')}`);
}

function requiresWrites(target: string | undefined, hosts: number): boolean {
  if (target !== undefined && !TARGETS.includes(target)) {
    throw new Error(`expected target_session_attrs to be one of ${TARGETS.join(', ')}`);
  }
  return target === undefined ? hosts > 1 : target !== 'any';
}

/** The URL of PostgreSQL. */
export function databaseUrl(text: string): string {
  parseDatabaseUrl(text);
  return text.replace(/\/+$/, '');
}

/** The URL of standbys: the reads that use it need no server that accepts writes. */
export function replicaUrl(text: string): string {
  if (/[?&]target_session_attrs=(?!any(&|$))/.test(text)) {
    throw new Error('expected no target_session_attrs, because the first server that responds is used');
  }
  return databaseUrl(text);
}

/** The path of a PEM file with certificates; the value is its content. */
export function certificateFile(path: string): string {
  const content = readPem(path);
  if (!content.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`${path} contains no certificate in PEM form`);
  return content;
}

/** Returns the content of a file. Throws an Error with its path. */
export function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}
