import { compile, CompiledCache, RegoCompileError, type Program } from '@app/rego';
import { Injectable } from '@nestjs/common';
import { policyContentInvalid } from './policy.errors.js';

/** Programs that are kept. One takes some 200 bytes per character of its text, and most texts are short. */
const CAPACITY = 1000;

@Injectable()
export class PolicyCompiler {
  private readonly programs = new CompiledCache(CAPACITY);

  /** The program of a stored version, compiled once. Throws `RegoCompileError`, also for an empty one. */
  compile(policyId: string, version: number, content: string): Program {
    return this.programs.get(`${policyId}:${version}`, () => compileContent(content));
  }

  /** Refuses what a client wants stored where it does not compile; the faults say where. Nothing at all is a draft. */
  check(content: string): void {
    if (content === '') return;
    try {
      compileContent(content);
    } catch (error) {
      throw error instanceof RegoCompileError ? policyContentInvalid(error) : error;
    }
  }
}

function compileContent(text: string): Program {
  return compile([{ name: '', text }]);
}
