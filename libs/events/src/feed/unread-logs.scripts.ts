import type { Redis } from 'ioredis';

/**
 * Adds logs that have new events. A log that is being read is marked instead, so that it is read again afterwards.
 *
 * KEYS: logs (sorted set: log → time from which it may be read), marked (set of logs), followed (set of organizations,
 * or *)
 *
 * ARGV: channel, now in milliseconds, then an organization and a log in turn
 */
const ADD = `
local all = redis.call('SISMEMBER', KEYS[3], '*') == 1
local added = 0
for index = 3, #ARGV, 2 do
  if all or redis.call('SISMEMBER', KEYS[3], ARGV[index]) == 1 then
    local log = ARGV[index + 1]
    local due = redis.call('ZSCORE', KEYS[1], log)
    if not due then redis.call('ZADD', KEYS[1], ARGV[2], log)
    elseif tonumber(due) > tonumber(ARGV[2]) then redis.call('SADD', KEYS[2], log) end
    added = added + 1
  end
end
if added > 0 then redis.call('PUBLISH', ARGV[1], added) end
return added
`;

/**
 * Claims logs that may be read, longest waiting first. They may be claimed again after the lease.
 *
 * KEYS: logs, marked
 * ARGV: now, end of the lease, max. logs
 */
const CLAIM = `
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, log in ipairs(due) do
  redis.call('ZADD', KEYS[1], ARGV[2], log)
  redis.call('SREM', KEYS[2], log)
end
return due
`;

/**
 * Ends a claim. The log is removed if it was read to its end and has received no event meanwhile; otherwise it may be
 * read again, at the given time or now.
 *
 * KEYS: logs, marked
 *
 * ARGV: log, now, time of the next read or '' if it was read to its end
 */
const RELEASE = `
local marked = redis.call('SREM', KEYS[2], ARGV[1])
if ARGV[3] ~= '' then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
elseif marked == 1 then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
else redis.call('ZREM', KEYS[1], ARGV[1]) end
`;

export interface UnreadLogsCommands {
  unreadLogsAdd(...keysAndArguments: (string | number)[]): Promise<number>;
  unreadLogsClaim(...keysAndArguments: (string | number)[]): Promise<string[]>;
  unreadLogsRelease(...keysAndArguments: (string | number)[]): Promise<void>;
}

export function withUnreadLogsCommands(redis: Redis): Redis & UnreadLogsCommands {
  redis.defineCommand('unreadLogsAdd', { numberOfKeys: 3, lua: ADD });
  redis.defineCommand('unreadLogsClaim', { numberOfKeys: 2, lua: CLAIM });
  redis.defineCommand('unreadLogsRelease', { numberOfKeys: 2, lua: RELEASE });
  return redis as Redis & UnreadLogsCommands;
}
