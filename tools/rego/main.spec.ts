import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
  mkdirSync(dirname(path), { recursive: true });
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

  it('prints nothing for an undefined query', () => {
    expect(main(['eval', 'data.a.p'])).toBe(0);
    expect(output).toBe('');
  });

  it('prints bindings, one line per solution', () => {
    expect(main(['eval', 'some x in [1, 2]'])).toBe(0);
    expect(output).toBe('{"x":1}\n{"x":2}\n');
  });

  it('prints true for a query that succeeds without bindings', () => {
    expect(main(['eval', 'not input.x; 1 < 2'])).toBe(0);
    expect(output).toBe('true\n');
  });

  it('prints every value of a term with several values, including false', () => {
    expect(main(['eval', '[true, false, "x"][_]'])).toBe(0);
    expect(output).toBe('true\nfalse\n"x"\n');
  });

  it('reads modules and data from files and folders with -d or --data', () => {
    file('all/p.rego', 'package a\n\np := data.roles.ann + data.more[0]');
    file('all/roles/data.json', '{"ann": 12345678901234567890}');
    const more = file('more.yaml', 'more:\n  - 1\n');
    expect(main(['eval', `--data=${join(folder, 'all')}`, '-d', more, 'data'])).toBe(0);
    expect(output).toBe('{"a":{"p":12345678901234567891},"more":[1],"roles":{"ann":12345678901234567890}}\n');
  });

  it('merges data documents, later ones taking precedence', () => {
    const [one, two] = [file('1.json', '{"a": {"x": 1, "y": 1}}'), file('2.json', '{"a": {"y": 2}}')];
    expect(main(['eval', '-d', one, '-d', two, 'data'])).toBe(0);
    expect(output).toBe('{"a":{"x":1,"y":2}}\n');
  });

  it('reads the input as YAML', () => {
    expect(main(['eval', '-i', file('input.yaml', 'size: 1'), 'input.size'])).toBe(0);
    expect(output).toBe('1\n');
  });

  it.each([
    [
      'data.a.p',
      '{"result":[{"expressions":[{"value":7.0000000000000000001,"text":"data.a.p","location":{"row":1,"col":1}}]}]}',
    ],
    ['data.a.none', '{}'],
    [
      'x := 1',
      '{"result":[{"expressions":[{"value":true,"text":"x := 1","location":{"row":1,"col":1}}],"bindings":{"x":1}}]}',
    ],
  ])('prints the output of opa eval for %s with --format json', (query, expected) => {
    const policy = file('p.rego', 'package a\n\np := 7.0000000000000000001');
    expect(main(['eval', '--format', 'json', '-d', policy, query])).toBe(0);
    expect(output).toBe(`${expected}\n`);
  });

  it('prints a string without quotes with --format raw', () => {
    expect(main(['eval', '-f', 'raw', '"a b"'])).toBe(0);
    expect(output).toBe('a b\n');
  });

  it('returns 1 for --fail if the query is undefined and for --fail-defined if it is defined', () => {
    expect(main(['eval', '--fail', 'data.a'])).toBe(1);
    expect(main(['eval', '--fail', 'false'])).toBe(0);
    expect(main(['eval', '--fail-defined', 'data.a'])).toBe(0);
    expect(main(['eval', '--fail-defined', '1'])).toBe(1);
  });

  it('prints the fault of a query or policy and returns 2', () => {
    expect(main(['eval', 'data.x; y == 1'])).toBe(2);
    expect(errors).toBe('1:9: rego_unsafe_var_error: var y is unsafe\n    data.x; y == 1\n            ^\n');
    expect(main(['eval', '-d', file('p.rego', 'package a\n\np := {'), 'data.a'])).toBe(2);
  });

  it('names the file that is not valid JSON', () => {
    const input = file('input.json', '{"a": }');
    expect(main(['eval', '-i', input, 'input'])).toBe(2);
    expect(errors).toBe(`${input}: invalid character '}' looking for beginning of value\n`);
  });
});

describe('rego check', () => {
  it('prints nothing for a policy that compiles', () => {
    expect(main(['check', file('p.rego', 'package a\n\np := 1')])).toBe(0);
    expect(output + errors).toBe('');
  });

  it('prints the faults and returns 1', () => {
    const policy = file('p.rego', 'package a\n\np := x');
    expect(main(['check', policy])).toBe(1);
    expect(errors).toBe(`${policy}:3:6: rego_unsafe_var_error: var x is unsafe\n    p := x\n         ^\n`);
  });

  it('marks the column below lines with tabs and omits overlong lines', () => {
    expect(main(['check', file('p.rego', 'package a\n\np if {\n\tinput.x\n\t\tx == \n}\n')])).toBe(1);
    expect(errors).toContain(':6:1: rego_parse_error: unexpected } token\n    }\n    ^\n');
    expect(main(['check', file('q.rego', 'package a\n\np if {\n\t\tq > 1\n}\n')])).toBe(1);
    expect(errors).toContain('\n    \t\tq > 1\n    \t\t^\n');
    expect(main(['check', file('r.rego', `package a\n\np := [${'1, '.repeat(100)}x]\n`)])).toBe(1);
    expect(errors).toMatch(/3:307: rego_unsafe_var_error: var x is unsafe\n$/);
  });

  it('prints faults as JSON with --format json', () => {
    const policy = file('p.rego', 'package a\n\np := x');
    expect(main(['check', '--format', 'json', policy])).toBe(1);
    const location = { file: policy, row: 3, col: 6 };
    expect(JSON.parse(output)).toEqual({
      errors: [{ message: 'var x is unsafe', code: 'rego_unsafe_var_error', location }],
    });
  });

  it('checks all modules of a folder and ignores other files', () => {
    file('a/b/p.rego', 'package a\n\np := 1');
    file('a/q.json', 'no JSON');
    expect(main(['check', join(folder, 'a')])).toBe(0);
    file('a/b/q.rego', 'package a\n\nq := x');
    expect(main(['check', join(folder, 'a')])).toBe(1);
  });

  it('names the missing file', () => {
    expect(main(['check', join(folder, 'none.rego')])).toBe(1);
    expect(errors).toContain('none.rego: ENOENT: no such file or directory');
  });
});

describe('rego fmt', () => {
  it('prints the formatted module', () => {
    expect(main(['fmt', file('p.rego', 'package a\np:=1')])).toBe(0);
    expect(output).toBe('package a\n\np := 1\n');
  });

  it('returns 1 for --check if a file is not formatted', () => {
    expect(main(['fmt', '--check', file('p.rego', 'package a\np:=1')])).toBe(1);
    expect(main(['fmt', '--check', file('q.rego', 'package a\n\np := 1\n')])).toBe(0);
  });

  it('lists and writes the files that are not formatted', () => {
    const policy = file('p.rego', 'package a\np:=1');
    file('q.rego', 'package a\n\nq := 1\n');
    expect(main(['fmt', '-l', folder])).toBe(0);
    expect(output).toBe(`${policy}\n`);
    expect(main(['fmt', '-l', '--fail', folder])).toBe(1);
    expect(main(['fmt', '-w', folder])).toBe(0);
    expect(readFileSync(policy, 'utf8')).toBe('package a\n\np := 1\n');
    expect(main(['fmt', '-l', '--fail', folder])).toBe(0);
  });

  it('writes nothing if one file cannot be parsed', () => {
    const policy = file('p.rego', 'package a\np:=1');
    file('q.rego', 'package a\n\nq := {\n');
    expect(main(['fmt', '-w', folder])).toBe(1);
    expect(readFileSync(policy, 'utf8')).toBe('package a\np:=1');
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

  it('prints a row per category, a total and the cases that did not pass', () => {
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

  it('prints JSON with --json', () => {
    expect(main(['conformance', folder, '--json'])).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ passed: 1, failed: 1, refused: 1 });
  });

  it.each([
    ['not JSON', 'bad', "other: invalid character 'b' looking for beginning of value"],
    ['not an array', '{"case": []}', 'other: a category must be an array of cases'],
    ['an array of something else', '[1]', 'other: a category must be an array of cases'],
  ])('fails for a file that is %s', (_, text, message) => {
    file('other.json', text);
    expect(main(['conformance', folder])).toBe(1);
    expect(errors).toBe(`${message}\n`);
  });

  it('runs a file in the format of the official test suite', () => {
    const alone = mkdtempSync(join(tmpdir(), 'rego-suite-'));
    const one = { note: 'n', modules: [], query: '1 = x', want_result: [{ x: 1 }] };
    writeFileSync(join(alone, 'own.json'), JSON.stringify({ cases: [one] }));
    expect(main(['conformance', alone, '--json', '--threshold', '1'])).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ passed: 1, failed: 0, refused: 0 });
  });

  it('returns 1 below the threshold', () => {
    expect(main(['conformance', folder, '--threshold', '50'])).toBe(1);
    expect(main(['conformance', folder, '--threshold', '33'])).toBe(0);
    expect(main(['conformance', folder, '--threshold', '0.5'])).toBe(1);
    expect(main(['conformance', folder, '--threshold', '0.33'])).toBe(0);
    expect(main(['conformance', folder, '--threshold', '1'])).toBe(1);
    mkdirSync(join(folder, 'none'));
    expect(main(['conformance', join(folder, 'none'), '--threshold', '0'])).toBe(1);
  });
});

describe('rego', () => {
  it('returns 2 for invalid usage and prints the usage', () => {
    expect(main(['nonsense'])).toBe(2);
    expect(main(['eval'])).toBe(2);
    expect(main(['eval', '-d'])).toBe(2);
    expect(errors).toContain('Usage');
    expect(output).toBe('');
  });

  it.each([
    [['eval', '--unknown', 'x', 'data'], "Unknown option '--unknown'"],
    [['eval', '-f', 'table', '1'], '--format must be json or raw'],
    [['eval', '1', '2'], 'eval requires exactly one query'],
    [['check', '--strict', 'p.rego'], "Unknown option '--strict'"],
    [['fmt', '-d', 'p.rego'], "Unknown option '-d'"],
    [['conformance', '.', '--threshold', 'most'], '--threshold requires a number'],
    [['conformance', '.', '--threshold', '101'], '--threshold requires a percentage from 0 to 100'],
    [['conformance', '.', '--threshold='], '--threshold requires a number'],
    [['fuzz', '--runs', 'many'], '--runs requires a number'],
  ])('rejects %j', (args, message) => {
    expect(main(args)).toBe(2);
    expect(errors).toContain(message);
    expect(output).toBe('');
  });

  it('prints the usage, also for a command', () => {
    expect(main(['--help'])).toBe(0);
    expect(main(['eval', '-h'])).toBe(0);
    expect(output).toContain('Usage');
  });
});
