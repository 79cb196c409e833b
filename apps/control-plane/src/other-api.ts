import { ControlPlaneConfig, loadConfig } from '@app/config';
import type { OtherApi } from '@app/http';
import { PLATFORM_API_ROUTES } from './platform-api-routes.js';

/** The platform API, as errors of the control plane name it. */
export const platformApi: OtherApi = {
  name: 'the platform API',
  scheme: 'UserKey',
  url: () => loadConfig(ControlPlaneConfig).publicPlatformApiUrl,
  routes: PLATFORM_API_ROUTES,
};
