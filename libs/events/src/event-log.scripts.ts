import type { Redis } from 'ioredis';

/**
 * Appends one event: one round trip, all or nothing.
 *
 * KEYS: log (list of frames), head (hash: n counter, t micros, b bytes in the list), lease (token),
 *       names (hash: =name → place and digest, counter modulo the most names → name)
 * ARGV: token or '', first line of the frame up to the counter, the frame's other lines, channel,
 *       list ttl s, head ttl s, most events, most bytes, name or '', most names, digest or ''
 * Answers 'counter_micros', or nil when the token is not known to be the current one; then nothing is written. Nor is it
 * when an event of that name is known: the answer is '=', its place, a space and its digest.
 *
 * Micros rise strictly even where the server's clock does not. A list over its bounds loses its oldest events; readers
 * that needed them see that the counters no longer connect.
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
local bytes = #frame
if length > 1 then bytes = bytes + (tonumber(head[3]) or 0) end
while length > tonumber(ARGV[7]) or (bytes > tonumber(ARGV[8]) and length > 1) do
  bytes = bytes - #redis.call('LPOP', KEYS[1])
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
redis.call('EXPIRE', KEYS[2], ARGV[6])
redis.call('PUBLISH', ARGV[4], frame)
return id
`;

/**
 * Reads on after an event, as of one moment.
 *
 * KEYS: log, head    ARGV: counter to read after (0: from the first event on, -1: from the oldest kept), its micros,
 *                          first line of a frame up to the counter, most events, most bytes
 * Answers {gap, counter and micros of the newest event ('0' where none is known), frames…}. gap: 0 the frames follow the
 * event asked for; 1 it, or what follows it, is no longer kept; 2 there is no such event. With a gap the frames are the
 * oldest kept.
 */
const READ = `
local head = redis.call('HMGET', KEYS[2], 'n', 't')
local newest = tonumber(head[1]) or 0
local length = redis.call('LLEN', KEYS[1])
local oldest = newest - length + 1
local after = tonumber(ARGV[1])
local start = 0
local gap = 0
if after >= 0 then
  start = after - oldest + 1
  if after > newest then gap = newest == 0 and 1 or 2
  elseif after > 0 and after == newest then
    if head[2] ~= ARGV[2] then gap = 2 end
  elseif start < (after == 0 and 0 or 1) then gap = 1
  elseif after > 0 then
    local line = ARGV[3] .. ARGV[1] .. '_' .. ARGV[2] .. '\\n'
    if string.sub(redis.call('LINDEX', KEYS[1], start - 1), 1, #line) ~= line then gap = 2 end
  end
  if gap > 0 then start = 0 end
end
local answer = {gap, head[1] or '0', head[2] or '0'}
local bytes = 0
for _, frame in ipairs(redis.call('LRANGE', KEYS[1], start, start + tonumber(ARGV[4]) - 1)) do
  bytes = bytes + #frame
  if bytes > tonumber(ARGV[5]) and #answer > 3 then break end
  answer[#answer + 1] = frame
end
return answer
`;

type Gap = 0 | 1 | 2;

/** The scripts as commands of a connection. */
export interface EventLogCommands {
  eventLogPublish(...keysAndArguments: (string | number)[]): Promise<string | null>;
  eventLogReadBuffer(...keysAndArguments: (string | number)[]): Promise<[Gap, Buffer, Buffer, ...Buffer[]]>;
}

export function withEventLogCommands(redis: Redis): Redis & EventLogCommands {
  redis.defineCommand('eventLogPublish', { numberOfKeys: 4, lua: PUBLISH });
  redis.defineCommand('eventLogRead', { numberOfKeys: 2, lua: READ });
  return redis as Redis & EventLogCommands;
}
