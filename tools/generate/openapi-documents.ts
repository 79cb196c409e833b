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

/** The documents as the running applications serve them, made without starting anything. */
export async function openApiDocuments(): Promise<NamedDocument[]> {
  return [
    { name: 'control-plane', document: await documentOf(controlPlanePlan(ControlPlaneModule)) },
    { name: 'platform-api', document: await documentOf(platformApiPlan(PlatformApiModule)) },
  ];
}

async function documentOf(plan: ServerPlan): Promise<OpenAPIObject> {
  const app = await createServer(plan, { preview: true });
  return buildDocument(app, plan.api);
}
