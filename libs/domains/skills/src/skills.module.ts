import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SkillAssociationEntity } from './skill-association.entity.js';
import { SkillAssociationRepository } from './skill-association.repository.js';
import { SkillAssociationService } from './skill-association.service.js';
import { SkillEntity } from './skill.entity.js';
import { SkillRepository } from './skill.repository.js';
import { SkillService } from './skill.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([SkillEntity, SkillAssociationEntity])],
  providers: [SkillRepository, SkillAssociationRepository, SkillService, SkillAssociationService],
  exports: [SkillService, SkillAssociationService],
})
export class SkillsModule {}
