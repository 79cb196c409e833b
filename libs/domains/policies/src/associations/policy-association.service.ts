import { Database, EntityDependent, EntityResolvers } from '@app/database';
import { Clock, newId, type Caller, type EntityRef, type PageResult, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import {
  MAX_ASSOCIATIONS_PER_ENTITY,
  type CreatePolicyAssociation,
  type PolicyAssociation,
  type PolicyAssociationFields,
  type PolicyAssociationFilter,
  type UpdatePolicyAssociation,
} from './policy-association.types.js';
import { policyAssociationNotFound, policyNotFound, tooManyAssociations } from '../policies/policy.errors.js';
import { PolicyRepository } from '../policies/policy.repository.js';

/** Defaults of the fields that a client may omit. */
const DEFAULTS: PolicyAssociationFields = { priority: 0, enabled: true };

@Injectable()
export class PolicyAssociationService extends EntityDependent {
  constructor(
    private readonly associations: PolicyAssociationRepository,
    private readonly policies: PolicyRepository,
    private readonly entities: EntityResolvers,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  async create(caller: Caller, request: CreatePolicyAssociation): Promise<PolicyAssociation> {
    const { entity_type, entity_id: idOrName, policy_id } = request;
    return this.database.transaction(async () => {
      if (!(await this.policies.lockExisting(caller, [policy_id])).has(policy_id)) throw policyNotFound();
      const entity_id = await this.entities.lock(caller, entity_type, idOrName);
      const count = await this.associations.count(caller, { entity_type, entity_id });
      const now = this.clock.now();
      const association = {
        ...DEFAULTS,
        ...request,
        id: newId(),
        entity_id,
        created_by: caller.userId,
        created_at: now,
        updated_at: now,
      };
      await this.associations.insert(caller, association);
      // Checked after the insert, so that a duplicate is reported as a duplicate even at the limit.
      if (count >= MAX_ASSOCIATIONS_PER_ENTITY) throw tooManyAssociations(MAX_ASSOCIATIONS_PER_ENTITY);
      return this.read(caller, association.id);
    });
  }

  async list(scope: Scope, filter: PolicyAssociationFilter, page: Page): Promise<PageResult<PolicyAssociation>> {
    return this.associations.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<PolicyAssociation> {
    const association = await this.associations.find(scope, id);
    if (association === undefined) throw policyAssociationNotFound();
    return association;
  }

  async update(scope: Scope, id: string, changes: UpdatePolicyAssociation): Promise<PolicyAssociation> {
    const updated = await this.associations.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (!updated) throw policyAssociationNotFound();
    return this.read(scope, id);
  }

  async delete(scope: Scope, id: string): Promise<void> {
    if (!(await this.associations.delete(scope, id))) throw policyAssociationNotFound();
  }

  override async removeOf(scope: Scope, entity: EntityRef): Promise<void> {
    await this.associations.deleteOf(scope, entity);
  }
}
