import type { MigrationInterface } from 'typeorm';
import { Idempotency1800000000000 } from './1800000000000-idempotency.js';
import { Identity1800000001000 } from './1800000001000-identity.js';
import { Models1800000001500 } from './1800000001500-models.js';
import { Environments1800000002000 } from './1800000002000-environments.js';
import { Agents1800000002500 } from './1800000002500-agents.js';
import { Dispatch1800000003000 } from './1800000003000-dispatch.js';
import { Executions1800000003100 } from './1800000003100-executions.js';
import { Jobs1800000005000 } from './1800000005000-jobs.js';
import { Teams1800000006000 } from './1800000006000-teams.js';
import { Policies1800000007000 } from './1800000007000-policies.js';
import { PolicyDecisions1800000007100 } from './1800000007100-policy-decisions.js';
import { Tasks1800000009000 } from './1800000009000-tasks.js';
import { SealedAnswers1800000010000 } from './1800000010000-sealed-answers.js';
import { SessionMessageIds1800000012000 } from './1800000012000-session-message-ids.js';
import { LongDurations1800000013000 } from './1800000013000-long-durations.js';
import { ExecutionListIndexes1800000014000 } from './1800000014000-execution-list-indexes.js';
import { UnsignedExitCodes1800000015000 } from './1800000015000-unsigned-exit-codes.js';
import { NextExecutions1800000016000 } from './1800000016000-next-executions.js';
import { EnvironmentOverrides1800000016500 } from './1800000016500-environment-overrides.js';
import { JobUsers1800000016600 } from './1800000016600-job-users.js';
import { SessionMessagePositions1800000019000 } from './1800000019000-session-message-positions.js';
import { Retention1800000021000 } from './1800000021000-retention.js';
import { SummaryIndexes1800000022000 } from './1800000022000-summary-indexes.js';
import { Users1800000030000 } from './1800000030000-users.js';
import { Projects1800000031000 } from './1800000031000-projects.js';
import { ProjectPolicies1800000031100 } from './1800000031100-project-policies.js';
import { Skills1800000032000 } from './1800000032000-skills.js';
import { EntityContexts1800000033000 } from './1800000033000-entity-contexts.js';
import { ContextPolicies1800000033100 } from './1800000033100-context-policies.js';
import { Knowledge1800000034000 } from './1800000034000-knowledge.js';
import { Secrets1800000034100 } from './1800000034100-secrets.js';
import { Integrations1800000034200 } from './1800000034200-integrations.js';
import { Runners1800000034300 } from './1800000034300-runners.js';
import { KnowledgeSearchScope1800000034400 } from './1800000034400-knowledge-search-scope.js';
import { Workflows1800000036000 } from './1800000036000-workflows.js';
import { ExecutionSummaryIndexes1800000037000 } from './1800000037000-execution-summary-indexes.js';
import { FailureCauses1800000038000 } from './1800000038000-failure-causes.js';
import { ExecutionAnalytics1800000038100 } from './1800000038100-execution-analytics.js';
import { EndedExecutionTrigger1800000038200 } from './1800000038200-ended-execution-trigger.js';
import { ModelCatalogue1800000039000 } from './1800000039000-model-catalogue.js';
import { JobInstants1800000040000 } from './1800000040000-job-instants.js';
import { KeyRateLimits1800000042000 } from './1800000042000-key-rate-limits.js';
import { SupersededKeys1800000043000 } from './1800000043000-superseded-keys.js';
import { TaskRetention1800000046000 } from './1800000046000-task-retention.js';
import { OrphanedRows1800000047000 } from './1800000047000-orphaned-rows.js';
import { ContextPoliciesExist1800000047100 } from './1800000047100-context-policies-exist.js';
import { TeamEnvironments1800000047200 } from './1800000047200-team-environments.js';
import { RetriesAndTimeouts1800000048400 } from './1800000048400-retries-and-timeouts.js';
import { Webhooks1800000048500 } from './1800000048500-webhooks.js';
import { WebhookDeliveries1800000048510 } from './1800000048510-webhook-deliveries.js';
import { ExecutionSteps1800000048600 } from './1800000048600-execution-steps.js';
import { ExecutionCallable1800000049100 } from './1800000049100-execution-callable.js';
import { ExecutionFiles1800000049400 } from './1800000049400-execution-files.js';
import { ExecutionPlans1800000050000 } from './1800000050000-execution-plans.js';
import { ExecutionTransitions1800000050110 } from './1800000050110-execution-transitions.js';
import { DueInstants1800000050350 } from './1800000050350-due-instants.js';
import { EarlierUsage1800000050500 } from './1800000050500-earlier-usage.js';
import { AnalyticsNames1800000050510 } from './1800000050510-analytics-names.js';
import { StartInputs1800000050100 } from './1800000050100-start-inputs.js';
import { SessionMessageRows1800000049700 } from './1800000049700-session-message-rows.js';
import { QueueLoad1800000048700 } from './1800000048700-queue-load.js';
import { SessionIds1800000049300 } from './1800000049300-session-ids.js';
import { WorkerOffers1800000049900 } from './1800000049900-worker-offers.js';

/** Every migration, oldest first. A released migration is never changed; a schema change is a new migration. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  Idempotency1800000000000,
  Identity1800000001000,
  Models1800000001500,
  Environments1800000002000,
  Agents1800000002500,
  Dispatch1800000003000,
  Executions1800000003100,
  Jobs1800000005000,
  Teams1800000006000,
  Policies1800000007000,
  PolicyDecisions1800000007100,
  Tasks1800000009000,
  SealedAnswers1800000010000,
  SessionMessageIds1800000012000,
  LongDurations1800000013000,
  ExecutionListIndexes1800000014000,
  UnsignedExitCodes1800000015000,
  NextExecutions1800000016000,
  EnvironmentOverrides1800000016500,
  JobUsers1800000016600,
  SessionMessagePositions1800000019000,
  Retention1800000021000,
  SummaryIndexes1800000022000,
  Users1800000030000,
  Projects1800000031000,
  ProjectPolicies1800000031100,
  Skills1800000032000,
  EntityContexts1800000033000,
  ContextPolicies1800000033100,
  Knowledge1800000034000,
  Secrets1800000034100,
  Integrations1800000034200,
  Runners1800000034300,
  KnowledgeSearchScope1800000034400,
  Workflows1800000036000,
  ExecutionSummaryIndexes1800000037000,
  FailureCauses1800000038000,
  ExecutionAnalytics1800000038100,
  EndedExecutionTrigger1800000038200,
  ModelCatalogue1800000039000,
  JobInstants1800000040000,
  KeyRateLimits1800000042000,
  SupersededKeys1800000043000,
  TaskRetention1800000046000,
  OrphanedRows1800000047000,
  ContextPoliciesExist1800000047100,
  TeamEnvironments1800000047200,
  RetriesAndTimeouts1800000048400,
  Webhooks1800000048500,
  WebhookDeliveries1800000048510,
  ExecutionSteps1800000048600,
  QueueLoad1800000048700,
  ExecutionCallable1800000049100,
  SessionIds1800000049300,
  ExecutionFiles1800000049400,
  SessionMessageRows1800000049700,
  WorkerOffers1800000049900,
  ExecutionPlans1800000050000,
  StartInputs1800000050100,
  ExecutionTransitions1800000050110,
  DueInstants1800000050350,
  EarlierUsage1800000050500,
  AnalyticsNames1800000050510,
];
