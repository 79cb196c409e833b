import { columnsOf, Database, rejectDuplicate, statementOf } from '@app/database';
import type { NameFilter, Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any, type SelectQueryBuilder } from 'typeorm';
import { SecretEntity } from './secret.entity.js';
import { secretNameTaken } from './secret.errors.js';
import { LOCK_EXISTING_SECRETS } from './secret.sql.js';
import type { NewSecret, SealedSecret, Secret, StoredSecret } from './secret.types.js';

const PRIMARY_KEY = 'pk_secrets';
/** The columns of a secret without its value. */
const SHOWN = columnsOf(SecretEntity, 'sealed', 'key_id').map((column) => `secret.${column}`);

@Injectable()
export class SecretRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, secret: NewSecret): Promise<void> {
    const inserted = this.database.insert(SecretEntity, { ...secret, organization_id: organizationId });
    await rejectDuplicate(inserted, PRIMARY_KEY, () => secretNameTaken(secret.name));
  }

  /** Newest first. */
  async list(scope: Scope, page: Page, { name }: NameFilter): Promise<PageResult<Secret>> {
    const query = this.secrets(scope).orderBy('secret.created_at', 'DESC');
    if (name !== undefined) query.andWhere('secret.name = :name', { name });
    return this.database.listPage<SecretEntity, Secret>(query, page);
  }

  async find(scope: Scope, name: string): Promise<Secret | undefined> {
    const query = this.secrets(scope).andWhere('secret.name = :name', { name });
    const [secret] = await this.database.rows<SecretEntity, Secret>(query);
    return secret;
  }

  async findSealed({ organizationId }: Scope, names: readonly string[]): Promise<StoredSecret[]> {
    const query = this.database.select(SecretEntity, 'secret', { organization_id: organizationId, name: Any(names) });
    const statement = statementOf(query);
    return this.database.boundedSet('The secrets', statement, statement.values);
  }

  /** Returns the existing secrets among the names. They cannot be deleted until the transaction ends. */
  async lockExisting({ organizationId }: Scope, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const rows = await this.database.sql<Pick<Secret, 'name'>>(LOCK_EXISTING_SECRETS, [organizationId, names]);
    return new Set(rows.map(({ name }) => name));
  }

  /** Locks the secret until the transaction ends. Returns false if there is none. */
  async lock({ organizationId }: Scope, name: string): Promise<boolean> {
    return (await this.database.lockOne(SecretEntity, { organization_id: organizationId, name })) !== undefined;
  }

  /** Returns false if there is no such secret. */
  async update(
    { organizationId }: Scope,
    name: string,
    changes: SealedSecret & Pick<Secret, 'updated_by' | 'updated_at'>,
  ): Promise<boolean> {
    return (await this.database.update(SecretEntity, { organization_id: organizationId, name }, changes)) !== undefined;
  }

  async delete({ organizationId }: Scope, name: string): Promise<void> {
    await this.database.delete(SecretEntity, { organization_id: organizationId, name });
  }

  /**
   * Returns up to `limit` secrets of all organizations that are encrypted with this key, by organization and name, from
   * the one after `after` on.
   */
  async findByKey(
    keyId: string,
    after: Pick<Secret, 'organization_id' | 'name'>,
    limit: number,
  ): Promise<StoredSecret[]> {
    const query = this.database
      .select(SecretEntity, 'secret', { key_id: keyId })
      .andWhere('(secret.organization_id, secret.name) > (:organization, :name)')
      .setParameters({ organization: after.organization_id, name: after.name })
      .orderBy('secret.organization_id')
      .addOrderBy('secret.name')
      .limit(limit);
    return this.database.rows(query);
  }

  /** Replaces the stored form of a value, unless the secret was changed or deleted meanwhile. */
  async reseal({ organization_id, name, sealed: previous }: StoredSecret, sealed: SealedSecret): Promise<void> {
    await this.database.update(SecretEntity, { organization_id, name, sealed: previous }, sealed);
  }

  private secrets({ organizationId }: Scope): SelectQueryBuilder<SecretEntity> {
    return this.database.select(SecretEntity, 'secret', { organization_id: organizationId }).select(SHOWN);
  }
}
