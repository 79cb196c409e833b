import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryRequest, type FuzzedRequest } from '../support/arbitrary-request.js';
import { Contract, type ApiName, type Operation } from '../support/contract.js';
import { Estate } from '../support/estate.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

/** Requests for each operation. More for a long run: `FUZZ_RUNS=2000 npm test -- test/laws/contract-fuzz`. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 12);
jest.setTimeout(60_000 + RUNS * 5_000);

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];
/** What is deleted can not be asked for any more, so it comes last. */
const operations = APIS.flatMap((api) => Contract.of(api).operations.map((operation) => ({ api, operation }))).sort(
  (one, other) => Number(one.operation.method === 'DELETE') - Number(other.operation.method === 'DELETE'),
);

describe('whatever is sent', () => {
  let platform: Platform;
  let estate: Estate;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true, env: { DEFAULT_MODEL: 'development-model' } });
    estate = await Estate.make(platform, platform.createOrganization('fuzzed').adminKey);
  });

  afterAll(() => platform.stop());

  function addressOf(api: ApiName, operation: Operation, request: FuzzedRequest): string {
    const url = api === 'platform-api' ? (platform.platformApi?.url ?? '') : platform.url;
    const known = { token: 'whk_nobody' };
    const query = new URLSearchParams(request.query);
    return `${url}${estate.path(operation.path, { ...known, ...request.path })}?${query}`;
  }

  /** An open stream and a long poll would wait for what never comes. */
  function isEndless({ path }: Operation, request: FuzzedRequest): boolean {
    const named = Object.keys(request.path).some((name) => path.includes(`{${name}}`));
    return (path.endsWith('/stream') || path.endsWith('/poll')) && !named;
  }

  // `call` holds every answer against the document: a status, a body or a media type that is not in it fails.
  it.each(operations.map(({ api, operation }) => [`${api} ${operation.method} ${operation.path}`, api, operation]))(
    'to %s, the answer is one of its document',
    async (_title, apiName, described) => {
      const [api, operation] = [apiName as ApiName, described as Operation];
      const scheme = api === 'platform-api' ? 'UserKey' : 'Bearer';
      await fc.assert(
        fc.asyncProperty(arbitraryRequest(Contract.of(api), operation), async (request) => {
          fc.pre(!isEndless(operation, request));
          const { body, raw, headers } = request;
          const content = raw !== undefined ? { raw } : body === undefined ? {} : { body };
          const options = { key: estate.key, scheme, ...content, headers };
          const { status } = await call(operation.method, addressOf(api, operation, request), options);
          expect(status).toBeLessThan(500);
        }),
        { numRuns: RUNS },
      );
    },
  );

  it('the servers are still there afterwards', async () => {
    expect((await call('GET', `${platform.url}/api/health/ready`)).status).toBe(200);
    expect(platform.controlPlanes.map(({ process }) => process.running)).toEqual([true]);
    expect(platform.platformApi?.process.running).toBe(true);
  });
});
