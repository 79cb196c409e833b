import {
  CommitsWithResponse,
  CurrentCaller,
  HotRoute,
  Idempotent,
  NaturallyIdempotent,
  Notify,
  RequireScope,
  Returns,
  RevisedResource,
  ReturnsList,
  ReturnsNoContent,
  ReturnsPage,
  Summary,
  toPage,
} from '@app/http';
import { notifyMissingParameters } from '@app/execution-wire';
import { notifyIdleMultitask } from '../sessions/multitask-notice.js';
import { JobService, JobTriggerService, previewSchedule } from '@app/jobs';
import { Clock, type Caller, type PageResult } from '@app/kernel';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RunPreviewResponse } from '../executions/dto/run-preview.response.dto.js';
import { toRunPreviewResponse } from '../executions/run-preview.mapper.js';
import {
  CreateJobRequest,
  JobHistoryQuery,
  ListJobsQuery,
  PREVIEWED_INSTANTS,
  PreviewScheduleRequest,
  TriggerJobRequest,
  UpdateJobRequest,
} from './dto/job.request.dto.js';
import {
  JobHistoryResponse,
  JobResponse,
  JobTriggerResponse,
  SchedulePreviewResponse,
} from './dto/job.response.dto.js';
import {
  toHistoryPage,
  toJobFilter,
  toJobHistoryResponse,
  toJobTriggerResponse,
  toSchedulePreviewResponse,
} from './job.mapper.js';
import { JobNoticeInterceptor } from './job-notice.interceptor.js';
import { JobPresenter } from './job.presenter.js';

@ApiTags('jobs')
@Controller('api/v1/jobs')
@RevisedResource('job')
export class JobsController {
  constructor(
    private readonly jobs: JobService,
    private readonly triggers: JobTriggerService,
    private readonly presenter: JobPresenter,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Summary('Lists jobs, newest first.')
  @RequireScope('tasks:read')
  @ReturnsList(JobResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListJobsQuery): Promise<PageResult<JobResponse>> {
    return this.presenter.page(caller, await this.jobs.list(caller, toJobFilter(query), toPage(query)));
  }

  @Post()
  @Summary('Creates a job.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @UseInterceptors(JobNoticeInterceptor)
  @CommitsWithResponse()
  @Returns(JobResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateJobRequest): Promise<JobResponse> {
    return this.presenter.one(caller, await this.jobs.create(caller, body));
  }

  @Post('preview-schedule')
  @Summary('Returns the next instants of a schedule; stores nothing.')
  @RequireScope('tasks:read')
  @NaturallyIdempotent()
  @Returns(SchedulePreviewResponse)
  async previewSchedule(@Body() body: PreviewScheduleRequest): Promise<SchedulePreviewResponse> {
    const { cron_schedule: schedule, cron_timezone: zone = 'UTC' } = body;
    const { count = PREVIEWED_INSTANTS, after = this.clock.now() } = body;
    return toSchedulePreviewResponse(await previewSchedule(schedule, zone, { after, count }));
  }

  @Get(':job_id')
  @Summary('Returns a job.')
  @RequireScope('tasks:read')
  @Returns(JobResponse)
  async read(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<JobResponse> {
    return this.presenter.one(caller, await this.jobs.read(caller, id));
  }

  @Patch(':job_id')
  @Summary('Updates the given fields of a job.')
  @RequireScope('tasks:execute')
  @UseInterceptors(JobNoticeInterceptor)
  @CommitsWithResponse()
  @Returns(JobResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @Param('job_id') id: string,
    @Body() body: UpdateJobRequest,
  ): Promise<JobResponse> {
    return this.presenter.one(caller, await this.jobs.update(caller, id, body));
  }

  @Delete(':job_id')
  @Summary('Deletes a job.')
  @RequireScope('tasks:execute')
  @ReturnsNoContent()
  async delete(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<void> {
    await this.jobs.delete(caller, id);
  }

  @Post(':job_id/enable')
  @Summary('Enables a job.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(JobResponse)
  async enable(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<JobResponse> {
    return this.presenter.one(caller, await this.jobs.update(caller, id, { enabled: true }));
  }

  @Post(':job_id/disable')
  @Summary('Disables a job: triggers no longer start executions.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(JobResponse)
  async disable(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<JobResponse> {
    return this.presenter.one(caller, await this.jobs.update(caller, id, { enabled: false }));
  }

  @Post(':job_id/trigger')
  @Summary('Triggers a job: starts an execution now.')
  @HotRoute()
  @RequireScope('tasks:execute')
  @Idempotent()
  @Returns(JobTriggerResponse)
  async trigger(
    @CurrentCaller() caller: Caller,
    @Param('job_id') id: string,
    @Body() body: TriggerJobRequest,
    @Notify() notify: (notice: string) => void,
  ): Promise<JobTriggerResponse> {
    const triggered = await this.triggers.trigger(caller, id, body);
    notifyMissingParameters(triggered.missingParameters, notify);
    notifyIdleMultitask(body.config_override ?? {}, triggered.execution, notify);
    return toJobTriggerResponse(triggered);
  }

  @Post(':job_id/preview')
  @Summary('Tells what a trigger of a job would do. Starts and records nothing.')
  @RequireScope('tasks:execute')
  @NaturallyIdempotent()
  @Returns(RunPreviewResponse, { description: 'Prompt, queue, model and verdict of the policies' })
  async preview(
    @CurrentCaller() caller: Caller,
    @Param('job_id') id: string,
    @Body() body: TriggerJobRequest,
  ): Promise<RunPreviewResponse> {
    return toRunPreviewResponse(await this.triggers.preview(caller, id, body));
  }

  @Get(':job_id/executions')
  @Summary('Lists the runs of a job, newest first.')
  @RequireScope('tasks:read')
  @ReturnsPage(JobHistoryResponse)
  async executions(
    @CurrentCaller() caller: Caller,
    @Param('job_id') id: string,
    @Query() query: JobHistoryQuery,
  ): Promise<JobHistoryResponse> {
    return toJobHistoryResponse(id, await this.jobs.listRuns(caller, id, toHistoryPage(query)));
  }

  @Post(':job_id/webhook/rotate')
  @Summary('Replaces the secret of a webhook job.')
  @RequireScope('tasks:execute')
  @Idempotent()
  @CommitsWithResponse()
  @Returns(JobResponse, { description: 'Job with the new `webhook_secret`; `webhook_url` is unchanged' })
  async rotateWebhook(@CurrentCaller() caller: Caller, @Param('job_id') id: string): Promise<JobResponse> {
    return this.presenter.one(caller, await this.jobs.rotateWebhookSecret(caller, id));
  }
}
