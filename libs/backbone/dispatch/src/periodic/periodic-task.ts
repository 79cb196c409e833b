import { Inject } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { PeriodicTasks, type PeriodicWork } from './periodic-tasks.js';

/** Key of the property that holds the runner in a provider with periodic tasks. */
const RUNNER = Symbol('runner of periodic tasks');

type Provider<Method extends string> = Readonly<Record<Method, PeriodicWork>>;
type WithRunner = Readonly<Record<typeof RUNNER, PeriodicTasks>>;

/**
 * Declares a method of a provider as a periodic task with a fixed period. `cronTime` is that of `@Cron`, `name` is unique
 * in the process, `maxRestMs` is that of `PeriodicTasks.run`. The module of the provider imports
 * `DispatchHandlersModule`.
 *
 * The method itself is not changed, so a direct call is an ordinary call. `@Cron` is on a second method, added to the
 * class, which runs the first one through the injected `PeriodicTasks`.
 */
export function PeriodicTask(cronTime: string, name: string, maxRestMs?: number) {
  return <Method extends string>(prototype: Provider<Method>, method: Method): void => {
    const key = `${method}Periodically`;
    const value = async function (this: Provider<Method> & WithRunner): Promise<void> {
      await this[RUNNER].run(name, (signal) => this[method](signal), maxRestMs);
    };
    Inject(PeriodicTasks)(prototype, RUNNER);
    Object.defineProperty(prototype, key, { value });
    Cron(cronTime, { name, waitForCompletion: true })(prototype, key, { value });
  };
}
