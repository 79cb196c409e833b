import type { RedisClient } from '@app/redis';

/**
 * Appends one event atomically in one round trip.
 *
 * KEYS: log (list of frames), head (hash: n counter, t micros, b bytes in the list), lease (token),
 *       names (hash: =dedupe key → position and digest, counter modulo the maximum → dedupe key),
 *       index (list: bytes and micros of each frame of the log)
 *
 * ARGV: token or '', first line of the frame up to the counter, the frame's other lines, channel, list TTL in seconds,
 *       head TTL in seconds, max. events, max. bytes, dedupe key or '', max. dedupe keys, digest or ''
 *
 * Returns 'counter_micros'. Returns nil and writes nothing if the token is not known as the current one. Returns '=',
 * the position of the event, a space and its digest, and writes nothing, if the dedupe key is known.
 *
 * Micros increase strictly even if the server clock does not. A list over its limits loses its oldest events; readers
 * that still needed them detect the gap by the counters.
 */
const PUBLISH = `
if ARGV[1] ~= '' and redis.call('GET', KEYS[3]) ~= ARGV[1] then return nil end
if ARGV[9] ~= '' then
  local known = redis.call('HGET', KEYS[4], '=' .. ARGV[9])
  if known then return '=' .. known end
end
local head = redis.call('HMGET', KEYS[2], 'n', 't', 'b')
local counter = (tonumber(head[1]) or 0) + 1
local time = redis.call('TIME')
local micros = math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), (tonumber(head[2]) or 0) + 1)
local id = string.format('%.0f_%.0f', counter, micros)
local frame = ARGV[2] .. id .. '\\n' .. ARGV[3]
local length = redis.call('RPUSH', KEYS[1], frame)
redis.call('RPUSH', KEYS[5], string.format('%.0f %.0f', #frame, micros))
local bytes = #frame
if length > 1 then bytes = bytes + (tonumber(head[3]) or 0) end
while length > tonumber(ARGV[7]) or (bytes > tonumber(ARGV[8]) and length > 1) do
  bytes = bytes - #redis.call('LPOP', KEYS[1])
  redis.call('LPOP', KEYS[5])
  length = length - 1
end
redis.call('HSET', KEYS[2], 'n', string.format('%.0f', counter), 't', string.format('%.0f', micros), 'b', bytes)
if ARGV[9] ~= '' then
  local slot = string.format('%.0f', counter % tonumber(ARGV[10]))
  local oldest = redis.call('HGET', KEYS[4], slot)
  if oldest then redis.call('HDEL', KEYS[4], '=' .. oldest) end
  redis.call('HSET', KEYS[4], '=' .. ARGV[9], id .. ' ' .. ARGV[11], slot, ARGV[9])
  redis.call('EXPIRE', KEYS[4], ARGV[5])
end
redis.call('EXPIRE', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[5], ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[6])
redis.call('PUBLISH', ARGV[4], frame)
return id
`;

/**
 * Reads the events after a position as one consistent snapshot.
 *
 * KEYS: log, head, index
 *
 * ARGV: counter to read after (0: from the first event, -1: from the oldest kept event), its micros, max. events,
 *       max. bytes, max. events of a log without an index, max. bytes of returned frames
 *
 * Returns {gap, counter and micros of the newest event ('0' if there is none)}, then the frames of the page, or for a
 * larger page {index of its first frame in the log, number of frames, counter of its first frame}. gap: 0 the frames
 * follow the given event; 1 the event or its successor is no longer kept; 2 there is no such event. With a gap, the
 * frames are the oldest kept events.
 *
 * Redis serves no other client while it copies frames, and a script copies them several times more slowly than LRANGE.
 * The index determines how many frames fit into a page before any is read. A log that was begun by an earlier version
 * has fewer entries in its index than frames; its pages are short. While processes of both versions write, an entry can
 * belong to another frame, so a difference is checked in the frame itself.
 */
const READ = `
local head = redis.call('HMGET', KEYS[2], 'n', 't')
local newest = tonumber(head[1]) or 0
local length = redis.call('LLEN', KEYS[1])
local oldest = newest - length + 1
local after = tonumber(ARGV[1])
local start = 0
local gap = 0
local indexed = redis.call('LLEN', KEYS[3]) == length
if after >= 0 then
  start = after - oldest + 1
  if after > newest then gap = newest == 0 and 1 or 2
  elseif after > 0 and after == newest then
    if head[2] ~= ARGV[2] then gap = 2 end
  elseif start < (after == 0 and 0 or 1) then gap = 1
  elseif after > 0 then
    local entry = indexed and redis.call('LINDEX', KEYS[3], start - 1) or ''
    if string.match(entry, ' (%d+)$') ~= ARGV[2] then
      if string.match(redis.call('LINDEX', KEYS[1], start - 1), '^[^\\n]*_(%d+)\\n') ~= ARGV[2] then gap = 2 end
    end
  end
  if gap > 0 then start = 0 end
end
local answer = {gap, head[1] or '0', head[2] or '0'}
local count = 0
local bytes = 0
if indexed then
  for _, entry in ipairs(redis.call('LRANGE', KEYS[3], start, start + tonumber(ARGV[3]) - 1)) do
    local size = tonumber(string.match(entry, '^%d+'))
    if bytes + size > tonumber(ARGV[4]) and count > 0 then break end
    bytes = bytes + size
    count = count + 1
  end
else count = tonumber(ARGV[5]) end
if bytes > tonumber(ARGV[6]) then return {gap, head[1], head[2], start, count, oldest + start} end
if count > 0 then
  for _, frame in ipairs(redis.call('LRANGE', KEYS[1], start, start + count - 1)) do answer[#answer + 1] = frame end
end
return answer
`;

type Gap = 0 | 1 | 2;
/**
 * Frames that are read with LRANGE: the index of the first one in the log, their number, and the counter of the first
 * one.
 */
export type FrameRange = [index: number, count: number, counter: number];

/** The scripts as commands of a Redis connection. */
export interface EventLogCommands {
  eventLogPublish(...keysAndArguments: (string | number)[]): Promise<string | null>;
  eventLogReadBuffer(
    ...keysAndArguments: (string | number)[]
  ): Promise<[Gap, Buffer, Buffer, ...(Buffer[] | FrameRange)]>;
}

export function withEventLogCommands(redis: RedisClient): RedisClient & EventLogCommands {
  redis.defineCommand('eventLogPublish', { numberOfKeys: 5, lua: PUBLISH });
  redis.defineCommand('eventLogRead', { numberOfKeys: 3, lua: READ });
  return redis as RedisClient & EventLogCommands;
}
