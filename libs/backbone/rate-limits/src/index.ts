export { FairShareGuard } from './fair-share.guard.js';
export { OrganizationShares } from './organization-shares.js';
export { unusedLimitHeaders } from './key-limits.js';
export { LIMIT_HEADERS } from './limit-headers.js';
export { RateLimitGuard } from './rate-limit.guard.js';
export { FairShareModule, RateLimitsModule } from './rate-limits.module.js';
