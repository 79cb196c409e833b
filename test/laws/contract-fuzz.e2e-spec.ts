import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryRequest, type FuzzedRequest } from '../support/arbitrary-request.js';
import { Contract, type ApiName, type Operation } from '../support/contract.js';
import { TenantFixture } from '../support/tenant-fixture.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

/** Requests per operation. For a long run: `FUZZ_RUNS=2000 npm test -- test/laws/contract-fuzz`. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 12);
jest.setTimeout(300_000 + RUNS * 5_000);

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];
/** DELETE operations come last, because the others need the resources. */
const operations = APIS.flatMap((api) => Contract.of(api).operations.map((operation) => ({ api, operation }))).sort(
  (one, other) => Number(one.operation.method === 'DELETE') - Number(other.operation.method === 'DELETE'),
);

describe('arbitrary requests', () => {
  let platform: Platform;
  let tenant: TenantFixture;

  beforeAll(async () => {
    platform = await Platform.shared();
    tenant = await TenantFixture.create(platform, (await platform.createOrganization('fuzzed')).adminKey);
  });

  afterAll(() => platform.stop());

  function addressOf(api: ApiName, operation: Operation, request: FuzzedRequest): string {
    const url = api === 'platform-api' ? (platform.platformApi?.url ?? '') : platform.url;
    const fixed = { token: 'whk_unknown' };
    const query = new URLSearchParams(request.query);
    return `${url}${tenant.path(operation.path, { ...fixed, ...request.path })}?${query}`;
  }

  /** Whether the request would wait for events or work that never arrive. */
  function isEndless({ path }: Operation, request: FuzzedRequest): boolean {
    const isUnknown = Object.keys(request.path).some((name) => path.includes(`{${name}}`));
    return (path.endsWith('/stream') || path.endsWith('/poll')) && !isUnknown;
  }

  // `call` throws for a response whose status, body or media type is not in the document, and for an error without an
  // `X-Error-Code` of the catalogue.
  it.each(operations.map(({ api, operation }) => [`${api} ${operation.method} ${operation.path}`, api, operation]))(
    'to %s get a documented response',
    async (_title, apiName, described) => {
      const [api, operation] = [apiName as ApiName, described as Operation];
      const scheme = api === 'platform-api' ? 'UserKey' : 'Bearer';
      await fc.assert(
        fc.asyncProperty(arbitraryRequest(Contract.of(api), operation), async (request) => {
          fc.pre(!isEndless(operation, request));
          const { body, raw, headers } = request;
          const content = raw !== undefined ? { raw } : body === undefined ? {} : { body };
          const options = { key: tenant.key, scheme, ...content, headers };
          const { status } = await call(operation.method, addressOf(api, operation, request), options);
          expect(status).toBeLessThan(500);
        }),
        { numRuns: RUNS },
      );
    },
  );

  it('do not end any server', async () => {
    expect((await call('GET', `${platform.url}/api/health/ready`)).status).toBe(200);
    expect(platform.controlPlanes.map(({ process }) => process.running)).toEqual([true]);
    expect(platform.platformApi?.process.running).toBe(true);
  });
});
