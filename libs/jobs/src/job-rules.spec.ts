import { describe, expect, it } from '@jest/globals';
import { jobFaults, scheduleFaults } from './job-rules.js';

const sound = { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_id: 'a' };
const told = (job: Parameters<typeof jobFaults>[0]): string[] =>
  jobFaults(job).map(({ loc, type }) => `${loc.join('.')}: ${type}`);

describe('the rules of a job', () => {
  it('ask nothing more of a manual job with an entity', () => expect(told(sound)).toEqual([]));

  it('ask for a schedule where the trigger is cron', () => {
    expect(told({ ...sound, trigger_type: 'cron' })).toEqual(['body.cron_schedule: missing']);
    expect(told({ ...sound, trigger_type: 'cron', cron_schedule: null })).toEqual(['body.cron_schedule: missing']);
    expect(told({ ...sound, trigger_type: 'cron', cron_schedule: '0 9 * * *' })).toEqual([]);
  });

  it.each(['predefined_agent', 'predefined_team', 'predefined_workflow', undefined])(
    'ask for an entity where the planning mode is %s',
    (planning_mode) => {
      expect(told({ ...sound, planning_mode, entity_id: undefined })).toEqual(['body.entity_id: missing']);
    },
  );

  it('say nothing of values of a wrong type, whatever those answer when they are asked for a text', () => {
    for (const value of [{ toString: 1 }, { valueOf: 1, toString: null }, [{ toString: 1 }], 1]) {
      const job = { ...sound, planning_mode: value, executor_type: value, trigger_type: value, cron_schedule: value };
      expect(told(job)).toEqual([]);
    }
  });

  it('ask for no entity where the plan is made on the fly', () => {
    expect(told({ ...sound, planning_mode: 'on_the_fly', entity_id: null })).toEqual([]);
  });

  it('ask for the queue or the environment that the executor type is about', () => {
    expect(told({ ...sound, executor_type: 'specific_queue' })).toEqual(['body.worker_queue_name: missing']);
    expect(told({ ...sound, executor_type: 'environment' })).toEqual(['body.environment_name: missing']);
    expect(told({ ...sound, executor_type: 'specific_queue', worker_queue_name: 'q' })).toEqual([]);
  });

  it('want a schedule and a zone that mean something, whatever the trigger is', () => {
    const faults = [
      { loc: ['body', 'cron_schedule'], msg: expect.stringContaining('cron expression'), type: 'value_error' },
      { loc: ['body', 'cron_timezone'], msg: expect.stringContaining('IANA'), type: 'value_error' },
    ];
    expect(scheduleFaults({ cron_schedule: 'soon', cron_timezone: 'Mars/Olympus' })).toEqual(faults);
    expect(jobFaults({ ...sound, cron_schedule: 'soon', cron_timezone: 'Mars/Olympus' })).toEqual(faults);
  });

  it('are told all at once, and leave values of a wrong type to other checks', () => {
    expect(told({ trigger_type: 'cron', executor_type: 'environment', cron_timezone: 'x' })).toHaveLength(4);
    expect(told({ trigger_type: 1, planning_mode: [], executor_type: {}, cron_schedule: 5, cron_timezone: 7 })).toEqual(
      [],
    );
  });
});
