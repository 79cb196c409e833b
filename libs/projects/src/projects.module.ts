import { RunnablesModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProjectMemberRepository } from './project-member.repository.js';
import { ProjectMemberService } from './project-member.service.js';
import { ProjectMembershipService } from './project-membership.service.js';
import { ProjectEntity, ProjectMemberEntity } from './project.entity.js';
import { ProjectRepository } from './project.repository.js';
import { ProjectService } from './project.service.js';

/** The projects of runnables, for reading. Separate from `ProjectsModule`, which needs the sources of runnables. */
@Module({
  imports: [TypeOrmModule.forFeature([ProjectEntity, ProjectMemberEntity])],
  providers: [ProjectMemberRepository, ProjectMembershipService],
  exports: [ProjectMemberRepository, ProjectMembershipService],
})
export class ProjectMembershipsModule {}

@Module({
  imports: [ProjectMembershipsModule, RunnablesModule],
  providers: [ProjectRepository, ProjectService, ProjectMemberService],
  exports: [ProjectMembershipsModule, ProjectService, ProjectMemberService],
})
export class ProjectsModule {}
