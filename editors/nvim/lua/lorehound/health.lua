-- `:checkhealth lorehound`.

local M = {}

local config = require('lorehound.config')
local lsp = require('lorehound.lsp')

-- The functions had other names before 0.10.
local health = vim.health or require('health')
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local warn = health.warn or health.report_warn
local fail = health.error or health.report_error
local info = health.info or health.report_info

function M.check()
  start('lorehound')
  if vim.fn.has('nvim-0.9') == 1 then
    ok('Neovim 0.9 or later')
  else
    warn('Neovim is older than 0.9: the windows have no titles')
  end

  local path = config.current.path
  if vim.fn.executable(path) == 0 then
    fail(('`%s` is not found'):format(path), {
      'Install Lorehound, so that `lore` is in PATH',
      "Or name the program: require('lorehound').setup({ path = '/path/to/lore' })",
    })
    return
  end
  local version = vim.trim(vim.fn.system({ path, '--version' }))
  if vim.v.shell_error == 0 and version:find('^lore') then
    ok(('%s: %s'):format(vim.fn.exepath(path), version))
  else
    fail(('`%s --version` fails: %s'):format(path, version), { 'Check the setting `path`' })
  end

  if vim.fn.executable('git') == 1 then
    ok('`git` shows the commits of a list')
  else
    warn('`git` is not found: the preview shows only the message of a commit')
  end

  local client = lsp.client(vim.fn.getcwd())
  if client and #config.current.arguments > 0 then
    info('`lore lsp` is running, but questions use the command line, because `arguments` is set')
  elseif client then
    ok('questions are sent to `lore lsp`')
  else
    info('questions use the command line; with `lsp = true`, `lore lsp` is started')
  end
end

return M
