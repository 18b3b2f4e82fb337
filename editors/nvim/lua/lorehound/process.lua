-- Programs that run beside the editor: their output, their errors, and their end.

local M = {}

-- Runs a program. `done` gets the exit code, standard output and standard error, unless the returned
-- function was called before: that ends the program.
function M.run(command, folder, done)
  local output, errors, ended = '', '', false
  local function text(lines)
    return table.concat(lines, '\n')
  end
  local started, job = pcall(vim.fn.jobstart, command, {
    cwd = folder,
    stdin = 'null',
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, lines)
      output = text(lines)
    end,
    on_stderr = function(_, lines)
      errors = text(lines)
    end,
    on_exit = function(_, code)
      if not ended then
        ended = true
        done(code, output, errors)
      end
    end,
  })
  if not started or job <= 0 then
    ended = true
    done(nil, '', tostring(job))
    return function() end
  end
  return function()
    if not ended then
      ended = true
      vim.fn.jobstop(job)
    end
  end
end

-- Splits what `lore` writes to standard error into its message and its hint.
function M.explain(errors)
  local message, hint = {}, nil
  for _, line in ipairs(vim.split(errors, '\n', { plain = true })) do
    local found = line:match('^hint: (.*)')
    if found then
      hint = found
    elseif not hint and line ~= '' then
      table.insert(message, (line:gsub('^lore: ', '')))
    end
  end
  return { message = table.concat(message, '\n'), hint = hint }
end

-- Decodes JSON, with nil for null. Returns nil for anything else.
function M.decode(text)
  local decoded, value = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  if decoded and type(value) == 'table' then
    return value
  end
  return nil
end

return M
