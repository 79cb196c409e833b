import { unwrap } from '@app/api-client';
import { onlyOver, unwrapTagged, type Tagged } from '../../api/entity-tag';
import { environmentChoices, queueChoices, runnableChoices } from '../../resource/choices';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import type { Job } from './build.queries';
import { CHANGED_JOB, jobBodyOf, jobValuesOf, NEW_JOB } from './job-form';
import { JobParts } from './job-parts';

const pathOf = (id: string) => ({ path: { job_id: id } });

export const { ListPage, OnePage } = pagesOf<Tagged<Job>>({
  path: '/jobs',
  one: 'job',
  many: 'jobs',
  purpose:
    'A job starts executions by itself: by a schedule (cron), by a signed call (webhook), or on request (manual); make one from an example.',
  readScope: 'tasks:read',
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/jobs', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrapTagged(controlPlane.GET('/api/v1/jobs/{job_id}', { params: pathOf(id), signal })),
  create: creation(NEW_JOB, ({ controlPlane }, body) =>
    unwrap(controlPlane.POST('/api/v1/jobs', { body: jobBodyOf(body) })),
  ),
  update: change(CHANGED_JOB, ({ controlPlane }, id, body, tag) =>
    unwrap(
      controlPlane.PATCH('/api/v1/jobs/{job_id}', {
        params: { ...pathOf(id), ...onlyOver(tag) },
        body: jobBodyOf(body),
      }),
    ),
  ),
  removal: {
    scope: CHANGED_JOB.scope,
    effect: 'Nothing triggers it any more. Its executions are kept.',
    send: ({ controlPlane }, id) => unwrap(controlPlane.DELETE('/api/v1/jobs/{job_id}', { params: pathOf(id) })),
  },
  columns: [
    { label: 'Trigger', cell: ({ trigger_type, cron_schedule }) => cron_schedule ?? trigger_type },
    { label: 'Runs', cell: ({ entity_name }) => entity_name },
    { label: 'Status', cell: ({ status }) => status },
    { label: 'Next', cell: ({ next_execution_at }) => <Time at={next_execution_at} none="" /> },
    { label: 'Last', cell: ({ last_execution_at }) => <Time at={last_execution_at} none="never" /> },
    {
      label: 'Failed',
      cell: ({ failed_executions, total_executions }) => `${failed_executions} of ${total_executions}`,
    },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  valuesOf: jobValuesOf,
  starts: [
    {
      label: 'Every weekday at nine',
      values: {
        name: 'weekday report',
        trigger_type: 'cron',
        prompt_template: 'Write the report of the day.',
        cron_schedule: '0 9 * * MON-FRI',
      },
    },
    {
      label: 'When another system calls',
      values: { name: 'incoming', trigger_type: 'webhook', prompt_template: 'Summarize: {{ text }}' },
    },
    { label: 'On request', values: { name: 'on request', trigger_type: 'manual', prompt_template: '{{ prompt }}' } },
  ],
  view: {
    folded: ['description', 'system_prompt', 'executor_type', 'worker_queue_name', 'environment_name', 'config'].concat(
      ['execution_environment', 'webhook_signature', 'webhook_secret'],
    ),
    choices: { runs: runnableChoices, worker_queue_name: queueChoices, environment_name: environmentChoices },
  },
  Parts: JobParts,
});
