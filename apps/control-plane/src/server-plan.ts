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
import { KeyService } from '@app/identity';
import type { Type } from '@nestjs/common';
import { authorize } from './auth/authorize.js';
import { controlPlaneErrorBody, errorSchemas } from './error-body.js';

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
    },
    errorBody: controlPlaneErrorBody,
    authorize: (app) => {
      const keys = app.get(KeyService, { strict: false });
      return async (request, access) => authorize(keys, request, access);
    },
    largeBodies: [/\/session$/, /\/analytics\/batch$/],
  };
}
