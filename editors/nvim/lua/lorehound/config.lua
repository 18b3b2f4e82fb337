-- The settings: defaults, and their check.

local M = {}

M.defaults = {
  -- The program: a name that is searched in PATH, or a path.
  path = 'lore',
  -- Arguments for every search, such as { '--in', 'code,docs' }.
  arguments = {},
  -- Maximum number of results.
  limit = 30,
  -- Start `lore lsp` for every file: questions then use it, and so do hovers and jumps.
  lsp = false,
  -- 'list', 'telescope', or a function that gets the title, the items and the notes.
  picker = 'list',
  -- Size of the list with its preview, as a share of the editor.
  width = 0.9,
  height = 0.8,
}

M.current = vim.deepcopy(M.defaults)

local PICKERS = { 'list', 'telescope' }

local types = {
  path = { 'string' },
  arguments = { 'table' },
  limit = { 'number' },
  lsp = { 'boolean' },
  picker = { 'string', 'function' },
  width = { 'number' },
  height = { 'number' },
}

-- Replaces the settings. Returns the problems of those that are not used.
function M.set(settings)
  local problems = {}
  local checked = {}
  for name, value in pairs(settings or {}) do
    if not types[name] then
      local names = vim.tbl_keys(types)
      table.sort(names)
      table.insert(problems, ('there is no setting `%s`; the settings are %s'):format(name, table.concat(names, ', ')))
    elseif not vim.tbl_contains(types[name], type(value)) then
      table.insert(problems, ('the setting `%s` is a %s, not a %s'):format(name, table.concat(types[name], ' or a '), type(value)))
    elseif name == 'picker' and type(value) == 'string' and not vim.tbl_contains(PICKERS, value) then
      table.insert(problems, ('there is no picker `%s`; the pickers are %s'):format(value, table.concat(PICKERS, ', ')))
    else
      checked[name] = value
    end
  end
  table.sort(problems)
  M.current = vim.tbl_extend('force', vim.deepcopy(M.defaults), checked)
  return problems
end

return M
