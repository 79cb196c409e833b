import { EnvironmentsModule } from '@app/environments';
import { RunnablesModule } from '@app/executions';
import { ProjectLookupModule, ProjectsModule } from '@app/projects';
import { SkillsModule } from '@app/skills';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EntityContextEntity } from './entity-context.entity.js';
import { EntityContextRepository } from './entity-context.repository.js';
import { EntityContextService } from './entity-context.service.js';
import { EntityLayersService } from './entity-layers.service.js';
import { InheritanceService } from './inheritance.service.js';
import { InheritedVariablesService } from './inherited-variables.service.js';

/** Reads what runnables inherit. Separate from `EntityContextsModule`, so that its importers do not depend on `ProjectsModule`. */
@Module({
  imports: [
    TypeOrmModule.forFeature([EntityContextEntity]),
    EnvironmentsModule,
    ProjectLookupModule,
    RunnablesModule,
    SkillsModule,
  ],
  providers: [EntityContextRepository, EntityLayersService, InheritanceService, InheritedVariablesService],
  exports: [EntityContextRepository, InheritanceService, InheritedVariablesService],
})
export class InheritanceModule {}

/** Imports `ProjectsModule` for its `ProjectResolver`, because projects have contexts. */
@Module({
  imports: [InheritanceModule, ProjectsModule],
  providers: [EntityContextService],
  exports: [EntityContextService, InheritanceModule],
})
export class EntityContextsModule {}
