import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SkillAssociationEntity } from './skill-association.entity.js';
import { SkillAssociationRepository } from './skill-association.repository.js';
import { SkillAssociationService } from './skill-association.service.js';
import { SkillEntity } from './skill.entity.js';
import { SkillHolders } from './skill-holders.js';
import { SkillRepository } from './skill.repository.js';
import { SkillService } from './skill.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([SkillEntity, SkillAssociationEntity]), DiscoveryModule],
  providers: [SkillRepository, SkillAssociationRepository, SkillHolders, SkillService, SkillAssociationService],
  exports: [SkillService, SkillAssociationService],
})
export class SkillsModule {}
