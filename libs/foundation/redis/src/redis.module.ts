import { provideConfig, RedisConfig } from '@app/config';
import { Global, Module } from '@nestjs/common';
import { RedisConnections } from './redis.connections.js';

@Global()
@Module({ providers: [provideConfig(RedisConfig), RedisConnections], exports: [RedisConnections] })
export class RedisModule {}
