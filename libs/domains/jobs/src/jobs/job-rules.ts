import { startConfigFaults } from '@app/executions';
import type { Fault } from '@app/kernel';
import { cronFault } from '../schedules/cron-expression.js';
import { PREDEFINED_KINDS, type JobFields } from './job.types.js';
import { scheduleSettingsFaults } from '../schedules/schedule-settings.js';
import { isTimeZone } from '../schedules/zoned-time.js';

/**
 * A job whose fields may be missing or have a wrong type. The rules ignore wrong types, which the type checks report.
 */
type UncheckedJob = Readonly<Partial<Record<keyof JobFields | 'webhook_secret', unknown>>>;

/**
 * Returns the faults of a job that concern several fields, and those of its schedule and configuration. `webhook_secret`
 * is that of a request, not the stored one.
 */
export function jobFaults(job: UncheckedJob): Fault[] {
  const { trigger_type, planning_mode = 'predefined_agent', executor_type } = job;
  const requireIf = (condition: boolean, field: keyof JobFields, reason: string): Fault[] =>
    condition && isEmpty(job[field]) ? [missing(field, reason)] : [];
  return [
    ...requireIf(trigger_type === 'cron', 'cron_schedule', 'trigger_type is cron'),
    ...(isPredefined(planning_mode) ? requireIf(true, 'entity_id', `planning_mode is ${planning_mode}`) : []),
    ...requireIf(executor_type === 'specific_queue', 'worker_queue_name', 'executor_type is specific_queue'),
    ...requireIf(executor_type === 'environment', 'environment_name', 'executor_type is environment'),
    ...(trigger_type === 'webhook' || isEmpty(job.webhook_secret) ? [] : [UNUSED_SECRET]),
    ...scheduleFaults(job),
  ];
}

/** Returns the faults of an update that can be found without the stored job. */
export function scheduleFaults({ cron_schedule: schedule, cron_timezone: zone, config }: UncheckedJob): Fault[] {
  const faults = [...startConfigFaults(config, 'config'), ...scheduleSettingsFaults(config)];
  const reason = typeof schedule === 'string' && schedule !== '' ? cronFault(schedule) : undefined;
  if (reason !== undefined) {
    const msg = `Input should be a cron expression of five fields, or six with seconds first: ${reason}`;
    faults.push({ path: ['cron_schedule'], msg, type: 'value_error' });
  }
  if (typeof zone === 'string' && zone !== '' && !isTimeZone(zone)) {
    const msg = 'Input should be the name of an IANA time zone';
    faults.push({ path: ['cron_timezone'], msg, type: 'value_error' });
  }
  return faults;
}

/** Returns the faults of a request that starts a job. */
export function overrideFaults({ config_override: config }: { readonly config_override?: unknown }): Fault[] {
  return startConfigFaults(config, 'config_override');
}

const UNUSED_SECRET: Fault = {
  path: ['webhook_secret'],
  msg: 'Only a job with trigger_type webhook has a webhook_secret',
  type: 'value_error',
};

function isPredefined(planningMode: unknown): planningMode is string {
  return typeof planningMode === 'string' && PREDEFINED_KINDS.has(planningMode);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function missing(field: keyof JobFields, reason: string): Fault {
  return { path: [field], msg: `Field required when ${reason}`, type: 'missing' };
}
