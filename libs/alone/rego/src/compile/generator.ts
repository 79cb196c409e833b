import { compileBody } from './bodies.js';
import { compileCall, relationStep } from './calls.js';
import { compileRef, iterateRef } from './refs.js';
import type { CodeGenerator } from './unit.js';

export const codeGenerator: CodeGenerator = {
  call: compileCall,
  ref: compileRef,
  iterate: iterateRef,
  relation: relationStep,
  body: compileBody,
};
