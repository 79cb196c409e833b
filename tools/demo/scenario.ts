import type { StreamedEvent } from '@app/api-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProvisionError } from '../provision/provision-error.js';
import type { DemoControlPlane, DemoExecution } from './control-plane.js';
import { measureHops, type RunTimestamps } from './hop-timings.js';

const PROMPT_TEMPLATE = 'Write a greeting for {{ name }}, who has just started the platform.';
const PARAMETERS = { name: 'Ada' };
const RUN_TIMEOUT_MS = 60_000;
const MAX_SUMMARY_LENGTH = 110;

/** Creates an agent and a job, runs the job and prints each event as it arrives. Throws if the execution fails. */
export async function runScenario(controlPlane: DemoControlPlane, print: (line: string) => void): Promise<void> {
  const agentId = await controlPlane.createAgent('demo agent', 'You answer in one friendly sentence.');
  print(`agent      ${agentId}`);
  const jobId = await controlPlane.createManualJob('demo job', agentId, PROMPT_TEMPLATE);
  print(`job        ${jobId}  manual trigger`);
  const triggered = now();
  const executionId = await controlPlane.trigger(jobId, PARAMETERS);
  const responded = now();
  print(`execution  ${executionId}  triggered with ${JSON.stringify(PARAMETERS)}`);
  print('');
  const received = await followEvents(controlPlane, executionId, triggered, print);
  const execution = await controlPlane.execution(executionId);
  printResult(execution, print);
  if (execution.status !== 'completed') {
    throw new ProvisionError(
      `The execution ended with status ${execution.status}: ${execution.error_message ?? 'no error message'}`,
      'See the logs of the worker and the control plane.',
    );
  }
  print('');
  for (const { name, ms } of measureHops(timestampsOf({ triggered, responded, execution, received }))) {
    print(`${ms.toFixed(1).padStart(9)} ms  ${name}`);
  }
}

interface ReceivedEvents {
  readonly firstChunk: { readonly publishedAt: number; readonly receivedAt: number } | undefined;
  readonly doneAt: number;
}

/** Prints every event until `done`. Throws if the execution does not end in time. */
async function followEvents(
  controlPlane: DemoControlPlane,
  executionId: string,
  since: number,
  print: (line: string) => void,
): Promise<ReceivedEvents> {
  let firstChunk: ReceivedEvents['firstChunk'];
  const waiting = new AbortController();
  const events = controlPlane.stream(executionId, waiting.signal);
  const done = (async () => {
    for await (const event of events) {
      const receivedAt = now();
      print(`${`+${(receivedAt - since).toFixed(0)}`.padStart(8)} ms  ${event.event.padEnd(18)} ${summarize(event)}`);
      const timestamp = event.data['timestamp'];
      if (event.event === 'message_chunk' && firstChunk === undefined && typeof timestamp === 'string') {
        firstChunk = { publishedAt: Date.parse(timestamp), receivedAt };
      }
      if (event.event === 'done') return receivedAt;
    }
    throw new Error('The event stream ended before the execution');
  })();
  const timedOut = sleep(RUN_TIMEOUT_MS, undefined, { signal: waiting.signal, ref: false }).then(() => {
    throw new ProvisionError(
      `The execution had not ended after ${RUN_TIMEOUT_MS / 1000} s.`,
      'See the logs of the worker and the control plane.',
    );
  });
  try {
    return { doneAt: await Promise.race([done, timedOut]), firstChunk };
  } finally {
    // The abort rejects the promise that lost the race; its rejection is ignored.
    done.catch(() => undefined);
    timedOut.catch(() => undefined);
    waiting.abort();
  }
}

function timestampsOf(run: {
  triggered: number;
  responded: number;
  execution: DemoExecution;
  received: ReceivedEvents;
}): RunTimestamps {
  const { execution, received, triggered, responded } = run;
  const created = Date.parse(execution.created_at);
  const started = execution.started_at === null ? created : Date.parse(execution.started_at);
  return {
    triggered,
    responded,
    created,
    started,
    firstChunkPublished: received.firstChunk?.publishedAt,
    firstChunkReceived: received.firstChunk?.receivedAt,
    completed: execution.completed_at === null ? received.doneAt : Date.parse(execution.completed_at),
    doneReceived: received.doneAt,
  };
}

function printResult(execution: DemoExecution, print: (line: string) => void): void {
  print('');
  print(`status     ${execution.status}`);
  print(`response   ${execution.response ?? '-'}`);
  print(`usage      ${JSON.stringify(execution.usage)}`);
}

/** Returns the payload of an event, shortened. Published events nest it under `data`; others are flat. */
function summarize({ data }: StreamedEvent): string {
  const inner =
    typeof data['data'] === 'object' && data['data'] !== null ? (data['data'] as Record<string, unknown>) : data;
  if (typeof inner['content'] === 'string') return JSON.stringify(inner['content']);
  const text = JSON.stringify(inner);
  return text.length > MAX_SUMMARY_LENGTH ? `${text.slice(0, MAX_SUMMARY_LENGTH)}…` : text;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
