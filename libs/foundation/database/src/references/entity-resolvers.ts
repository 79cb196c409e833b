import { discoverProviders } from '@app/discovery';
import { getRequired, parseEntityTypeOrPlural, type Caller, type Scope } from '@app/kernel';
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

  /** Returns the names of the entities that exist, by id. Runs at most one statement. */
  namesOf?(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /**
   * Only kinds whose entities have skills have this, and `namesOf`. Sets `updated_at` of the entity, because its skills are part of it. This
   * locks its row until the transaction ends, so that it cannot be deleted. Returns its id. Throws `not_found`.
   */
  markUpdated?(caller: Caller, idOrName: string): Promise<string>;
}

export type SkillHolder = EntityResolver & Required<Pick<EntityResolver, 'namesOf' | 'markUpdated'>>;

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

  /** Returns the resolver of a kind whose entities have skills, in singular or plural. Throws `not_found`. */
  skillHolder(kindOrPlural: string): SkillHolder {
    const holders = new Map([...this.byKind.values()].filter(isSkillHolder).map((holder) => [holder.kind, holder]));
    return getRequired(holders, parseEntityTypeOrPlural(kindOrPlural, [...holders.keys()]));
  }

  private register(resolver: EntityResolver): void {
    if (this.byKind.has(resolver.kind)) throw new Error(`The kind ${resolver.kind} has two resolvers`);
    this.byKind.set(resolver.kind, resolver);
  }
}

function isSkillHolder(resolver: EntityResolver): resolver is SkillHolder {
  return resolver.namesOf !== undefined && resolver.markUpdated !== undefined;
}
