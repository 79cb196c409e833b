import { compile, RegoCompileError, type Program } from '@app/rego';
import { LRUCache } from 'lru-cache';
import { DECISION_LIMITS } from '../policies/policy.types.js';

/** The fixed cost of a cached program, expressed in characters of text. */
const PROGRAM_OVERHEAD_LENGTH = 500;
/**
 * Maximum number of characters of all texts whose programs are cached. The policies of the largest possible decision
 * must fit; otherwise every decision of that size would compile all of them again.
 */
const MAX_CACHED_LENGTH = DECISION_LIMITS.bytes + DECISION_LIMITS.policies * PROGRAM_OVERHEAD_LENGTH;

type Compilation = { readonly program: Program } | { readonly error: RegoCompileError };

/** Compiles policies, in a thread; each thread has its own cache. */
export class PolicyCompiler {
  private readonly cache = new LRUCache<string, Compilation>({ maxSize: MAX_CACHED_LENGTH });

  /**
   * Returns the program of a version, from the cache if possible. Throws `RegoCompileError` for a text that is empty or
   * does not compile; the error is cached like a program.
   */
  compile(policyId: string, version: number, content: string): Program {
    const key = `${policyId}:${version}`;
    const cached = this.cache.get(key);
    const compilation = cached ?? tryCompile(content);
    if (cached === undefined) this.cache.set(key, compilation, { size: PROGRAM_OVERHEAD_LENGTH + content.length });
    if ('error' in compilation) throw compilation.error;
    return compilation.program;
  }

  /** Returns whether the result of `compile` for the version is in the cache. */
  isCompiled(policyId: string, version: number): boolean {
    return this.cache.has(`${policyId}:${version}`);
  }

  /** Compiles text that is not a stored version. Not cached, because it would evict programs that decisions use. */
  compileDraft(content: string): Program {
    return compile([{ name: '', text: content }]);
  }
}

function tryCompile(text: string): Compilation {
  try {
    return { program: compile([{ name: '', text }]) };
  } catch (error) {
    if (error instanceof RegoCompileError) return { error };
    throw error;
  }
}
