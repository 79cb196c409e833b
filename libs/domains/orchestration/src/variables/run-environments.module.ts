import { EnvironmentsModule } from '@app/environments';
import { RunnablesModule } from '@app/executions';
import { ProjectLookupModule } from '@app/projects';
import { ResourcesModule } from '@app/resources';
import { Module } from '@nestjs/common';
import { RunEnvironmentsService } from './run-environments.service.js';

@Module({
  imports: [EnvironmentsModule, ProjectLookupModule, ResourcesModule, RunnablesModule],
  providers: [RunEnvironmentsService],
  exports: [RunEnvironmentsService],
})
export class RunEnvironmentsModule {}
