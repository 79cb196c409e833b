import { DatabaseConfig, provideConfig } from '@app/config';
import { IdempotencyModule } from '@app/idempotency';
import { Global, Module, type CanActivate, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { BodyInterceptor } from './bodies/body.interceptor.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotentResponses } from './idempotency/idempotent-responses.js';
import { ReadLimitInterceptor } from './routes/read-limit.interceptor.js';
import { ListInterceptor } from './routes/list.interceptor.js';
import { ResponseBudgetModule } from './server/response-budget.module.js';
import { OTHER_API, type OtherApi } from './access/other-api.js';
import { RouteAudit } from './access/route-audit.js';
import { ScopeGuard } from './access/scope.guard.js';
import { ERROR_FORMAT, ErrorFilter, type ErrorFormat } from './errors/error.filter.js';
import { HealthModule } from './health/health.module.js';
import { MetricsRouteModule } from './metrics/metrics-route.module.js';
import { WirePipe } from './fields/wire.pipe.js';

export interface ApiOptions {
  /** Modules whose providers the guards inject. */
  readonly imports: NonNullable<DynamicModule['imports']>;
  /**
   * Guards in the order in which they run. The key guard is the first, so that all others can read `request.caller`.
   * `ScopeGuard` runs after them.
   */
  readonly guards: readonly Type<CanActivate>[];
  readonly errorFormat: ErrorFormat;
  /** The API to which clients send requests that are meant for this one, and the reverse. */
  readonly otherApi?: OtherApi;
}

/** The parts common to all APIs: the request pipeline, idempotency, health, and the audit of the routes. */
@Global()
@Module({})
export class HttpModule {
  static forApi({ imports, guards, errorFormat, otherApi }: ApiOptions): DynamicModule {
    return {
      module: HttpModule,
      imports: [...imports, IdempotencyModule, DiscoveryModule, HealthModule, MetricsRouteModule, ResponseBudgetModule],
      providers: [
        ...pipeline(guards),
        { provide: ERROR_FORMAT, useValue: errorFormat },
        { provide: OTHER_API, useValue: otherApi ?? null },
        provideConfig(DatabaseConfig),
        IdempotentResponses,
        RouteAudit,
      ],
      exports: [ERROR_FORMAT, IdempotentResponses, ResponseBudgetModule, RouteAudit],
    };
  }
}

/**
 * Returns the providers that run around every handler, on the ordinary path and on the fast path. Nest runs guards,
 * interceptors and pipes in this order; providers that another module registers would run before these. None may be
 * request-scoped.
 */
function pipeline(guards: ApiOptions['guards']): Provider[] {
  return [
    { provide: APP_FILTER, useClass: ErrorFilter },
    ...[...guards, ScopeGuard].map((guard) => ({ provide: APP_GUARD, useClass: guard })),
    { provide: APP_INTERCEPTOR, useClass: ReadLimitInterceptor },
    // Runs after the guards, so that no body is read for a caller who may not call the route.
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    // Runs after the body interceptor, because it needs the bytes of the body.
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    // Runs inside the idempotency interceptor, so that the stored response has its final form.
    { provide: APP_INTERCEPTOR, useClass: ListInterceptor },
    { provide: APP_PIPE, useClass: WirePipe },
  ];
}
