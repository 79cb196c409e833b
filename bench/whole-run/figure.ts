import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn, toFigure, type Figure, type Rounds } from '../figures.js';
import { percentiles } from '../latency.js';
import type { BenchPlatform } from '../platform.js';
import { startWholeRunBaseline, startPlatformRuns, type Contender } from './contenders.js';
import { workPerExecution, type StoreWork } from './store-work.js';
import { monotonicMs, type Tally } from './tally.js';

const CALLERS = 32;
/** Triggers per second of the paced parts. */
const RATES = [20, 100] as const;
/** Warm-up, until V8 has optimized the code of the path: before that, an execution takes several times as much CPU. */
const WARM_UP_EXECUTIONS = 500;
const DRAIN_TIMEOUT_MS = 120_000;
const BASELINE = 'no framework: INSERT, BullMQ, UPDATE, HTTP worker, UPDATE, XADD';

export interface WholeRunPace {
  readonly rounds: number;
  /** Number of executions in a burst. */
  readonly executions: number;
  /** Length of each paced part. */
  readonly seconds: number;
}

interface Measured {
  readonly acceptedPerSecond: number;
  readonly finishedPerSecond: number;
  readonly cpuMs: number;
  /** Of one execution. */
  readonly work: StoreWork;
  /** Milliseconds from trigger to lease, one list per rate. */
  readonly triggerToLease: readonly (readonly number[])[];
}

/**
 * Whole runs, from trigger to completed, compared with the baseline (`bench/baseline/whole-run.ts`) and with the build of
 * `--against`.
 */
export async function wholeRun(platform: BenchPlatform, pace: WholeRunPace): Promise<Figure[]> {
  const contenders = [
    await startWholeRunBaseline(platform),
    await startPlatformRuns(platform, 'single'),
    await startPlatformRuns(platform, 'shared'),
    ...(platform.against === null ? [] : [await startPlatformRuns(platform.against, 'single')]),
  ];
  for (const contender of contenders) await burst(contender, WARM_UP_EXECUTIONS);
  const sides = contenders.map((contender) => () => measure(contender, pace));
  const [baseline = [], ours = [], shared = [], against = []] = await inTurn(sides, pace.rounds);
  for (const contender of contenders) await contender.stop();
  return [...toFigures({ baseline, ours, against }), ...ratesOf(shared, baseline)];
}

async function measure(contender: Contender, { executions, seconds }: WholeRunPace): Promise<Measured> {
  const [cpuBefore, workBefore] = [await contender.cpuMs(), await contender.storeWork()];
  const rates = await burst(contender, executions);
  const cpuMs = ((await contender.cpuMs()) - cpuBefore) / executions;
  const work = workPerExecution(workBefore, await contender.storeWork(), executions);
  const triggerToLease: (readonly number[])[] = [];
  for (const rate of RATES) triggerToLease.push(await paced(contender, rate, rate * seconds));
  return { ...rates, cpuMs, work, triggerToLease };
}

/** Each caller sends its next trigger after the previous one was accepted. */
async function burst(
  contender: Contender,
  executions: number,
): Promise<Pick<Measured, 'acceptedPerSecond' | 'finishedPerSecond'>> {
  let sent = 0;
  const started = monotonicMs();
  const caller = async (): Promise<void> => {
    while (sent < executions) {
      sent += 1;
      await contender.trigger();
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const accepted = monotonicMs();
  const { lastFinishedAt } = await drain(contender, executions);
  const perSecond = (until: number): number => executions / ((until - started) / 1000);
  return { acceptedPerSecond: perSecond(accepted), finishedPerSecond: perSecond(lastFinishedAt) };
}

/**
 * Sends triggers at fixed times, regardless of the duration of responses, and returns the times from trigger to lease.
 */
async function paced(contender: Contender, rate: number, executions: number): Promise<readonly number[]> {
  const started = monotonicMs();
  const triggers: Promise<unknown>[] = [];
  for (let n = 0; n < executions; n += 1) {
    const early = started + (n * 1000) / rate - monotonicMs();
    if (early > 0) await sleep(early);
    triggers.push(contender.trigger());
  }
  await Promise.all(triggers);
  return (await drain(contender, executions)).triggerToLease;
}

/**
 * Waits until all executions are finished. Throws if one is missing, because the figures would be those of less work.
 */
async function drain(contender: Contender, executions: number): Promise<Tally> {
  const deadline = monotonicMs() + DRAIN_TIMEOUT_MS;
  while ((await contender.finished()) < executions) {
    if (monotonicMs() > deadline) throw new Error(`Not all of ${executions} executions finished in time`);
    await sleep(25);
  }
  return contender.tally();
}

/** The rates of a worker that sends its reports in common. */
function ratesOf(shared: readonly Measured[], baseline: readonly Measured[]): Figure[] {
  const value = (name: string, unit: string, read: (measured: Measured) => number): Figure =>
    toFigure(
      { name: `whole run, shared reports, ${name}`, unit, baselineIs: BASELINE },
      { ours: shared.map(read), baseline: baseline.map(read), against: [] },
    );
  return [
    value(`finished at ${CALLERS} callers`, '/s', ({ finishedPerSecond }) => finishedPerSecond),
    value('CPU of the control plane', 'ms', ({ cpuMs }) => cpuMs),
    value('write-ahead log', 'kB', ({ work }) => work.walBytes / 1000),
    value('Redis scripts', '', ({ work }) => work.scripts),
  ];
}

interface MeasuredSides {
  readonly ours: readonly Measured[];
  readonly baseline: readonly Measured[];
  readonly against: readonly Measured[];
}

function toFigures({ ours, baseline, against }: MeasuredSides): Figure[] {
  const each = (value: (measured: Measured) => number): Rounds => ({
    ours: ours.map(value),
    baseline: baseline.map(value),
    against: against.map(value),
  });
  const label = (name: string, unit: string): { name: string; unit: string; baselineIs: string } => ({
    name: `whole run, ${name}`,
    unit,
    baselineIs: BASELINE,
  });
  return [
    toFigure(
      label(`accepted at ${CALLERS} callers`, '/s'),
      each(({ acceptedPerSecond }) => acceptedPerSecond),
    ),
    toFigure(
      label(`finished at ${CALLERS} callers`, '/s'),
      each(({ finishedPerSecond }) => finishedPerSecond),
    ),
    toFigure(
      label('CPU of the control plane', 'ms'),
      each(({ cpuMs }) => cpuMs),
    ),
    toFigure(
      label('writing transactions', ''),
      each(({ work }) => work.writingTransactions),
    ),
    toFigure(
      label('write-ahead log', 'kB'),
      each(({ work }) => work.walBytes / 1000),
    ),
    toFigure(
      label('Redis scripts', ''),
      each(({ work }) => work.scripts),
    ),
    ...RATES.flatMap((rate, at) => {
      const times = (side: readonly Measured[]): (readonly number[])[] =>
        side.map(({ triggerToLease }) => triggerToLease[at] ?? []);
      return percentiles(
        `whole run, trigger to lease at ${rate}/s`,
        BASELINE,
        times(ours),
        times(baseline),
        times(against),
      );
    }),
  ];
}
