-- The language server `lore lsp`: starts it, and sends it questions.

local M = {}

local NAME = 'lorehound'

-- Names that mark the root of a repository.
local MARKS = { '.git', '.hg', '.jj' }

-- The clients by root, for Neovim before 0.8.
local started = {}

local function clients()
  local all = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return vim.tbl_filter(function(client)
    return client.name == NAME
  end, all)
end

-- Returns true if a path is a directory, or below it.
function M.is_below(path, root)
  return path == root or path:sub(1, #root + 1) == root .. '/'
end

-- Returns the root of the repository around a directory: the nearest one with a mark.
function M.root(path)
  local folder = path
  while folder and folder ~= '' do
    for _, mark in ipairs(MARKS) do
      if vim.loop.fs_stat(folder .. '/' .. mark) then
        return folder
      end
    end
    local parent = vim.fn.fnamemodify(folder, ':h')
    folder = parent ~= folder and parent or nil
  end
  return nil
end

-- Starts the server for the tree of a buffer, or attaches the running one.
function M.attach(buffer, program)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= '' or name == '' or name:find('^%a+://') then
    return
  end
  local root = M.root(vim.fn.fnamemodify(name, ':p:h'))
  if not root or vim.fn.executable(program) == 0 then
    return
  end
  local config = { name = NAME, cmd = { program, 'lsp' }, root_dir = root }
  if vim.lsp.start then
    vim.api.nvim_buf_call(buffer, function()
      vim.lsp.start(config)
    end)
    return
  end
  -- Neovim before 0.8.
  config.on_exit = function()
    started[root] = nil
  end
  started[root] = started[root] or vim.lsp.start_client(config)
  if started[root] then
    vim.lsp.buf_attach_client(buffer, started[root])
  end
end

-- Returns a running server that reads this file or directory.
function M.client(path)
  for _, client in ipairs(clients()) do
    local root = client.config.root_dir
    local is_ready = client.server_capabilities and client.server_capabilities.executeCommandProvider
    if root and is_ready and M.is_below(path, root) then
      return client
    end
  end
  return nil
end

-- Sends a question. `done` gets an error or an answer. Returns a function that cancels the request.
function M.ask(client, question, limit, done)
  local root = client.config.root_dir
  local argument = { question = question, limit = limit, uri = vim.uri_from_fname(root) }
  local params = { command = 'lorehound.ask', arguments = { argument } }
  local cancelled = false
  local function handle(failure, answer)
    if cancelled then
      return
    end
    if failure or type(answer) ~= 'table' then
      done({ message = failure and failure.message or 'the server gave no answer' })
    else
      done(nil, answer)
    end
  end
  -- Since 0.11, the functions of a client are methods.
  local is_method = vim.fn.has('nvim-0.11') == 1
  local sent, id
  if is_method then
    sent, id = client:request('workspace/executeCommand', params, handle)
  else
    sent, id = client.request('workspace/executeCommand', params, handle, 0)
  end
  if not sent then
    done({ message = 'the server has stopped', hint = 'see :LspLog' })
    return function() end
  end
  return function()
    cancelled = true
    if is_method then
      client:cancel_request(id)
    else
      client.cancel_request(id)
    end
  end
end

return M
