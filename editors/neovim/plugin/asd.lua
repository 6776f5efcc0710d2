-- Loaded by Neovim at start. The server itself is configured in lsp/asd.lua and
-- switched on by `vim.lsp.enable('asd')` in your own configuration.
if vim.g.loaded_asd then
  return
end
vim.g.loaded_asd = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('asd: Neovim 0.11 or newer is needed', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command('AsdLog', function()
  vim.cmd.tabedit(vim.lsp.log.get_filename())
end, { desc = 'Open the log of the language server' })
