"""What a Valkey or Redis server does in one step, in Lua: nothing comes between a look and an act.

Each script gets the room's key first, and says in a word what it did or why it did not.
"""

_CROWDS = """
local function network(token) return string.match(token, '^[^.]*%.([^.]*)%.') or '' end
local function giving_way(phones, newcomer)
  local count, most, largest, one = {}, 0, '', nil
  for _, phone in ipairs(phones) do
    local from = network(phone)
    count[from] = (count[from] or 0) + 1
    if count[from] > most then most, largest = count[from], from end
  end
  if (count[network(newcomer)] or 0) + 1 >= most then return nil end
  for _, phone in ipairs(phones) do if network(phone) == largest then one = phone end end
  return one
end
"""
"""As `dpviz.serve.rooms.tokens` has it."""

_RATE_LIMIT = """
local function left(known, burst, rate, now)
  if not known then return burst end
  local at = string.find(known, ':')
  local past = now - tonumber(string.sub(known, at + 1))
  return math.min(burst, tonumber(string.sub(known, 1, at - 1)) + math.max(past, 0) * rate)
end
"""
"""So many acts at once, and then so many a second; kept as what is left, and since when."""

OPEN = """
local key, rooms, own, was = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local code, head, now, left, silence = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local prefix = ARGV[8]
if redis.call('EXISTS', key) == 1 then return {'taken'} end
local function giving_way(all, most)
  local count = 0
  for _, other in ipairs(redis.call('ZRANGE', all, 0, -1)) do
    if redis.call('EXISTS', prefix .. other) == 1 then count = count + 1
    else redis.call('ZREM', all, other) end
  end
  if count < tonumber(most) then return '' end
  return redis.call('ZRANGEBYSCORE', all, '-inf', now, 'LIMIT', 0, 1)[1]
end
local gone = giving_way(own, ARGV[7])
if not gone then return {'full here'} end
if gone == '' then gone = giving_way(rooms, ARGV[6]) end
if not gone then return {'full'} end
if gone ~= '' then
  redis.call('DEL', prefix .. gone)
  redis.call('ZREM', rooms, gone)
  redis.call('PUBLISH', prefix .. gone, 'news')
end
redis.call('HSET', key, 'head', head, 'turn', 0, 'version', 0, 'news', 0, 'open', '')
redis.call('EXPIRE', key, silence)
redis.call('SET', was, '1', 'EX', 172800)
for _, all in ipairs({rooms, own}) do
  redis.call('ZADD', all, now + left, code)
  redis.call('EXPIRE', all, 86400)
end
return {'opened', gone}
"""
"""Open a room, and tell which one gave way to it: one that was left, where there are too many.

KEYS[2] and KEYS[3] have the rooms, of all and of the same address, with the time until which they
keep their place unless somebody is seen there.
"""

GUESSED = (
    _RATE_LIMIT
    + """
local now, cost = tonumber(ARGV[1]), 1
local own = left(redis.call('GET', KEYS[1]), tonumber(ARGV[3]), tonumber(ARGV[4]), now)
if own < 1 then return 'guessed' end
if ARGV[2] == '0' then return 'known' end
local all = left(redis.call('GET', KEYS[2]), tonumber(ARGV[5]), tonumber(ARGV[6]), now)
if all < 1 then cost = tonumber(ARGV[7]) else all = all - 1 end
redis.call('SET', KEYS[1], (own - cost) .. ':' .. now, 'EX', 3600)
redis.call('SET', KEYS[2], all .. ':' .. now, 'EX', 3600)
return 'noted'
"""
)
"""Note a code that an address sent; a wrong one costs, and more where all send too many."""

JOIN = (
    _CROWDS
    + _RATE_LIMIT
    + """
local key, phones, rooms, own, silent, doors = unpack(KEYS)
local token, most, code, now, silence = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local door, burst, rate, era = ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
if redis.call('EXISTS', key) == 0 then return 'gone' end
if redis.call('SISMEMBER', phones, token) == 1 then return 'known' end
local more = left(redis.call('HGET', doors, door), burst, rate, tonumber(now))
if more < 1 then
  local fleeting = 0
  for _, phone in ipairs(redis.call('ZRANGEBYSCORE', silent, 0, 0)) do
    local of_era = tonumber(string.match(phone, '^[^.]*%.[^.]*%.(%d+)')) >= era
    if of_era and network(phone) == network(token) then fleeting = fleeting + 1 end
  end
  return fleeting < tonumber(ARGV[11]) and 'haste' or 'script'
end
redis.call('HSET', doors, door, (more - 1) .. ':' .. now)
redis.call('EXPIRE', doors, 86400)
if redis.call('SCARD', phones) >= most then
  local leaving = redis.call('ZRANGEBYSCORE', silent, '-inf', now, 'LIMIT', 0, 1)[1]
  leaving = leaving or giving_way(redis.call('SMEMBERS', phones), token)
  if not leaving then return 'crowded' end
  redis.call('ZREM', silent, leaving)
  redis.call('SREM', phones, leaving)
end
redis.call('SADD', phones, token)
redis.call('ZADD', silent, now + ARGV[12], token)
redis.call('EXPIRE', phones, silence)
redis.call('EXPIRE', silent, 86400)
redis.call('EXPIRE', key, silence)
for _, all in ipairs({rooms, own}) do redis.call('ZADD', all, now + ARGV[6], code) end
redis.call('HINCRBY', key, 'news', 1)
redis.call('PUBLISH', key, 'news')
return 'joined'
"""
)
"""Give a phone a place: so many of an address at once, and then so many a second.

If the room is full, the one makes place that has been silent longest. KEYS[5] has the phones with
the time of their last sign, for those that listen a time soon to come, for those that left at once
0. KEYS[6] has what each door still allows; 'script' says that many of an address did not stay.
"""

ANSWER = (
    _CROWDS
    + """
local key, phones, answers, total = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token, place, text, adds, changes = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('EXISTS', key) == 0 then return 'gone' end
if redis.call('SISMEMBER', phones, token) == 0 then return 'stranger' end
local known = redis.call('HGET', answers, token)
local number = nil
if known then
  local at = string.find(known, ':')
  if adds == '1' or string.sub(known, at + 1) == text then return 'known' end
  if changes ~= '1' then return 'first' end
  number = string.sub(known, 1, at - 1)
end
if redis.call('HGET', key, 'open') ~= place then return 'closed' end
if not known and redis.call('HLEN', answers) >= tonumber(ARGV[7]) then
  local leaving = adds ~= '1' and giving_way(redis.call('HKEYS', answers), token)
  if not leaving then return 'enough' end
  redis.call('HDEL', answers, leaving)
end
if adds == '1' then
  redis.call('INCRBY', total, text)
  redis.call('EXPIRE', total, 86400)
  text = ''
end
number = number or redis.call('HINCRBY', key, 'answers', 1)
redis.call('HSET', answers, token, number .. ':' .. text)
redis.call('EXPIRE', answers, 86400)
for _, each in ipairs({key, phones}) do redis.call('EXPIRE', each, ARGV[6]) end
redis.call('HINCRBY', key, 'news', 1)
redis.call('PUBLISH', key, 'news')
return 'counted'
"""
)
"""Count an answer, behind the number of those that came before; a phone counts once."""

CLEAR = (
    _CROWDS
    + """
local key, phones, silent, gone = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
for _, phone in ipairs(redis.call('SMEMBERS', phones)) do
  if network(phone) == gone then
    redis.call('SREM', phones, phone)
    redis.call('ZREM', silent, phone)
  end
end
for place = 4, #KEYS do
  for _, phone in ipairs(redis.call('HKEYS', KEYS[place])) do
    if network(phone) == gone then redis.call('HDEL', KEYS[place], phone) end
  end
end
redis.call('HINCRBY', key, 'news', 1)
redis.call('HINCRBY', key, 'version', 1)
redis.call('PUBLISH', key, 'news')
return 'cleared'
"""
)
"""Take the places of an address, and its answers, the keys of which follow the third."""

LEAVE = """
local key, phones, silent, phone = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
if redis.call('SREM', phones, phone) == 0 then return 'unknown' end
redis.call('ZREM', silent, phone)
redis.call('HINCRBY', key, 'news', 1)
redis.call('PUBLISH', key, 'news')
return 'left'
"""
"""Take the place of a phone; its answers stay."""

SAVE = """
local key, phones, rooms, own = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local code, now, silence = ARGV[4], ARGV[5], ARGV[6]
if redis.call('HGET', key, 'turn') ~= ARGV[1] then return 'late' end
redis.call('HSET', key, 'head', ARGV[2], 'open', ARGV[3])
for _, name in ipairs({'turn', 'version', 'news'}) do redis.call('HINCRBY', key, name, 1) end
for _, each in ipairs({key, phones}) do redis.call('EXPIRE', each, silence) end
for _, all in ipairs({rooms, own}) do redis.call('ZADD', all, now + ARGV[7], code) end
redis.call('PUBLISH', key, 'news')
return 'kept'
"""
"""Keep what a lecturer has done, if nobody has led the room elsewhere meanwhile."""
