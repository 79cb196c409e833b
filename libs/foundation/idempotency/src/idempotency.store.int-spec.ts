import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IdempotencyModule } from './idempotency.module.js';
import { IDEMPOTENCY_KEY_SECONDS, IdempotencyStore, type IdempotentRequest } from './idempotency.store.js';

const scope = { organizationId: 'one' };
const request: IdempotentRequest = { key: 'key', digest: 'digest', secrets: undefined };

describe('the idempotency store', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let store: IdempotencyStore;
  let runs: number;

  beforeAll(async () => {
    context = await createTestContext([IdempotencyModule], { clock });
    store = context.get(IdempotencyStore);
  });
  afterAll(() => context.close());
  beforeEach(async () => {
    runs = 0;
    await context.database.sql('DELETE FROM idempotency_keys');
  });

  const work = (): Promise<{ status: number; body: unknown }> => {
    runs += 1;
    return Promise.resolve({ status: 201, body: { run: runs } });
  };

  it('runs the work of a key once, and returns the stored response afterwards', async () => {
    expect(await store.once(scope, request, work)).toEqual({ status: 201, body: { run: 1 }, replayed: false });
    expect(await store.once(scope, request, work)).toEqual({ status: 201, body: { run: 1 }, replayed: true });
    expect(await store.once({ organizationId: 'two' }, request, work)).toMatchObject({ replayed: false });
  });

  it('stores nothing if the work throws', async () => {
    const failing = store.once(scope, request, () => Promise.reject(new Error('planned')));
    await expect(failing).rejects.toThrow('planned');
    expect(await store.once(scope, request, work)).toMatchObject({ replayed: false });
  });

  it('rejects a key while its first request is running, and a key that was used for a different request', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let first: Promise<unknown> = Promise.resolve();
    await new Promise<void>((started) => {
      first = store.once(scope, request, async () => {
        started();
        await released;
        return work();
      });
    });
    await expect(store.once(scope, request, work)).rejects.toMatchObject({ code: 'idempotent_request_running' });
    release();
    await first;
    await expect(store.once(scope, { ...request, digest: 'another' }, work)).rejects.toMatchObject({
      faults: [{ path: ['idempotency_key'] }],
    });
  });

  it('returns secrets only to the API key of the first request', async () => {
    const secrets = (apiKey: string): IdempotentRequest['secrets'] => ({ apiKey, redact: () => ({ secret: null }) });
    const shown = (): Promise<{ status: number; body: unknown }> =>
      Promise.resolve({ status: 200, body: { secret: 'x' } });
    await store.once(scope, { ...request, secrets: secrets('a') }, shown);
    const bodyFor = async (apiKey: string): Promise<unknown> =>
      (await store.once(scope, { ...request, secrets: secrets(apiKey) }, shown)).body;
    expect([await bodyFor('a'), await bodyFor('b')]).toEqual([{ secret: 'x' }, { secret: null }]);
  });

  it('prunes expired responses in batches, without those that another process is pruning', async () => {
    for (const key of ['1', '2', '3']) await store.once(scope, { ...request, key }, work);
    clock.advance(IDEMPOTENCY_KEY_SECONDS * 1000 + 1);
    let commit = (): void => undefined;
    const committed = new Promise<void>((resolve) => (commit = resolve));
    let other: Promise<void> | undefined;
    const pruned = new Promise<number>((resolve, reject) => {
      other = context.database.transaction(async () => {
        await store.prune(2).then(resolve, reject);
        await committed;
      });
    });
    expect(await pruned).toBe(2);
    expect(await store.prune(2)).toBe(1);
    commit();
    await other;
    expect(await store.prune(2)).toBe(0);
  });

  it('ignores a response after a day, and prunes it', async () => {
    await store.once(scope, request, work);
    expect(await store.prune(10)).toBe(0);
    clock.advance(IDEMPOTENCY_KEY_SECONDS * 1000 + 1);
    expect(await store.once(scope, { ...request, digest: 'another' }, work)).toMatchObject({ replayed: false });
    clock.advance(IDEMPOTENCY_KEY_SECONDS * 1000 + 1);
    expect(await store.prune(10)).toBe(1);
  });
});
