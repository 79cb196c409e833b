import { Global, Module } from '@nestjs/common';
import { ExecutionGate } from '../executions/execution-gate.js';

class OpenGate extends ExecutionGate {
  override async decide(): Promise<undefined> {
    return undefined;
  }
}

/**
 * Provides a gate that allows every execution, for tests of libraries below the policies. Only tests can import it.
 */
@Global()
@Module({ providers: [{ provide: ExecutionGate, useClass: OpenGate }], exports: [ExecutionGate] })
export class OpenGateModule {}
