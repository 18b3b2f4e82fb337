-- The commands of the plugin. Nothing else is loaded until one of them runs.

if vim.g.loaded_lorehound then
  return
end
vim.g.loaded_lorehound = true

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, run, options)
end

-- The lines of a range, or nil for the line of the cursor.
local function range(options)
  if options.range == 0 then
    return nil
  end
  return { options.line1, options.line2 }
end

command('Lore', function(options)
  require('lorehound').ask(options.args)
end, { nargs = '*', desc = 'Ask a question about this repository' })

command('LoreRelated', function(options)
  require('lorehound').related(range(options))
end, { range = true, desc = 'List passages similar to the one under the cursor' })

command('LoreWhy', function(options)
  require('lorehound').why(range(options))
end, { range = true, desc = 'List the reasons for the line under the cursor' })

command('LoreResume', function()
  require('lorehound').resume()
end, { desc = 'Show the last list again' })
