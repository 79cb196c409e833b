import { isJsonObject, type Fault, type JsonObject } from '@app/kernel';

/** What happens to an instant while a run that the schedule started has not ended. */
const OVERLAP_POLICIES = ['allow', 'skip', 'queue'] as const;
type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

const DEFAULT_CATCHUP_SECONDS = 60;
/** Minimum catch-up window: without Redis or under load, a dispatcher needs a few seconds to record an instant. */
const PUNCTUAL_MS = 10_000;
/** A week. */
const MAX_CATCHUP_SECONDS = 604_800;

/** Returns `config.overlap`, by default `allow`. */
export function overlapOf(config: JsonObject): OverlapPolicy {
  return OVERLAP_POLICIES.find((policy) => policy === config['overlap']) ?? 'allow';
}

/** Returns `config.catchup_window_seconds` in milliseconds, by default 60 s, but at least `PUNCTUAL_MS`. */
export function catchupWindowMs(config: JsonObject): number {
  const seconds = config['catchup_window_seconds'];
  return Math.max(PUNCTUAL_MS, (isWindow(seconds) ? seconds : DEFAULT_CATCHUP_SECONDS) * 1000);
}

/** Returns the faults of these settings in the configuration of a job. */
export function scheduleSettingsFaults(config: unknown): Fault[] {
  if (!isJsonObject(config)) return [];
  const { overlap, catchup_window_seconds: seconds } = config;
  const faults: Fault[] = [];
  if (overlap != null && !OVERLAP_POLICIES.some((policy) => policy === overlap)) {
    const msg = "Input should be 'allow', 'skip' or 'queue'";
    faults.push({ path: ['config', 'overlap'], msg, type: 'enum' });
  }
  if (seconds != null && !isWindow(seconds)) {
    const msg = `Input should be a whole number of seconds from 0 to ${MAX_CATCHUP_SECONDS}`;
    faults.push({ path: ['config', 'catchup_window_seconds'], msg, type: 'value_error' });
  }
  return faults;
}

function isWindow(seconds: unknown): seconds is number {
  return Number.isInteger(seconds) && Number(seconds) >= 0 && Number(seconds) <= MAX_CATCHUP_SECONDS;
}
