-- Checks the plugin in a headless Neovim, with the real `lore` of the variable `LORE`, on a small
-- repository that it writes itself:
--
--   LORE=target/debug/lore nvim --headless -u NONE -i NONE -n -c 'luafile editors/nvim/tests/run.lua'
--
-- `cargo xtask editors` runs it. Works from Neovim 0.7 on.

local lore = assert(vim.env.LORE, 'LORE names the program')
local plugin = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
local tree = vim.fn.resolve(vim.fn.tempname())
local cases, count = {}, 0

local function case(name, run)
  table.insert(cases, { name = name, run = run })
end

local function check(condition, text)
  count = count + 1
  if not condition then
    error(text, 2)
  end
end

local function equal(value, expected, text)
  check(vim.deep_equal(value, expected), ('%s: %s, expected %s'):format(text, vim.inspect(value), vim.inspect(expected)))
end

local function wait(condition, text)
  check(vim.wait(60000, condition, 10), 'timeout: ' .. text)
end

-- The repository: a module, its user, a page, and two commits.
local function write(path, lines)
  vim.fn.mkdir(vim.fn.fnamemodify(tree .. '/' .. path, ':h'), 'p')
  vim.fn.writefile(lines, tree .. '/' .. path)
end

local function git(...)
  local names = { '-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.com' }
  local command = vim.list_extend(vim.list_extend({ 'git', '-C', tree }, names), { ... })
  local output = vim.fn.system(command)
  assert(vim.v.shell_error == 0, output)
end

write('ledger.lua', {
  'local M = {}',
  '',
  '-- Adds the fee of the bank to an amount.',
  'function M.add_fee(amount)',
  '  return amount + 3',
  'end',
  '',
  '-- Adds the tax of the state to an amount.',
  'function M.add_tax(amount)',
  '  return amount + 2',
  'end',
  '',
  '-- Retries a refund until the bank answers.',
  'function M.retry_refund(bank, payment)',
  '  for _ = 1, 3 do',
  '    if bank.refund(payment) then',
  '      return true',
  '    end',
  '  end',
  '  return false',
  'end',
  '',
  'return M',
})
write('shop.lua', {
  "local ledger = require('ledger')",
  '',
  '-- Sells an article, with the fee of the bank.',
  'local function sell(price)',
  '  return ledger.add_fee(price)',
  'end',
  '',
  'return sell',
})
write('docs/refunds.md', { '# Refunds', '', 'A refund is retried three times. The customer is told.' })
git('init', '--quiet')
git('add', '--all')
git('commit', '--quiet', '--message', 'ledger: retry refunds\n\nThe bank does not always answer.')

vim.o.swapfile = false
vim.o.hidden = true
vim.o.columns, vim.o.lines = 120, 40
vim.opt.runtimepath:prepend(plugin)
vim.cmd('runtime plugin/lorehound.lua')
vim.cmd('filetype on')
vim.cmd('cd ' .. vim.fn.fnameescape(tree))

local lorehound = require('lorehound')
local messages = {}
vim.notify = function(text)
  table.insert(messages, text)
end

-- The windows of the list and of its preview, or nil.
local function windows()
  local found, other
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      if vim.bo[vim.api.nvim_win_get_buf(window)].filetype == 'lorehound' then
        found = window
      else
        other = window
      end
    end
  end
  return found, other
end

local function lines(window)
  return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'mtx', false)
  -- A headless Neovim that runs a script reports no movement of the cursor by itself.
  if windows() then
    vim.cmd('doautocmd <nomodeline> CursorMoved')
  end
end

local function wait_for_list()
  wait(function()
    local window = windows()
    return window and not lines(window)[1]:find('^searching')
  end, 'the list has no items; messages: ' .. vim.inspect(messages))
  return windows()
end

-- Moves to the item whose line contains a text.
local function move_to(text)
  local window = windows()
  for number, line in ipairs(lines(window)) do
    if line:find(text, 1, true) then
      vim.api.nvim_win_set_cursor(window, { number, 0 })
      vim.cmd('doautocmd <nomodeline> CursorMoved')
      return
    end
  end
  error(('no item `%s` in %s'):format(text, vim.inspect(lines(window))))
end

-- Path from the root of the tree, and line of the cursor.
local function here()
  local path = vim.fn.resolve(vim.api.nvim_buf_get_name(0))
  return path:sub(#tree + 2) .. ':' .. vim.fn.line('.')
end

-- Line numbers with a mark in the preview.
local function marked(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  local space = vim.api.nvim_get_namespaces()['lorehound.preview']
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {})) do
    table.insert(found, mark[2] + 1)
  end
  return found
end

local function reset(settings)
  if windows() then
    press('q')
  end
  messages = {}
  lorehound.setup(vim.tbl_extend('force', { path = lore }, settings or {}))
  vim.cmd('silent! tabonly | silent! only')
  vim.cmd('edit ' .. tree .. '/shop.lua')
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
end

case('a question is listed, and the preview follows the cursor', function()
  reset()
  vim.cmd('Lore retry_refund')
  local window, preview = wait_for_list()
  check(lines(window)[1]:find('ledger.lua:14', 1, true), 'first item: ' .. vim.inspect(lines(window)))
  check(lines(window)[1]:find('retry_refund', 1, true), 'first item: ' .. lines(window)[1])
  equal(vim.api.nvim_win_get_cursor(preview)[1], 14, 'line of the preview')
  equal(lines(preview), vim.fn.readfile(tree .. '/ledger.lua'), 'text of the preview')
  check(vim.tbl_contains(marked(preview), 14), 'marked lines: ' .. vim.inspect(marked(preview)))
  check(not vim.tbl_contains(marked(preview), 5), 'marked lines: ' .. vim.inspect(marked(preview)))
  press('q')
  vim.cmd('Lore how is a refund retried')
  window, preview = wait_for_list()
  move_to('docs/refunds.md')
  equal(lines(preview)[1], '# Refunds', 'the preview does not follow')
  vim.api.nvim_win_set_cursor(window, { 1, 0 })
  press('<C-n>')
  equal(vim.api.nvim_win_get_cursor(window)[1], 2, 'line after C-n')
  local second = lines(preview)
  press('<C-p>')
  equal(vim.api.nvim_win_get_cursor(window)[1], 1, 'line after C-p')
  check(not vim.deep_equal(lines(preview), second), 'the preview does not follow C-p')
  press('q')
  equal({ windows() }, {}, 'q leaves windows')
  equal(here(), 'shop.lua:5', 'q moves the cursor to')
end)

case('the chosen place opens in this window, a split or a tab', function()
  for key, expected in pairs({ ['<CR>'] = { 1, 1 }, ['<C-x>'] = { 2, 1 }, ['<C-v>'] = { 2, 1 }, ['<C-t>'] = { 1, 2 } }) do
    reset()
    vim.cmd('Lore retry_refund')
    wait_for_list()
    press(key)
    equal(here(), 'ledger.lua:14', key .. ' leads to')
    equal({ #vim.api.nvim_tabpage_list_wins(0), #vim.api.nvim_list_tabpages() }, expected, key .. ': windows and tabs')
  end
end)

case('a changed buffer is not lost', function()
  reset()
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '-- changed' })
  vim.o.hidden = false
  vim.cmd('Lore sell an article')
  wait_for_list()
  move_to('sell')
  press('<CR>')
  vim.o.hidden = true
  equal(vim.fn.getline(1), '-- changed', 'first line')
  equal(messages, {}, 'messages')
  vim.cmd('edit!')
end)

case('C-q fills the quickfix list', function()
  reset()
  vim.cmd('Lore retry_refund')
  local window = wait_for_list()
  local number = #lines(window)
  press('<C-q>')
  local list = vim.fn.getqflist({ title = 1, items = 1 })
  equal(list.title, 'retry_refund', 'title')
  equal(#list.items, number, 'entries')
  equal(list.items[1].lnum, 14, 'line')
  equal(vim.fn.fnamemodify(vim.fn.bufname(list.items[1].bufnr), ':t'), 'ledger.lua', 'file')
  equal(vim.bo.buftype, 'quickfix', 'current window')
end)

case('a commit opens as a buffer', function()
  reset({ arguments = { '--in', 'git' } })
  vim.cmd('Lore retry refunds')
  local _, preview = wait_for_list()
  wait(function()
    return table.concat(lines(preview), '\n'):find('+function M.retry_refund', 1, true) ~= nil
  end, 'no change in the preview of the commit: ' .. vim.inspect(lines(preview)))
  press('<CR>')
  check(vim.api.nvim_buf_get_name(0):find('lorehound://git:', 1, true), vim.api.nvim_buf_get_name(0))
  wait(function()
    return vim.fn.search('The bank does not always answer', 'nw') > 0
  end, 'no message in the buffer of the commit')
end)

case('an answer without results gives its reasons', function()
  reset()
  vim.cmd('Lore "zzz qqq xxx"')
  local window = wait_for_list()
  equal(lines(window)[1], 'no results', 'list')
  local space = vim.api.nvim_get_namespaces()['lorehound.list']
  local marks = vim.api.nvim_buf_get_extmarks(vim.api.nvim_win_get_buf(window), space, 0, -1, { details = true })
  local notes = marks[1] and marks[1][4].virt_lines
  check(notes and #notes >= 2, 'notes: ' .. vim.inspect(marks))
  press('<CR>')
  check(windows(), 'Enter closes an empty list')
end)

case('an error has the message and the hint of lore', function()
  reset({ arguments = { '--path', 'src/[' } })
  vim.cmd('Lore refund')
  wait(function()
    return #messages > 0
  end, 'no message')
  check(messages[1]:find('could not understand the glob', 1, true), messages[1])
  check(messages[1]:find('\nhint: ', 1, true), messages[1])
  equal({ windows() }, {}, 'the list stays')
end)

case('a missing program is reported', function()
  reset({ path = '/no/such/lore' })
  vim.cmd('Lore refund')
  check(messages[1] and messages[1]:find('there is no such program', 1, true), vim.inspect(messages))
  check(messages[1]:find('hint: install Lorehound', 1, true), vim.inspect(messages))
  equal({ windows() }, {}, 'the list stays')
end)

case('wrong settings are reported', function()
  reset({ limits = 3, limit = 'many', picker = 'other' })
  equal(#messages, 3, 'messages: ' .. vim.inspect(messages))
  local text = table.concat(messages, '\n')
  for _, part in ipairs({ 'no setting `limits`', '`limit` is a number', 'no picker `other`' }) do
    check(text:find(part, 1, true), part .. ' is not in ' .. text)
  end
end)

case('the answer of an earlier question is dropped', function()
  -- A program that is slow for one question.
  local slow = tree .. '.slow'
  local late = slow .. '.late'
  local wait_first = ('case "$*" in *slowly*) sleep 2; echo "$*" >> "%s";; esac'):format(late)
  vim.fn.writefile({ '#!/bin/sh', wait_first, 'exec "$LORE" "$@"' }, slow)
  vim.fn.system({ 'chmod', '+x', slow })
  reset({ path = slow })
  vim.cmd('Lore refunds slowly')
  vim.cmd('Lore add_fee')
  local window = wait_for_list()
  local before = lines(window)
  check(before[1]:find('add_fee', 1, true), 'first item: ' .. before[1])
  vim.wait(2500, function()
    return false
  end)
  equal(lines(windows()), before, 'list after the slow answer')
  press('q')
  -- Closing the list ends the search.
  vim.cmd('Lore refunds slowly')
  press('q')
  vim.wait(2500, function()
    return false
  end)
  equal({ windows() }, {}, 'windows after a closed list')
  equal(vim.fn.filereadable(late), 0, 'programs that were not ended')
  equal(messages, {}, 'messages')
  vim.fn.delete(slow)
end)

case('the last list is shown again, at its line', function()
  reset()
  vim.cmd('Lore how is a refund retried')
  wait_for_list()
  press('j')
  press('<CR>')
  vim.cmd('LoreResume')
  check(windows(), 'no list; messages: ' .. vim.inspect(messages))
  local window = windows()
  equal(vim.api.nvim_win_get_cursor(window)[1], 2, 'line')
  press('q')
end)

case('similar passages are listed', function()
  for _, command in ipairs({ 'LoreRelated', '3,6LoreRelated' }) do
    reset()
    vim.cmd('edit ' .. tree .. '/ledger.lua')
    vim.api.nvim_win_set_cursor(0, { 4, 0 })
    vim.cmd(command)
    local window = wait_for_list()
    check(lines(window)[1]:find('add_tax', 1, true), command .. ': ' .. vim.inspect(lines(window)))
    press('q')
  end
end)

case('the reasons of a line are listed', function()
  reset()
  vim.cmd('LoreWhy')
  local window = wait_for_list()
  check(lines(window)[1]:find('^%x+ +ledger: retry refunds'), vim.inspect(lines(window)))
  press('q')
  vim.cmd('enew')
  vim.cmd('LoreWhy')
  check(messages[1] and messages[1]:find('this buffer has no file', 1, true), vim.inspect(messages))
end)

case('a function can show the items', function()
  local shown
  reset({
    picker = function(title, found, notes)
      shown = { title, found, notes }
    end,
  })
  vim.cmd('Lore retry_refund')
  wait(function()
    return shown
  end, 'no items')
  equal(shown[1], 'retry_refund', 'title')
  equal(shown[2][1].file, tree .. '/ledger.lua', 'file')
  equal({ windows() }, {}, 'windows')
end)

case('`lore lsp` answers, also for lines that are not saved', function()
  reset({ lsp = true })
  vim.cmd('edit ' .. tree .. '/ledger.lua')
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '-- one', '-- two' })
  local lsp = require('lorehound.lsp')
  wait(function()
    return lsp.client(tree)
  end, 'the server does not start')
  check(not lsp.client(tree .. '-other'), 'a server for another tree')
  -- The server gets the change late.
  vim.wait(500, function()
    return false
  end)
  local process = require('lorehound.process')
  local run = process.run
  process.run = function()
    error('the command line is used')
  end
  vim.cmd('Lore retry_refund')
  local window, preview = wait_for_list()
  process.run = run
  check(lines(window)[1]:find('ledger.lua:', 1, true), vim.inspect(lines(window)))
  equal(lines(preview)[1], '-- one', 'first line of the preview')
  press('<CR>')
  equal(vim.fn.getline('.'), 'function M.retry_refund(bank, payment)', 'line after Enter')
  vim.cmd('edit!')
  for _, client in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    vim.lsp.stop_client(client.id)
  end
  wait(function()
    return not lsp.client(tree)
  end, 'the server does not stop')
end)

case('checkhealth finds the program', function()
  reset()
  vim.cmd('silent checkhealth lorehound')
  local text = table.concat(vim.fn.getline(1, '$'), '\n')
  check(text:find(': lore ', 1, true), text)
  check(not text:lower():find('error', 1, true), text)
  vim.cmd('bwipeout!')
end)

case('the help has its tags', function()
  vim.cmd('helptags ' .. vim.fn.fnameescape(plugin .. '/doc'))
  for _, tag in ipairs({ 'lorehound', ':Lore', ':LoreRelated', ':LoreWhy', ':LoreResume', 'lorehound-settings' }) do
    local opened, failure = pcall(vim.cmd, 'help ' .. tag)
    check(opened, failure)
    vim.cmd('close')
  end
  vim.fn.delete(plugin .. '/doc/tags')
end)

local only = vim.env.LORE_ONLY
local failed = false
for _, entry in ipairs(cases) do
  if not only or entry.name:find(only, 1, true) then
    local passed, failure = xpcall(entry.run, debug.traceback)
    io.stdout:write((passed and 'ok      ' or 'FAILED  ') .. entry.name .. '\n')
    if not passed then
      failed = true
      io.stdout:write(tostring(failure) .. '\n')
    end
  end
end
vim.fn.delete(tree, 'rf')
io.stdout:write(('%d checks in %d cases\n'):format(count, #cases))
vim.cmd(failed and 'cquit 1' or 'qall!')
