import 'reflect-metadata';
import { loadConfig, PlatformApiConfig } from '@app/config';
import { startServer } from '@app/http';
import { PlatformApiModule } from './app.module.js';
import { platformApiPlan } from './server-plan.js';

await startServer(
  () => platformApiPlan(PlatformApiModule),
  () => loadConfig(PlatformApiConfig),
);
