import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportSPKI, type JWTPayload } from 'jose';
import { Issuer, newSigningKey, OIDC_PATH } from '../support/issuer.js';
import { Platform } from '../support/platform.js';
import { ToolServer } from '../support/tool-server.js';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const callOf = (name: string, args: Record<string, unknown> = {}): object => ({
  ...LIST,
  method: 'tools/call',
  params: { name, arguments: args },
});
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The tools with the names of their arguments. */
const ARGUMENTS: Readonly<Record<string, readonly ('name' | 'execution_id' | 'steps')[]>> = {
  list_workflows: [],
  get_workflow: ['name'],
  create_workflow: ['name', 'steps'],
  execute_workflow: ['name'],
  get_execution: ['execution_id'],
  cancel_execution: ['execution_id'],
  delete_workflow: ['name'],
};
/** The other methods that read for the caller, with their parameters. */
const READS = {
  'resources/list': {},
  'resources/read': { uri: 'workflow://nowhere' },
  'prompts/list': {},
  'prompts/get': { name: 'nowhere' },
};

interface Answer {
  readonly status: number;
  readonly challenge: string | null;
  readonly retryAfter: string | null;
  readonly body: string;
}

describe('the tool server with an authorization server', () => {
  let platform: Platform;
  let issuer: Issuer;
  let server: ToolServer;
  let key: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    key = platform.adminKey;
    issuer = await Issuer.start();
    server = await ToolServer.start(platform, {
      SERVICE_AUTH_SERVER: issuer.url,
      TOOL_SERVER_REQUIRED_SCOPES: 'read',
      // Must never be used.
      SERVICE_API_KEY: key,
    });
  });
  afterAll(async () => {
    await server.stop();
    issuer.stop();
    await platform.stop();
  });

  async function send(
    authorization: string | null,
    message: object | string = LIST,
    url = server.url,
    path = '/mcp',
  ): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(authorization === null ? {} : { Authorization: authorization }),
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
    const body = await response.text();
    const { status, headers } = response;
    return { status, challenge: headers.get('www-authenticate'), retryAfter: headers.get('retry-after'), body };
  }
  const sendToken = async (
    token: string | Promise<string>,
    message?: object | string,
    url?: string,
    path?: string,
  ): Promise<Answer> => send(`Bearer ${await token}`, message, url, path);
  const valid = (claims: JWTPayload = {}): Promise<string> => issuer.token({ service_api_key: key, ...claims });
  const past = (): number => Math.floor(Date.now() / 1000) - 3600;

  it('accepts a valid token, with its audience or without one', async () => {
    for (const claims of [{}, { aud: `${server.url}/mcp` }, { aud: ['https://other.example.com', server.url] }]) {
      expect(await sendToken(valid(claims))).toMatchObject({ status: 200, challenge: null });
    }
  });

  it('accepts a clock that differs by less than a minute', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await sendToken(valid({ exp: now - 40 }))).toMatchObject({ status: 200 });
    expect(await sendToken(valid({ nbf: now + 40 }))).toMatchObject({ status: 200 });
  });

  it('finds the key in each claim, in the specified order', async () => {
    const wrong = 'not-a-key';
    const list = callOf('list_workflows');
    for (const claims of [
      { service_api_key: key, api_key: wrong, metadata: { service_api_key: wrong } },
      { service_api_key: undefined, api_key: key, metadata: { service_api_key: wrong } },
      { service_api_key: '', api_key: 7, metadata: { service_api_key: key } },
    ]) {
      const answer = await sendToken(issuer.token(claims), list);
      expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('"workflows"') });
    }
    const answer = await sendToken(issuer.token({ service_api_key: wrong, api_key: key }), list);
    expect(answer.body).toContain('Invalid token: the platform rejects the API key');
  });

  it('rejects requests without a usable token, and says why', async () => {
    const rogue = await newSigningKey('first');
    const unknown = await newSigningKey('unknown');
    const [publicKey] = issuer.keys;
    const pem = await exportSPKI(publicKey?.publicKey as never);
    const claims = { iss: issuer.url, sub: 'ann', exp: Math.floor(Date.now() / 1000) + 600, service_api_key: key };
    const hmacInput = `${base64({ alg: 'HS256', kid: 'first' })}.${base64(claims)}`;
    const hmac = createHmac('sha256', pem).update(hmacInput).digest('base64url');
    const corpus: readonly (readonly [string, string | null | Promise<string>, string])[] = [
      ['no header', null, 'No API token provided'],
      ['another scheme', `UserKey ${key}`, 'No API token provided'],
      ['an empty token', 'Bearer ', 'No API token provided'],
      ['no JWT', 'Bearer abc', 'Invalid token: it is not a signed JWT'],
      ['an API key as token', `Bearer ${key}`, 'Invalid token: it is not a signed JWT'],
      ['expired', valid({ exp: past() }), 'Invalid token: it has expired'],
      ['not valid yet', valid({ nbf: past() + 7200 }), 'Invalid token: it is not valid yet'],
      ['without an end', valid({ exp: undefined } as never), 'Invalid token: it has no claim exp'],
      ['without a subject', valid({ sub: undefined } as never), 'Invalid token: it has no claim sub'],
      ['another issuer', valid({ iss: 'https://elsewhere.example.com' }), 'from another authorization server'],
      ['the issuer with a slash', valid({ iss: `${issuer.url}/` }), 'from another authorization server'],
      ['a foreign audience', valid({ aud: 'https://other.example.com' }), 'it is for another audience'],
      ['a foreign signature', issuer.token({ service_api_key: key }, { key: rogue }), 'its signature does not fit'],
      ['an unknown key', issuer.token({ service_api_key: key }, { key: unknown }), 'does not publish'],
      [
        'a kid that is a path',
        issuer.token({ service_api_key: key }, { header: { kid: '../keys' } }),
        'does not publish',
      ],
      ['the algorithm none', `Bearer ${base64({ alg: 'none' })}.${base64(claims)}.`, 'Invalid token'],
      ['the public key as secret', `Bearer ${hmacInput}.${hmac}`, 'an algorithm that is not accepted'],
      ['no key claim', issuer.token({}), 'No API token provided: the access token has no API key in service_api_key'],
      ['an empty key claim', issuer.token({ service_api_key: '' }), 'No API token provided'],
      ['a key claim that is no text', issuer.token({ service_api_key: [key] }), 'No API token provided'],
    ];
    for (const [name, credential, message] of corpus) {
      const text = await credential;
      const header = text === null || text.includes(' ') ? text : `Bearer ${text}`;
      const { status, challenge, body } = await send(header);
      expect({ name, status }).toEqual({ name, status: 401 });
      expect(body).toContain(message);
      expect(challenge).toContain(`resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`);
      expect(body).not.toContain(key);
    }
  });

  it('challenges without an error code if there is no token, as RFC 6750 asks', async () => {
    const { challenge } = await send(null);
    expect(challenge).not.toContain('error="');
    expect(challenge).toContain('scope="read"');
    expect((await sendToken(valid({ exp: past() }))).challenge).toContain('error="invalid_token"');
  });

  it('rejects a header that is larger than headers may be', async () => {
    const filler = 'x'.repeat(20_000);
    expect((await sendToken(valid({ filler }))).status).toBe(431);
  });

  it('rejects a token without a required scope, and a call without that of its tool, before the call', async () => {
    const missing = await sendToken(valid({ scope: 'write' }));
    expect(missing).toMatchObject({ status: 403, body: expect.stringContaining('Insufficient permissions') });
    expect(missing.challenge).toContain('error="insufficient_scope"');
    for (const [scope, message, needed] of [
      ['read', callOf('execute_workflow', { name: 'x' }), 'read execute'],
      ['read', callOf('create_workflow'), 'read write'],
      ['read write execute', callOf('delete_workflow', { name: 'x' }), 'read admin'],
      ['read', callOf('run_greet'), 'read execute'],
      ['read', [LIST, callOf('cancel_execution')], 'read execute'],
      ['read', [...Array.from({ length: 150 }, () => LIST), callOf('cancel_execution')], 'read execute'],
    ] as const) {
      const answer = await sendToken(valid({ scope }), message);
      expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('Insufficient permissions') });
      expect(answer.challenge).toContain(`error="insufficient_scope"`);
      expect(answer.challenge).toContain(`scope="${needed}"`);
    }
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('checks the scope of a call behind %d byte order marks', async (marks) => {
    const call = `${'\u{FEFF}'.repeat(marks)}${JSON.stringify(callOf('delete_workflow', { name: 'nowhere' }))}`;
    const { status, body } = await sendToken(valid({ scope: 'read' }), call);
    expect([400, 403]).toContain(status);
    expect(body).not.toContain('nowhere');
  });

  it('names every scope that a tool of one workflow needs, also those of which the token lacks only one', async () => {
    const open = await ToolServer.start(platform, {
      SERVICE_AUTH_SERVER: issuer.url,
      TOOL_SERVER_EXPOSE_WORKFLOWS: 'true',
    });
    const answer = await sendToken(valid({ scope: 'execute' }), callOf('run_greet'), open.url);
    expect(answer).toMatchObject({ status: 403, challenge: expect.stringContaining('scope="read execute"') });
    await open.stop();
  });

  it('rejects a body of more than 4 MiB', async () => {
    const { status, body } = await sendToken(valid(), callOf('list_workflows', { cursor: 'x'.repeat(4 << 20) }));
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
  });

  it.each(['', '{'])('rejects the body "%s", which is not JSON', async (text) => {
    const { status, body } = await sendToken(valid(), text);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_700 } });
  });

  it('accepts scopes with commas, in scp, and admin for all', async () => {
    for (const claims of [{ scope: 'write,read' }, { scope: undefined, scp: ['read'] }, { scope: 'admin' }]) {
      const answer = await sendToken(issuer.token({ service_api_key: key, ...claims }));
      expect(answer).toMatchObject({ status: 200 });
    }
    const call = callOf('delete_workflow', { name: 'nowhere' });
    const answer = await sendToken(valid({ scope: 'admin' }), call);
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('Workflow not found') });
  });

  it('uses neither the key of the server nor one from the arguments', async () => {
    const answer = await sendToken(issuer.token({ service_api_key: 'not-a-key' }), callOf('list_workflows'));
    expect(answer.body).toContain('Invalid token: the platform rejects the API key');
    // The key of the server and the one in the arguments could do each of these calls.
    const start = { name: 'nowhere', execution_id: 'nowhere', steps: [{ name: 'say', type: 'prompt', prompt: 'p' }] };
    for (const path of ['/mcp', '/']) {
      for (const [tool, names] of Object.entries(ARGUMENTS)) {
        const args = Object.fromEntries(names.map((name) => [name, start[name]]));
        for (const [claims, more, text] of [
          [{ service_api_key: 'not-a-key' }, {}, 'the platform rejects the API key'],
          [{ service_api_key: 'not-a-key' }, { api_key: key }, 'The argument api_key is not accepted here'],
          [{ service_api_key: key }, { api_key: key }, 'The argument api_key is not accepted here'],
          [{}, {}, 'the access token has no API key'],
          [{}, { api_key: key }, 'the access token has no API key'],
        ] as const) {
          const token = issuer.token({ scope: 'admin', ...claims });
          const { body } = await sendToken(token, callOf(tool, { ...args, ...more }), server.url, path);
          expect({ tool, path, body }).toEqual({ tool, path, body: expect.stringContaining(text) });
        }
      }
      for (const [method, params] of Object.entries(READS)) {
        const token = issuer.token({ service_api_key: 'not-a-key', scope: 'admin' });
        const { body } = await sendToken(token, { ...LIST, method, params }, server.url, path);
        expect({ method, path, body }).toEqual({
          method,
          path,
          body: expect.stringContaining('the platform rejects the API key'),
        });
        const without = await sendToken(
          issuer.token({ scope: 'admin' }),
          { ...LIST, method, params },
          server.url,
          path,
        );
        expect(without).toMatchObject({ status: 401, body: expect.stringContaining('No API token provided') });
      }
    }
  });

  it('accepts a new signing key at once, and rejects a removed one', async () => {
    const [former] = issuer.keys;
    const old = await valid();
    expect((await sendToken(old)).status).toBe(200);
    issuer.keys = [await newSigningKey('second', 'ES256')];
    expect((await sendToken(valid())).status).toBe(200);
    expect(await sendToken(old)).toMatchObject({ status: 401, body: expect.stringContaining('does not publish') });
    if (former !== undefined) issuer.keys = [former];
  });

  it('accepts every audience with `none`, and none of the other faults', async () => {
    const lenient = await ToolServer.start(platform, {
      SERVICE_AUTH_SERVER: issuer.url,
      TOOL_SERVER_AUDIENCE: 'none',
    });
    for (const claims of [{}, { aud: 'https://other.example.com' }]) {
      expect(await sendToken(valid(claims), LIST, lenient.url)).toMatchObject({ status: 200 });
    }
    expect(await sendToken(valid({ exp: past() }), LIST, lenient.url)).toMatchObject({ status: 401 });
    expect(lenient.process.log()).toContain('the audience of tokens is not checked');
    await lenient.stop();
  });

  it('finds the authorization server with RFC 8414 (--auth-type oauth)', async () => {
    issuer.metadataPath = '/.well-known/oauth-authorization-server';
    const oauth = await ToolServer.start(platform, {
      SERVICE_AUTH_SERVER: issuer.url,
      TOOL_SERVER_AUTH_TYPE: 'oauth',
    });
    const answer = await sendToken(valid(), callOf('list_workflows'), oauth.url);
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('"workflows"') });
    expect(await sendToken(valid({ exp: past() }), LIST, oauth.url)).toMatchObject({ status: 401 });
    const mirrored = await fetch(`${oauth.url}/.well-known/oauth-authorization-server`);
    expect(await mirrored.json()).toMatchObject({ issuer: issuer.url });
    issuer.metadataPath = OIDC_PATH;
    await oauth.stop();
  });

  it('requires one of the configured audiences', async () => {
    const audience = 'https://tools.example.com, urn:workflows';
    const strict = await ToolServer.start(platform, {
      SERVICE_AUTH_SERVER: issuer.url,
      TOOL_SERVER_AUDIENCE: audience,
    });
    expect(await sendToken(valid({ aud: 'urn:workflows' }), LIST, strict.url)).toMatchObject({ status: 200 });
    for (const claims of [{}, { aud: strict.url }]) {
      expect(await sendToken(valid(claims), LIST, strict.url)).toMatchObject({
        status: 401,
        body: expect.stringContaining('expected https://tools.example.com or urn:workflows'),
      });
    }
    await strict.stop();
  });

  it('serves the metadata, from which clients find the authorization server', async () => {
    const at = async (path: string): Promise<unknown> => (await fetch(`${server.url}/.well-known/${path}`)).json();
    for (const path of ['oauth-protected-resource', 'oauth-protected-resource/mcp']) {
      expect(await at(path)).toMatchObject({
        resource: `${server.url}/mcp`,
        authorization_servers: [issuer.url],
        scopes_supported: ['read', 'write', 'execute', 'admin'],
      });
    }
    expect(await at('oauth-authorization-server')).toMatchObject({
      issuer: issuer.url,
      jwks_uri: `${issuer.url}/keys`,
    });
  });

  it('responds with 503 while the authorization server does not respond, and recovers', async () => {
    const later = await Issuer.start();
    const url = later.url;
    const waiting = await ToolServer.start(platform, { SERVICE_AUTH_SERVER: url });
    const token = await later.token({ service_api_key: key });
    later.stop();
    expect(await sendToken(token, LIST, waiting.url)).toMatchObject({
      status: 503,
      retryAfter: '5',
      body: expect.stringContaining('The authorization server cannot be read'),
    });
    await later.listen();
    expect(await sendToken(token, LIST, waiting.url)).toMatchObject({ status: 200 });
    await waiting.stop();
    later.stop();
  });

  it('rejects foreign hosts and origins', async () => {
    const token = await valid();
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Origin: 'https://evil.example',
    };
    const response = await fetch(`${server.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(LIST) });
    expect({ status: response.status, allowed: response.headers.get('access-control-allow-origin') }).toEqual({
      status: 403,
      allowed: null,
    });
  });
});
