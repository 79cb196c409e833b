import {
  DatabaseConfig,
  IdentityConfig,
  LogConfig,
  MigrationConfig,
  OpaConfig,
  PlatformApiConfig,
  PolicyConfig,
  RedisConfig,
  type ConfigClass,
} from '@app/config';
import type { ServerPlan } from '@app/http';
import type { Type } from '@nestjs/common';
import { UserKeyGuard } from './auth/user-key.guard.js';
import { errorSchemas, platformErrorBody } from './error-body.js';
import { glossary } from './glossary.js';

export const platformApiConfigs: readonly ConfigClass[] = [
  LogConfig,
  PlatformApiConfig,
  DatabaseConfig,
  IdentityConfig,
  MigrationConfig,
  RedisConfig,
  PolicyConfig,
  OpaConfig,
];

export function platformApiPlan(module: Type): ServerPlan {
  return {
    module,
    api: {
      title: 'Platform API',
      description: 'Keys, agents, tasks and executions. Send `Authorization: UserKey <API key>`.',
      version: '1',
      keyScheme: 'userkey',
      errorSchemas,
      glossary,
    },
    errorBody: platformErrorBody,
    guard: UserKeyGuard,
  };
}
