import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose';

/** The metadata of an authorization server (RFC 8414, OpenID Connect Discovery), as it publishes it. */
export type Metadata = Readonly<Record<string, unknown>> & { readonly issuer: string; readonly jwks_uri: string };

export interface AuthorizationServerOptions {
  /** The issuer; a slash at the end is ignored. */
  readonly url: string;
  readonly type: 'oidc' | 'oauth';
  /** How long the metadata and the keys are used without being fetched again, in milliseconds. Default: ten minutes. */
  readonly maxAgeMs?: number;
}

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1 << 20;
const MAX_AGE_MS = 600_000;
/** A token with an unknown key causes at most one request to the authorization server in this time. */
const KEYS_COOLDOWN_MS = 1000;

/** The authorization server does not respond, or not as the standards require. A retry may help. */
export class AuthorizationServerFault extends Error {
  override readonly name = 'AuthorizationServerFault';
}

/** The metadata and the signing keys of the authorization server, fetched when they are first needed. */
export class AuthorizationServer {
  private latest: { readonly since: number; readonly metadata: Promise<Metadata> } | undefined;
  private jwks: { readonly uri: string; readonly keys: RemoteJWKSet } | undefined;

  private readonly maxAgeMs: number;

  constructor(private readonly options: AuthorizationServerOptions) {
    this.maxAgeMs = options.maxAgeMs ?? MAX_AGE_MS;
  }

  /** Throws an AuthorizationServerFault. */
  metadata(): Promise<Metadata> {
    if (this.latest === undefined || performance.now() - this.latest.since > this.maxAgeMs) {
      const attempt = { since: performance.now(), metadata: this.discover() };
      this.latest = attempt;
      // A failure is not kept: the next request tries again.
      attempt.metadata.catch(() => {
        if (this.latest === attempt) this.latest = undefined;
      });
    }
    return this.latest.metadata;
  }

  /** Returns the signing keys. They are fetched again after ten minutes, and when a token names an unknown one. */
  keysOf({ jwks_uri: uri }: Metadata): RemoteJWKSet {
    if (this.jwks?.uri !== uri) {
      const keys = createRemoteJWKSet(new URL(uri), {
        timeoutDuration: TIMEOUT_MS,
        cooldownDuration: KEYS_COOLDOWN_MS,
        cacheMaxAge: this.maxAgeMs,
        [customFetch]: async (url, init) => Response.json(await boundedJson(url, init)),
      });
      this.jwks = { uri, keys };
    }
    return this.jwks.keys;
  }

  private async discover(): Promise<Metadata> {
    const { url, type } = this.options;
    const document = await boundedJson(discoveryUrl(url, type), {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { issuer, jwks_uri: keys } = (document ?? {}) as Partial<Metadata>;
    if (typeof issuer !== 'string' || withoutSlash(issuer) !== withoutSlash(url)) {
      throw new AuthorizationServerFault(
        `The authorization server ${url} names another issuer in its metadata: ${String(issuer)}`,
      );
    }
    if (typeof keys !== 'string' || !URL.canParse(keys)) {
      throw new AuthorizationServerFault(`The metadata of the authorization server ${url} contains no jwks_uri`);
    }
    return document as Metadata;
  }
}

/** OpenID Connect appends the well-known path to the issuer, RFC 8414 inserts it before the path of the issuer. */
export function discoveryUrl(issuer: string, type: AuthorizationServerOptions['type']): string {
  if (type === 'oidc') return `${withoutSlash(issuer)}/.well-known/openid-configuration`;
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${withoutSlash(pathname)}`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

async function boundedJson(url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(url, { ...init, headers: { Accept: 'application/json' } });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return JSON.parse(await boundedText(response));
  } catch (error) {
    throw new AuthorizationServerFault(`The authorization server cannot be read at ${url}: ${reasonOf(error)}`);
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
