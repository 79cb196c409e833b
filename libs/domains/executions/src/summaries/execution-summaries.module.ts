import { Module } from '@nestjs/common';
import { ExecutionSummaryRepository } from './execution-summary.repository.js';
import { ExecutionSummaryService } from './execution-summary.service.js';

@Module({ providers: [ExecutionSummaryRepository, ExecutionSummaryService], exports: [ExecutionSummaryService] })
export class ExecutionSummariesModule {}
