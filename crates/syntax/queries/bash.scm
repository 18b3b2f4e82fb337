; Bash. Capture names are listed in src/grammar.rs.

(comment) @comment

(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program
  (declaration_command
    (variable_assignment name: (variable_name) @name)) @definition.variable)

((command
  name: (command_name) @_source
  . argument: (_) @import)
  (#any-of? @_source "source" "."))

; A function that handles a signal.
((command
  name: (command_name) @_trap
  . argument: (word) @reference.call)
  (#eq? @_trap "trap")
  (#match? @reference.call "^[A-Za-z_]"))
((command name: (command_name (word) @reference.call))
  (#match? @reference.call "^[A-Za-z_]")
  (#not-any-of? @reference.call
    "alias" "break" "builtin" "cd" "command" "continue" "declare" "echo" "eval" "exec" "exit"
    "export" "false" "getopts" "hash" "kill" "local" "let" "popd" "printf" "pushd" "pwd" "read"
    "readonly" "return" "set" "shift" "shopt" "source" "test" "trap" "true" "type" "typeset"
    "umask" "unalias" "unset" "wait"))
