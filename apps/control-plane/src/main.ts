import 'reflect-metadata';
import { ControlPlaneConfig, loadConfig } from '@app/config';
import { startServer } from '@app/http';
import { AllRolesModule, DispatcherRoleModule, HttpRoleModule } from './roles.js';
import { controlPlaneConfigs, controlPlanePlan } from './server-plan.js';

const modules = {
  all: AllRolesModule,
  http: HttpRoleModule,
  dispatcher: DispatcherRoleModule,
};

void startServer({
  name: 'control-plane',
  configs: controlPlaneConfigs,
  plan: () => controlPlanePlan(modules[loadConfig(ControlPlaneConfig).role]),
  address: () => loadConfig(ControlPlaneConfig),
  processes: () => loadConfig(ControlPlaneConfig).processes,
});
