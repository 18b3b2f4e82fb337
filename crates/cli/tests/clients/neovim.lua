-- Opens a file in Neovim with `lore lsp`, and checks definition, references and hover as a user sees
-- them, also after lines were inserted that are not saved. `cargo xtask editors` runs it for each
-- language, and describes the file in environment variables. Works from Neovim 0.7 on.

local tree, name = vim.env.LORE_TREE, vim.env.LORE_NAME
local user, library = vim.env.LORE_USER, vim.env.LORE_LIBRARY

local function say(text)
  io.stdout:write(text .. '\n')
end

local function check(condition, text)
  if not condition then
    io.stderr:write('FAILED: ' .. text .. '\n')
    vim.cmd('cquit 1')
  end
end

-- Path and line of the cursor, from the root of the tree.
local function here()
  local path = vim.fn.resolve(vim.fn.expand('%:p'))
  return path:sub(#vim.fn.resolve(tree) + 2) .. ':' .. vim.fn.line('.')
end

local function open(path)
  vim.cmd('edit ' .. vim.fn.fnameescape(tree .. '/' .. path))
end

vim.o.hidden = true
vim.o.swapfile = false
vim.cmd('cd ' .. vim.fn.fnameescape(tree))
open(user)

-- Neovim sends the changes of other buffers late; a user waits longer than it does.
local flags = { debounce_text_changes = 0 }
local config = { name = 'lorehound', cmd = { vim.env.LORE, 'lsp' }, root_dir = tree, flags = flags }
local id
local function attach()
  if vim.lsp.start then
    id = vim.lsp.start(config)
  else
    id = id or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(0, id)
  end
end
attach()

local function client()
  return id and vim.lsp.get_client_by_id(id)
end

check(vim.wait(60000, function()
  local found = client()
  return found and found.server_capabilities ~= nil and next(found.server_capabilities) ~= nil
end, 20), 'the server does not start')

-- Sends a request for the position of the cursor, and returns its result.
local function request(method, more)
  local params = vim.lsp.util.make_position_params(0, client().offset_encoding)
  local answers = vim.lsp.buf_request_sync(0, method, vim.tbl_extend('force', params, more or {}), 60000)
  local answer = answers and answers[id]
  check(answer and not answer.error, method .. ': ' .. vim.inspect(answers))
  return answer.result
end

-- Moves the cursor to the name in the line with the call.
local function to_call()
  open(user)
  attach()
  vim.fn.cursor(1, 1)
  check(vim.fn.search('\\V' .. vim.fn.escape(vim.env.LORE_CALL, '\\')) > 0, 'no call in ' .. user)
  vim.fn.search('\\V' .. name)
end

-- Jumps as a user does, and checks where the cursor is.
local function jump(title)
  to_call()
  local from = here()
  vim.lsp.buf.definition()
  vim.wait(60000, function()
    return here() ~= from
  end, 20)
  local line = vim.fn.getline('.')
  check(here():find(library, 1, true) == 1, title .. ' leads to ' .. here())
  check(line:find(vim.env.LORE_DEFINITION, 1, true), title .. ' leads to the line ' .. line)
  say(title .. ' at ' .. from .. ' -> ' .. here() .. '  ' .. vim.trim(line))
end

jump('definition')

to_call()
local lines = {}
for _, location in ipairs(request('textDocument/references', { context = { includeDeclaration = false } })) do
  local path = vim.fn.resolve(vim.uri_to_fname(location.uri)):sub(#vim.fn.resolve(tree) + 2)
  table.insert(lines, path .. ':' .. location.range.start.line + 1)
end
check(#lines == tonumber(vim.env.LORE_REFERENCES), 'references: ' .. table.concat(lines, ' '))
say('references -> ' .. table.concat(lines, ', '))

local hover = request('textDocument/hover')
local text = hover and hover.contents.value or ''
check(text:find(vim.env.LORE_SIGNATURE, 1, true), 'hover: ' .. text)
check(text:find('Last changed by', 1, true), 'hover without the last change: ' .. text)
say('hover ->')
for line in text:gmatch('[^\n]+') do
  if not line:find('^```') then
    say('  ' .. line)
  end
end

-- Lines that are not saved move the definition.
open(library)
attach()
vim.api.nvim_buf_set_lines(0, 0, 0, false, { '', '' })
jump('definition, two unsaved lines later')
check(vim.bo.modified, 'the file was saved')

vim.lsp.stop_client(id)
vim.wait(10000, function()
  return client() == nil
end, 20)
vim.cmd('qall!')
