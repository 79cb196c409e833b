import { discoverProviders } from '@app/discovery';
import type { Caller, EntityRef, Scope } from '@app/kernel';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Database } from '../database.js';

/** `$1` a key for the entity. */
const LOCK_ENTITY = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/**
 * A domain whose rows belong to entities of other domains by type and id, for example memberships or contexts. A
 * foreign key cannot refer to several tables, so such a domain deletes its rows when it is notified of the deletion of
 * the entity.
 */
export abstract class EntityDependent {
  /**
   * Deletes the rows of an entity. Called in the transaction that deletes the entity, after the delete and under the lock of
   * the entity. Throws `conflict` if the entity must not be deleted.
   */
  abstract removeOf(caller: Caller, entity: EntityRef): Promise<void>;
}

/** Notifies the dependents, collected from the application's providers, of the deletion of an entity. */
@Injectable()
export class EntityDependents implements OnModuleInit {
  private dependents: readonly EntityDependent[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.dependents = discoverProviders(this.discovery, EntityDependent);
  }

  /**
   * Locks an entity until the current transaction ends. A transaction that adds rows to an entity first locks the
   * entity and then checks that it exists, see `EntityResolvers.lock`. A concurrent deletion then either waits for the
   * lock and removes the rows, or has committed before the check.
   */
  async lock({ organizationId }: Scope, { entity_type, entity_id }: EntityRef): Promise<void> {
    await this.database.sql(LOCK_ENTITY, [['entity', organizationId, entity_type, entity_id].join(':')]);
  }

  /** Called by the domain of the entity: deletes it with `deletion` and its dependents, in one transaction. */
  async removeWith(caller: Caller, entity: EntityRef, deletion: () => Promise<void>): Promise<void> {
    await this.database.transaction(async () => {
      await deletion();
      await this.removeOf(caller, entity);
    });
  }

  private async removeOf(caller: Caller, entity: EntityRef): Promise<void> {
    await this.lock(caller, entity);
    for (const dependent of this.dependents) await dependent.removeOf(caller, entity);
  }
}
