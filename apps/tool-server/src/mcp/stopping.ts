import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';

/** Tells the calls in progress that the process stops. */
@Injectable()
export class Stopping implements BeforeApplicationShutdown {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  beforeApplicationShutdown(): void {
    this.controller.abort();
  }
}
