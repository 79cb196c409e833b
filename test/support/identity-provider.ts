import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from '../../tools/provision/free-port.js';

const SCOPES = 'read write execute admin';

/** A user of the organization with an API key of their own. */
export interface ProviderUser {
  readonly name: string;
  readonly apiKey: string;
}

/**
 * An OpenID Connect provider that nobody here wrote. Each user is a client of it, so that a test gets a token without a
 * browser; the API key of the user is a claim of the access token.
 */
export class IdentityProvider {
  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  /** @param audience the identifier of the tool server */
  static async start(users: readonly ProviderUser[], audience: string): Promise<IdentityProvider> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const provider = new Provider(url, {
      clients: users.map(({ name }) => ({
        client_id: name,
        client_secret: secretOf(name),
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      extraTokenClaims: (_context, token) => {
        const user = users.find(({ name }) => name === token.clientId);
        return user === undefined ? undefined : { metadata: { service_api_key: user.apiKey } };
      },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => audience,
          getResourceServerInfo: () => ({
            scope: SCOPES,
            audience,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    });
    const server = createServer((request, response) => void provider.callback()(request, response));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new IdentityProvider(url, server);
  }

  async tokenOf(name: string, scope: string = SCOPES): Promise<string> {
    const response = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${name}:${secretOf(name)}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    const body = (await response.json()) as { readonly access_token?: string };
    if (body.access_token === undefined) throw new Error(JSON.stringify(body));
    return body.access_token;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function secretOf(name: string): string {
  return `the-client-secret-of-${name}`;
}
