import { JobRunsService, RunnableSources, type RunnableRef } from '@app/executions';
import { mapPageAsync } from '@app/http';
import { runnableKindOf, type Job } from '@app/jobs';
import { getRequired, grants, type Caller, type PageResult } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../public-address/public-address.js';
import type { JobResponse } from './dto/job.response.dto.js';
import { toJobResponse, type JobView } from './job.mapper.js';

/** Composes job responses with their runs and the names of their entities, with one look-up each for any number of jobs. */
@Injectable()
export class JobPresenter {
  constructor(
    private readonly runs: JobRunsService,
    private readonly runnables: RunnableSources,
    private readonly address: PublicAddress,
  ) {}

  async one(caller: Caller, job: Job): Promise<JobResponse> {
    const viewOf = await this.views(caller, [job]);
    return toJobResponse(job, viewOf(job));
  }

  async page(caller: Caller, listed: PageResult<Job>): Promise<PageResult<JobResponse>> {
    return mapPageAsync(listed, async (jobs) => {
      const viewOf = await this.views(caller, jobs);
      return jobs.map((job) => toJobResponse(job, viewOf(job)));
    });
  }

  private async views(caller: Caller, jobs: readonly Job[]): Promise<(job: Job) => JobView> {
    const ids = jobs.map(({ id }) => id);
    const [counts, histories, names] = await Promise.all([
      this.runs.countsOf(caller, ids),
      this.runs.newestByJobIds(caller, ids),
      this.runnables.namesOf(caller, jobs.flatMap(runnablesOf)),
    ]);
    return (job) => ({
      baseUrl: this.address.url,
      showWebhookSecret: maySign(caller, job),
      showSecrets: grants(caller, 'tasks:execute'),
      entityName: names.get(runnableKindOf(job))?.get(job.entity_id ?? '') ?? null,
      counts: getRequired(counts, job.id),
      history: getRequired(histories, job.id),
    });
  }
}

/** Whoever signs a call of the webhook starts a run for the user `runs_as`. */
function maySign(caller: Caller, job: Job): boolean {
  return grants(caller, 'admin') || (grants(caller, 'tasks:execute') && caller.userId === job.runs_as);
}

function runnablesOf(job: Job): RunnableRef[] {
  return job.entity_id === null ? [] : [{ kind: runnableKindOf(job), id: job.entity_id }];
}
