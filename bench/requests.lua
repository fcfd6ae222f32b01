-- Makes the requests of a load from templates, one a line: method, path and JSON body, parted by tabs.
-- wrk -s requests.lua URL -- templates=FILE [ids=FILE] [token=TOKEN] [rate=NUMBER] [walk=yes]
--
-- The templates come in turn, and what stands in them between < and > is chosen anew for each request:
--   <id>      one of the ids in the file, which has one a line
--   <1..500>  a whole number from 1 to 500
--   <a|b|>    one of the alternatives
-- rate: requests a second over all connections, in even steps; without it, each connection asks again at once.
-- walk: each request has the cursor that the answer before it gave; for one connection alone.
local ffi = require("ffi")
ffi.cdef([[
  typedef struct { long s, ns; } bench_time;
  int clock_gettime(int clock, bench_time *time);
  void *malloc(size_t size);
]])

local templates = {}
local turn = 0
local cursor = ""

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

-- A function that chooses one of the ids in a file; all are as long. They are kept where Lua collects no garbage: as one
-- string each, they would have the load stand still for 30 ms at a time.
local function id_chooser(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  local width = text:find("\n")
  local count = math.floor(#text / width)
  local ids = ffi.cast("char *", ffi.C.malloc(#text))
  ffi.copy(ids, text, #text)
  return function() return ffi.string(ids + math.random(0, count - 1) * width, width - 1) end
end

-- A function that makes the text that stands for `choice`.
local function chooser(choice, choose_id)
  if choice == "id" then return choose_id end
  local low, high = choice:match("^(%d+)%.%.(%d+)$")
  if low then
    low, high = tonumber(low), tonumber(high)
    return function() return math.random(low, high) end
  end
  local alternatives = {}
  for alternative in (choice .. "|"):gmatch("([^|]*)|") do alternatives[#alternatives + 1] = alternative end
  return function() return alternatives[math.random(#alternatives)] end
end

-- The parts of a text: constant ones, and functions for those that are chosen.
local function parts_of(text, choose_id)
  local parts, at = {}, 1
  for from, choice, to in text:gmatch("()<([^>]*)>()") do
    parts[#parts + 1] = text:sub(at, from - 1)
    parts[#parts + 1] = chooser(choice, choose_id)
    at = to
  end
  parts[#parts + 1] = text:sub(at)
  return parts
end

local function made(parts)
  local text = parts[1]
  for i = 2, #parts, 2 do text = text .. parts[i]() .. parts[i + 1] end
  return text
end

-- Milliseconds of a clock that only goes forward.
local now_at = ffi.new("bench_time")
local function now()
  ffi.C.clock_gettime(1, now_at)
  return tonumber(now_at.s) * 1000 + tonumber(now_at.ns) / 1e6
end

local function keep_rate(rate)
  local due
  function delay()
    local time = now()
    due = math.max(due or time, time - 1000) + 1000 / rate
    return math.max(0, math.floor(due - time))
  end
end

local function walk()
  function response(_, _, body)
    local found = body:match('"nextCursor":"([^"]*)"', -2000)
    cursor = found and "&cursor=" .. found or ""
  end
end

function init(args)
  local given = {}
  for _, arg in ipairs(args) do
    local name, value = arg:match("^(%w+)=(.*)$")
    given[name] = value
  end
  local choose_id = given.ids and id_chooser(given.ids)
  local head = "\r\nHost: " .. wrk.host .. ":" .. wrk.port
  if given.token then head = head .. "\r\nAuthorization: Bearer " .. given.token end
  for _, line in ipairs(lines_of(given.templates)) do
    local method, path, body = line:match("^([^\t]*)\t([^\t]*)\t?(.*)$")
    templates[#templates + 1] = {
      path = parts_of(method .. " " .. path, choose_id),
      head = " HTTP/1.1" .. head,
      body = body ~= "" and parts_of(body, choose_id),
    }
  end
  math.randomseed(now() * 1000 % 2 ^ 31)
  if given.rate then keep_rate(tonumber(given.rate)) end
  if given.walk then walk() end
end

function request()
  turn = turn % #templates + 1
  local template = templates[turn]
  local start = made(template.path) .. cursor .. template.head
  if not template.body then return start .. "\r\n\r\n" end
  local body = made(template.body)
  return start .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end
