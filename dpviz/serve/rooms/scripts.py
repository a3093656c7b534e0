"""What a Valkey or Redis server does in one step, in Lua: nothing comes between a look and an act.

Each script gets the room's key first, and says in a word what it did or why it did not.
"""

OPEN = """
local key, rooms, own = KEYS[1], KEYS[2], KEYS[3]
local code, head, now, empty = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('EXISTS', key) == 1 then return 'taken' end
redis.call('ZREMRANGEBYSCORE', rooms, '-inf', now)
redis.call('ZREMRANGEBYSCORE', own, '-inf', now)
if redis.call('ZCARD', own) >= tonumber(ARGV[7]) then return 'full here' end
if redis.call('ZCARD', rooms) >= tonumber(ARGV[6]) then return 'full' end
redis.call('HSET', key, 'head', head, 'turn', 0, 'version', 0, 'news', 0, 'open', '')
redis.call('EXPIRE', key, ARGV[5])
for _, all in ipairs({rooms, own}) do
  redis.call('ZADD', all, now + empty, code)
  redis.call('EXPIRE', all, 86400)
end
return 'opened'
"""
"""Open a room; it soon takes no place among the others unless a phone joins."""

JOIN = """
local key, phones, rooms, own, silent = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local token, most, code, now, silence = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
if redis.call('EXISTS', key) == 0 then return 'gone' end
if redis.call('SISMEMBER', phones, token) == 1 then return 'known' end
if redis.call('SCARD', phones) >= most then
  local longest = redis.call('ZRANGEBYSCORE', silent, '-inf', now, 'LIMIT', 0, 1)[1]
  if not longest then return 'crowded' end
  redis.call('ZREM', silent, longest)
  redis.call('SREM', phones, longest)
end
redis.call('SADD', phones, token)
redis.call('ZADD', silent, now, token)
redis.call('EXPIRE', phones, silence)
redis.call('EXPIRE', silent, 86400)
redis.call('EXPIRE', key, silence)
for _, all in ipairs({rooms, own}) do redis.call('ZADD', all, now + silence, code) end
redis.call('HINCRBY', key, 'news', 1)
redis.call('PUBLISH', key, 'news')
return 'joined'
"""
"""Let a phone join. If the room is full, the one makes place that has been silent longest.

KEYS[5] has the phones that never answered, with the time of their last sign, or for those that
listen a time soon to come.
"""

ANSWER = """
local key, phones, answers, total, silent = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local token, place, text, adds, changes = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('EXISTS', key) == 0 then return 'gone' end
if redis.call('SISMEMBER', phones, token) == 0 then return 'stranger' end
local known = redis.call('HGET', answers, token)
local number = redis.call('HLEN', answers)
if known then
  local at = string.find(known, ':')
  if adds == '1' or string.sub(known, at + 1) == text then return 'known' end
  if changes ~= '1' then return 'first' end
  number = string.sub(known, 1, at - 1)
end
if redis.call('HGET', key, 'open') ~= place then return 'closed' end
if adds == '1' then
  redis.call('INCRBY', total, text)
  redis.call('EXPIRE', total, 86400)
  text = ''
end
redis.call('HSET', answers, token, number .. ':' .. text)
redis.call('ZREM', silent, token)
redis.call('EXPIRE', answers, 86400)
for _, each in ipairs({key, phones}) do redis.call('EXPIRE', each, ARGV[6]) end
redis.call('HINCRBY', key, 'news', 1)
redis.call('PUBLISH', key, 'news')
return 'counted'
"""
"""Count an answer, behind the number of those that came before; a phone counts once."""

SAVE = """
local key, phones, rooms, own = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local code, now, silence = ARGV[4], ARGV[5], ARGV[6]
if redis.call('HGET', key, 'turn') ~= ARGV[1] then return 'late' end
redis.call('HSET', key, 'head', ARGV[2], 'open', ARGV[3])
for _, name in ipairs({'turn', 'version', 'news'}) do redis.call('HINCRBY', key, name, 1) end
for _, each in ipairs({key, phones}) do redis.call('EXPIRE', each, silence) end
if redis.call('EXISTS', phones) == 1 then
  for _, all in ipairs({rooms, own}) do redis.call('ZADD', all, now + silence, code) end
end
redis.call('PUBLISH', key, 'news')
return 'kept'
"""
"""Keep what a lecturer has done, if nobody has led the room elsewhere meanwhile."""
