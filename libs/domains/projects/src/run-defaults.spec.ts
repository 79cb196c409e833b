import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ProjectLayer } from './project.types.js';
import { runDefaultsOf } from './run-defaults.js';

const project = (id: string, default_model: string | null, execution_environment: unknown = null): ProjectLayer => ({
  ...{ id, default_model, execution_environment },
});

describe('runDefaultsOf', () => {
  it('takes the model of the first project that has one', () => {
    expect(runDefaultsOf([]).model).toBeNull();
    expect(runDefaultsOf([project('a', null)]).model).toBeNull();
    expect(runDefaultsOf([project('a', null), project('b', 'B'), project('c', 'C')]).model).toBe('B');
  });

  it('returns the environment of the first project last, and omits values that are not objects', () => {
    const projects = [project('a', null, { of: 'a' }), project('b', null, 'text'), project('c', null, { of: 'c' })];
    expect(runDefaultsOf(projects).environments).toEqual([
      { name: 'the project c', environment: { of: 'c' } },
      { name: 'the project a', environment: { of: 'a' } },
    ]);
  });

  it('counts a project of several runnables once, at its first position', () => {
    const layers = fc.array(fc.constantFrom('a', 'b', 'c', 'd').map((id) => project(id, id, { of: id })));
    fc.assert(
      fc.property(layers, (projects) => {
        const firstSeen = [...new Set(projects.map(({ id }) => id))];
        const { model, environments } = runDefaultsOf(projects);
        expect(model).toBe(firstSeen[0] ?? null);
        expect(environments.map(({ environment }) => environment['of'])).toEqual(firstSeen.toReversed());
      }),
    );
  });
});
