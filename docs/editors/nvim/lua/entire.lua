-- Asks `entire-plumb why FILE:LINE --json` about the line at the cursor. The program is started with
-- a list of arguments, without a shell, and stopped when it takes too long. What was said in a
-- conversation is plain text here: it is in a buffer without a file type, or drawn as virtual text.
local M = {}

local options = {
  program = 'entire-plumb',
  timeout = 5000, -- milliseconds
  virtual_text = false, -- a line behind the text, instead of a window
}
local namespace = vim.api.nvim_create_namespace('entire')

function M.setup(chosen)
  options = vim.tbl_extend('force', options, chosen or {})
end

-- A text as lines without control characters.
local function lines_of(text)
  local lines = vim.split(tostring(text or ''), '\r?\n')
  for i, line in ipairs(lines) do
    lines[i] = line:gsub('%c', function(c)
      return c == '\t' and '  ' or string.format('\\x%02x', c:byte())
    end)
  end
  return lines
end

local function one_line(text)
  return (table.concat(lines_of(text), ' '))
end

-- Who wrote the line, in a line.
local function author(why)
  local owner = why.owner or {}
  if owner.kind == 'agent' then
    local model = why.model and (' (' .. why.model .. ')') or ''
    return one_line((owner.agent or 'agent') .. model .. ', session ' .. (owner.session_id or 'unknown'))
  elseif owner.kind == 'human' then
    return one_line(why.author or 'you')
  end
  return one_line('not known: ' .. (owner.reason or 'nothing is recorded'))
end

-- What the answer of the program says, as lines of plain text.
function M.describe(why)
  local text = { 'by ' .. author(why) }
  for _, part in ipairs({ { 'prompt', why.whole_prompt or (why.owner or {}).prompt }, { 'answer', why.answer } }) do
    if type(part[2]) == 'string' and part[2] ~= '' then
      table.insert(text, '')
      table.insert(text, part[1] .. ':')
      for _, line in ipairs(lines_of(part[2])) do
        table.insert(text, '  ' .. line)
      end
    end
  end
  table.insert(text, '')
  for _, commit in ipairs(why.commits or {}) do
    table.insert(text, one_line('commit ' .. tostring(commit.commit):sub(1, 7) .. ' ' .. tostring(commit.subject)))
  end
  if #(why.commits or {}) == 0 then
    table.insert(text, 'not committed yet')
  end
  return text
end

-- A window at the cursor with plain text. It closes when the cursor moves.
local function window(text)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modeline = false
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, text)
  vim.bo[buffer].modifiable = false
  local width = 20
  for _, line in ipairs(text) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local shown = vim.api.nvim_open_win(buffer, false, {
    relative = 'cursor', row = 1, col = 0, style = 'minimal', border = 'single',
    width = math.max(1, math.min(width, vim.o.columns - 4)),
    height = math.max(1, math.min(#text, vim.o.lines - 4)),
  })
  vim.wo[shown].wrap = true
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'BufLeave' }, {
    once = true,
    callback = function()
      if vim.api.nvim_win_is_valid(shown) then
        vim.api.nvim_win_close(shown, true)
      end
    end,
  })
end

local function virtual(buffer, row, why)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local line = 'by ' .. author(why)
  local prompt = why.whole_prompt or (why.owner or {}).prompt
  if type(prompt) == 'string' and prompt ~= '' then
    line = line .. ': ' .. lines_of(vim.trim(prompt))[1]
  end
  vim.api.nvim_buf_set_extmark(buffer, namespace, row, 0, { virt_text = { { '  ' .. line, 'Comment' } } })
end

local function complain(text)
  vim.notify('entire-plumb: ' .. one_line(vim.trim(text)), vim.log.levels.WARN)
end

local windows = vim.fn.has('win32') == 1

-- The program as an absolute path; nil: it is not there. Windows looks beside the file first, where
-- others may have put one: that is never started.
local function found(dir)
  local path = vim.fn.exepath(options.program)
  if path == '' or windows and vim.fn.fnamemodify(path, ':p:h'):gsub('\\', '/') == dir then
    return nil
  end
  return path
end

-- Runs the program, and calls done with its output and nil, or with nil and what is wrong.
local function run(arguments, dir, done)
  local out, err, over, timer = {}, {}, false, vim.loop.new_timer()
  local function finish(output, fault)
    if over then
      return
    end
    over = true
    timer:stop()
    timer:close()
    done(output, fault)
  end
  local ok, job = pcall(vim.fn.jobstart, arguments, {
    cwd = dir,
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, data) out = data end,
    on_stderr = function(_, data) err = data end,
    on_exit = function(_, code)
      if code == 0 then
        finish(table.concat(out, '\n'))
      else
        finish(nil, (table.concat(err, '\n'):gsub('^entire%-plumb: ', '')))
      end
    end,
  })
  if not ok or job <= 0 then
    finish(nil, 'it cannot be started')
    return
  end
  vim.fn.chanclose(job, 'stdin')
  timer:start(options.timeout, 0, vim.schedule_wrap(function()
    if not over then
      vim.fn.jobstop(job)
      finish(nil, 'no answer within ' .. options.timeout .. ' ms: it was stopped')
    end
  end))
end

function M.blame()
  local buffer, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1]
  local file = vim.api.nvim_buf_get_name(buffer)
  if file == '' or vim.bo[buffer].buftype ~= '' then
    complain('this buffer is no file')
    return
  elseif vim.bo[buffer].modified then
    complain('save the file first: its lines are counted as they are on disk')
    return
  end
  if windows then
    file = file:gsub('\\', '/')
  end
  local dir, name = file:match('^(.*)/([^/]*)$')
  local program = dir and found(dir)
  if not program then
    complain(options.program .. ' is not on PATH')
    return
  end
  run({ program, 'why', '--json', '--', './' .. name .. ':' .. row }, dir ~= '' and dir or '/', function(output, fault)
    if fault then
      complain(fault)
      return
    end
    local read, why = pcall(vim.json.decode, output, { luanil = { object = true, array = true } })
    if not read or type(why) ~= 'table' then
      complain('its answer is no JSON')
    elseif not vim.api.nvim_buf_is_valid(buffer) then
      return
    elseif options.virtual_text then
      virtual(buffer, row - 1, why)
    elseif vim.api.nvim_get_current_buf() == buffer then
      window(M.describe(why))
    end
  end)
end

return M
