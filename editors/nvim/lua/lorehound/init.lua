-- Lorehound in Neovim: ask, list with a preview, go.

local config = require('lorehound.config')
local items = require('lorehound.items')
local list = require('lorehound.list')
local lsp = require('lorehound.lsp')
local process = require('lorehound.process')

local M = {}

-- The running request: a function that cancels it.
local cancel

-- The last list, for `resume`, and the list that is shown.
local last, open

local function report(failure)
  local text = 'lorehound: ' .. failure.message
  if failure.hint then
    text = text .. '\nhint: ' .. failure.hint
  end
  vim.notify(text, vim.log.levels.ERROR)
end

-- Ends the running request, so that its answer is not shown.
local function stop()
  if cancel then
    local running = cancel
    cancel = nil
    running()
  end
end

-- The directory to search from: the repository of the current file or, outside of repositories, the
-- current directory if the file is below it.
local function folder()
  local current = vim.fn.resolve(vim.fn.getcwd())
  local name = vim.api.nvim_buf_get_name(0)
  local found = vim.fn.resolve(vim.fn.fnamemodify(name, ':p:h'))
  if vim.bo.buftype ~= '' or name == '' or vim.fn.isdirectory(found) == 0 then
    found = current
  end
  return lsp.root(found) or (lsp.is_below(found, current) and current) or found
end

-- Runs `lore` with JSON as its output. `done` gets an error or an answer.
local function run(words, from, done)
  local settings = config.current
  if vim.fn.executable(settings.path) == 0 then
    done({
      message = ('could not start `%s`: there is no such program'):format(settings.path),
      hint = "install Lorehound, or name the program: require('lorehound').setup({ path = '/path/to/lore' })",
    })
    return function() end
  end
  local command = vim.list_extend({ settings.path }, words)
  return process.run(command, from, function(code, output, errors)
    local answer = process.decode(output)
    if answer and (code == 0 or code == 1) then
      done(nil, answer)
      return
    end
    local failure = process.explain(errors)
    if failure.message == '' then
      failure.message = ('`%s` ended with exit code %s and without an answer'):format(settings.path, tostring(code))
    end
    done(failure)
  end)
end

-- Ends the running request, and closes the list that is shown.
local function clear()
  stop()
  if open then
    open:close()
    open = nil
  end
end

local function remember(title, found, notes, position, again)
  last = { title = title, items = found, notes = notes, position = position, again = again }
end

-- Shows a list while `start` waits for its items. `start` gets a function for an error or the items
-- and notes, and returns one that cancels the request. `again` runs for the key `i`.
local function present(title, start, again)
  local settings = config.current
  local shown
  if settings.picker == 'list' then
    shown = list.open({
      title = title,
      settings = settings,
      on_edit = again,
      on_close = function(closed)
        stop()
        if closed.is_filled then
          remember(title, closed.items, closed.notes, closed.position, again)
        end
      end,
    })
    open = shown
  end
  local is_done = false
  local running = start(function(failure, found, notes)
    is_done = true
    cancel = nil
    if failure then
      if shown then
        shown:close()
      end
      report(failure)
    elseif shown then
      shown:show(found, notes)
    else
      remember(title, found, notes, 1, again)
      local picker = settings.picker
      if type(picker) == 'string' then
        picker = require('lorehound.pickers')[picker]
      end
      picker(title, found, notes)
    end
  end)
  if not is_done then
    cancel = running
  end
end

-- Sets the settings, all of which are optional.
function M.setup(settings)
  local problems = config.set(settings)
  for _, problem in ipairs(problems) do
    vim.notify('lorehound: ' .. problem, vim.log.levels.ERROR)
  end
  local group = vim.api.nvim_create_augroup('lorehound', {})
  if not config.current.lsp then
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(event)
      lsp.attach(event.buf, config.current.path)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype ~= '' then
      lsp.attach(buffer, config.current.path)
    end
  end
end

-- Asks for a question, and then searches for it.
local function prompt(default)
  vim.ui.input({ prompt = 'Ask: ', default = default }, function(question)
    if question and vim.trim(question) ~= '' then
      M.ask(question)
    end
  end)
end

-- Searches for a question, and shows the results.
function M.ask(question)
  question = vim.trim(question or '')
  if question == '' then
    prompt('')
    return
  end
  clear()
  local settings = config.current
  local from = folder()
  -- Arguments are for the command line only.
  local client = #settings.arguments == 0 and lsp.client(from)
  local function start(done)
    if client then
      return lsp.ask(client, question, settings.limit, function(failure, answer)
        if failure then
          done(failure)
        else
          done(nil, items.of_places(answer, client.config.root_dir))
        end
      end)
    end
    local words = { 'search', '--json', '--limit', tostring(settings.limit) }
    vim.list_extend(words, settings.arguments)
    vim.list_extend(words, { '--', question })
    return run(words, from, function(failure, answer)
      if failure then
        done(failure)
      else
        done(nil, items.of_search(answer))
      end
    end)
  end
  present(question, start, function()
    prompt(question)
  end)
end

-- The file and lines of a range or of the cursor, as `lore` takes them. Returns nil without a file.
local function target(range, from)
  local name = vim.api.nvim_buf_get_name(0)
  if vim.bo.buftype ~= '' or name == '' then
    report({ message = 'this buffer has no file', hint = 'open a file of the repository' })
    return nil
  end
  if vim.bo.modified then
    vim.notify('lorehound: the file is read as it was saved', vim.log.levels.WARN)
  end
  local lines = range or { vim.fn.line('.') }
  if lines[2] == lines[1] then
    lines = { lines[1] }
  end
  local path = vim.fn.resolve(vim.fn.fnamemodify(name, ':p'))
  return path:sub(#from + 2) .. ':' .. table.concat(lines, '-')
end

-- Shows the answer of a command about the line of the cursor.
local function about(range, title, words, convert)
  clear()
  local from = folder()
  local passage = target(range, from)
  if not passage then
    return
  end
  local command = vim.deepcopy(words)
  vim.list_extend(command, { '--json', '--', passage })
  present(title .. ' ' .. passage, function(done)
    return run(command, from, function(failure, answer)
      if failure then
        done(failure)
      else
        done(nil, convert(answer))
      end
    end)
  end, function()
    prompt('')
  end)
end

-- Lists passages similar to the one under the cursor, or to the lines of a range.
function M.related(range)
  about(range, 'Related to', { 'related', '--limit', tostring(config.current.limit) }, items.of_search)
end

-- Lists the commits, specs, documents and tests behind the line of the cursor, or the lines of a range.
function M.why(range)
  about(range, 'Why', { 'why' }, items.of_why)
end

-- Shows the last list again.
function M.resume()
  clear()
  if not last then
    report({ message = 'there is no earlier list', hint = 'run :Lore with a question' })
    return
  end
  local earlier = last
  local shown = list.open({
    title = earlier.title,
    settings = config.current,
    on_edit = earlier.again,
    on_close = function(closed)
      remember(earlier.title, closed.items, closed.notes, closed.position, earlier.again)
    end,
  })
  open = shown
  shown:show(earlier.items, earlier.notes, earlier.position)
end

return M
