import type { FactoryProvider } from '@nestjs/common';
import { loadConfig, type ConfigClass } from './env-var.js';

/** Provides a config class, read from the environment once. */
export function provideConfig<T extends object>(config: ConfigClass<T>): FactoryProvider<T> {
  return { provide: config, useFactory: () => loadConfig(config) };
}
