import type { RedisClient } from '@app/redis';

/**
 * The unread logs of a provider wait in one queue per organization, and organizations take turns:
 *
 * - `<prefix><organization>`: sorted set, log → time from which it may be read;
 * - ready: sorted set, organization with logs that may be read → number of its turn;
 * - later: sorted set, organization whose logs may be read only later → time of the first of them;
 * - turn: the last number that was given to a turn.
 *
 * `KEYS`: ready, later, turn, then those of the script. `ARGV`: prefix, now in milliseconds, then those of the script.
 */
const TURNS = `
local ready, later, turn = KEYS[1], KEYS[2], KEYS[3]
local prefix, now = ARGV[1], tonumber(ARGV[2])
local function take_turn(organization) redis.call('ZADD', ready, redis.call('INCR', turn), organization) end
local function await_turn(organization, due)
  if redis.call('ZSCORE', ready, organization) then return end
  if due <= now then
    redis.call('ZREM', later, organization)
    take_turn(organization)
  else
    local known = redis.call('ZSCORE', later, organization)
    if not known or tonumber(known) > due then redis.call('ZADD', later, due, organization) end
  end
end
`;

/**
 * Adds logs that have new events. A log that is being read is marked instead, so that it is read again afterwards.
 *
 * KEYS: …, marked (set of logs), followed (set of organizations, or *)
 *
 * ARGV: …, channel, then an organization and a log in turn
 */
const ADD = `${TURNS}
local marked, followed = KEYS[4], KEYS[5]
local all = redis.call('SISMEMBER', followed, '*') == 1
local added = 0
for index = 4, #ARGV, 2 do
  local organization, log = ARGV[index], ARGV[index + 1]
  if all or redis.call('SISMEMBER', followed, organization) == 1 then
    local due = redis.call('ZSCORE', prefix .. organization, log)
    if not due then
      redis.call('ZADD', prefix .. organization, now, log)
      await_turn(organization, now)
    elseif tonumber(due) > now then redis.call('SADD', marked, log) end
    added = added + 1
  end
end
if added > 0 then redis.call('PUBLISH', ARGV[3], added) end
return added
`;

/** Maximum number of logs per claim that are moved from the set of an earlier version. */
const MOVED_LOGS = 1000;

/**
 * Claims logs that may be read: one of each organization in turn, of each organization the longest waiting first. An
 * organization gets a place only while more places are free than it holds: one organization alone gets half of them, a
 * second one half of the rest, and so on. The logs may be claimed again after the lease.
 *
 * KEYS: …, marked, set of an earlier version (all logs of all organizations → time from which they may be read)
 *
 * ARGV: …, end of the lease, free places, then an organization and the number of places that it holds in turn
 *
 * Returns whether logs that may be read remain, then the claimed logs.
 */
const CLAIM = `${TURNS}
local marked, earlier = KEYS[4], KEYS[5]
local free, held, claimed = tonumber(ARGV[4]), {}, {}
for index = 5, #ARGV, 2 do held[ARGV[index]] = tonumber(ARGV[index + 1]) end
local old = redis.call('ZPOPMIN', earlier, ${MOVED_LOGS})
for index = 1, #old, 2 do
  local organization = string.match(old[index], '^[^:]*')
  redis.call('ZADD', prefix .. organization, 'NX', old[index + 1], old[index])
  await_turn(organization, tonumber(old[index + 1]))
end
for _, organization in ipairs(redis.call('ZRANGEBYSCORE', later, '-inf', now)) do
  redis.call('ZREM', later, organization)
  take_turn(organization)
end
local passed = 0
while free > 0 do
  local organization = redis.call('ZRANGE', ready, passed, passed)[1]
  if not organization then break end
  local queue = prefix .. organization
  if (held[organization] or 0) >= free then passed = passed + 1
  else
    local log = redis.call('ZRANGEBYSCORE', queue, '-inf', now, 'LIMIT', 0, 1)[1]
    if log then
      redis.call('ZADD', queue, ARGV[3], log)
      redis.call('SREM', marked, log)
      table.insert(claimed, log)
      held[organization] = (held[organization] or 0) + 1
      free = free - 1
      take_turn(organization)
    else
      redis.call('ZREM', ready, organization)
      local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
      if first[2] then redis.call('ZADD', later, first[2], organization) end
    end
  end
end
local remaining = 0
if free == 0 or passed > 0 then remaining = 1 end
return {remaining, unpack(claimed)}
`;

/**
 * Ends a claim. The log is removed if it was read to its end and has received no event meanwhile; otherwise it may be
 * read again, at the given time or now.
 *
 * KEYS: …, marked
 *
 * ARGV: …, organization, log, time of the next read or '' if it was read to its end
 */
const RELEASE = `${TURNS}
local organization, log = ARGV[3], ARGV[4]
local due = tonumber(ARGV[5])
if redis.call('SREM', KEYS[4], log) == 1 and not due then due = now end
if due then
  redis.call('ZADD', prefix .. organization, due, log)
  await_turn(organization, due)
else redis.call('ZREM', prefix .. organization, log) end
`;

export interface UnreadLogsCommands {
  unreadLogsAdd(...keysAndArguments: (string | number)[]): Promise<number>;
  unreadLogsClaim(...keysAndArguments: (string | number)[]): Promise<[remaining: number, ...logs: string[]]>;
  unreadLogsRelease(...keysAndArguments: (string | number)[]): Promise<void>;
}

export function withUnreadLogsCommands(redis: RedisClient): RedisClient & UnreadLogsCommands {
  redis.defineCommand('unreadLogsAdd', { numberOfKeys: 5, lua: ADD });
  redis.defineCommand('unreadLogsClaim', { numberOfKeys: 5, lua: CLAIM });
  redis.defineCommand('unreadLogsRelease', { numberOfKeys: 4, lua: RELEASE });
  return redis as RedisClient & UnreadLogsCommands;
}
