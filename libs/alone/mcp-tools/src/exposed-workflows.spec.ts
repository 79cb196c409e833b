import { describe, expect, it } from '@jest/globals';
import { toolNames } from './exposed-workflows.js';
import { FIXED_TOOLS } from './scopes.js';

const namesOf = (...names: readonly string[]): string[] => {
  const workflows = names.map((name, index) => ({ name, id: `0000-aaaaaaaaaaa${index}` }));
  return [...toolNames(workflows).values()];
};

describe('toolNames', () => {
  it('contain letters, digits, _ and - of the names of the workflows', () => {
    expect(namesOf('Greet people!', 'a-b_c', '  x  ')).toEqual(['run_greet_people', 'run_a-b_c', 'run_x']);
  });

  it('end with ids if they would be equal or empty, so that no workflow takes the tool of another one', () => {
    expect(namesOf('greet', 'Greet', 'other', '日本')).toEqual([
      'run_greet_aaaaaaaaaaa0',
      'run_greet_aaaaaaaaaaa1',
      'run_other',
      'run__aaaaaaaaaaa3',
    ]);
  });

  it('are not those of other workflows with the id in their name', () => {
    const names = namesOf('greet', 'Greet', 'greet aaaaaaaaaaa0', `${'x'.repeat(47)} aaaaaaaaaaa1 and more`);
    expect(names.slice(0, 3)).toEqual([
      'run_greet_aaaaaaaaaaa0',
      'run_greet_aaaaaaaaaaa1',
      'run_greet_aaaaaaaaaaa0_aaaaaaaaaaa2',
    ]);
    expect(new Set(names).size).toBe(4);
  });

  it('are missing for workflows whose names are equal even with their ids', () => {
    const workflows = ['greet', 'Greet', 'other'].map((name) => ({ name, id: '0000-aaaaaaaaaaaa' }));
    expect([...toolNames(workflows).values()]).toEqual(['run_other']);
  });

  it('are not those of the other tools', () => {
    for (const name of FIXED_TOOLS) expect(name.startsWith('run_')).toBe(false);
  });

  it('have at most 64 characters', () => {
    for (const name of namesOf('x'.repeat(100), `${'x'.repeat(100)}y`)) expect(name).toHaveLength(64);
  });
});
