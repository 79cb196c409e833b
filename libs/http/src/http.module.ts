import { Clock, SystemClock } from '@app/kernel';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { HealthModule } from './server/health.js';
import { IdempotencyInterceptor } from './routes/idempotency.interceptor.js';
import { IdempotencyKeyEntity } from './routes/idempotency-key.entity.js';
import { IdempotencyStore } from './routes/idempotency.store.js';
import { IdempotentAnswers } from './routes/idempotent-answers.js';
import { RouteAudit } from './routes/route-audit.js';

/** What every API needs: the clock, idempotency, health, and the audit of its routes. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity]), DiscoveryModule, HealthModule],
  providers: [
    { provide: Clock, useClass: SystemClock },
    IdempotencyStore,
    IdempotentAnswers,
    IdempotencyInterceptor,
    RouteAudit,
  ],
  exports: [Clock, IdempotencyStore, IdempotentAnswers, IdempotencyInterceptor, RouteAudit],
})
export class HttpModule {}
