import { loadConfig, PlatformApiConfig } from '@app/config';
import type { OtherApi } from '@app/http';
import { CONTROL_PLANE_ROUTES } from './control-plane-routes.js';

/** The control plane, as errors of the platform API name it. */
export const controlPlane: OtherApi = {
  name: 'the control plane',
  scheme: 'Bearer',
  url: () => loadConfig(PlatformApiConfig).controlPlaneUrl,
  routes: CONTROL_PLANE_ROUTES,
};
