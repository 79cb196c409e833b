import 'reflect-metadata';
import { loadConfig, PlatformApiConfig } from '@app/config';
import { startServer } from '@app/http';
import { PlatformApiModule } from './app.module.js';
import { platformApiConfigs, platformApiPlan } from './server-plan.js';

void startServer({
  name: 'platform-api',
  configs: platformApiConfigs,
  plan: () => platformApiPlan(PlatformApiModule),
  address: () => loadConfig(PlatformApiConfig),
});
