import { describe, expect, it } from '@jest/globals';
import { RegoCompileError } from '@app/rego';
import { PolicyCompiler } from './policy-compiler.js';
import { DECISION_LIMITS } from '../policies/policy.types.js';

const CONTENT = 'package app\n\nallow := true';

describe('PolicyCompiler', () => {
  it('compiles each version once', () => {
    const compiler = new PolicyCompiler();
    const first = compiler.compile('p', 1, CONTENT);
    expect(compiler.compile('p', 1, CONTENT)).toBe(first);
    expect(compiler.compile('p', 2, CONTENT)).not.toBe(first);
    expect(compiler.compile('q', 1, CONTENT)).not.toBe(first);
    expect(first.query('data.app.allow').value()).toBe(true);
  });

  it('caches the error of a version that does not compile or is empty', () => {
    const compiler = new PolicyCompiler();
    const compileError = (content: string, version: number): unknown => {
      try {
        return compiler.compile('p', version, content);
      } catch (error) {
        return error;
      }
    };
    for (const [version, content] of ['', 'package app\n\nallow if x'].entries()) {
      expect(compileError(content, version)).toBeInstanceOf(RegoCompileError);
      expect(compileError(content, version)).toBe(compileError(content, version));
    }
  });

  it('evicts the least recently used programs when the texts exceed the size of the cache', () => {
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

  it('caches all programs of the largest possible decision', () => {
    const compiler = new PolicyCompiler();
    const contents = (count: number): string[] =>
      Array.from({ length: count }, () => CONTENT.padEnd(Math.floor(DECISION_LIMITS.bytes / count)));
    for (const texts of [contents(16), contents(DECISION_LIMITS.policies)]) {
      const compileAll = (): unknown[] =>
        texts.map((content, index) => compiler.compile(`${texts.length} ${index}`, 1, content));
      const programs = compileAll();
      expect(compileAll().every((program, index) => program === programs[index])).toBe(true);
    }
  });

  it('does not cache drafts', () => {
    const compiler = new PolicyCompiler();
    const program = compiler.compile('p', 1, CONTENT);
    const draft = CONTENT.padEnd(60_000);
    for (let n = 0; n < 25; n += 1) compiler.compileDraft(draft);
    expect(compiler.compileDraft(draft)).not.toBe(compiler.compileDraft(draft));
    expect(compiler.compile('p', 1, CONTENT)).toBe(program);
    expect(() => compiler.compileDraft('package a\n\nallow if x')).toThrow(RegoCompileError);
  });
});
