import { EXECUTION_TYPES, RunnableSources, type ExecutionType, type Runnable } from '@app/executions';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PREDEFINED_KINDS, type JobFields, type WebhookSignature } from '../jobs/job.types.js';
import { runnableKindOf, JobTargetService } from './job-target.service.js';

/** Finds what the author of a job should know: the job is stored as it is, but its runs would fail or differ. */
@Injectable()
export class JobRemarksService {
  constructor(
    private readonly targets: JobTargetService,
    private readonly runnables: RunnableSources,
  ) {}

  /**
   * Returns the remarks on a job, none if it would start as its fields say.
   *
   * @param sent the names of the fields of the request. A default that the request does not contain contradicts nothing.
   */
  async of(scope: Scope, job: JobFields, sent: ReadonlySet<string>): Promise<readonly string[]> {
    const { missing, runnable } = await this.targets.find(scope, job);
    const elsewhere =
      job.entity_id !== null && runnable === undefined ? await this.elsewhere(scope, job.entity_id) : [];
    const failures = [...missing, ...elsewhere];
    const remarks = [...kindRemarks(job, sent), ...secretRemarks(job, sent), ...sessionRemarks(job, runnable)];
    return [...remarks, ...(failures.length === 0 ? [] : [`A start fails now: ${failures.join(', ')}`])];
  }

  /** Returns what the id names instead: a runnable of another kind, or one whose name it is. */
  private async elsewhere(scope: Scope, idOrName: string): Promise<string[]> {
    const named = EXECUTION_TYPES.map((kind) => ({ kind, idOrName }));
    const found = await this.runnables.idsNamed(scope, named);
    return EXECUTION_TYPES.flatMap((kind) => {
      const [id] = found.get(kind)?.get(idOrName) ?? [];
      if (id === undefined) return [];
      return id === idOrName
        ? `but ${aKind(kind)} (entity_type)`
        : `but ${aKind(kind)} of this name, with the id ${id}`;
    });
  }
}

function kindRemarks(job: JobFields, sent: ReadonlySet<string>): string[] {
  const { planning_mode: mode, entity_type: type } = job;
  if (type === null) return [];
  const runs = `the job runs ${aKind(runnableKindOf(job))}`;
  if (!EXECUTION_TYPES.some((kind) => kind === type)) {
    return [`entity_type ${type} is not one of ${EXECUTION_TYPES.join(', ')}: ${runs}`];
  }
  const planned = PREDEFINED_KINDS.get(mode);
  const isChosen = mode !== DEFAULT_MODE || sent.has('planning_mode');
  return planned === undefined || planned === type || !isChosen
    ? []
    : [`entity_type is ${type} and planning_mode is ${mode}: ${runs}`];
}

/** The senders that do not let their users choose the secret. */
const CHOOSING_SENDERS: readonly WebhookSignature[] = ['stripe', 'slack'];

function secretRemarks({ trigger_type, webhook_signature: sender }: JobFields, sent: ReadonlySet<string>): string[] {
  const isChosenNow = trigger_type === 'webhook' && sent.has('webhook_signature') && !sent.has('webhook_secret');
  if (!isChosenNow || !CHOOSING_SENDERS.includes(sender)) return [];
  return [`${sender} chooses its secret: set webhook_secret to it, unless the job has it already`];
}

function sessionRemarks({ config }: JobFields, runnable: Runnable | undefined): string[] {
  const { multitask, session_id: sessionId } = config;
  const hasSession = (typeof sessionId === 'string' && sessionId !== '') || runnable?.session !== undefined;
  return multitask == null || hasSession ? [] : ['multitask has no effect without session_id in config'];
}

const DEFAULT_MODE = 'predefined_agent';

function aKind(kind: ExecutionType): string {
  return kind === 'agent' ? 'an agent' : `a ${kind}`;
}
