-- The list: a window with the items, and a preview beside or below it.

local preview = require('lorehound.preview')

local M = {}

local space = vim.api.nvim_create_namespace('lorehound.list')

-- Below this width, the preview is below the list.
local MIN_COLUMNS_BESIDE = 100

-- Extensions of files whose lines are wrapped in the preview.
local PROSE = { 'md', 'txt', 'rst', 'adoc' }

local List = {}
List.__index = List

local function link(name, target)
  vim.api.nvim_set_hl(0, name, { default = true, link = target })
end

local function define_colours()
  link('LorehoundPlace', 'Directory')
  link('LorehoundKind', 'Comment')
  link('LorehoundNote', 'Comment')
  link('LorehoundSelected', 'Visual')
  link('LorehoundPassage', 'CursorLine')
  link('LorehoundLine', 'Visual')
end

-- Cuts a text at its start or its end, so that it has this display width at most.
local function cut(text, width, at_start)
  text = text:gsub('%c', ' ')
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  local count = vim.fn.strchars(text)
  while count > 0 do
    count = count - 1
    local part = at_start and vim.fn.strcharpart(text, vim.fn.strchars(text) - count) or vim.fn.strcharpart(text, 0, count)
    if vim.fn.strdisplaywidth(part) <= width - 1 then
      return at_start and '…' .. part or part .. '…'
    end
  end
  return ''
end

local function pad(text, width)
  return text .. (' '):rep(math.max(0, width - vim.fn.strdisplaywidth(text)))
end

-- Wraps a text at spaces.
local function wrap(text, width)
  local lines, line = {}, ''
  for word in text:gmatch('%S+') do
    if line ~= '' and vim.fn.strdisplaywidth(line .. ' ' .. word) > width then
      table.insert(lines, line)
      line = word
    else
      line = line == '' and word or line .. ' ' .. word
    end
  end
  table.insert(lines, line)
  return lines
end

-- Position and size of both windows.
local function layout(settings)
  local columns, rows = vim.o.columns, vim.o.lines - vim.o.cmdheight
  local width = math.max(20, math.min(columns - 4, math.floor(columns * settings.width)))
  local height = math.max(6, math.min(rows - 4, math.floor(rows * settings.height)))
  local left, top = math.floor((columns - width) / 2), math.max(0, math.floor((rows - height) / 2) - 1)
  -- The border takes a row or column on each side.
  if columns >= MIN_COLUMNS_BESIDE then
    local list = math.floor(width * 0.5)
    return {
      list = { row = top, col = left, width = list - 2, height = height - 2 },
      preview = { row = top, col = left + list, width = width - list - 2, height = height - 2 },
    }
  end
  local list = math.max(3, math.floor(height * 0.4))
  return {
    list = { row = top, col = left, width = width - 2, height = list - 2 },
    preview = { row = top + list, col = left, width = width - 2, height = math.max(1, height - list - 2) },
  }
end

local function float(part, title, footer)
  local config = vim.tbl_extend('force', part, { relative = 'editor', style = 'minimal', border = 'rounded' })
  if vim.fn.has('nvim-0.9') == 1 then
    config.title = ' ' .. cut(title, math.max(4, part.width - 4), false) .. ' '
    config.title_pos = 'left'
  end
  if footer and vim.fn.has('nvim-0.10') == 1 then
    config.footer = cut(footer, part.width, false)
    config.footer_pos = 'right'
  end
  return config
end

local KEYS = ' Enter C-x C-v C-t open  C-q list  i ask  q quit '

-- Opens the windows. `options` has `title`, `settings`, and the functions `on_close` and `on_edit`.
function M.open(options)
  define_colours()
  local self = setmetatable({}, List)
  self.options = options
  self.items = {}
  self.notes = {}
  self.origin = vim.api.nvim_get_current_win()
  self.get, self.delete = preview.cache()
  local parts = layout(options.settings)
  self.empty = vim.api.nvim_create_buf(false, true)
  self.preview = vim.api.nvim_open_win(self.empty, false, float(parts.preview, 'Preview'))
  vim.wo[self.preview].wrap = false
  self.buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[self.buffer].bufhidden = 'wipe'
  self.window = vim.api.nvim_open_win(self.buffer, true, float(parts.list, options.title, KEYS))
  vim.wo[self.window].wrap = false
  vim.wo[self.window].scrolloff = 2
  vim.wo[self.window].winhighlight = 'CursorLine:LorehoundSelected'
  self:write({ 'searching …' })
  vim.bo[self.buffer].filetype = 'lorehound'
  self:map()
  self:watch()
  return self
end

function List:is_open()
  return self.window ~= nil
end

function List:write(lines)
  vim.bo[self.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(self.buffer, 0, -1, false, lines)
  vim.bo[self.buffer].modifiable = false
end

function List:map()
  local function key(left, right)
    vim.keymap.set('n', left, right, { buffer = self.buffer, nowait = true, silent = true })
  end
  local function go(how)
    return function()
      self:go(how)
    end
  end
  local function close()
    self:close()
  end
  key('<CR>', go('edit'))
  key('<2-LeftMouse>', go('edit'))
  key('<C-x>', go('split'))
  key('<C-v>', go('vsplit'))
  key('<C-t>', go('tabedit'))
  key('<C-q>', function()
    self:to_quickfix()
  end)
  key('q', close)
  key('<Esc>', close)
  key('<C-c>', close)
  -- `j` and `k` move as everywhere.
  key('<C-n>', 'j')
  key('<C-p>', 'k')
  key('<C-f>', function()
    self:scroll('\4')
  end)
  key('<C-b>', function()
    self:scroll('\21')
  end)
  key('i', function()
    self:close()
    self.options.on_edit()
  end)
end

function List:watch()
  self.group = vim.api.nvim_create_augroup('lorehound.list.' .. self.buffer, {})
  local function on(event, options)
    vim.api.nvim_create_autocmd(event, vim.tbl_extend('force', { group = self.group }, options))
  end
  on('CursorMoved', {
    buffer = self.buffer,
    callback = function()
      self:follow()
    end,
  })
  on('WinLeave', {
    buffer = self.buffer,
    callback = function()
      vim.schedule(function()
        self:close()
      end)
    end,
  })
  on('VimResized', {
    callback = function()
      self:resize()
    end,
  })
end

function List:resize()
  if not self:is_open() then
    return
  end
  local parts = layout(self.options.settings)
  vim.api.nvim_win_set_config(self.window, float(parts.list, self.options.title, KEYS))
  vim.api.nvim_win_set_config(self.preview, float(parts.preview, 'Preview'))
  if self.is_filled then
    self:show(self.items, self.notes, vim.api.nvim_win_get_cursor(self.window)[1])
  end
end

-- Scrolls the preview.
function List:scroll(keys)
  vim.api.nvim_win_call(self.preview, function()
    vim.cmd('normal! ' .. keys)
  end)
end

-- Shows the items of an answer.
function List:show(items, notes, position)
  if not self:is_open() then
    return
  end
  self.items, self.notes, self.is_filled = items, notes, true
  local width = vim.api.nvim_win_get_width(self.window)
  local place_width = 0
  for _, item in ipairs(items) do
    place_width = math.max(place_width, vim.fn.strdisplaywidth(item.place))
  end
  place_width = math.min(place_width, math.floor(width * 0.45))
  local lines, colours = {}, {}
  for number, item in ipairs(items) do
    local place = pad(cut(item.place, place_width, true), place_width)
    local title = item.detail and ('%s – %s'):format(item.title, item.detail) or item.title
    local text = place .. '  ' .. cut(title, math.max(8, width - place_width - 3), false)
    local length = #text
    local kind = item.kind and '  ' .. item.kind or ''
    if kind ~= '' and vim.fn.strdisplaywidth(text .. kind) <= width then
      text = text .. kind
    end
    table.insert(lines, text)
    table.insert(colours, { number - 1, 0, #place, 'LorehoundPlace' })
    table.insert(colours, { number - 1, length, #text, 'LorehoundKind' })
  end
  self:write(#items > 0 and lines or { 'no results' })
  vim.api.nvim_buf_clear_namespace(self.buffer, space, 0, -1)
  for _, colour in ipairs(colours) do
    vim.api.nvim_buf_set_extmark(self.buffer, space, colour[1], colour[2], { end_col = colour[3], hl_group = colour[4] })
  end
  local below = {}
  for _, note in ipairs(notes) do
    for _, line in ipairs(wrap(note, width - 2)) do
      table.insert(below, { { line, 'LorehoundNote' } })
    end
  end
  if #below > 0 then
    table.insert(below, 1, { { '' } })
    vim.api.nvim_buf_set_extmark(self.buffer, space, math.max(#items, 1) - 1, 0, { virt_lines = below })
  end
  vim.wo[self.window].cursorline = #items > 0
  vim.api.nvim_win_set_cursor(self.window, { math.max(1, math.min(position or 1, #items)), 0 })
  self.shown = nil
  self:follow()
end

-- The item of the cursor.
function List:item()
  return self.items[vim.api.nvim_win_get_cursor(self.window)[1]]
end

-- Shows the item of the cursor in the preview.
function List:follow()
  local item = self:item()
  if not item or item == self.shown then
    return
  end
  self.shown = item
  preview.show(self.preview, item, self.get)
  local part = { width = vim.api.nvim_win_get_width(self.preview) }
  if vim.fn.has('nvim-0.9') == 1 then
    local title = ' ' .. cut(item.place, math.max(4, part.width - 4), true) .. ' '
    vim.api.nvim_win_set_config(self.preview, { title = title, title_pos = 'left' })
  end
  vim.wo[self.preview].number = item.file ~= nil
  vim.wo[self.preview].wrap = vim.tbl_contains(PROSE, vim.fn.fnamemodify(item.file or '', ':e'))
  vim.wo[self.preview].linebreak = true
end

-- Closes the windows.
function List:close()
  if not self:is_open() then
    return
  end
  if self.is_filled then
    self.position = vim.api.nvim_win_is_valid(self.window) and vim.api.nvim_win_get_cursor(self.window)[1] or 1
  end
  local windows = { self.window, self.preview }
  self.window = nil
  vim.api.nvim_del_augroup_by_id(self.group)
  for _, window in ipairs(windows) do
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
  end
  self.delete()
  if vim.api.nvim_buf_is_valid(self.empty) then
    vim.api.nvim_buf_delete(self.empty, { force = true })
  end
  if vim.api.nvim_win_is_valid(self.origin) then
    vim.api.nvim_set_current_win(self.origin)
  end
  self.options.on_close(self)
end

-- Opens the item of the cursor.
function List:go(how)
  local item = self:item()
  if item then
    self:close()
    M.go(item, how)
  end
end

function List:to_quickfix()
  if #self.items == 0 then
    return
  end
  self:close()
  M.to_quickfix(self.options.title, self.items)
end

-- Opens an item in the current window, or in a new one: `how` is a command such as `edit` or `split`.
function M.go(item, how)
  vim.cmd("normal! m'")
  if item.file then
    local here = vim.fn.resolve(vim.api.nvim_buf_get_name(0))
    local path = vim.fn.fnameescape(vim.fn.fnamemodify(item.file, ':~:.'))
    local opened, failure = true, nil
    -- `:edit` fails in a changed buffer, even for its own file.
    if how ~= 'edit' or here ~= vim.fn.resolve(item.file) then
      opened, failure = pcall(vim.cmd, how .. ' ' .. path)
    end
    if not opened then
      vim.notify(failure, vim.log.levels.ERROR)
      return
    end
    local line = math.min(item.lnum, vim.api.nvim_buf_line_count(0))
    vim.api.nvim_win_set_cursor(0, { line, 0 })
    vim.cmd('normal! ^zvzz')
  else
    if how ~= 'edit' then
      vim.cmd(how == 'tabedit' and 'tabnew' or how)
    end
    vim.api.nvim_win_set_buf(0, preview.keep(item))
  end
end

-- Puts items into the quickfix list, and shows it.
function M.to_quickfix(title, items)
  vim.fn.setqflist({}, ' ', { title = title, items = require('lorehound.items').quickfix(items) })
  vim.cmd('copen')
end

return M
