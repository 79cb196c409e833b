import { Database, EntityUses, readInHalves } from '@app/database';
import { Clock, type Caller, type NameFilter, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { SecretVault } from './secret-vault.js';
import { secretInUse, secretNotFound } from './secret.errors.js';
import { SecretRepository } from './secret.repository.js';
import type { ResolvedSecrets, Secret } from './secret.types.js';

/** Values that clients can write and use, but never read. */
@Injectable()
export class SecretService {
  constructor(
    private readonly secrets: SecretRepository,
    private readonly uses: EntityUses,
    private readonly vault: SecretVault,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(caller: Caller, name: string, value: string): Promise<Secret> {
    const [now, by] = [this.clock.now(), caller.userId];
    const secret = { name, created_by: by, updated_by: by, created_at: now, updated_at: now };
    await this.secrets.insert(caller, { ...secret, ...this.vault.seal(caller, name, value) });
    return { ...secret, organization_id: caller.organizationId };
  }

  /** Newest first. */
  async list(scope: Scope, page: Page, filter: NameFilter = {}): Promise<PageResult<Secret>> {
    return this.secrets.list(scope, page, filter);
  }

  async read(scope: Scope, name: string): Promise<Secret> {
    const secret = await this.secrets.find(scope, name);
    if (secret === undefined) throw secretNotFound();
    return secret;
  }

  async replace(caller: Caller, name: string, value: string): Promise<Secret> {
    const change = { updated_by: caller.userId, updated_at: this.clock.now() };
    const sealed = this.vault.seal(caller, name, value);
    if (!(await this.secrets.update(caller, name, { ...sealed, ...change }))) throw secretNotFound();
    return this.read(caller, name);
  }

  /** Throws a `conflict` that lists the rows that refer to the secret. */
  async delete(scope: Scope, name: string): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.secrets.lock(scope, name))) throw secretNotFound();
      const places = await this.uses.describe(scope, 'secret', [name]);
      if (places !== undefined) throw secretInUse(name, places);
      await this.secrets.delete(scope, name);
    });
  }

  /** Returns the values for a lease. The reasons of failures contain no values. */
  async resolve(scope: Scope, names: readonly string[]): Promise<ResolvedSecrets> {
    if (names.length === 0) return { values: new Map(), failures: new Map() };
    const sealed = await readInHalves(names, (some) => this.secrets.findSealed(scope, some));
    const stored = new Map(sealed.map((secret) => [secret.name, secret]));
    const values = new Map<string, string>();
    const failures = new Map<string, string>();
    for (const name of names) {
      const secret = stored.get(name);
      const value = secret && this.vault.open(scope, name, secret);
      if (value !== undefined) values.set(name, value);
      else
        failures.set(name, secret === undefined ? 'does not exist' : 'cannot be decrypted with the SECRETS_KEY in use');
    }
    return { values, failures };
  }
}
