-- Answers of `lore` as items of a list. Nothing here uses the editor's state.
--
-- An item has `title`, `kind` and `place`, which is shown. A file has `file`, `lnum`, `first` and
-- `last`: the line to go to, and the lines of the passage. A commit has `commit` and `root`.

local M = {}

-- Maximum number of lines of a passage that the preview marks. Longer ones, such as a whole class,
-- are marked at their line only.
local MAX_MARKED = 40

local function commit_of(id)
  return id and id:match('^git:(%x+)$')
end

-- Completes an item from its path and lines.
local function finish(item, root, path)
  item.root = root
  if path then
    item.file = root .. '/' .. path
    item.lnum = item.lnum or 1
    item.first = item.first or item.lnum
    item.last = math.max(item.last or item.first, item.first)
    if item.last - item.first >= MAX_MARKED then
      item.first, item.last = item.lnum, item.lnum
    end
    item.place = ('%s:%d'):format(path, item.lnum)
  else
    item.commit = commit_of(item.id)
    item.place = item.commit and item.commit:sub(1, 10) or item.source or ''
  end
  return item
end

-- Returns the line of a result to go to: its first match, or its start.
local function line_of(result)
  for _, match in ipairs(result.matches or {}) do
    local line = match.lineNumber
    if line and line >= (result.startLine or 1) and line <= (result.endLine or math.huge) then
      return line
    end
  end
  return result.startLine or result.snippetStartLine
end

-- Items and notes of an answer of `lore search --json` or `lore related --json`.
function M.of_search(answer)
  local items, notes = {}, {}
  local root = (answer.receipt or {}).root or ''
  for _, result in ipairs(answer.results or {}) do
    local item = {
      id = result.id,
      title = result.title or result.id,
      kind = result.kind,
      source = result.source,
      text = result.snippet,
      lnum = line_of(result),
      first = result.startLine,
      last = result.endLine,
    }
    table.insert(items, finish(item, root, result.path))
  end
  vim.list_extend(notes, answer.warnings or {})
  vim.list_extend(notes, (answer.absence or {}).reasons or {})
  return items, notes
end

-- Returns the position of the line that answers, from 0: the first one with the name, or with text. The
-- lines that a server shows may start before the definition that they are about, with a call such as
-- `self.name()`.
local function offset_of(name, text)
  local offset, first, call = 0, nil, nil
  for line in ((text or '') .. '\n'):gmatch('(.-)\n') do
    if line:find('%S') and not line:find('^%s*#+ ') then
      first = first or offset
      local start = name and name ~= '' and line:find(name, 1, true)
      if start and line:sub(start - 1, start - 1) ~= '.' then
        return offset
      end
      call = call or (start and offset or nil)
    end
    offset = offset + 1
  end
  return call or first or 0
end

-- Items and notes of the answer of the command `lorehound.ask`.
function M.of_places(answer, root)
  local items = {}
  for _, place in ipairs(answer.places or {}) do
    local item = {
      id = place.id,
      title = place.title or place.id,
      kind = place.kind,
      source = place.source,
      text = place.text,
    }
    local path
    if place.location then
      local file = vim.uri_to_fname(place.location.uri)
      local range = place.location.range
      item.first = range.start.line + 1
      item.last = math.max(range['end'].line, item.first)
      item.lnum = math.min(item.first + offset_of(item.title, item.text), item.last)
      path = file
      if file:sub(1, #root + 1) == root .. '/' then
        path = file:sub(#root + 2)
      end
      finish(item, root, path)
      item.file = file
    else
      finish(item, root, nil)
    end
    table.insert(items, item)
  end
  return items, answer.notes or {}
end

-- Items and notes of an answer of `lore why --json`.
function M.of_why(answer)
  local items = {}
  local root = (answer.receipt or {}).root or ''
  for _, hop in ipairs(answer.hops or {}) do
    local item = {
      id = hop.id,
      title = hop.title ~= '' and hop.title or hop.id,
      kind = hop.kind,
      source = hop.kind,
      text = hop.quote,
      detail = hop.evidence,
      lnum = hop.line,
    }
    table.insert(items, finish(item, root, hop.path))
  end
  return items, answer.warnings or {}
end

-- The items as entries of a quickfix list. Commits have no place in a file.
function M.quickfix(items)
  local entries = {}
  for _, item in ipairs(items) do
    local text = item.kind and ('%s (%s)'):format(item.title, item.kind) or item.title
    if item.file then
      table.insert(entries, { filename = item.file, lnum = item.lnum, text = text })
    else
      table.insert(entries, { text = ('%s  %s'):format(item.place, text) })
    end
  end
  return entries
end

return M
