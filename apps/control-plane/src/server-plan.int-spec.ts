import { describeConfig, type ConfigClass } from '@app/config';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, type TestContext } from '@app/testing';
import { ModulesContainer } from '@nestjs/core';
import { AllRolesModule } from './roles.js';
import { controlPlaneConfigs } from './server-plan.js';

const isConfig = (token: unknown): token is ConfigClass =>
  typeof token === 'function' && token.name.endsWith('Config') && describeConfig(token as ConfigClass).length > 0;

describe('the configuration of the control plane', () => {
  let context: TestContext;
  beforeAll(async () => {
    context = await createTestContext([AllRolesModule]);
  });
  afterAll(() => context.close());

  it('is checked at the start for every config class that a module provides', () => {
    const modules = [...context.get(ModulesContainer).values()];
    const provided = new Set(modules.flatMap(({ providers }) => [...providers.keys()].filter(isConfig)));
    expect(provided.size).toBeGreaterThan(10);
    const unchecked = [...provided].filter((config) => !controlPlaneConfigs.includes(config));
    expect(unchecked.map(({ name }) => name)).toEqual([]);
  });
});
