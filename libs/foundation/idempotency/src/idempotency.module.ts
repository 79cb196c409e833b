import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyStore } from './idempotency.store.js';

/** Needs a `Clock` and `DatabaseModule`. */
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [IdempotencyRepository, IdempotencyStore],
  exports: [IdempotencyStore],
})
export class IdempotencyModule {}
