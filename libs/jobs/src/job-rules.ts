import type { Fault } from '@app/kernel';
import { isCronSchedule } from './job-schedule.js';
import type { JobFields } from './job.types.js';
import { isTimeZone } from './zoned-time.js';

/** A job as far as it is known; values of a wrong type are some other check's matter. */
type Sketch = Readonly<Partial<Record<keyof JobFields, unknown>>>;

/** What the fields of a job demand of each other, and of the clock. */
export function jobFaults(job: Sketch): Fault[] {
  const { trigger_type, planning_mode = 'predefined_agent', executor_type } = job;
  const needs = (condition: boolean, field: keyof JobFields, because: string): Fault[] =>
    condition && isEmpty(job[field]) ? [missing(field, because)] : [];
  return [
    ...needs(trigger_type === 'cron', 'cron_schedule', 'trigger_type is cron'),
    ...(isPredefined(planning_mode) ? needs(true, 'entity_id', `planning_mode is ${planning_mode}`) : []),
    ...needs(executor_type === 'specific_queue', 'worker_queue_name', 'executor_type is specific_queue'),
    ...needs(executor_type === 'environment', 'environment_name', 'executor_type is environment'),
    ...scheduleFaults(job),
  ];
}

/** The part of it that an update can be held against without knowing the job. */
export function scheduleFaults({ cron_schedule: schedule, cron_timezone: zone }: Sketch): Fault[] {
  const faults: Fault[] = [];
  if (typeof schedule === 'string' && schedule !== '' && !isCronSchedule(schedule)) {
    const msg = 'Input should be a cron expression of five fields, or six with seconds first, that comes due at all';
    faults.push({ loc: ['body', 'cron_schedule'], msg, type: 'value_error' });
  }
  if (typeof zone === 'string' && zone !== '' && !isTimeZone(zone)) {
    const msg = 'Input should be the name of an IANA time zone';
    faults.push({ loc: ['body', 'cron_timezone'], msg, type: 'value_error' });
  }
  return faults;
}

function isPredefined(planningMode: unknown): planningMode is string {
  return typeof planningMode === 'string' && /^predefined_(agent|team|workflow)$/.test(planningMode);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function missing(field: keyof JobFields, because: string): Fault {
  return { loc: ['body', field], msg: `Field required when ${because}`, type: 'missing' };
}
