import { describe, expect, it } from '@jest/globals';
import { jobFaults, overrideFaults, scheduleFaults } from './job-rules.js';

const manualJob = { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_id: 'a' };
const faultsOf = (job: Parameters<typeof jobFaults>[0]): string[] =>
  jobFaults(job).map(({ path, type }) => `${path.join('.')}: ${type}`);

describe('jobFaults', () => {
  it('accepts a manual job with an entity', () => expect(faultsOf(manualJob)).toEqual([]));

  it('requires a schedule for the trigger type cron', () => {
    expect(faultsOf({ ...manualJob, trigger_type: 'cron' })).toEqual(['cron_schedule: missing']);
    expect(faultsOf({ ...manualJob, trigger_type: 'cron', cron_schedule: null })).toEqual(['cron_schedule: missing']);
    expect(faultsOf({ ...manualJob, trigger_type: 'cron', cron_schedule: '0 9 * * *' })).toEqual([]);
  });

  it.each(['predefined_agent', 'predefined_team', 'predefined_workflow', undefined])(
    'requires an entity for the planning mode %s',
    (planning_mode) => {
      expect(faultsOf({ ...manualJob, planning_mode, entity_id: undefined })).toEqual(['entity_id: missing']);
    },
  );

  it('ignores values of a wrong type, even if they cannot be converted to a string', () => {
    for (const value of [{ toString: 1 }, { valueOf: 1, toString: null }, [{ toString: 1 }], 1]) {
      const job = {
        ...manualJob,
        planning_mode: value,
        executor_type: value,
        trigger_type: value,
        cron_schedule: value,
      };
      expect(faultsOf(job)).toEqual([]);
    }
  });

  it('requires no entity for the planning mode on_the_fly', () => {
    expect(faultsOf({ ...manualJob, planning_mode: 'on_the_fly', entity_id: null })).toEqual([]);
  });

  it('requires the queue or the environment that the executor type uses', () => {
    expect(faultsOf({ ...manualJob, executor_type: 'specific_queue' })).toEqual(['worker_queue_name: missing']);
    expect(faultsOf({ ...manualJob, executor_type: 'environment' })).toEqual(['environment_name: missing']);
    expect(faultsOf({ ...manualJob, executor_type: 'specific_queue', worker_queue_name: 'q' })).toEqual([]);
  });

  it('rejects an invalid schedule or time zone for every trigger type', () => {
    const faults = [
      { path: ['cron_schedule'], msg: expect.stringContaining('cron expression'), type: 'value_error' },
      { path: ['cron_timezone'], msg: expect.stringContaining('IANA'), type: 'value_error' },
    ];
    expect(scheduleFaults({ cron_schedule: 'soon', cron_timezone: 'Mars/Olympus' })).toEqual(faults);
    expect(jobFaults({ ...manualJob, cron_schedule: 'soon', cron_timezone: 'Mars/Olympus' })).toEqual(faults);
  });

  it('names each invalid setting of the time limit and the retries, of the job and of a trigger', () => {
    const settings = {
      timeout_seconds: 0,
      retry_policy: { max_attempts: 101, retry_on: ['crashed'], backoff: { type: 'linear', delay_seconds: -1 } },
    };
    const faults = [
      'timeout_seconds: value_error',
      'retry_policy.max_attempts: value_error',
      'retry_policy.retry_on: enum',
      'retry_policy.backoff.type: enum',
      'retry_policy.backoff.delay_seconds: value_error',
    ];
    expect(faultsOf({ ...manualJob, config: settings })).toEqual(faults.map((fault) => `config.${fault}`));
    const ofTrigger = overrideFaults({ config_override: settings }).map(
      ({ path, type }) => `${path.join('.')}: ${type}`,
    );
    expect(ofTrigger).toEqual(faults.map((fault) => `config_override.${fault}`));
    expect(faultsOf({ ...manualJob, config: { retry_policy: 3 } })).toEqual(['config.retry_policy: dict_type']);
    const valid = { timeout_seconds: 0.5, retry_policy: { retry_on: [], backoff: { delay_seconds: 0 }, jitter: true } };
    expect(faultsOf({ ...manualJob, config: valid })).toEqual([]);
    expect(faultsOf({ ...manualJob, config: { timeout_seconds: null, retry_policy: { backoff: null } } })).toEqual([]);
  });

  it('returns all faults together', () => {
    expect(faultsOf({ trigger_type: 'cron', executor_type: 'environment', cron_timezone: 'x' })).toHaveLength(4);
    expect(
      faultsOf({ trigger_type: 1, planning_mode: [], executor_type: {}, cron_schedule: 5, cron_timezone: 7 }),
    ).toEqual([]);
  });
});
