import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Contract, type ApiName, type Schema } from '../support/contract.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

/** A request with one unknown field, in an object that accepts only known ones. */
interface Probe {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
  /** Path of the object in the body. */
  readonly at: readonly string[];
}

/** An object in the body of a request. */
interface Place {
  readonly at: readonly string[];
  readonly isClosed: boolean;
  readonly isInClosed: boolean;
}

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];
const UNKNOWN = 'no_such_field';
const MAX_DEPTH = 6;

/** Returns the schemas of which a value can be an instance, with their references resolved. */
function variantsOf(contract: Contract, schema: Schema): Schema[] {
  const own = contract.resolve(schema);
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) => (own[name] as Schema[] | undefined) ?? []);
  return [own, ...parts.flatMap((part) => variantsOf(contract, part))];
}

/** Returns the described objects in a body, outermost first; `0` stands for the items of a list. */
function placesIn(contract: Contract, schema: Schema, at: readonly string[] = [], isInClosed = false): Place[] {
  if (at.length > MAX_DEPTH) return [];
  return variantsOf(contract, schema).flatMap((variant) => {
    const isClosed = variant['additionalProperties'] === false;
    const { properties, items } = variant as { readonly properties?: Record<string, Schema>; readonly items?: Schema };
    const nested = Object.entries(properties ?? {}).flatMap(([name, property]) =>
      placesIn(contract, property, [...at, name], isInClosed || isClosed),
    );
    const inItems = items === undefined ? [] : placesIn(contract, items, [...at, '0'], isInClosed);
    return [...(properties === undefined ? [] : [{ at, isClosed, isInClosed }]), ...nested, ...inItems];
  });
}

const operations = APIS.flatMap((api) => {
  const contract = Contract.of(api);
  return contract.operations.flatMap(({ method, path, body }) =>
    body === undefined ? [] : [{ api, method, path, places: placesIn(contract, body) }],
  );
});
const probes: readonly Probe[] = operations.flatMap(({ places, ...operation }) =>
  places.filter(({ isClosed, isInClosed }) => isClosed || isInClosed).map(({ at }) => ({ ...operation, at })),
);

function bodyOf(at: readonly string[]): unknown {
  const [name, ...rest] = at;
  if (name === undefined) return { [UNKNOWN]: 1 };
  return name === '0' ? [bodyOf(rest)] : { [name]: bodyOf(rest) };
}

describe('objects that accept only known fields', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });
  afterAll(() => platform.stop());

  it('are the bodies with keys and users, and all objects in them', () => {
    const closed = operations.filter(({ places }) => places.some(({ at, isClosed }) => at.length === 0 && isClosed));
    expect(closed.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'PATCH /api/v1/auth/keys/{key_id}',
      'PATCH /api/v1/users/{id}',
      'POST /api/v1/auth/keys',
      'POST /api/v1/auth/keys/{key_id}/rotate',
      'POST /api/v1/users',
    ]);
    const open = operations.flatMap(({ path, places }) =>
      places.filter(({ isClosed, isInClosed }) => isInClosed && !isClosed).map(({ at }) => [path, at]),
    );
    expect(open).toEqual([]);
    expect(probes.map(({ at }) => at.join('.'))).toContain('rate_limits');
  });

  it.each(probes)('$method $path rejects an unknown field at [$at] of the body', async ({ api, method, path, at }) => {
    const [url, scheme] =
      api === 'platform-api' ? [platform.platformApi?.url ?? '', 'UserKey'] : [platform.url, 'Bearer'];
    const target = url + path.replaceAll(/\{\w+\}/g, 'none');
    const response = await call(method, target, { key: platform.adminKey, scheme, body: bodyOf(at) });
    expect(response.status).toBe(422);
    expect(JSON.stringify(response.body)).toContain(['body', ...at, UNKNOWN].join('.'));
  });
});
