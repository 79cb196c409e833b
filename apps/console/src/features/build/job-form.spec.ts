import { describe, expect, it } from '@jest/globals';
import type { Job } from './build.queries';
import { jobBodyOf, jobValuesOf, NEW_JOB } from './job-form';

describe('what a job runs', () => {
  it('is one field in the form, after the name', () => {
    const names = NEW_JOB.fields.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['name', 'runs']);
    expect(names).not.toContain('entity_id');
  });

  it('says what can be typed where there are too many to choose from', () => {
    const help = NEW_JOB.fields.find(({ name }) => name === 'runs')?.help;
    expect(help).toContain('on_the_fly');
  });

  it.each([
    ['agent 018f', { planning_mode: 'predefined_agent', entity_type: 'agent', entity_id: '018f' }],
    ['workflow 018f', { planning_mode: 'predefined_workflow', entity_type: 'workflow', entity_id: '018f' }],
    ['on_the_fly', { planning_mode: 'on_the_fly', entity_type: null, entity_id: null }],
  ] as const)('%s is sent in three fields and shown as it was', (runs, fields) => {
    expect(jobBodyOf({ runs })).toEqual(fields);
    expect(jobValuesOf(fields as unknown as Job)).toMatchObject({ runs });
  });

  it('has the kind in entity_type, or without one that of the planning mode', () => {
    const runsOf = (fields: object): unknown => jobValuesOf({ entity_id: '018f', ...fields } as Job)['runs'];
    expect(runsOf({ planning_mode: 'predefined_agent', entity_type: 'team' })).toBe('team 018f');
    expect(runsOf({ planning_mode: 'predefined_workflow', entity_type: null })).toBe('workflow 018f');
  });

  it('is not sent when nobody changed it', () => {
    expect(jobBodyOf<{ readonly name: string; readonly runs?: string }>({ name: 'nightly' })).toEqual({
      name: 'nightly',
    });
  });
});
