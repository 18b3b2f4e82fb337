-- Other windows for the items: a function for each value of the setting `picker`.

local M = {}

local list = require('lorehound.list')

-- Telescope, with its own keys.
function M.telescope(title, items)
  local found, pickers = pcall(require, 'telescope.pickers')
  if not found then
    vim.notify('lorehound: Telescope is not installed\nhint: set `picker` to `list`', vim.log.levels.ERROR)
    return
  end
  local settings = require('telescope.config').values
  local actions = require('telescope.actions')
  local state = require('telescope.actions.state')
  local previewers = require('telescope.previewers')
  local preview = require('lorehound.preview')

  local function entry(item)
    local shown = ('%s  %s'):format(item.place, item.title)
    return { value = item, display = shown, ordinal = shown, filename = item.file, lnum = item.lnum }
  end

  local previewer = previewers.new({
    setup = function()
      local get, delete = preview.cache()
      return { get = get, delete = delete }
    end,
    teardown = function(self)
      if self.state then
        self.state.delete()
      end
    end,
    preview_fn = function(self, chosen, status)
      local window = status.preview_win or (status.layout.preview and status.layout.preview.winid)
      if window and vim.api.nvim_win_is_valid(window) then
        preview.show(window, chosen.value, self.state.get)
        vim.wo[window].wrap = false
      end
    end,
    title = function()
      return 'Preview'
    end,
  })

  pickers
    .new({}, {
      prompt_title = title,
      finder = require('telescope.finders').new_table({ results = items, entry_maker = entry }),
      sorter = settings.generic_sorter({}),
      previewer = previewer,
      attach_mappings = function(buffer)
        local commands = {
          select_default = 'edit',
          select_horizontal = 'split',
          select_vertical = 'vsplit',
          select_tab = 'tabedit',
        }
        for action, command in pairs(commands) do
          actions[action]:replace(function()
            local chosen = state.get_selected_entry()
            actions.close(buffer)
            if chosen then
              list.go(chosen.value, command)
            end
          end)
        end
        return true
      end,
    })
    :find()
end

return M
