import { createTestContext, providedConfigs, type TestContext } from '@app/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApiModule } from './app.module.js';
import { platformApiConfigs } from './server-plan.js';

describe('the configuration of the platform API', () => {
  let context: TestContext;
  beforeAll(async () => {
    context = await createTestContext([PlatformApiModule]);
  });
  afterAll(() => context.close());

  it('is checked at the start for every config class that a module provides', () => {
    const provided = providedConfigs(context);
    expect(provided.length).toBeGreaterThan(8);
    const unchecked = provided.filter((config) => !platformApiConfigs.includes(config));
    expect(unchecked.map(({ name }) => name)).toEqual([]);
  });
});
