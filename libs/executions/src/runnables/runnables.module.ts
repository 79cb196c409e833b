import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RunnableSources } from './runnable-sources.js';

/** The registry only: the application imports the domains that provide the sources. */
@Module({ imports: [DiscoveryModule], providers: [RunnableSources], exports: [RunnableSources] })
export class RunnablesModule {}
