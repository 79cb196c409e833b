import { describeConfig, type ConfigClass } from '@app/config';
import { ModulesContainer } from '@nestjs/core';
import type { TestContext } from './test-context.js';

/** Returns the config classes that the modules of a context provide, each once. */
export function providedConfigs(context: TestContext): readonly ConfigClass[] {
  const modules = [...context.get(ModulesContainer).values()];
  return [...new Set(modules.flatMap(({ providers }) => [...providers.keys()].filter(isConfig)))];
}

function isConfig(token: unknown): token is ConfigClass {
  return (
    typeof token === 'function' && token.name.endsWith('Config') && describeConfig(token as ConfigClass).length > 0
  );
}
