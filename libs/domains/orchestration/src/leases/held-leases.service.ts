import { WorkerService } from '@app/environments';
import { LeaseService, type HeldLease } from '@app/executions';
import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';

/** Lists the executions that workers hold. In this lib because workers and leases belong to different domains. */
@Injectable()
export class HeldLeasesService {
  constructor(
    private readonly workers: WorkerService,
    private readonly leases: LeaseService,
  ) {}

  /** Throws `not_found` if there is no such worker. */
  async list(scope: Scope, workerId: string, page: Page): Promise<PageResult<HeldLease>> {
    const worker = await this.workers.read(scope, workerId);
    return this.leases.listHeld(scope, worker.id, page);
  }
}
