import { AgentsModule } from '@app/agents';
import { EnvironmentsModule } from '@app/environments';
import { TeamsModule } from '@app/teams';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PolicyAssociationEntity } from './policy-association.entity.js';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import { PolicyAssociationService } from './policy-association.service.js';
import { PolicyCompiler } from './policy-compiler.js';
import { PolicyEntity } from './policy.entity.js';
import { PolicyRepository } from './policy.repository.js';
import { PolicyResolution } from './policy-resolution.js';
import { PolicySubjects } from './policy-subjects.js';
import { PolicyService } from './policy.service.js';
import { PolicyVersionEntity } from './policy-version.entity.js';
import { PolicyVersionRepository } from './policy-version.repository.js';
import { PolicyVersionService } from './policy-version.service.js';

const repositories = [PolicyRepository, PolicyVersionRepository, PolicyAssociationRepository];
const services = [PolicyService, PolicyVersionService, PolicyAssociationService, PolicyResolution, PolicyCompiler];

@Module({
  imports: [
    TypeOrmModule.forFeature([PolicyEntity, PolicyVersionEntity, PolicyAssociationEntity]),
    AgentsModule,
    EnvironmentsModule,
    TeamsModule,
  ],
  providers: [...repositories, ...services, PolicySubjects],
  exports: [...services, PolicyAssociationRepository, PolicySubjects],
})
export class PoliciesModule {}
