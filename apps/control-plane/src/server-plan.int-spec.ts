import { createTestContext, providedConfigs, type TestContext } from '@app/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AllRolesModule } from './roles.js';
import { controlPlaneConfigs } from './server-plan.js';

describe('the configuration of the control plane', () => {
  let context: TestContext;
  beforeAll(async () => {
    context = await createTestContext([AllRolesModule]);
  });
  afterAll(() => context.close());

  it('is checked at the start for every config class that a module provides', () => {
    const provided = providedConfigs(context);
    expect(provided.length).toBeGreaterThan(10);
    const unchecked = provided.filter((config) => !controlPlaneConfigs.includes(config));
    expect(unchecked.map(({ name }) => name)).toEqual([]);
  });
});
