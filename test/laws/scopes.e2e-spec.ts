import { KEY_SCOPES } from '@app/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { Contract, type ApiName, type Operation } from '../support/contract.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

const CONCURRENCY = 8;

interface Access {
  readonly api: ApiName;
  readonly operation: Operation;
  /** The only scope of the key; undefined: a key without scopes. */
  readonly scope: string | undefined;
}

/** Every route that needs a key, with a key of every scope and one without any. */
const matrix = (['control-plane', 'platform-api'] as const).flatMap((api) =>
  Contract.of(api)
    .operations.filter(({ scope }) => scope !== 'none')
    .flatMap((operation) => [undefined, ...KEY_SCOPES].map((scope): Access => ({ api, operation, scope }))),
);

describe('the scopes of keys', () => {
  let platform: Platform;
  const keys = new Map<string | undefined, string>();

  beforeAll(async () => {
    platform = await Platform.shared();
    const admin = new PlatformApi(platform);
    keys.set(undefined, (await admin.withScopes()).key);
    for (const scope of KEY_SCOPES) keys.set(scope, (await admin.withScopes(scope)).key);
  });
  afterAll(() => platform.stop());

  async function send({ api, operation, scope }: Access): Promise<HttpResponse> {
    const path = operation.path.replace('{entity_type}', 'agent').replaceAll(/\{\w+\}/g, 'none');
    const isPlatform = api === 'platform-api';
    const url = (isPlatform ? (platform.platformApi?.url ?? '') : platform.url) + path;
    const body = operation.body === undefined ? {} : { body: {} };
    return call(operation.method, url, {
      scheme: isPlatform ? 'UserKey' : 'Bearer',
      key: keys.get(scope) ?? '',
      ...body,
    });
  }

  it('open the routes that require them, `admin` opens all, and a refusal names the missing scope', async () => {
    const faults: string[] = [];
    const check = async (access: Access): Promise<void> => {
      const { scope: required, method, path } = access.operation;
      const { status, headers, body } = await send(access);
      const refused = headers.get('x-error-code') === 'insufficient_scope';
      const isOpen = required === 'any' || access.scope === 'admin' || access.scope === required;
      const label = `${access.api} ${method} ${path} with ${access.scope ?? 'no scope'}: ${status}`;
      if (isOpen && refused) faults.push(`${label} is refused`);
      if (isOpen) return;
      const { detail, details, errorCode } = body as { detail?: string; details?: string; errorCode?: string };
      const isNamed = (detail ?? details ?? '').endsWith(`scope: ${required}`);
      const isCoded = access.api === 'control-plane' || errorCode === 'INSUFFICIENT_SCOPE';
      if (status !== 403 || !refused || !isNamed || !isCoded) faults.push(`${label} ${JSON.stringify(body)}`);
    };
    const rest = matrix.values();
    const sender = async (): Promise<void> => {
      for (const access of rest) await check(access);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, sender));
    expect(faults).toEqual([]);
    expect(matrix.length).toBeGreaterThan(1000);
  });
});
