import { EnvironmentProvisioner } from '@app/environments';
import type { Scope } from '@app/kernel';
import { ModelService } from '@app/models';
import { Injectable } from '@nestjs/common';
import type { KeyMaterial, MintedKey } from '../keys/key.types.js';
import { FirstKeyService } from '../keys/first-key.service.js';
import type { CreateUser } from '../users/user.types.js';

/**
 * Creates the initial contents of an organization: the default environment with its worker queue, a model and an admin
 * key.
 */
@Injectable()
export class OrganizationProvisioner {
  constructor(
    private readonly environments: EnvironmentProvisioner,
    private readonly models: ModelService,
    private readonly keys: FirstKeyService,
  ) {}

  /**
   * Must be called in the transaction that creates the organization. Returns the admin key, which acts for the owner if
   * one is given.
   */
  async provision(scope: Scope, material: KeyMaterial, owner?: CreateUser): Promise<MintedKey> {
    await this.environments.provisionDefaults(scope);
    await this.models.provisionDefault(scope);
    return this.keys.add(scope, material, owner);
  }
}
