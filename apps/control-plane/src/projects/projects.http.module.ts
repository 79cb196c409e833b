import { AgentsModule } from '@app/agents';
import { ProjectsModule } from '@app/projects';
import { TeamsModule } from '@app/teams';
import { ModelsModule } from '@app/models';
import { Module } from '@nestjs/common';
import { AgentsHttpModule } from '../agents/agents.http.module.js';
import { TeamsHttpModule } from '../teams/teams.http.module.js';
import { ProjectAgentsController, ProjectTeamsController } from './project-members.controller.js';
import { ProjectMemberPresenter, ProjectPresenter } from './project.presenter.js';
import { ProjectsController } from './projects.controller.js';

@Module({
  imports: [ModelsModule, AgentsHttpModule, AgentsModule, ProjectsModule, TeamsHttpModule, TeamsModule],
  controllers: [ProjectsController, ProjectTeamsController, ProjectAgentsController],
  providers: [ProjectPresenter, ProjectMemberPresenter],
})
export class ProjectsHttpModule {}
