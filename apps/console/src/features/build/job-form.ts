import type { ControlPlaneComponents } from '@app/api-client';
import type { Form, FormField } from '../../api/form';
import { jobsCreate, jobsUpdate } from '../../api/generated/forms';
import type { Job } from './build.queries';

type Schemas = ControlPlaneComponents['schemas'];
/** What runs, as one choice: `agent ID`, `team ID`, `workflow ID` or `on_the_fly`. */
interface WhatRuns {
  readonly runs?: string | null;
}
export type NewJob = Schemas['CreateJobRequest'] & WhatRuns;
export type ChangedJob = Schemas['UpdateJobRequest'] & WhatRuns;

const RUNS: FormField = {
  name: 'runs',
  kind: 'line',
  // Where there are too many to choose from, this is typed.
  help: 'Agent, team or workflow that each trigger runs: agent, team or workflow and its id, or on_the_fly, with which the model chooses an agent or team at each trigger',
  isRequired: true,
  example: 'agent 0190b1f2-…',
};
const KINDS: ReadonlySet<string> = new Set(['agent', 'team', 'workflow']);
/** The API says the same in three fields. */
const REPLACED: ReadonlySet<string> = new Set(['planning_mode', 'entity_type', 'entity_id']);

export const NEW_JOB: Form<NewJob> = { scope: jobsCreate.scope, fields: fieldsOf(jobsCreate.fields) };
export const CHANGED_JOB: Form<ChangedJob> = { scope: jobsUpdate.scope, fields: fieldsOf(jobsUpdate.fields) };

function fieldsOf(fields: readonly FormField[]): FormField[] {
  const [name, ...others] = fields.filter((field) => !REPLACED.has(field.name));
  return [...(name === undefined ? [] : [name]), RUNS, ...others];
}

/** Returns the body as the API takes it. */
export function jobBodyOf<Body extends WhatRuns>({ runs, ...body }: Body): Omit<Body, 'runs'> {
  if (runs === undefined) return body;
  if (runs === null || runs === 'on_the_fly')
    return { ...body, planning_mode: 'on_the_fly', entity_type: null, entity_id: null };
  const [kind = '', id = null] = runs.split(' ');
  return { ...body, planning_mode: `predefined_${kind}`, entity_type: kind, entity_id: id };
}

/** Returns what the form shows of a stored job. */
export function jobValuesOf(job: Job): Record<string, unknown> {
  const { planning_mode, entity_type, entity_id } = job;
  const planned = planning_mode === 'on_the_fly' ? null : planning_mode.replace('predefined_', '');
  const kind = KINDS.has(entity_type ?? '') ? entity_type : (planned ?? 'agent');
  const runs = entity_id === null || kind === null ? planning_mode : `${kind} ${entity_id}`;
  // The page shows the secret to those who may see it; in the form, it is only replaced.
  return { ...job, webhook_secret: null, runs };
}
