---@brief
---
--- The Alembic language server: a project's conventions as diagnostics, fixes
--- and hovers, in every language that it knows. Runs beside each language's own
--- server. Needs `asd` on the PATH, or another `cmd`.

---@type vim.lsp.Config
return {
  cmd = { 'asd', 'lsp' },
  filetypes = {
    'bash', 'c', 'cpp', 'cs', 'css', 'dart', 'go', 'html', 'java', 'javascript', 'javascriptreact',
    'json', 'kotlin', 'markdown', 'objc', 'objcpp', 'python', 'ruby', 'rust', 'sh', 'svelte', 'swift',
    'toml', 'typescript', 'typescriptreact', 'vue', 'yaml',
  },
  root_markers = { 'Alembic', '.git' },
  -- One server for all files of a project, and for files without one.
  workspace_required = false,
  -- Places behind a code lens are listed by the command in lua/asd.lua.
  capabilities = { experimental = { commands = { 'asd.showReferences' } } },
  settings = { asd = vim.empty_dict() },
  on_attach = function(client, bufnr)
    require('asd').on_attach(client, bufnr)
  end,
}
