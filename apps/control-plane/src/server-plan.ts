import {
  ControlPlaneConfig,
  DatabaseConfig,
  DispatchConfig,
  FairShareConfig,
  IdentityConfig,
  LogConfig,
  MigrationConfig,
  ModelCatalogueConfig,
  ModelGatewayConfig,
  NatsConfig,
  OpaConfig,
  PolicyConfig,
  ProvisioningConfig,
  RedisConfig,
  RetentionConfig,
  ResponseConfig,
  SecretsConfig,
  StreamConfig,
  TracingConfig,
  WebhooksConfig,
  WebSocketConfig,
  type ConfigClass,
} from '@app/config';
import type { ServerPlan } from '@app/http';
import type { Type } from '@nestjs/common';
import { errorSchemas } from './error-body.js';
import { CATALOGUE_HEADERS } from './models/catalogue-headers.js';
import { DEPRECATION_HEADERS } from './skills/redirect-to-successor.js';
import { COMMANDS_HEADER } from './workers/command-header.js';
import { glossary, parameters, tags } from './glossary.js';

export const controlPlaneConfigs: readonly ConfigClass[] = [
  LogConfig,
  ControlPlaneConfig,
  DatabaseConfig,
  MigrationConfig,
  RedisConfig,
  IdentityConfig,
  ModelCatalogueConfig,
  ModelGatewayConfig,
  NatsConfig,
  DispatchConfig,
  FairShareConfig,
  OpaConfig,
  PolicyConfig,
  ProvisioningConfig,
  RetentionConfig,
  ResponseConfig,
  SecretsConfig,
  StreamConfig,
  TracingConfig,
  WebhooksConfig,
  WebSocketConfig,
];

export function controlPlanePlan(module: Type): ServerPlan {
  return {
    module,
    docsAt: ['/api', '/docs'],
    exposedHeaders: [COMMANDS_HEADER, ...Object.keys(CATALOGUE_HEADERS), ...DEPRECATION_HEADERS],
    api: {
      title: 'Control plane',
      description:
        'Management of agents, teams, jobs, executions, policies and workers. Authentication: `Authorization: Bearer <API key>`.',
      keyScheme: 'bearer',
      errorSchemas,
      tags,
      parameters,
      glossary,
    },
  };
}
