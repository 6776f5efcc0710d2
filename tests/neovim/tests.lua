-- End-to-end tests of the server and the plugin in a real Neovim.

local fixture = vim.env.ASD_FIXTURE
vim.opt.runtimepath:append(vim.env.ASD_PLUGIN)
vim.cmd.runtime('plugin/asd.lua')
vim.lsp.config('asd', { cmd = { vim.env.ASD_BIN, 'lsp' } })
vim.lsp.enable('asd')

local TIMEOUT = 20000

local function wait_for(what, condition)
  if not vim.wait(TIMEOUT, condition, 20) then
    error('waited in vain for ' .. what, 2)
  end
end

local function equal(expected, actual, what)
  if not vim.deep_equal(expected, actual) then
    error(('%s: expected %s, got %s'):format(what, vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

local function open(path)
  local bufnr = vim.fn.bufadd(fixture .. '/' .. path)
  vim.bo[bufnr].buflisted = true
  vim.api.nvim_set_current_buf(bufnr)
  wait_for('the server to attach to ' .. path, function()
    return #vim.lsp.get_clients({ bufnr = bufnr, name = 'asd' }) == 1
  end)
  return bufnr
end

local function lines(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

local function findings(bufnr, code)
  return vim.tbl_filter(function(diagnostic)
    return diagnostic.source == 'asd' and (code == nil or diagnostic.code == code)
  end, vim.diagnostic.get(bufnr))
end

local function wait_for_findings(bufnr, code, count)
  wait_for(('%d findings of %s'):format(count, code), function()
    return #findings(bufnr, code) == count
  end)
  return findings(bufnr, code)
end

local function request(bufnr, method, line, character)
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'asd' })[1]
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    position = { line = line, character = character },
  }
  local answer = client:request_sync(method, params, TIMEOUT, bufnr)
  assert(answer and not answer.err, method .. ': ' .. vim.inspect(answer))
  return answer.result
end

--- Goes to a place and applies the one code action whose title matches.
local function apply_action(bufnr, line, column, title)
  vim.api.nvim_set_current_buf(bufnr)
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
  local before = vim.api.nvim_buf_get_changedtick(bufnr)
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title:match(title) ~= nil
    end,
  })
  wait_for('the action ' .. title, function()
    return vim.api.nvim_buf_get_changedtick(bufnr) ~= before
  end)
end

local tests = {
  {
    'marks exactly the offending expression after an emoji and CJK text',
    function()
      local bufnr = open('src/session.swift')
      local found = wait_for_findings(bufnr, 'cookie-di', 1)[1]
      local line = lines(bufnr)[1]
      local marked = line:sub(found.col + 1, found.end_col)
      equal('HTTPCookieStorage.shared', marked, 'marked text')
      equal(vim.diagnostic.severity.ERROR, found.severity, 'severity')
      assert(found.message:find('The cookie store must be injected', 1, true), found.message)
      assert(found.message:find('Do: Take a CookieStoring in the initialiser', 1, true), found.message)
      assert(found.message:find('@cookie-di', 1, true), found.message)
    end,
  },
  {
    'shows the recipe on a finding and on its trigger',
    function()
      local bufnr = open('src/session.swift')
      local found = wait_for_findings(bufnr, 'cookie-di', 1)[1]
      local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'asd' })[1]
      local line = lines(bufnr)[1]
      local column = vim.str_utfindex(line, client.offset_encoding, found.col)
      local on_finding = request(bufnr, 'textDocument/hover', 0, column + 2)
      assert(on_finding.contents.value:find('Take a CookieStoring', 1, true), vim.inspect(on_finding))
      assert(on_finding.contents.value:find('self.cookies = cookies', 1, true), 'the skeleton is part of the card')
      local on_trigger = request(bufnr, 'textDocument/hover', 1, 9)
      assert(on_trigger.contents.value:find('Cookie 存储必须注入', 1, true), vim.inspect(on_trigger))
      equal({ line = 1, character = 7 }, on_trigger.range.start, 'start of the trigger')
    end,
  },
  {
    'applies the quick fix, and the finding goes',
    function()
      local bufnr = open('src/session.swift')
      local found = wait_for_findings(bufnr, 'cookie-di', 1)[1]
      apply_action(bufnr, 0, found.col, '^Fix: ')
      equal('let 🍪 = "饼干"; let s = cookies', lines(bufnr)[1], 'fixed line')
      wait_for_findings(bufnr, 'cookie-di', 0)
      vim.cmd('silent undo')
      wait_for_findings(bufnr, 'cookie-di', 1)
    end,
  },
  {
    'suppresses a finding by a comment',
    function()
      local bufnr = open('src/session.swift')
      local found = wait_for_findings(bufnr, 'cookie-di', 1)[1]
      apply_action(bufnr, 0, found.col, '^Ignore on this line')
      assert(table.concat(lines(bufnr), '\n'):find('asd:ignore cookie%-di'), vim.inspect(lines(bufnr)))
      wait_for_findings(bufnr, 'cookie-di', 0)
      vim.cmd('silent undo')
      wait_for_findings(bufnr, 'cookie-di', 1)
    end,
  },
  {
    'an unsaved change of a recipe shows in another open file, and undo takes it back',
    function()
      local code = open('src/a.ts')
      wait_for_findings(code, 'web-logger', 2)
      local recipe = open('Alembic/recipes/general/web-logger.md')
      for number, text in ipairs(lines(recipe)) do
        if text:find('ast:', 1, true) then
          vim.api.nvim_buf_set_lines(recipe, number - 1, number, false, { '    ast: console.log(1)' })
        end
      end
      wait_for_findings(code, 'web-logger', 1)
      vim.api.nvim_buf_call(recipe, function()
        vim.cmd('silent undo')
      end)
      wait_for_findings(code, 'web-logger', 2)
      equal(false, vim.bo[recipe].modified, 'the recipe is as it was')
    end,
  },
  {
    'shows a mistake in a recipe at its place while the other rules go on',
    function()
      local code = open('src/a.ts')
      local recipe = open('Alembic/recipes/general/cookie-di.md')
      local number
      for n, text in ipairs(lines(recipe)) do
        if text:find('pattern:', 1, true) then
          number = n
        end
      end
      local was = lines(recipe)[number]
      vim.api.nvim_buf_set_lines(recipe, number - 1, number, false, { "    pattern: 'HTTP(CookieStorage'" })
      local found = wait_for_findings(recipe, 'invalid-regex', 1)[1]
      equal(number - 1, found.lnum, 'line of the problem')
      wait_for_findings(code, 'web-logger', 2)
      vim.api.nvim_buf_set_lines(recipe, number - 1, number, false, { was })
      wait_for_findings(recipe, 'invalid-regex', 0)
    end,
  },
  {
    'fixes what is safe on save',
    function()
      local bufnr = open('src/a.ts')
      wait_for_findings(bufnr, 'web-logger', 2)
      vim.api.nvim_create_autocmd('BufWritePre', {
        buffer = bufnr,
        once = true,
        callback = function(event)
          require('asd').fix_all(event.buf, TIMEOUT)
        end,
      })
      vim.cmd('silent write')
      local written = vim.fn.readfile(fixture .. '/src/a.ts')
      equal({ '/* 🦀 */ logger.debug(1);', 'export const two = 2; logger.debug(two);' }, written, 'file after saving')
      wait_for_findings(bufnr, 'web-logger', 0)
    end,
  },
  {
    'checks files that are not open, and lists them',
    function()
      open('src/a.ts')
      vim.cmd.AsdCheck()
      wait_for('the finding of the closed file in the quickfix list', function()
        for _, item in ipairs(vim.fn.getqflist()) do
          if vim.api.nvim_buf_get_name(item.bufnr):find('closed.ts', 1, true) then
            return true
          end
        end
        return false
      end)
      vim.cmd.cclose()
    end,
  },
  {
    'goes from a trigger to its recipe',
    function()
      local bufnr = open('src/session.swift')
      local target = request(bufnr, 'textDocument/definition', 1, 9)
      target = vim.islist(target) and target[1] or target
      local uri = target.uri or target.targetUri
      assert(uri:find('recipes/general/cookie-di.md', 1, true), vim.inspect(target))
    end,
  },
  {
    'opens a recipe by its trigger',
    function()
      open('src/session.swift')
      vim.cmd.AsdRecipe('@web-logger')
      wait_for('the recipe to open', function()
        return vim.api.nvim_buf_get_name(0):find('web-logger.md', 1, true) ~= nil
      end)
    end,
  },
  {
    'completes triggers after an at sign in a comment',
    function()
      local bufnr = open('src/session.swift')
      vim.api.nvim_buf_set_lines(bufnr, 1, 2, false, { '// see @' })
      local found = request(bufnr, 'textDocument/completion', 1, 8)
      local labels = vim.tbl_map(function(item)
        return item.label
      end, found.items or found)
      assert(vim.tbl_contains(labels, '@cookie-di'), vim.inspect(labels))
      vim.cmd('silent undo')
    end,
  },
  {
    'renames a trigger everywhere',
    function()
      local bufnr = open('src/session.swift')
      vim.api.nvim_win_set_cursor(0, { 2, 9 })
      vim.lsp.buf.rename('@cookie-injection')
      wait_for('the mention to change', function()
        return lines(bufnr)[2] == '// see @cookie-injection'
      end)
      wait_for('the recipe to move', function()
        for _, b in ipairs(vim.api.nvim_list_bufs()) do
          local name = vim.api.nvim_buf_get_name(b)
          if name:find('cookie-injection.md', 1, true) then
            return table.concat(lines(b), '\n'):find('trigger: "@cookie-injection"', 1, true) ~= nil
          end
        end
        return false
      end)
    end,
  },
  {
    'leaves no server behind',
    function()
      local client = vim.lsp.get_clients({ name = 'asd' })[1]
      client:stop()
      wait_for('the server to end', function()
        return client:is_stopped()
      end)
    end,
  },
}

local passed, failed = 0, 0
for _, test in ipairs(tests) do
  local ok, problem = xpcall(test[2], debug.traceback)
  io.stdout:write((ok and 'ok     ' or 'FAILED ') .. test[1] .. '\n')
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    io.stdout:write('       ' .. tostring(problem):gsub('\n', '\n       ') .. '\n')
  end
end
io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
vim.cmd(failed == 0 and 'qall!' or 'cquit!')
