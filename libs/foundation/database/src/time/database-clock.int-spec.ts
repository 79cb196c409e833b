import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, ManualClock, type TestContext } from '@app/testing';
import { DatabaseClock } from './database-clock.js';

const HOUR = 3_600_000;

describe('DatabaseClock', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([]);
  });

  afterAll(() => context.close());

  async function databaseMillis(): Promise<number> {
    const [row] = await context.database.sql<{ now: Date }>('SELECT clock_timestamp() AS now');
    return row?.now.getTime() ?? 0;
  }

  it.each([3 * HOUR, -3 * HOUR])('returns the time of the database on a host that is off by %i ms', async (offset) => {
    const host = new ManualClock(new Date((await databaseMillis()) + offset));
    const clock = new DatabaseClock(context.database, host);
    expect(clock.millis()).toBe(host.millis());
    await clock.sync();
    const told = clock.millis();
    const [before, after] = [told - 60_000, await databaseMillis()];
    expect(told).toBeGreaterThan(before);
    // The time is never ahead of the database, so nothing is started or deleted early.
    expect(told).toBeLessThanOrEqual(after);
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(told);
  });

  it('uses the time of a host that agrees with the database, and the time of the database once the host clock is changed', async () => {
    const host = new ManualClock(new Date(await databaseMillis()));
    const clock = new DatabaseClock(context.database, host);
    await clock.sync();
    host.advance((await databaseMillis()) - host.millis());
    host.advance(200);
    expect(clock.millis()).toBe(host.millis());
    host.advance(3 * HOUR);
    expect(host.millis() - clock.millis()).toBeGreaterThan(2 * HOUR);
    host.advance(-6 * HOUR);
    expect(clock.millis() - host.millis()).toBeGreaterThan(2 * HOUR);
  });

  it('keeps the last known difference while the database does not respond', async () => {
    const other = await createTestContext([], { shareWith: context });
    const host = new ManualClock(new Date((await databaseMillis()) + 3 * HOUR));
    const clock = new DatabaseClock(other.database, host);
    await clock.sync();
    await other.close();
    await clock.onModuleInit();
    clock.onModuleDestroy();
    expect(host.millis() - clock.millis()).toBeGreaterThan(2 * HOUR);
  });
});
