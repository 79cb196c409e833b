import {
  DatabaseConfig,
  IdentityConfig,
  LogConfig,
  MigrationConfig,
  ModelCatalogueConfig,
  ModelGatewayConfig,
  NatsConfig,
  OpaConfig,
  PlatformApiConfig,
  PolicyConfig,
  ProvisioningConfig,
  RateLimitConfig,
  RedisConfig,
  ResponseConfig,
  SecretsConfig,
  StreamConfig,
  TracingConfig,
  type ConfigClass,
} from '@app/config';
import type { ServerPlan } from '@app/http';
import { LIMIT_HEADERS, unusedLimitHeaders } from '@app/rate-limits';
import type { Type } from '@nestjs/common';
import { errorSchemas } from './error-body.js';
import { glossary, parameters, tags } from './glossary.js';

export const platformApiConfigs: readonly ConfigClass[] = [
  LogConfig,
  PlatformApiConfig,
  DatabaseConfig,
  IdentityConfig,
  MigrationConfig,
  ModelCatalogueConfig,
  ModelGatewayConfig,
  NatsConfig,
  RedisConfig,
  PolicyConfig,
  ProvisioningConfig,
  OpaConfig,
  RateLimitConfig,
  ResponseConfig,
  SecretsConfig,
  StreamConfig,
  TracingConfig,
];

export function platformApiPlan(module: Type): ServerPlan {
  return {
    module,
    commonHeaders: unusedLimitHeaders(),
    docsAt: ['/', '/api', '/docs'],
    api: {
      title: 'Platform API',
      description:
        'API keys, agents, tasks and executions for users. Authentication: `Authorization: UserKey <API key>`.',
      keyScheme: 'userkey',
      errorSchemas,
      tags,
      parameters,
      glossary,
      headers: LIMIT_HEADERS,
    },
  };
}
