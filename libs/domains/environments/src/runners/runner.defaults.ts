import { newId } from '@app/kernel';
import type { NewRunner, RunnerFields } from './runner.types.js';

/** The values of omitted fields. */
export const RUNNER_DEFAULTS: Omit<RunnerFields, 'name'> = {
  description: null,
  labels: {},
  configuration: {},
  tags: [],
  metadata: {},
};

/** Returns the row of a runner that no request created before its first worker started. */
export function startedRunner(name: string, now: Date): NewRunner {
  return { ...RUNNER_DEFAULTS, id: newId(), name, last_started_at: now, created_at: now, updated_at: now };
}
