import { AgentsModule } from '@app/agents';
import { TeamsModule } from '@app/teams';
import { WorkflowsModule } from '@app/workflows';
import { Module } from '@nestjs/common';

/** The domains that register a `RunnableSource`. Every role that looks up runnables imports this module. */
@Module({ imports: [AgentsModule, TeamsModule, WorkflowsModule] })
export class RunnableSourcesModule {}
