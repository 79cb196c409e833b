import { discoverProviders } from '@app/discovery';
import { getRequired, type Scope } from '@app/kernel';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { EntityDependents } from './entity-dependents.js';

/**
 * Finds the entities of one kind to which rows of other domains can belong by type and id. The domain that owns the
 * kind provides one, which `EntityResolvers` registers.
 */
export abstract class EntityResolver {
  /** The `entity_type` of references to the entities. */
  abstract readonly kind: string;

  /** Returns the id of the entity. Throws `not_found`. A kind without unique names accepts ids only. */
  abstract resolveId(scope: Scope, idOrName: string): Promise<string>;
}

/**
 * Registry of the resolvers, collected from the application's providers. The application does not start if a kind has
 * two. Callers use only kinds whose domains are part of the process.
 */
@Injectable()
export class EntityResolvers implements OnModuleInit {
  private readonly byKind = new Map<string, EntityResolver>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly dependents: EntityDependents,
  ) {}

  onModuleInit(): void {
    for (const resolver of discoverProviders(this.discovery, EntityResolver)) this.register(resolver);
  }

  /** Returns the id of an entity. Throws the `not_found` of its domain. */
  async resolveId(scope: Scope, kind: string, idOrName: string): Promise<string> {
    return getRequired(this.byKind, kind).resolveId(scope, idOrName);
  }

  /**
   * Like `resolveId`. In addition, until the transaction ends, the entity cannot be deleted and no other transaction
   * can lock it. A transaction calls this before it adds rows to an entity.
   */
  async lock(scope: Scope, kind: string, idOrName: string): Promise<string> {
    const entity_id = await this.resolveId(scope, kind, idOrName);
    await this.dependents.lock(scope, { entity_type: kind, entity_id });
    return this.resolveId(scope, kind, entity_id);
  }

  private register(resolver: EntityResolver): void {
    if (this.byKind.has(resolver.kind)) throw new Error(`The kind ${resolver.kind} has two resolvers`);
    this.byKind.set(resolver.kind, resolver);
  }
}
