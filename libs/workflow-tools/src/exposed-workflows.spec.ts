import { describe, expect, it } from '@jest/globals';
import { toolNames } from './exposed-workflows.js';

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

  it('have at most 64 characters', () => {
    for (const name of namesOf('x'.repeat(100), `${'x'.repeat(100)}y`)) expect(name).toHaveLength(64);
  });
});
