import {
  ControlPlaneConfig,
  DatabaseConfig,
  DispatchConfig,
  IdentityConfig,
  LogConfig,
  MigrationConfig,
  ModelGatewayConfig,
  OpaConfig,
  PolicyConfig,
  RedisConfig,
  type ConfigClass,
} from '@app/config';
import type { ServerPlan } from '@app/http';
import type { Type } from '@nestjs/common';
import { BearerGuard } from './auth/bearer.guard.js';
import { controlPlaneErrorBody, errorSchemas } from './error-body.js';
import { glossary } from './glossary.js';

export const controlPlaneConfigs: readonly ConfigClass[] = [
  LogConfig,
  ControlPlaneConfig,
  DatabaseConfig,
  MigrationConfig,
  RedisConfig,
  IdentityConfig,
  ModelGatewayConfig,
  DispatchConfig,
  OpaConfig,
  PolicyConfig,
];

export function controlPlanePlan(module: Type): ServerPlan {
  return {
    module,
    api: {
      title: 'Control plane',
      description: 'Agents, jobs, executions, workers and what they share. Send `Authorization: Bearer <API key>`.',
      version: '1',
      keyScheme: 'bearer',
      errorSchemas,
      glossary,
    },
    errorBody: controlPlaneErrorBody,
    guard: BearerGuard,
  };
}
