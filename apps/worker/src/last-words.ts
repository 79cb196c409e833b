import { ControlPlaneError } from './control-plane.errors.js';

export interface LastWords {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** What a worker says that cannot go on. What the control plane answered is a reason, where in our code it arrived is none. */
export function lastWords(error: Error): LastWords {
  if (!(error instanceof ControlPlaneError)) return { fields: { err: error }, message: 'the worker cannot go on' };
  const fields = { reason: error.message, request_id: error.requestId };
  if (error.kind !== 'forbidden') return { fields, message: 'the worker cannot go on' };
  const needs = 'it needs a valid key with the scopes runners:manage and tasks:execute';
  return { fields, message: `the control plane refuses WORKER_API_KEY: ${needs}` };
}
