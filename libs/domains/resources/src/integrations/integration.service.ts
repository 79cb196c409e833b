import { Database, EntityUses } from '@app/database';
import { checkIntegrationEnvironment, checkKeptSecrets } from '@app/executions';
import {
  Clock,
  INTEGRATION_SECRETS,
  newId,
  rejectHiddenSecrets,
  restoreSecrets,
  withoutUndefined,
  type Caller,
  type JsonObject,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { SecretRepository } from '../secrets/secret.repository.js';
import { secretReferences } from '../secrets/secret.types.js';
import { integrationInUse, integrationNotFound, unknownSecrets } from './integration.errors.js';
import { IntegrationRepository } from './integration.repository.js';
import type {
  CreateIntegration,
  Integration,
  IntegrationFields,
  IntegrationFilter,
  IntegrationLayer,
  UpdateIntegration,
} from './integration.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<IntegrationFields, 'name' | 'type'> = {
  description: null,
  configuration: {},
  tags: [],
  metadata: {},
};

/**
 * Connections to other systems. A secret to which a configuration refers cannot be deleted while the integration
 * exists.
 */
@Injectable()
export class IntegrationService {
  constructor(
    private readonly integrations: IntegrationRepository,
    private readonly secrets: SecretRepository,
    private readonly uses: EntityUses,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `invalid` if the configuration refers to a secret that does not exist, `insufficient_scope` if the key lacks
   * `agents:write` and the configuration needs it (see `checkIntegrationEnvironment`).
   */
  async create(caller: Caller, request: CreateIntegration): Promise<Integration> {
    const now = this.clock.now();
    const fields = { ...DEFAULTS, ...request };
    checkIntegrationEnvironment(caller, fields.configuration);
    rejectHiddenSecrets(INTEGRATION_SECRETS, fields.configuration, ['configuration']);
    return this.database.transaction(async () => {
      const secret_names = await this.lockSecrets(caller, fields.configuration);
      const made = { id: newId(), created_by: caller.userId, created_at: now, updated_at: now };
      return this.integrations.insert(caller, { ...fields, ...made, secret_names });
    });
  }

  /** Newest first. */
  async list(scope: Scope, filter: IntegrationFilter, page: Page): Promise<PageResult<Integration>> {
    return this.integrations.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Integration> {
    const integration = await this.integrations.find(scope, id);
    if (integration === undefined) throw integrationNotFound();
    return integration;
  }

  /**
   * Checks a new configuration like `create`; hidden values in it keep the stored ones, see `restoreSecrets`. If the key lacks `agents:write`, the new configuration must redact all
   * values that the stored one redacts.
   */
  async update(caller: Caller, id: string, changes: UpdateIntegration): Promise<Integration> {
    const { configuration: sent } = changes;
    if (sent !== undefined) checkIntegrationEnvironment(caller, sent);
    const updated = await this.database.transaction(async () => {
      const before = sent && (await this.integrations.lock(caller, id));
      const configuration =
        before && restoreSecrets(INTEGRATION_SECRETS, sent, before.configuration, ['configuration']);
      if (before !== undefined) checkKeptSecrets(caller, before.configuration, configuration ?? {});
      const secret_names = configuration && (await this.lockSecrets(caller, configuration));
      const written = { ...changes, ...withoutUndefined({ configuration, secret_names }) };
      return this.integrations.update(caller, id, { ...written, updated_at: this.clock.now() });
    });
    if (updated === undefined) throw integrationNotFound();
    return updated;
  }

  /** Throws a `conflict` that lists the rows whose execution environments refer to the integration. */
  async delete(scope: Scope, id: string): Promise<void> {
    const { name } = await this.read(scope, id);
    const places = await this.uses.describe(scope, 'integration', [id]);
    if (places !== undefined) throw integrationInUse(name, places);
    if (!(await this.integrations.delete(scope, id))) throw integrationNotFound();
  }

  /** Returns the layers of the integrations that exist, in the given order. */
  async layersOf(scope: Scope, ids: readonly string[]): Promise<readonly IntegrationLayer[]> {
    if (ids.length === 0) return [];
    const found = await this.integrations.findConfigurations(scope, ids);
    const byId = new Map(found.map((integration) => [integration.id, integration]));
    return ids.flatMap((id) => {
      const integration = byId.get(id);
      if (integration === undefined) return [];
      return [{ id, name: `the integration ${integration.name}`, environment: integration.configuration }];
    });
  }

  /**
   * Locks the secrets to which a configuration refers, so that none is deleted before the commit. Returns their names.
   * Throws `invalid` for an unknown secret.
   */
  private async lockSecrets(scope: Scope, configuration: JsonObject): Promise<string[]> {
    const references = secretReferences(configuration);
    const names = [...new Set(references.map(({ name }) => name))];
    const existing = await this.secrets.lockExisting(scope, names);
    const unknown = references.filter(({ name }) => !existing.has(name));
    if (unknown.length > 0) throw unknownSecrets(unknown);
    return names;
  }
}
