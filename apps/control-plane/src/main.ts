import 'reflect-metadata';
import { ControlPlaneConfig, loadConfig } from '@app/config';
import { startServer } from '@app/http';
import { ControlPlaneModule, ControlPlaneWithDispatcherModule } from './app.module.js';
import { DispatcherOnlyModule } from './dispatcher-only.module.js';
import { controlPlanePlan } from './server-plan.js';

const modules = {
  all: ControlPlaneWithDispatcherModule,
  http: ControlPlaneModule,
  dispatcher: DispatcherOnlyModule,
};

await startServer(
  () => controlPlanePlan(modules[loadConfig(ControlPlaneConfig).role]),
  () => loadConfig(ControlPlaneConfig),
);
