import { AgentsModule } from '@app/agents';
import { EnvironmentsModule } from '@app/environments';
import { TeamsModule } from '@app/teams';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PolicyAssociationEntity } from './policy-association.entity.js';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import { PolicyCompiler } from './policy-compiler.js';
import { PolicyEntity } from './policy.entity.js';
import { PolicyRepository } from './policy.repository.js';
import { PolicyResolution } from './policy-resolution.js';
import { PolicySubjects } from './policy-subjects.js';
import { PolicyVersionEntity } from './policy-version.entity.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([PolicyEntity, PolicyVersionEntity, PolicyAssociationEntity]),
    AgentsModule,
    EnvironmentsModule,
    TeamsModule,
  ],
  providers: [PolicyRepository, PolicyAssociationRepository, PolicySubjects, PolicyResolution, PolicyCompiler],
  exports: [PolicyResolution, PolicyCompiler],
})
export class PoliciesModule {}
