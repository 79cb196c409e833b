import { Database } from '@app/database';
import { Clock, newId, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WorkerRepository } from '../workers/worker.repository.js';
import { RUNNER_DEFAULTS } from './runner.defaults.js';
import { runnerHasWorkers, runnerNotFound } from './runner.errors.js';
import { RunnerRepository } from './runner.repository.js';
import type { CreateRunner, Runner, RunnerFilter, UpdateRunner } from './runner.types.js';

/** Named installations of workers. Workers are matched by the name that they send when they start. */
@Injectable()
export class RunnerService {
  constructor(
    private readonly runners: RunnerRepository,
    private readonly workers: WorkerRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(scope: Scope, request: CreateRunner): Promise<Runner> {
    const now = this.clock.now();
    const made = { id: newId(), last_started_at: null, created_at: now, updated_at: now };
    return this.runners.insert(scope, { ...RUNNER_DEFAULTS, ...request, ...made });
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
