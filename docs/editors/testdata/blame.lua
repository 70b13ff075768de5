-- Opens $FILE, asks about $LINE, and prints what the plugin shows as JSON.
local shown = { window = {}, virtual = {}, said = {} }
vim.notify = function(text)
  table.insert(shown.said, text)
end
if vim.env.SETUP then
  require('entire').setup(vim.json.decode(vim.env.SETUP))
end
local opened = vim.fn.bufadd(vim.env.FILE)
vim.bo[opened].swapfile = false
vim.fn.bufload(opened)
vim.api.nvim_set_current_buf(opened)
vim.api.nvim_win_set_cursor(0, { tonumber(vim.env.LINE), 0 })
if vim.env.CHANGE then
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'not saved' })
end
local begun = vim.loop.now()
vim.cmd('EntireBlame')
vim.wait(8000, function()
  local marks = vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('entire'), 0, -1, { details = true })
  for _, mark in ipairs(marks) do
    shown.virtual = { mark[4].virt_text[1][1] }
  end
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(win).relative ~= '' then
      local buffer = vim.api.nvim_win_get_buf(win)
      shown.window = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
      shown.filetype, shown.modifiable = vim.bo[buffer].filetype, vim.bo[buffer].modifiable
    end
  end
  return #shown.window + #shown.virtual + #shown.said > 0
end, 10)
shown.took = vim.loop.now() - begun
io.stdout:write(vim.json.encode(shown) .. '\n')
vim.cmd('qall!')
