import { Module } from '@nestjs/common';
import { JobRunsRepository } from './job-runs.repository.js';
import { JobRunsService } from './job-runs.service.js';

@Module({ providers: [JobRunsRepository, JobRunsService], exports: [JobRunsService] })
export class JobRunsModule {}
