; Lua. Capture names are listed in src/grammar.rs.

(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(function_declaration
  name: [
    (dot_index_expression
      table: [
        (identifier) @receiver
        (dot_index_expression field: (identifier) @receiver)
      ]
      field: (identifier) @name)
    (method_index_expression
      table: [
        (identifier) @receiver
        (dot_index_expression field: (identifier) @receiver)
      ]
      method: (identifier) @name)
  ]) @definition.method

; Functions that are values: of a local variable, of a variable, of a field.
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list
      . value: (function_definition parameters: (_) body: (_)? @body)))) @definition.function
(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list
    . value: (function_definition body: (_)? @body))) @definition.function
(assignment_statement
  (variable_list
    . name: (dot_index_expression
      table: [
        (identifier) @receiver
        (dot_index_expression field: (identifier) @receiver)
      ]
      field: (identifier) @name))
  (expression_list
    . value: (function_definition body: (_)? @body))) @definition.method
(field
  name: (identifier) @name
  value: (function_definition body: (_) @body)) @definition.method

; Variables of a file, except those that only name a module.
((chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (_) @_value))) @definition.variable)
  (#not-match? @_value "^require\\b"))
(chunk
  (assignment_statement (variable_list . name: (identifier) @name)) @definition.variable)
((chunk
  (assignment_statement
    (variable_list
      . name: (dot_index_expression
        table: (identifier) @receiver
        field: (identifier) @name))) @definition.field)
  (#not-match? @name "^__"))

(chunk (return_statement (expression_list (identifier) @exported)))
(chunk
  (return_statement
    (expression_list
      (table_constructor (field value: (identifier) @exported)))))

((variable_declaration
  (assignment_statement
    (variable_list . name: (identifier))
    (expression_list
      . value: [
        (function_call name: (identifier) @_require)
        (dot_index_expression table: (function_call name: (identifier) @_require))
      ]))) @import
  (#eq? @_require "require"))
((chunk (function_call name: (identifier) @_require) @import)
  (#eq? @_require "require"))

((function_call name: (identifier) @reference.call)
  (#not-any-of? @reference.call "require" "pairs" "ipairs" "type" "setmetatable" "tostring"))
(function_call
  name: (dot_index_expression
    table: (_) @qualifier
    field: (identifier) @reference.call))
(function_call
  name: (method_index_expression
    table: (_) @qualifier
    method: (identifier) @reference.call))

; The type of a constructor's result.
((assignment_statement
  (variable_list . name: (identifier) @variable)
  (expression_list
    . value: (function_call
      name: [
        (dot_index_expression table: (identifier) @variable.type)
        (method_index_expression table: (identifier) @variable.type)
      ] @_constructor)))
  (#match? @_constructor "^[A-Z]\\w*[.:]new$"))
((assignment_statement
  (variable_list . name: (identifier) @variable)
  (expression_list
    . value: (function_call
      name: (identifier) @_make
      arguments: (arguments (_) . (identifier) @variable.type .))))
  (#eq? @_make "setmetatable"))
