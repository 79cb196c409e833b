import { describe, expect, it } from '@jest/globals';
import { EXECUTION_STATUSES, FINAL_STATUSES, mayBecome, sourcesOf } from './execution-state.js';

describe('execution states', () => {
  it('allow exactly the listed transitions', () => {
    const transitions = EXECUTION_STATUSES.flatMap((from) =>
      EXECUTION_STATUSES.filter((to) => from !== to && mayBecome(from, to)).map((to) => `${from}→${to}`),
    );
    const toFinal = (from: string): string[] => FINAL_STATUSES.map((to) => `${from}→${to}`);
    expect(new Set(transitions)).toEqual(
      new Set([
        'pending→running',
        'running→waiting_for_input',
        'waiting_for_input→running',
        'running→paused',
        'paused→running',
        ...['pending', 'running', 'waiting_for_input', 'paused'].flatMap(toFinal),
      ]),
    );
  });

  it('accept a repeated status, which changes nothing', () => {
    for (const status of EXECUTION_STATUSES) expect(mayBecome(status, status)).toBe(true);
  });

  it('allow no transition out of a final state', () => {
    for (const from of FINAL_STATUSES) {
      for (const to of EXECUTION_STATUSES) expect(mayBecome(from, to)).toBe(from === to);
    }
  });

  it('list the states that lead to a state', () => {
    expect(sourcesOf('running')).toEqual(['pending', 'running', 'waiting_for_input', 'paused']);
    expect(sourcesOf('completed')).toEqual(['pending', 'running', 'waiting_for_input', 'paused', 'completed']);
  });
});
