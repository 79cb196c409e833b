import { AgentsModule } from '@app/agents';
import { loadConfig, OpaConfig, PolicyConfig, provideConfig } from '@app/config';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionGate } from '@app/executions';
import { TeamsModule } from '@app/teams';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OpaEngine } from './opa-engine.js';
import { PolicyAssociationEntity } from './policy-association.entity.js';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import { PolicyAssociationService } from './policy-association.service.js';
import { PolicyCompiler } from './policy-compiler.js';
import { PolicyDecisionPartitionsRepository } from './policy-decision-partitions.repository.js';
import { PolicyDecisionRepository } from './policy-decision.repository.js';
import { PolicyDecisionService } from './policy-decision.service.js';
import { PolicyEntity } from './policy.entity.js';
import { PolicyGate } from './policy-gate.js';
import { PolicyGateRepository } from './policy-gate.repository.js';
import { PolicyReplayRepository } from './policy-replay.repository.js';
import { PolicyReplayService } from './policy-replay.service.js';
import { PolicyRepository } from './policy.repository.js';
import { PolicyResolution } from './policy-resolution.js';
import { PolicySubjects } from './policy-subjects.js';
import { PolicyService } from './policy.service.js';
import { PolicyValidationService } from './policy-validation.service.js';
import { PolicyVersionEntity } from './policy-version.entity.js';
import { PolicyVersionRepository } from './policy-version.repository.js';
import { PolicyVersionService } from './policy-version.service.js';
import { VerdictService } from './verdict.service.js';

const repositories = [PolicyRepository, PolicyVersionRepository, PolicyAssociationRepository];
const services = [
  PolicyService,
  PolicyVersionService,
  PolicyAssociationService,
  PolicyResolution,
  PolicyCompiler,
  PolicyValidationService,
  VerdictService,
  PolicyDecisionService,
  PolicyReplayService,
];
const decisions = [
  PolicyDecisionRepository,
  PolicyDecisionPartitionsRepository,
  PolicyReplayRepository,
  PolicyGateRepository,
];

/** Absent where no OPA is named: then the platform evaluates by itself. */
function opaEngine(): OpaEngine | undefined {
  const { url, token } = loadConfig(OpaConfig);
  return url === null ? undefined : new OpaEngine({ url, token });
}

/** Global, because executions, on which it stands, ask the gate that it provides. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([PolicyEntity, PolicyVersionEntity, PolicyAssociationEntity]),
    AgentsModule,
    EnvironmentsModule,
    TeamsModule,
  ],
  providers: [
    provideConfig(PolicyConfig),
    { provide: OpaEngine, useFactory: opaEngine },
    ...repositories,
    ...decisions,
    ...services,
    PolicySubjects,
    { provide: ExecutionGate, useClass: PolicyGate },
  ],
  exports: [
    ...services,
    PolicyAssociationRepository,
    PolicyDecisionPartitionsRepository,
    PolicyConfig,
    PolicySubjects,
    ExecutionGate,
  ],
})
export class PoliciesModule {}
