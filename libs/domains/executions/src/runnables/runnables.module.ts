import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RunnableSources } from './runnable-sources.js';

/** Contains only the registry. The application imports the domains that provide the sources. */
@Module({ imports: [DiscoveryModule], providers: [RunnableSources], exports: [RunnableSources] })
export class RunnablesModule {}
