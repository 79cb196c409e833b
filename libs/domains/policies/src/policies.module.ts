import { OpaConfig, PolicyConfig, provideConfig } from '@app/config';
import { InheritanceModule } from '@app/entity-contexts';
import { EnvironmentsModule } from '@app/environments';
import { ExecutionGate, RunnablesModule } from '@app/executions';
import { PolicyLookup, ProjectLookupModule } from '@app/projects';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OpaEngine } from './verdicts/opa-engine.js';
import { PolicyAssociationEntity } from './associations/policy-association.entity.js';
import { PolicyAssociationRepository } from './associations/policy-association.repository.js';
import { PolicyAssociationService } from './associations/policy-association.service.js';
import { PolicyChecker } from './verdicts/policy-checker.js';
import { EvaluationPool } from './evaluation-threads/evaluation-pool.js';
import { PolicyBacktestService } from './decisions/policy-backtest.service.js';
import { PolicyDecisionEntity } from './decisions/policy-decision.entity.js';
import { PolicyDecisionRepository } from './decisions/policy-decision.repository.js';
import { PolicyDecisionService } from './decisions/policy-decision.service.js';
import { PolicyEntity } from './policies/policy.entity.js';
import { PolicyGate } from './gate/policy-gate.js';
import { PolicyGateRepository } from './gate/policy-gate.repository.js';
import { PolicyReplayService } from './decisions/policy-replay.service.js';
import { PolicyRepository } from './policies/policy.repository.js';
import { PolicyReferences, StoredPolicyLookup } from './associations/policy-references.js';
import { PolicyEntityNames } from './associations/policy-entity-names.js';
import { PolicyReachedAgents } from './associations/policy-reached-agents.js';
import { PolicyReachService } from './associations/policy-reach.service.js';
import { PolicyResolution } from './associations/policy-resolution.js';
import { PolicySubjects } from './associations/policy-subjects.js';
import { PolicyService } from './policies/policy.service.js';
import { PolicyValidationService } from './policies/policy-validation.service.js';
import { PolicyWarningService } from './policies/policy-warning.service.js';
import { PolicyVersionEntity } from './versions/policy-version.entity.js';
import { PolicyVersionRepository } from './versions/policy-version.repository.js';
import { PolicyVersionService } from './versions/policy-version.service.js';
import { TrialService } from './verdicts/trial.service.js';
import { VerdictService } from './verdicts/verdict.service.js';

const repositories = [
  PolicyRepository,
  PolicyVersionRepository,
  PolicyAssociationRepository,
  PolicyDecisionRepository,
  PolicyGateRepository,
];
const services = [
  PolicyService,
  PolicyVersionService,
  PolicyAssociationService,
  PolicyResolution,
  PolicyReachService,
  PolicyChecker,
  PolicyValidationService,
  PolicyWarningService,
  VerdictService,
  TrialService,
  PolicyDecisionService,
  PolicyReplayService,
  PolicyBacktestService,
];

/** Undefined if no OPA server is configured: the platform then evaluates all policies itself. */
function opaEngine({ url, token }: OpaConfig): OpaEngine | undefined {
  return url === null ? undefined : new OpaEngine({ url, token });
}

/**
 * Global, because ExecutionsModule needs the gate, and ProjectsModule and EntityContextsModule need the look-up, while
 * policies depend on these domains.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([PolicyEntity, PolicyVersionEntity, PolicyAssociationEntity, PolicyDecisionEntity]),
    EnvironmentsModule,
    InheritanceModule,
    ProjectLookupModule,
    RunnablesModule,
  ],
  providers: [
    provideConfig(PolicyConfig),
    provideConfig(OpaConfig),
    { provide: OpaEngine, inject: [OpaConfig], useFactory: opaEngine },
    ...repositories,
    ...services,
    PolicySubjects,
    PolicyEntityNames,
    PolicyReachedAgents,
    PolicyReferences,
    EvaluationPool,
    { provide: PolicyLookup, useClass: StoredPolicyLookup },
    { provide: ExecutionGate, useClass: PolicyGate },
  ],
  exports: [...services, PolicySubjects, ExecutionGate, PolicyLookup],
})
export class PoliciesModule {}
