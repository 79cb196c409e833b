import { HttpModule } from '@app/http';
import { IdentityModule } from '@app/identity';
import { FairShareGuard, FairShareModule } from '@app/rate-limits';
import { BearerGuard } from './auth/bearer.guard.js';
import { controlPlaneErrorBody } from './error-body.js';
import { platformApi } from './other-api.js';

/** Guards, interceptors, pipes and filters of every request, in both roles. */
export const ControlPlanePipeline = HttpModule.forApi({
  imports: [IdentityModule, FairShareModule],
  guards: [BearerGuard, FairShareGuard],
  errorFormat: { body: controlPlaneErrorBody, challenge: 'Bearer' },
  otherApi: platformApi,
});
