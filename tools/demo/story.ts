import type { StreamedEvent } from '@app/api-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProvisionError } from '../provision/provision-error.js';
import type { DemoControlPlane, DemoExecution } from './control-plane.js';
import { hops, type Moments } from './hops.js';

const promptTemplate = 'Write a greeting for {{ name }}, who has just started the platform.';
const parameters = { name: 'Ada' };
const patienceMs = 60_000;

/** An agent, a job, a run of it: told on the terminal as it happens. */
export async function tell(controlPlane: DemoControlPlane, say: (line: string) => void): Promise<void> {
  const agentId = await controlPlane.createAgent('demo agent', 'You answer in one friendly sentence.');
  say(`agent      ${agentId}`);
  const jobId = await controlPlane.createManualJob('demo job', agentId, promptTemplate);
  say(`job        ${jobId}  manual trigger`);
  const triggered = now();
  const executionId = await controlPlane.trigger(jobId, parameters);
  const answered = now();
  say(`execution  ${executionId}  triggered with ${JSON.stringify(parameters)}`);
  say('');
  const seen = await follow(controlPlane, executionId, triggered, say);
  const execution = await controlPlane.execution(executionId);
  sayResult(execution, say);
  if (execution.status !== 'completed') {
    throw new ProvisionError(
      `The execution ended as ${execution.status}: ${execution.error_message ?? 'no reason given'}`,
      'The logs of worker and control plane say more.',
    );
  }
  say('');
  for (const { name, ms } of hops(momentsOf({ triggered, answered, execution, seen }))) {
    say(`${ms.toFixed(1).padStart(9)} ms  ${name}`);
  }
}

interface Seen {
  readonly firstChunk: { readonly publishedAt: number; readonly seenAt: number } | undefined;
  readonly doneAt: number;
}

async function follow(
  controlPlane: DemoControlPlane,
  executionId: string,
  since: number,
  say: (line: string) => void,
): Promise<Seen> {
  let firstChunk: Seen['firstChunk'];
  const patience = new AbortController();
  const events = controlPlane.stream(executionId, patience.signal);
  const told = (async () => {
    for await (const event of events) {
      const seenAt = now();
      say(`${`+${(seenAt - since).toFixed(0)}`.padStart(8)} ms  ${event.event.padEnd(18)} ${gist(event)}`);
      const timestamp = event.data['timestamp'];
      if (event.event === 'message_chunk' && firstChunk === undefined && typeof timestamp === 'string') {
        firstChunk = { publishedAt: Date.parse(timestamp), seenAt };
      }
      if (event.event === 'done') return seenAt;
    }
    throw new Error('The stream ended before the execution was done');
  })();
  const tooLate = sleep(patienceMs, undefined, { signal: patience.signal, ref: false }).then(() => {
    throw new ProvisionError(
      `The execution was not done after ${patienceMs / 1000} s.`,
      'The logs of worker and control plane say why.',
    );
  });
  try {
    return { doneAt: await Promise.race([told, tooLate]), firstChunk };
  } finally {
    // Ends whichever of the two still waits, and nobody cares about its failure any more.
    told.catch(() => undefined);
    tooLate.catch(() => undefined);
    patience.abort();
  }
}

function momentsOf(run: { triggered: number; answered: number; execution: DemoExecution; seen: Seen }): Moments {
  const { execution, seen, triggered, answered } = run;
  const created = Date.parse(execution.created_at);
  const started = execution.started_at === null ? created : Date.parse(execution.started_at);
  return {
    triggered,
    answered,
    created,
    started,
    firstChunkPublished: seen.firstChunk?.publishedAt,
    firstChunkSeen: seen.firstChunk?.seenAt,
    completed: execution.completed_at === null ? seen.doneAt : Date.parse(execution.completed_at),
    doneSeen: seen.doneAt,
  };
}

function sayResult(execution: DemoExecution, say: (line: string) => void): void {
  say('');
  say(`status     ${execution.status}`);
  say(`response   ${execution.response ?? '-'}`);
  say(`usage      ${JSON.stringify(execution.usage)}`);
}

/** The part of an event that tells the most; published events carry theirs one level deeper than flat ones. */
function gist({ data }: StreamedEvent): string {
  const inner =
    typeof data['data'] === 'object' && data['data'] !== null ? (data['data'] as Record<string, unknown>) : data;
  if (typeof inner['content'] === 'string') return JSON.stringify(inner['content']);
  const text = JSON.stringify(inner);
  return text.length > 110 ? `${text.slice(0, 110)}…` : text;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
