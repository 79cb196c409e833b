import type { ConnectionOptions } from 'node:tls';
import { parseDatabaseUrl, readPem, type DatabaseHost } from '@app/config';

/** Where a client connects, and how. */
export interface ServerAddress {
  /** The setting that an operator changes to correct it, such as `DATABASE_URL`. */
  readonly setting: string;
  /** The URL of the first host, for the driver. */
  readonly url: string;
  /** Empty if the URL names a socket. */
  readonly hosts: readonly DatabaseHost[];
  /** Undefined: as the environment of the driver says (`PGSSLMODE`). */
  readonly tls: ConnectionOptions | false | undefined;
  /** Whether only a server that accepts writes may be used. */
  readonly writable: boolean;
}

/**
 * Returns the address that a URL describes. `ca` has the certificates of the authorities for URLs without `sslrootcert`;
 * null: those of Node.js. Throws if the URL or one of its files is invalid, with the name of the setting.
 */
export function serverAddress(setting: string, url: string, ca: string | null): ServerAddress {
  try {
    const { base, hosts, writable } = parseDatabaseUrl(url);
    return { setting, url: base, hosts, tls: tlsOptions(url, ca), writable };
  } catch (error) {
    throw new Error(`${setting}: ${(error as Error).message}`, { cause: error });
  }
}

function tlsOptions(url: string, ca: string | null): ConnectionOptions | false | undefined {
  const { tls, caFile, certificateFile, keyFile } = parseDatabaseUrl(url);
  const authorities = authoritiesOf(caFile, ca);
  const usesFiles = [caFile, certificateFile, keyFile].some((file) => file !== undefined);
  const mode = tls ?? (authorities !== null || usesFiles ? 'verify-full' : undefined);
  if (mode === undefined) return undefined;
  if (mode === 'disable') return false;
  if (mode === 'verify-ca' && authorities === null) {
    // Anyone can get a certificate from a public authority.
    throw new Error(
      'sslmode=verify-ca needs the authority of the server: set DATABASE_CA_FILE, or sslrootcert in the URL',
    );
  }
  return {
    ...(authorities === null ? {} : { ca: authorities }),
    ...(certificateFile === undefined ? {} : { cert: readPem(certificateFile) }),
    ...(keyFile === undefined ? {} : { key: readPem(keyFile) }),
    ...(mode === 'no-verify' ? { rejectUnauthorized: false } : {}),
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  };
}

/** Returns null for the authorities of Node.js. */
function authoritiesOf(caFile: string | undefined, ca: string | null): string | null {
  if (caFile === undefined) return ca;
  return caFile === 'system' ? null : readPem(caFile);
}
