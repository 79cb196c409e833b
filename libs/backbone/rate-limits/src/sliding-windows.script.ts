import type { RedisClient } from '@app/redis';
import { verdictOf, type WindowVerdict, type Window } from './windows.js';

/** The clock of the script, which is the same for all processes. */
const REDIS_CLOCK = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/**
 * Counts one request in all windows, or in none if one of them is full, atomically in one round trip.
 *
 * `KEYS`: the admitted requests of one key. `ARGV`: length in milliseconds and limit of each window. Returns a list:
 * the milliseconds until the request would be admitted, or 0; then, for each window, the number of requests in it and
 * the time of the oldest one.
 *
 * The value is a header followed by a ring of times of 6 bytes each. The header has the number of admitted requests,
 * which is reduced to the number in the ring whenever the ring grows, and the size of the ring, which is the largest
 * limit so far. A window of n requests is full if the nth newest request is still in it, so no decision needs a request
 * that is older than those in the ring. 5,000 requests take 30 kB; a sorted set would take fifteen times as much. Times
 * never decrease: if the clock is set back, the time of this key stays the same until the clock has caught up.
 */
export const CHARGE = `
local key = KEYS[1]
local HEADER, ENTRY = 12, 6
local head = redis.call('GETRANGE', key, 0, HEADER - 1)
local count, size = 0, 0
if #head == HEADER then count, size = struct.unpack('>I6I6', head) end
local function at(index)
  local from = HEADER + (index % size) * ENTRY
  return (struct.unpack('>I6', redis.call('GETRANGE', key, from, from + ENTRY - 1)))
end
if count > 0 then now = math.max(now, at(count - 1)) end

local wait, longest, needed = 0, 0, size
local usage = {}
for i = 1, #ARGV, 2 do
  local length, limit = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  longest, needed = math.max(longest, length), math.max(needed, limit)
  local low, high = math.max(0, count - math.min(size, limit)), count
  while low < high do
    local middle = math.floor((low + high) / 2)
    if at(middle) > now - length then high = middle else low = middle + 1 end
  end
  local used, oldest = count - low, now
  if used > 0 then oldest = at(low) end
  if used >= limit then wait = math.max(wait, oldest + length - now) end
  usage[#usage + 1], usage[#usage + 2] = used, oldest
end

if wait == 0 then
  if size < needed then
    if count > size then
      local ring = redis.call('GETRANGE', key, HEADER, -1)
      local cut = (count % size) * ENTRY
      redis.call('SETRANGE', key, HEADER, string.sub(ring, cut + 1) .. string.sub(ring, 1, cut))
      count = size
    end
    size = needed
  end
  redis.call('SETRANGE', key, HEADER + (count % size) * ENTRY, struct.pack('>I6', now))
  redis.call('SETRANGE', key, 0, struct.pack('>I6I6', count + 1, size))
  redis.call('PEXPIRE', key, longest)
  for i = 1, #usage, 2 do usage[i] = usage[i] + 1 end
end
return {wait, unpack(usage)}
`;

/** Returns the arguments of the script. */
export function chargeArguments(windows: readonly Window[]): number[] {
  return windows.flatMap(({ lengthMs, limit }) => [lengthMs, limit]);
}

export function readVerdict(windows: readonly Window[], [waitMs = 0, ...usage]: readonly number[]): WindowVerdict {
  const usages = windows.map((_window, index) => ({
    used: usage[index * 2] ?? 0,
    oldestAt: usage[index * 2 + 1] ?? 0,
  }));
  return verdictOf(windows, waitMs, usages);
}

type ChargeCommand = (key: string, ...windows: number[]) => Promise<number[]>;

/** Defines the script on a connection. Returns a function that counts a request of a key in its windows. */
export function defineCharge(redis: RedisClient): (key: string, windows: readonly Window[]) => Promise<WindowVerdict> {
  redis.defineCommand('chargeRateLimit', { numberOfKeys: 1, lua: REDIS_CLOCK + CHARGE });
  const command = (redis as unknown as { readonly chargeRateLimit: ChargeCommand }).chargeRateLimit.bind(redis);
  return async (key, windows) => readVerdict(windows, await command(key, ...chargeArguments(windows)));
}
