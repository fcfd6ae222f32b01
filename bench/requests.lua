-- Sends the requests of a file in turn, one per line: method, path and JSON body, parted by tabs.
-- wrk -s requests.lua URL -- FILE TOKEN [MILLISECONDS]
-- With MILLISECONDS, each connection waits so long between its requests.
local requests = {}
local next_one = 0
local pause = 0

function init(args)
  local headers = { ["Content-Type"] = "application/json" }
  if args[2] and args[2] ~= "" then headers["Authorization"] = "Bearer " .. args[2] end
  if args[3] and args[3] ~= "" then pause = tonumber(args[3]) end
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^([^\t]*)\t([^\t]*)\t?(.*)$")
    requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
  end
end

function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end

function delay()
  return pause
end
