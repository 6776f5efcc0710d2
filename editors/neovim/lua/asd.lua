-- Commands of the Alembic language server for Neovim.

local M = {}

---@return vim.lsp.Client?
local function client_of(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr, name = 'asd' })[1] or vim.lsp.get_clients({ name = 'asd' })[1]
end

--- Runs a command of the server in the project of the current buffer.
---@param command string for example `asd.checkWorkspace`
---@param arguments? any[]
---@param on_result? fun(result: any)
function M.execute(command, arguments, on_result)
  local client = client_of(0)
  if not client then
    vim.notify('asd: no server is running; open a file of a project, or see :help asd-setup', vim.log.levels.WARN)
    return
  end
  client:exec_cmd({ title = command, command = command, arguments = arguments or {} }, { bufnr = 0 }, function(err, result)
    if err then
      vim.notify('asd: ' .. err.message, vim.log.levels.ERROR)
    elseif on_result then
      on_result(result)
    end
  end)
end

--- The triggers of the project's recipes, for command-line completion.
function M.complete_triggers(lead)
  local client = client_of(0)
  if not client then
    return {}
  end
  local answer = client:request_sync('workspace/symbol', { query = lead }, 1000, 0)
  local triggers = {}
  for _, symbol in ipairs(answer and answer.result or {}) do
    local trigger = symbol.name:match('^@[%w_-]+')
    if trigger and vim.startswith(trigger, lead) then
      table.insert(triggers, trigger)
    end
  end
  return triggers
end

local commands = {
  AsdCheck = {
    desc = 'Check the whole project and list what breaks its conventions',
    run = function()
      M.execute('asd.checkWorkspace', {}, function()
        vim.schedule(function()
          vim.diagnostic.setqflist({ title = 'Alembic' })
        end)
      end)
    end,
  },
  AsdReload = {
    desc = 'Read the recipes and the configuration again',
    run = function()
      M.execute('asd.reload')
    end,
  },
  AsdStatus = {
    desc = 'Say what is loaded and what could not be',
    run = function()
      M.execute('asd.showStatus')
    end,
  },
  AsdRecipe = {
    desc = 'Open a recipe by its trigger',
    nargs = 1,
    complete = M.complete_triggers,
    run = function(args)
      M.execute('asd.showRecipe', { args.args })
    end,
  },
  AsdSetup = {
    desc = 'Make the folder of recipes for this project',
    run = function()
      M.execute('asd.setup')
    end,
  },
}

function M.on_attach(_, bufnr)
  for name, command in pairs(commands) do
    vim.api.nvim_buf_create_user_command(bufnr, name, command.run, {
      desc = command.desc,
      nargs = command.nargs or 0,
      complete = command.complete,
    })
  end
end

--- Applies all safe fixes to a buffer and waits for them, for `BufWritePre`.
---@param bufnr? integer
---@param timeout_ms? integer
function M.fix_all(bufnr, timeout_ms)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local client = client_of(bufnr)
  if not client then
    return
  end
  local last = vim.api.nvim_buf_line_count(bufnr)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    range = { start = { line = 0, character = 0 }, ['end'] = { line = last, character = 0 } },
    context = { only = { 'source.fixAll.asd' }, diagnostics = {}, triggerKind = 2 },
  }
  local answer = client:request_sync('textDocument/codeAction', params, timeout_ms or 1000, bufnr)
  for _, action in ipairs(answer and answer.result or {}) do
    if not action.edit and action.data then
      local resolved = client:request_sync('codeAction/resolve', action, timeout_ms or 1000, bufnr)
      action = resolved and resolved.result or action
    end
    if action.edit then
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
    end
  end
end

-- The places behind a code lens go to the quickfix list.
vim.lsp.commands['asd.showReferences'] = function(command, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  local locations = command.arguments and command.arguments[3] or {}
  local items = vim.lsp.util.locations_to_items(locations, client and client.offset_encoding or 'utf-16')
  vim.fn.setqflist({}, ' ', { title = command.title, items = items })
  vim.cmd('botright copen')
end

return M
