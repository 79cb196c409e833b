import {
  Answers,
  AnswersList,
  AnswersNothing,
  AnswersPage,
  CurrentCaller,
  HotRoute,
  Idempotent,
  mapListed,
  RequireScope,
  Summary,
  toPage,
} from '@app/http';
import { JobService, JobTriggerService } from '@app/jobs';
import { grants, type Caller, type Listed } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PublicAddress } from '../public-address/public-address.js';
import {
  CreateJobRequest,
  JobHistoryQuery,
  ListJobsQuery,
  TriggerJobRequest,
  UpdateJobRequest,
} from './dto/job.request.dto.js';
import { JobHistoryResponse, JobResponse, JobTriggerResponse } from './dto/job.response.dto.js';
import {
  toHistoryPage,
  toJobFilter,
  toJobHistoryResponse,
  toJobResponse,
  toJobTriggerResponse,
  type JobView,
} from './job.mapper.js';

@ApiTags('jobs')
@Controller('api/v1/jobs')
export class JobsController {
  constructor(
    private readonly jobs: JobService,
    private readonly triggers: JobTriggerService,
    private readonly address: PublicAddress,
  ) {}

  @Get()
  @Summary('Lists the jobs.')
  @RequireScope('tasks:read')
  @AnswersList(JobResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListJobsQuery): Promise<Listed<JobResponse>> {
    const view = this.viewOf(caller);
    const listed = await this.jobs.list(caller, toJobFilter(query), toPage(query));
    return mapListed(listed, (job) => toJobResponse(job, view));
  }

  @Post()
  @Summary('Creates a job.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(JobResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateJobRequest): Promise<JobResponse> {
    return toJobResponse(await this.jobs.create(caller, body), this.viewOf(caller));
  }

  @Get(':job_id')
  @Summary('Reads a job.')
  @RequireScope('tasks:read')
  @Answers(JobResponse)
  async read(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<JobResponse> {
    return toJobResponse(await this.jobs.read(caller, id), this.viewOf(caller));
  }

  @Patch(':job_id')
  @Summary('Changes the named fields of a job.')
  @RequireScope('tasks:execute')
  @Answers(JobResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('job_id') id: string,
    @Body() body: UpdateJobRequest,
  ): Promise<JobResponse> {
    return toJobResponse(await this.jobs.update(caller, id, body), this.viewOf(caller));
  }

  @Delete(':job_id')
  @Summary('Deletes a job.')
  @RequireScope('tasks:execute')
  @AnswersNothing()
  async delete(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<void> {
    await this.jobs.delete(caller, id);
  }

  @Post(':job_id/enable')
  @Summary('Switches a job on.')
  @RequireScope('tasks:execute')
  @Answers(JobResponse)
  async enable(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<JobResponse> {
    return toJobResponse(await this.jobs.update(caller, id, { enabled: true }), this.viewOf(caller));
  }

  @Post(':job_id/disable')
  @Summary('Switches a job off.')
  @RequireScope('tasks:execute')
  @Answers(JobResponse)
  async disable(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<JobResponse> {
    return toJobResponse(await this.jobs.update(caller, id, { enabled: false }), this.viewOf(caller));
  }

  @Post(':job_id/trigger')
  @Summary('Starts an execution of a job now.')
  @HotRoute()
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(JobTriggerResponse)
  async trigger(
    @CurrentCaller() caller: Caller,
    @Param('job_id') id: string,
    @Body() body: TriggerJobRequest,
  ): Promise<JobTriggerResponse> {
    return toJobTriggerResponse(await this.triggers.trigger(caller, id, body));
  }

  @Get(':job_id/executions')
  @Summary('Lists the runs of a job, newest first.')
  @RequireScope('tasks:read')
  @AnswersPage(JobHistoryResponse)
  async executions(
    @CurrentCaller() caller: Caller,
    @Param('job_id') id: string,
    @Query() query: JobHistoryQuery,
  ): Promise<JobHistoryResponse> {
    return toJobHistoryResponse(id, await this.jobs.history(caller, id, toHistoryPage(query)));
  }

  @Post(':job_id/webhook/rotate')
  @Summary('Gives a webhook job a new secret.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @Answers(JobResponse, { description: 'A new webhook_secret; the address stays' })
  async rotateWebhook(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<JobResponse> {
    return toJobResponse(await this.jobs.rotateWebhookSecret(caller, id), this.viewOf(caller));
  }

  private viewOf(caller: Caller): JobView {
    return { baseUrl: this.address.url, showSecret: grants(caller, 'tasks:execute') };
  }
}
