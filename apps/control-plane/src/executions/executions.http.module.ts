import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { ExecutionSessionController } from './execution-session.controller.js';
import { ExecutionSummariesController } from './execution-summaries.controller.js';
import { ExecutionsController } from './executions.controller.js';

@Module({
  imports: [ExecutionsModule],
  controllers: [ExecutionsController, ExecutionSessionController, ExecutionSummariesController],
})
export class ExecutionsHttpModule {}
