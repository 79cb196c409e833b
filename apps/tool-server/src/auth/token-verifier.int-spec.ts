import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@app/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { AuthorizationServer } from './authorization-server.js';
import { TokenVerifier } from './token-verifier.js';

const OUTAGE = { name: 'AuthorizationServerFault', message: expect.stringContaining('cannot be read') };

describe('TokenVerifier while the authorization server does not respond', () => {
  let server: Server;
  let url: string;
  let privateKey: CryptoKey;
  let keys: unknown;
  let isUp: boolean;

  beforeEach(async () => {
    const pair = await generateKeyPair('ES256');
    ({ privateKey } = pair);
    keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'first', alg: 'ES256' }] };
    isUp = true;
    server = createServer((request, response) => {
      if (!isUp) request.socket.destroy();
      else response.end(JSON.stringify(request.url === '/keys' ? keys : { issuer: url, jwks_uri: `${url}/keys` }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const create = (maxAgeMs: number): TokenVerifier =>
    new TokenVerifier(new AuthorizationServer({ url, type: 'oidc', maxAgeMs }), {
      requiredScopes: [],
      audiences: [],
      audienceCheck: 'none',
    });
  const tokenOf = (kid: string): Promise<string> =>
    new SignJWT({ sub: 'ann', service_api_key: 'a-key' })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer(url)
      .setExpirationTime('10m')
      .sign(privateKey);

  it('accepts tokens as long as it may use the keys that it has', async () => {
    const verifier = create(600_000);
    const token = await tokenOf('first');
    await verifier.verify(token);
    isUp = false;
    expect(await verifier.verify(token)).toMatchObject({ subject: 'ann' });
  });

  it('rejects no token after that, because it cannot check any', async () => {
    const verifier = create(1);
    const token = await tokenOf('first');
    await verifier.verify(token);
    isUp = false;
    await eventually(() => expect(verifier.verify(token)).rejects.toMatchObject(OUTAGE));
    isUp = true;
    expect(await verifier.verify(token)).toMatchObject({ subject: 'ann' });
  });

  it('rejects no token with a key that it does not have', async () => {
    const verifier = create(600_000);
    await verifier.verify(await tokenOf('first'));
    isUp = false;
    await expect(verifier.verify(await tokenOf('second'))).rejects.toMatchObject(OUTAGE);
  });

  it('rejects no token because of keys that are not usable', async () => {
    for (const wrong of [{}, { keys: 'none' }, { keys: [7] }, []]) {
      keys = wrong;
      await expect(create(600_000).verify(await tokenOf('first'))).rejects.toMatchObject(OUTAGE);
    }
  });
});
