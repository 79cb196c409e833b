import { HttpModule } from '@app/http';
import { IdentityModule } from '@app/identity';
import { RateLimitGuard, RateLimitsModule } from '@app/rate-limits';
import { UserKeyGuard } from './auth/user-key.guard.js';
import { platformErrorBody } from './error-body.js';
import { controlPlane } from './other-api.js';

/** Guards, interceptors, pipes and filters of every request. */
export const PlatformApiPipeline = HttpModule.forApi({
  imports: [IdentityModule, RateLimitsModule],
  guards: [UserKeyGuard, RateLimitGuard],
  errorFormat: { body: platformErrorBody, challenge: 'UserKey' },
  otherApi: controlPlane,
});
