import { Database } from '@app/database';
import {
  WorkerRegistrationService,
  WorkerService,
  type RegisterWorker,
  type StartedWorker,
  type StartWorker,
} from '@app/environments';
import type { Scope } from '@app/kernel';
import { RunnerService } from '@app/resources';
import { Injectable } from '@nestjs/common';

/** Starts workers together with the runners that they name. */
@Injectable()
export class WorkerStartService {
  constructor(
    private readonly workers: WorkerService,
    private readonly registration: WorkerRegistrationService,
    private readonly runners: RunnerService,
    private readonly database: Database,
  ) {}

  async start(scope: Scope, queueId: string, worker: StartWorker): Promise<StartedWorker> {
    return this.withRunner(scope, () => this.workers.start(scope, queueId, worker));
  }

  /** Finds the queue by the environment and the queue name that the worker sends. */
  async register(scope: Scope, worker: RegisterWorker): Promise<StartedWorker> {
    return this.withRunner(scope, () => this.registration.register(scope, worker));
  }

  private async withRunner(scope: Scope, start: () => Promise<StartedWorker>): Promise<StartedWorker> {
    return this.database.transaction(async () => {
      const started = await start();
      if (started.runner_name !== null) await this.runners.recordStart(scope, started.runner_name);
      return started;
    });
  }
}
