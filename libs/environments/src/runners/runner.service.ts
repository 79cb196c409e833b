import { Database } from '@app/database';
import { WorkerService } from '@app/environments';
import { Clock, newId, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { runnerHasWorkers, runnerNotFound } from './runner.errors.js';
import { RunnerRepository } from './runner.repository.js';
import type { CreateRunner, Runner, RunnerFields, RunnerFilter, UpdateRunner } from './runner.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<RunnerFields, 'name'> = {
  description: null,
  labels: {},
  configuration: {},
  tags: [],
  metadata: {},
};

/** Named installations of workers. Workers are matched by the name that they send when they start. */
@Injectable()
export class RunnerService {
  constructor(
    private readonly runners: RunnerRepository,
    private readonly workers: WorkerService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(scope: Scope, request: CreateRunner): Promise<Runner> {
    const now = this.clock.now();
    const made = { id: newId(), last_started_at: null, created_at: now, updated_at: now };
    return this.runners.insert(scope, { ...DEFAULTS, ...request, ...made });
  }

  /** Records the start of a worker that names this runner; creates the runner if there is none. */
  async recordStart(scope: Scope, name: string): Promise<void> {
    const now = this.clock.now();
    const made = { id: newId(), last_started_at: now, created_at: now, updated_at: now };
    await this.runners.insertIfMissing(scope, { ...DEFAULTS, name, ...made });
    await this.runners.recordStart(scope, name, now);
  }

  /** Newest first. */
  async list(scope: Scope, filter: RunnerFilter, page: Page): Promise<PageResult<Runner>> {
    return this.runners.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Runner> {
    const runner = await this.runners.find(scope, id);
    if (runner === undefined) throw runnerNotFound();
    return runner;
  }

  async update(scope: Scope, id: string, changes: UpdateRunner): Promise<Runner> {
    const updated = await this.runners.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (updated === undefined) throw runnerNotFound();
    return updated;
  }

  /** Throws `conflict` while workers of the runner are connected. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      const runner = await this.runners.lock(scope, id);
      if (runner === undefined) throw runnerNotFound();
      const connected = (await this.workers.countsByRunner(scope, [runner.name])).get(runner.name)?.active_workers ?? 0;
      if (connected > 0) throw runnerHasWorkers(runner.name, connected);
      await this.runners.delete(scope, id);
    });
  }
}
