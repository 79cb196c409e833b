import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

export const OIDC_PATH = '/.well-known/openid-configuration';

interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** An authorization server that signs any token, with keys that a test replaces. */
export class Issuer {
  keys: SigningKey[] = [];
  /** Where the metadata are. */
  metadataPath = OIDC_PATH;
  private server: Server | undefined;
  private port = 0;

  static async start(): Promise<Issuer> {
    const issuer = new Issuer();
    issuer.keys = [await newSigningKey('first')];
    await issuer.listen();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens, after `stop` on the same port again. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const documents = { [this.metadataPath]: this.metadata(), '/keys': this.jwks() };
      const document: unknown = documents[request.url as keyof typeof documents];
      void Promise.resolve(document).then((body) =>
        response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body)),
      );
    });
    this.server = server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  /** Returns a token with these claims, which replace the default ones; undefined removes one. */
  async token(claims: JWTPayload, { header = {}, key = this.keys[0] } = {}): Promise<string> {
    if (key === undefined) throw new Error('The issuer has no key');
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: this.url, sub: 'ann', iat: now, exp: now + 600, scope: 'read write execute', ...claims };
    const signing = new SignJWT(JSON.parse(JSON.stringify(payload)) as JWTPayload);
    return signing.setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header }).sign(key.privateKey);
  }

  stop(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private metadata(): object {
    return { issuer: this.url, jwks_uri: `${this.url}/keys`, authorization_endpoint: `${this.url}/authorize` };
  }

  private async jwks(): Promise<object> {
    const keys = this.keys.map(async ({ kid, algorithm, publicKey }) => {
      return { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
    });
    return { keys: await Promise.all(keys) };
  }
}

export async function newSigningKey(kid: string, algorithm = 'RS256'): Promise<SigningKey> {
  return { kid, algorithm, ...(await generateKeyPair(algorithm, { extractable: true })) };
}
