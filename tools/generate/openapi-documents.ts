import { ControlPlaneConfig, loadConfig, PlatformApiConfig } from '@app/config';
import { buildDocument, createServer, type ServerPlan } from '@app/http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ControlPlaneModule } from '../../apps/control-plane/src/app.module.js';
import { controlPlanePlan } from '../../apps/control-plane/src/server-plan.js';
import { PlatformApiModule } from '../../apps/platform-api/src/app.module.js';
import { platformApiPlan } from '../../apps/platform-api/src/server-plan.js';

export interface NamedDocument {
  readonly name: string;
  readonly document: OpenAPIObject;
}

/**
 * Returns the documents of both applications without starting them. They name a local installation with default ports
 * as their server; a running application names itself.
 */
export async function openApiDocuments(): Promise<[controlPlane: NamedDocument, platformApi: NamedDocument]> {
  const controlPlane = loadConfig(ControlPlaneConfig, {});
  const platformApi = loadConfig(PlatformApiConfig, {});
  return [
    { name: 'control-plane', document: await documentOf(controlPlanePlan(ControlPlaneModule), controlPlane.port) },
    { name: 'platform-api', document: await documentOf(platformApiPlan(PlatformApiModule), platformApi.port) },
  ];
}

async function documentOf(plan: ServerPlan, port: number): Promise<OpenAPIObject> {
  const app = await createServer(plan, { preview: true });
  const server = { url: `http://127.0.0.1:${port}`, description: 'Local installation with default settings' };
  return buildDocument(app, plan.api, server);
}
