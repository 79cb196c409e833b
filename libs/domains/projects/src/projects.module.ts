import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProjectMemberRepository } from './project-member.repository.js';
import { ProjectMemberService } from './project-member.service.js';
import { ProjectLookupService } from './project-lookup.service.js';
import { ProjectEntity, ProjectMemberEntity } from './project.entity.js';
import { ProjectRepository } from './project.repository.js';
import { ProjectResolver } from './project.resolver.js';
import { ProjectService } from './project.service.js';

/** Reads the projects of runnables. Separate from `ProjectsModule`, which depends on policies. */
@Module({
  imports: [TypeOrmModule.forFeature([ProjectEntity, ProjectMemberEntity])],
  providers: [ProjectMemberRepository, ProjectLookupService],
  exports: [ProjectMemberRepository, ProjectLookupService],
})
export class ProjectLookupModule {}

@Module({
  imports: [ProjectLookupModule],
  providers: [ProjectRepository, ProjectResolver, ProjectService, ProjectMemberService],
  exports: [ProjectLookupModule, ProjectService, ProjectMemberService],
})
export class ProjectsModule {}
