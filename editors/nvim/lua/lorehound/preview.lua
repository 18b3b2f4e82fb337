-- The preview: the lines around an item, with the colours of its language.

local process = require('lorehound.process')

local M = {}

-- Larger files are shown by the lines of the answer only.
local MAX_BYTES = 2 * 1024 * 1024

-- Longer commits are cut.
local MAX_COMMIT_LINES = 2000

local space = vim.api.nvim_create_namespace('lorehound.preview')

local function scratch(lines)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'hide'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  return buffer
end

local function replace(buffer, lines)
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    vim.bo[buffer].modifiable = false
  end
end

-- The text of the editor if the file is open, or of the disk. Returns nil for a file that is too large,
-- is binary or cannot be read.
local function lines_of(file)
  local open = vim.fn.bufnr('^' .. vim.fn.escape(file, '\\*?[]{},^$') .. '$')
  if open > 0 and vim.api.nvim_buf_is_loaded(open) then
    return vim.api.nvim_buf_get_lines(open, 0, -1, false)
  end
  local found = vim.loop.fs_stat(file)
  if not found or found.type ~= 'file' or found.size > MAX_BYTES then
    return nil
  end
  local read, lines = pcall(vim.fn.readfile, file)
  if not read then
    return nil
  end
  for number, line in ipairs(lines) do
    -- `readfile` has line feeds for zero bytes.
    if line:find('\n', 1, true) then
      return nil
    end
    lines[number] = (line:gsub('\r$', ''))
  end
  return lines
end

-- Colours without the plugins of the file type: no language server is started for a preview.
local function colour(buffer, kind)
  if not kind or kind == '' then
    return
  end
  local language = kind
  if vim.treesitter and vim.treesitter.language and vim.treesitter.language.get_lang then
    language = vim.treesitter.language.get_lang(kind) or kind
  end
  if not (vim.treesitter and vim.treesitter.start and pcall(vim.treesitter.start, buffer, language)) then
    vim.bo[buffer].syntax = kind
  end
end

local function kind_of(file, buffer)
  if not vim.filetype then
    return nil
  end
  -- Since 0.8, the arguments are a table.
  local matched, kind = pcall(vim.filetype.match, { filename = file, buf = buffer })
  if not matched then
    matched, kind = pcall(vim.filetype.match, file, buffer)
  end
  return matched and type(kind) == 'string' and kind or nil
end

-- Fills a buffer with a commit, as git shows it.
local function load_commit(buffer, item)
  local command = { 'git', '-C', item.root, 'show', '--no-color', '--stat', '--patch', item.commit }
  process.run(command, nil, function(code, output)
    if code ~= 0 then
      return
    end
    local lines = vim.split(output, '\n', { plain = true })
    if #lines > MAX_COMMIT_LINES then
      lines = vim.list_slice(lines, 1, MAX_COMMIT_LINES)
      table.insert(lines, '[cut]')
    end
    replace(buffer, lines)
  end)
end

-- Returns the buffer with the text of an item, and true if it has the lines of the file.
local function build(item)
  local lines = item.file and lines_of(item.file)
  if lines then
    local buffer = scratch(lines)
    colour(buffer, kind_of(item.file, buffer))
    return buffer, true
  end
  local buffer = scratch(vim.split(item.text or '', '\n', { plain = true }))
  if item.commit then
    colour(buffer, 'git')
    load_commit(buffer, item)
  end
  return buffer, false
end

-- Returns a function that gives the buffer of an item, and another that deletes all buffers.
function M.cache()
  local buffers = {}
  local function get(item)
    local key = item.file or item.id or item.title
    local entry = buffers[key]
    if not entry or not vim.api.nvim_buf_is_valid(entry.buffer) then
      local buffer, is_file = build(item)
      entry = { buffer = buffer, is_file = is_file }
      buffers[key] = entry
    end
    return entry.buffer, entry.is_file
  end
  local function delete()
    for _, entry in pairs(buffers) do
      if vim.api.nvim_buf_is_valid(entry.buffer) then
        vim.api.nvim_buf_delete(entry.buffer, { force = true })
      end
    end
    buffers = {}
  end
  return get, delete
end

-- Shows an item in a window: its lines are marked, and its line is in the centre.
function M.show(window, item, get)
  local buffer, is_file = get(item)
  vim.api.nvim_win_set_buf(window, buffer)
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  local count = vim.api.nvim_buf_line_count(buffer)
  local line = is_file and math.min(item.lnum, count) or 1
  if is_file then
    for number = item.first, math.min(item.last, count) do
      vim.api.nvim_buf_set_extmark(buffer, space, number - 1, 0, {
        line_hl_group = number == line and 'LorehoundLine' or 'LorehoundPassage',
      })
    end
  end
  vim.api.nvim_win_set_cursor(window, { line, 0 })
  vim.api.nvim_win_call(window, function()
    vim.cmd('normal! ' .. (is_file and 'zz' or 'gg'))
  end)
end

-- A buffer to keep, for an item without a file.
function M.keep(item)
  local buffer = build(item)
  vim.bo[buffer].bufhidden = 'wipe'
  pcall(vim.api.nvim_buf_set_name, buffer, 'lorehound://' .. (item.id or item.title))
  return buffer
end

return M
