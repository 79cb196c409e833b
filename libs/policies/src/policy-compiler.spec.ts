import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@app/kernel';
import { RegoCompileError } from '@app/rego';
import { BOUNDS } from './policy-bounds.js';
import { PolicyCompiler, policyFaults } from './policy-compiler.js';
import { MAX_POLICY_CONTENT } from './policy.types.js';

const CONTENT = 'package app\n\nallow := true';

describe('the compiler of policies', () => {
  it('compiles a version once, and each version by itself', () => {
    const compiler = new PolicyCompiler();
    const first = compiler.compile('p', 1, CONTENT);
    expect(compiler.compile('p', 1, CONTENT)).toBe(first);
    expect(compiler.compile('p', 2, CONTENT)).not.toBe(first);
    expect(compiler.compile('q', 1, CONTENT)).not.toBe(first);
    expect(first.query('data.app.allow').value()).toBe(true);
  });

  it('remembers a version that does not compile, an empty one included', () => {
    const compiler = new PolicyCompiler();
    const failure = (content: string, version: number): unknown => {
      try {
        return compiler.compile('p', version, content);
      } catch (error) {
        return error;
      }
    };
    for (const [version, content] of ['', 'package app\n\nallow if x'].entries()) {
      expect(failure(content, version)).toBeInstanceOf(RegoCompileError);
      expect(failure(content, version)).toBe(failure(content, version));
    }
  });

  it('keeps what is used, within what all texts together may have', () => {
    const compiler = new PolicyCompiler();
    const long = `${CONTENT}\n#${' '.repeat(60_000)}`;
    const used = compiler.compile('used', 1, CONTENT);
    const unused = compiler.compile('unused', 1, CONTENT);
    for (let n = 0; n < 25; n += 1) {
      compiler.compile(`long ${n}`, 1, long);
      expect(compiler.compile('used', 1, CONTENT)).toBe(used);
    }
    expect(compiler.compile('unused', 1, CONTENT)).not.toBe(unused);
  });

  it('keeps all that one decision may use', () => {
    const compiler = new PolicyCompiler();
    const contents = (count: number): string[] =>
      Array.from({ length: count }, () => CONTENT.padEnd(Math.floor(BOUNDS.bytes / count)));
    for (const texts of [contents(16), contents(BOUNDS.policies)]) {
      const compileAll = (): unknown[] =>
        texts.map((content, index) => compiler.compile(`${texts.length} ${index}`, 1, content));
      const programs = compileAll();
      expect(compileAll().every((program, index) => program === programs[index])).toBe(true);
    }
  });

  it('does not keep drafts', () => {
    const compiler = new PolicyCompiler();
    const program = compiler.compile('p', 1, CONTENT);
    const draft = CONTENT.padEnd(60_000);
    for (let n = 0; n < 25; n += 1) compiler.compileDraft(draft);
    expect(compiler.compileDraft(draft)).not.toBe(compiler.compileDraft(draft));
    expect(compiler.compile('p', 1, CONTENT)).toBe(program);
    expect(() => compiler.compileDraft('package a\n\nallow if x')).toThrow(RegoCompileError);
  });

  it('refuses to store what does not compile, line by line, and lets a draft without a text pass', () => {
    const compiler = new PolicyCompiler();
    expect(() => compiler.check(CONTENT)).not.toThrow();
    expect(() => compiler.check('')).not.toThrow();
    expect(() => compiler.check(' ')).toThrow(DomainError);
    expect(() => compiler.check('package app\n\nallow if x')).toThrow('line 3, column 10');
  });

  it('tells what is wrong with the text of a request, and leaves what is none, or too long, to others', () => {
    const places = policyFaults({ policy_content: 'package app\n\nallow if x\n\ndeny := y' }).map(({ msg }) => msg);
    expect(places).toEqual([
      'line 3, column 10: rego_unsafe_var_error: var x is unsafe',
      'line 5, column 9: rego_unsafe_var_error: var y is unsafe',
    ]);
    for (const policy_content of [CONTENT, '', null, undefined, 7, 'x'.repeat(MAX_POLICY_CONTENT + 1)]) {
      expect(policyFaults({ policy_content })).toEqual([]);
    }
  });

  it('refuses to store a text of few characters that take two units each, however long it is in units', () => {
    const content = `package app\n\nallow if x # ${'\u{1F600}'.repeat(MAX_POLICY_CONTENT / 2)}`;
    expect(() => new PolicyCompiler().check(content)).toThrow('line 3, column 10');
  });

  it('keeps the message of a fault short', () => {
    const rules = Array.from({ length: 200 }, (_, n) => `rule${n} if rule${(n + 1) % 200}`).join('\n');
    try {
      new PolicyCompiler().check(`package app\n\n${rules}`);
      throw new Error('it compiled');
    } catch (error) {
      const { faults } = error as DomainError;
      expect(faults[0]?.msg).toMatch(
        /^line 3, column 1: rego_recursion_error: rule data\.app\.rule0 is recursive: .*…$/,
      );
      expect(faults[0]?.msg.length).toBeLessThan(600);
    }
  });
});
