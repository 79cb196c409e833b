import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';

/** The stop of the process. First the readiness check fails, then the calls in progress return what is known. */
@Injectable()
export class Stopping implements BeforeApplicationShutdown {
  isLeaving = false;
  private readonly controller = new AbortController();
  /** Aborts when the calls in progress must return. */
  readonly signal = this.controller.signal;

  /** From now on the readiness check fails, so that load balancers send no new requests. */
  leave(): void {
    this.isLeaving = true;
  }

  beforeApplicationShutdown(): void {
    this.leave();
    this.controller.abort();
  }
}
