import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { projectRoot } from '../../tools/provision/project-root.js';
import { CertificateAuthority } from './certificates.js';

/** Contains characters that a URL encodes. */
const PASSWORD = 'password/of@the:platform';

/** The credentials of an ACL user in a URL. */
export function credentialsOf(user: string, password = PASSWORD): string {
  return `${user}:${encodeURIComponent(password)}`;
}

/** The rules of the user that the guide tells operators to create. */
export function documentedRules(): string[] {
  const guide = readFileSync(join(projectRoot, 'docs/guides/operations.md'), 'utf8');
  const [, rules] = /ACL SETUSER platform on >PASSWORD ([^`]*)```/.exec(guide) ?? [];
  if (rules === undefined) throw new Error('The guide has no ACL SETUSER');
  return rules.trim().split(/\s+/);
}

export async function setUser(admin: Redis, name: string, rules: readonly string[]): Promise<void> {
  await admin.call('ACL', 'SETUSER', name, 'on', `>${PASSWORD}`, ...rules);
}

export interface RedisCertificates {
  /** Lines of the configuration of a server, which requires client certificates. */
  readonly server: readonly string[];
  /** Variables of the platform. */
  readonly platform: Readonly<Record<string, string>>;
}

export function issueCertificates(folder: string): RedisCertificates {
  const authority = new CertificateAuthority(folder, 'authority');
  const [ofServer, ofClient] = [authority.issue('redis'), authority.issue('platform')];
  return {
    server: [
      `tls-cert-file ${ofServer.cert}`,
      `tls-key-file ${ofServer.key}`,
      `tls-ca-cert-file ${authority.cert}`,
      'tls-auth-clients yes',
    ],
    platform: { REDIS_CA_FILE: authority.cert, REDIS_CERT_FILE: ofClient.cert, REDIS_KEY_FILE: ofClient.key },
  };
}
