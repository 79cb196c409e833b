import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SEED_POLICIES } from '../conformance/fuzz.js';
import { compile } from '../program.js';
import { parseModule } from '../syntax/parser.js';
import { isRelocatable, relocate } from './relocate.js';

const ROOT = ['elsewhere', 'p1'];

const POLICIES = SEED_POLICIES.filter((text) => {
  try {
    return compile([{ name: 'seed', text }]).packagePaths().length > 0;
  } catch {
    return false;
  }
});

describe('a relocated module', () => {
  it.each([
    ['package a', 'package elsewhere.p1.a'],
    ['package a.b["c-d"]', 'package elsewhere.p1.a.b["c-d"]'],
    ['package data', 'package elsewhere.p1.data'],
    ['package a\n\nimport data.b as c', 'package elsewhere.p1.a\n\nimport data.elsewhere.p1.b as c'],
    ['package a\n\nx := data.b[_].data', 'package elsewhere.p1.a\n\nx := data.elsewhere.p1.b[_].data'],
    ['package a\n\nx := data', 'package elsewhere.p1.a\n\nx := data.elsewhere.p1'],
    ['package a\n\nx := {"data": "data"}', 'package elsewhere.p1.a\n\nx := {"data": "data"}'],
    ['package a\n\n# data is data\nx := 1', 'package elsewhere.p1.a\n\n# data is data\nx := 1'],
    ['package a\n\nx := $"{data.b} data"', 'package elsewhere.p1.a\n\nx := $"{data.elsewhere.p1.b} data"'],
    [
      'package a\n\nx if y with data.b as 1\n\ny := 1',
      'package elsewhere.p1.a\n\nx if y with data.elsewhere.p1.b as 1\n\ny := 1',
    ],
    ['package a.data.package', 'package elsewhere.p1.a.data.package'],
    [
      'package a\n\nx if input.package == data.package.data',
      'package elsewhere.p1.a\n\nx if input.package == data.elsewhere.p1.package.data',
    ],
    ['package a\n\nx := input.package.name', 'package elsewhere.p1.a\n\nx := input.package.name'],
    ['package a\n\nx := input.package[data.b]', 'package elsewhere.p1.a\n\nx := input.package[data.elsewhere.p1.b]'],
    [
      'package a\n\nimport data\n\nx := data.b',
      'package elsewhere.p1.a\n\nimport data.elsewhere.p1\n\nx := data.elsewhere.p1.b',
    ],
    [
      'package a\n\nx := $"{input.package} {data.b}"',
      'package elsewhere.p1.a\n\nx := $"{input.package} {data.elsewhere.p1.b}"',
    ],
  ])('has its own data below the root: %s', (text, moved) => {
    expect(relocate(text, ROOT).trim()).toBe(moved);
  });

  it.each([
    'x if some data in [1]',
    'x if some _, [_, data] in [1]',
    'x if some {"k": {"l": data}} in [1]',
    'x if some data, _ in [1]',
    'x if { some data; input[data] }',
    'x if { data := 1; data == 1 }',
    'x if { [data, _] := input.pair; data }',
    'x if every data in [1] { data == 1 }',
    'x if every data, _ in [1] { data == 1 }',
    'x := [data | data := input.y]',
    'x := 1 if false else := 2 if data := 1',
    'f(data) := data.x',
    'f([data]) := data',
    'data := 1',
    'data.x := 1',
    'data contains 1',
    'x { data := 1; data }',
    'import input.data\n\nx := data.y',
    'import data.data\n\nx := data.y',
    'import input.y as data\n\nx := data.z',
  ])('is not possible if the module uses the name data for something else: %s', (rules) => {
    expect(isRelocatable(parseModule(`package a\n\n${rules}`))).toBe(false);
  });

  it.each([
    'x := data.y',
    'x if some y in data.z',
    'import data.b as c',
    'import data',
    'x if input.y with data.z as 1',
    'f(x) := data[x]',
    'x := {"data": 1}',
  ])('can use the document: %s', (rules) => {
    expect(isRelocatable(parseModule(`package a\n\n${rules}`))).toBe(true);
  });

  it('is in the current grammar', () => {
    expect(relocate('package a\n\nallow { data.a.x }\n\nx { true }', ROOT)).toContain('allow if');
  });

  it('has the meaning of the original', () => {
    fc.assert(
      fc.property(fc.constantFrom(...POLICIES), fc.jsonValue({ maxDepth: 3 }), (text, input) => {
        const original = compile([{ name: 'original', text }]);
        const moved = compile([{ name: 'moved', text: relocate(text, ROOT) }]);
        const now = { input: input as never, now: 0n, seed: 's' };
        const answer = (ask: () => unknown): unknown => {
          try {
            return ask();
          } catch (error) {
            return (error as Error).constructor.name;
          }
        };
        expect(answer(() => moved.query('data.elsewhere.p1').value(now))).toEqual(
          answer(() => original.query('data').value(now)),
        );
      }),
      { numRuns: 300 },
    );
  });
});
