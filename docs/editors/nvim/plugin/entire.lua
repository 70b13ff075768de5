-- :EntireBlame shows who wrote the line at the cursor, and what was asked for it.
if vim.g.loaded_entire then
  return
end
vim.g.loaded_entire = true

vim.api.nvim_create_user_command('EntireBlame', function()
  require('entire').blame()
end, { desc = 'Who wrote this line, and what was asked for it' })
