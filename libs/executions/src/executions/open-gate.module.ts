import { Global, Module } from '@nestjs/common';
import { ExecutionGate } from './execution-gate.js';

class OpenGate extends ExecutionGate {
  override async ask(): Promise<undefined> {
    return undefined;
  }
}

/** Lets every execution start. For tests of what stands below the policies; an application never uses it. */
@Global()
@Module({ providers: [{ provide: ExecutionGate, useClass: OpenGate }], exports: [ExecutionGate] })
export class OpenGateModule {}
