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

/** Every migration, oldest first. A migration that has landed is never edited; a change is a new one. */
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
];
