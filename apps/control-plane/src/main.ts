import 'reflect-metadata';
import { ControlPlaneConfig, loadConfig } from '@app/config';
import { startServer } from '@app/http';
import { AllRolesModule, DispatcherRoleModule, HttpRoleModule } from './roles.js';
import { controlPlanePlan } from './server-plan.js';

const modules = {
  all: AllRolesModule,
  http: HttpRoleModule,
  dispatcher: DispatcherRoleModule,
};

await startServer(
  () => controlPlanePlan(modules[loadConfig(ControlPlaneConfig).role]),
  () => loadConfig(ControlPlaneConfig),
);
