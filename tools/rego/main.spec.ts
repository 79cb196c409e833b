import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { main } from './main.js';

let folder: string;
let output: string;
let errors: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rego-'));
  output = '';
  errors = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    errors += String(text);
    return true;
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('rego eval', () => {
  it('prints the value of a term as exact JSON', () => {
    const policy = file('p.rego', 'package a\n\np := {input.n + 1, "x"}');
    const input = file('input.json', '{"n": 12345678901234567890}');
    expect(main(['eval', '-d', policy, '-i', input, 'data.a.p'])).toBe(0);
    expect(output).toBe('[12345678901234567891,"x"]\n');
  });

  it('prints nothing for what is undefined', () => {
    expect(main(['eval', 'data.a.p'])).toBe(0);
    expect(output).toBe('');
  });

  it('prints bindings, a line per solution', () => {
    expect(main(['eval', 'some x in [1, 2]'])).toBe(0);
    expect(output).toBe('{"x":1}\n{"x":2}\n');
  });
});

describe('rego check', () => {
  it('is silent for a policy that compiles', () => {
    expect(main(['check', file('p.rego', 'package a\n\np := 1')])).toBe(0);
    expect(output + errors).toBe('');
  });

  it('names the faults and answers 1', () => {
    const policy = file('p.rego', 'package a\n\np := x');
    expect(main(['check', policy])).toBe(1);
    expect(errors).toBe(`${policy}:3:6: rego_unsafe_var_error: var x is unsafe\n`);
  });

  it('says which file is not there', () => {
    expect(main(['check', join(folder, 'none.rego')])).toBe(1);
    expect(errors).toContain('none.rego');
  });
});

describe('rego fmt', () => {
  it('prints the standard layout', () => {
    expect(main(['fmt', file('p.rego', 'package a\np:=1')])).toBe(0);
    expect(output).toBe('package a\n\np := 1\n');
  });

  it('answers 1 for --check where the layout is another', () => {
    expect(main(['fmt', '--check', file('p.rego', 'package a\np:=1')])).toBe(1);
    expect(main(['fmt', '--check', file('q.rego', 'package a\n\np := 1\n')])).toBe(0);
  });
});

describe('rego conformance', () => {
  beforeEach(() => {
    file(
      'numbers.json',
      JSON.stringify([
        { note: 'numbers/good', modules: ['package a\np := 1'], query: 'data.a.p = x', want_result: [{ x: 1 }] },
        { note: 'numbers/bad', modules: ['package a\np := 1'], query: 'data.a.p = x', want_result: [{ x: 2 }] },
      ]),
    );
    file(
      'outside.json',
      JSON.stringify([{ note: 'outside', modules: ['package a\np := http.send({})'], query: 'data.a.p = x' }]),
    );
  });

  it('prints a row per category, a total, and what did not pass', () => {
    expect(main(['conformance', folder])).toBe(0);
    expect(
      output
        .split('\n')
        .slice(0, 4)
        .map((line) => line.split(/\s+/)),
    ).toEqual([
      ['category', 'passed', 'failed', 'refused'],
      ['numbers', '1', '1', '0'],
      ['outside', '0', '0', '1'],
      ['total', '1', '1', '1'],
    ]);
    expect(output).toContain('failed: numbers/bad: expected [{"x":2}], got [{"x":1}]');
  });

  it('prints JSON where it is asked to', () => {
    expect(main(['conformance', folder, '--json'])).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ passed: 1, failed: 1, refused: 1 });
  });

  it('answers 1 below the threshold', () => {
    expect(main(['conformance', folder, '--threshold', '50'])).toBe(1);
    expect(main(['conformance', folder, '--threshold', '33'])).toBe(0);
  });
});

describe('rego', () => {
  it('answers 2 for wrong use, and shows how', () => {
    expect(main(['nonsense'])).toBe(2);
    expect(main(['eval'])).toBe(2);
    expect(main(['eval', '-d'])).toBe(2);
    expect(output + errors).toContain('Usage');
  });
});
