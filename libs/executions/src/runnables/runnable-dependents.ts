import type { Scope } from '@app/kernel';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { RunnableRef } from './runnable-source.js';

/** A domain with rows that belong to runnables of any kind and end with them, for example memberships. */
export abstract class RunnableDependent {
  /** Deletes the rows of a runnable. Called in the transaction that deletes the runnable, after the delete. */
  abstract removeOf(scope: Scope, runnable: RunnableRef): Promise<void>;
}

/** Notifies the dependents, collected from the application's providers, of the deletion of a runnable. */
@Injectable()
export class RunnableDependents implements OnModuleInit {
  private readonly dependents: RunnableDependent[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const instances = this.discovery.getProviders().map(({ instance }): unknown => instance);
    this.dependents.push(...new Set(instances.filter((instance) => instance instanceof RunnableDependent)));
  }

  /** Called by the domain of the runnable, in the transaction that deletes it. */
  async removeOf(scope: Scope, runnable: RunnableRef): Promise<void> {
    for (const dependent of this.dependents) await dependent.removeOf(scope, runnable);
  }
}

/** Separate from `RunnablesModule`, because the domains of the kinds import it and none of them has all sources. */
@Module({ imports: [DiscoveryModule], providers: [RunnableDependents], exports: [RunnableDependents] })
export class RunnableDependentsModule {}
