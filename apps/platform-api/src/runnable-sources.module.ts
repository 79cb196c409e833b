import { AgentsModule } from '@app/agents';
import { TeamsModule } from '@app/teams';
import { WorkflowsModule } from '@app/workflows';
import { Module } from '@nestjs/common';

/** The domains that register a `RunnableSource`. The platform API imports all of them, because policies of teams
 * apply to their agents, and steps of workflows name agents and teams. */
@Module({ imports: [AgentsModule, TeamsModule, WorkflowsModule] })
export class RunnableSourcesModule {}
