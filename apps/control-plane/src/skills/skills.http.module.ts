import { EntityContextsModule } from '@app/entity-contexts';
import { SkillsModule } from '@app/skills';
import { Module } from '@nestjs/common';
import { ResolvedSkillsController } from './resolved-skills.controller.js';
import { SkillAssociationsController } from './skill-associations.controller.js';
import { SkillsController } from './skills.controller.js';

@Module({
  imports: [EntityContextsModule, SkillsModule],
  controllers: [SkillsController, SkillAssociationsController, ResolvedSkillsController],
})
export class SkillsHttpModule {}
