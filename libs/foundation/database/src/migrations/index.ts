import type { MigrationInterface } from 'typeorm';
import { Idempotency1800000057000 } from './1800000057000-idempotency.js';
import { Identity1800000057100 } from './1800000057100-identity.js';
import { Models1800000057200 } from './1800000057200-models.js';
import { Environments1800000057300 } from './1800000057300-environments.js';
import { Agents1800000057400 } from './1800000057400-agents.js';
import { Teams1800000057500 } from './1800000057500-teams.js';
import { Skills1800000057600 } from './1800000057600-skills.js';
import { Projects1800000057700 } from './1800000057700-projects.js';
import { Policies1800000057800 } from './1800000057800-policies.js';
import { Context1800000057900 } from './1800000057900-context.js';
import { Knowledge1800000058000 } from './1800000058000-knowledge.js';
import { Secrets1800000058100 } from './1800000058100-secrets.js';
import { Integrations1800000058200 } from './1800000058200-integrations.js';
import { Workflows1800000058300 } from './1800000058300-workflows.js';
import { Dispatch1800000058400 } from './1800000058400-dispatch.js';
import { Executions1800000058500 } from './1800000058500-executions.js';
import { Analytics1800000058600 } from './1800000058600-analytics.js';
import { Runs1800000058700 } from './1800000058700-runs.js';
import { Jobs1800000058800 } from './1800000058800-jobs.js';
import { Tasks1800000058900 } from './1800000058900-tasks.js';
import { Webhooks1800000059000 } from './1800000059000-webhooks.js';
import { WebhookEvents1800000063000 } from './1800000063000-webhook-events.js';
import { WebhookStorage1800000063100 } from './1800000063100-webhook-storage.js';
import { DeliveryResponseHeaders1800000063200 } from './1800000063200-delivery-response-headers.js';
import { WorkStops1800000064000 } from './1800000064000-work-stops.js';
import { Traces1800000065000 } from './1800000065000-traces.js';
import { TraceContexts1800000066000 } from './1800000066000-trace-contexts.js';
import { EntityChanges1800000067000 } from './1800000067000-entity-changes.js';
import { Revisions1800000068000 } from './1800000068000-revisions.js';
import { TraceUsage1800000071000 } from './1800000071000-trace-usage.js';
import { WebhookSignatures1800000073000 } from './1800000073000-webhook-signatures.js';
import { UserSessions1800000074000 } from './1800000074000-user-sessions.js';
import { SessionTurns1800000074100 } from './1800000074100-session-turns.js';
import { TurnsOfEarlierExecutions1800000074200 } from './1800000074200-turns-of-earlier-executions.js';
import { ExecutionsOfSessions1800000079000 } from './1800000079000-executions-of-sessions.js';
import { ExecutionsOfCopiedMessages1800000079100 } from './1800000079100-executions-of-copied-messages.js';
import { TracesOfOpenExecutions1800000079200 } from './1800000079200-traces-of-open-executions.js';
import { CommandsOfWorkers1800000091000 } from './1800000091000-commands-of-workers.js';
import { NamesInOrder1800000092000 } from './1800000092000-names-in-order.js';

/** Every migration, oldest first. A released migration is never changed; a schema change is a new migration. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  Idempotency1800000057000,
  Identity1800000057100,
  Models1800000057200,
  Environments1800000057300,
  Agents1800000057400,
  Teams1800000057500,
  Skills1800000057600,
  Projects1800000057700,
  Policies1800000057800,
  Context1800000057900,
  Knowledge1800000058000,
  Secrets1800000058100,
  Integrations1800000058200,
  Workflows1800000058300,
  Dispatch1800000058400,
  Executions1800000058500,
  Analytics1800000058600,
  Runs1800000058700,
  Jobs1800000058800,
  Tasks1800000058900,
  Webhooks1800000059000,
  WebhookEvents1800000063000,
  WebhookStorage1800000063100,
  DeliveryResponseHeaders1800000063200,
  WorkStops1800000064000,
  Traces1800000065000,
  TraceContexts1800000066000,
  EntityChanges1800000067000,
  Revisions1800000068000,
  TraceUsage1800000071000,
  WebhookSignatures1800000073000,
  UserSessions1800000074000,
  SessionTurns1800000074100,
  TurnsOfEarlierExecutions1800000074200,
  ExecutionsOfSessions1800000079000,
  ExecutionsOfCopiedMessages1800000079100,
  TracesOfOpenExecutions1800000079200,
  CommandsOfWorkers1800000091000,
  NamesInOrder1800000092000,
];
