import { createHash } from 'node:crypto';
import { KeyAuthenticator, IdentityModule } from '@app/identity';
import { ClockModule } from '@app/clock';
import { RedisModule } from '@app/redis';
import { DatabaseModule } from '@app/database';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { compare, type Figure } from './figures.js';
import type { BenchPlatform } from './platform.js';

@Module({ imports: [ClockModule, DatabaseModule, RedisModule, IdentityModule] })
class KeyCheckModule {}

const CHECKS = 20_000;

/** Cost of authentication per request, measured in this process: the hash of the key, and one query per second. */
export async function keyCheck(platform: BenchPlatform, rounds: number): Promise<Figure> {
  Object.assign(process.env, { DATABASE_URL: platform.databaseUrl, REDIS_URL: platform.redisUrl, LOG_LEVEL: 'warn' });
  const app = await NestFactory.createApplicationContext(KeyCheckModule, { logger: false });
  const keys = app.get(KeyAuthenticator, { strict: false });
  const figure = await compare(
    {
      name: 'key check, per request',
      unit: 'µs',
      baselineIs: 'SHA-256 of the key',
      ours: () => perCall(() => keys.authenticate(platform.key)),
      baseline: () => perCall(() => createHash('sha256').update(platform.key).digest('hex')),
    },
    rounds,
  );
  await app.close();
  return figure;
}

async function perCall(work: () => unknown): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < CHECKS; n += 1) await work();
  return ((performance.now() - started) / CHECKS) * 1000;
}
