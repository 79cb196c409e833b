import { WorkerService, type Runner } from '@app/environments';
import { mapPageAsync } from '@app/http';
import type { PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { RunnerDetailsResponse, RunnerResponse } from './dto/runner.response.dto.js';
import { toRunnerDetailsResponse, toRunnerResponse } from './runner.mapper.js';

const SHOWN_WORKERS = { skip: 0, limit: 100 };

/** Composes runner responses with their workers, with one look-up for any number of runners. */
@Injectable()
export class RunnerPresenter {
  constructor(private readonly workers: WorkerService) {}

  async one(scope: Scope, runner: Runner): Promise<RunnerResponse> {
    const counts = await this.workers.countsByRunner(scope, [runner.name]);
    return toRunnerResponse(runner, counts.get(runner.name));
  }

  async details(scope: Scope, runner: Runner): Promise<RunnerDetailsResponse> {
    const [counts, { items }] = await Promise.all([
      this.workers.countsByRunner(scope, [runner.name]),
      this.workers.list(scope, { runner_name: runner.name }, SHOWN_WORKERS),
    ]);
    return toRunnerDetailsResponse(runner, counts.get(runner.name), items);
  }

  async page(scope: Scope, listed: PageResult<Runner>): Promise<PageResult<RunnerResponse>> {
    return mapPageAsync(listed, async (runners) => {
      const names = runners.map(({ name }) => name);
      const counts = await this.workers.countsByRunner(scope, names);
      return runners.map((runner) => toRunnerResponse(runner, counts.get(runner.name)));
    });
  }
}
