; Zig. Capture names are listed in src/grammar.rs.

(comment) @comment

; A function that returns a type counts as that type.
((function_declaration
  name: (identifier) @name
  type: (builtin_type) @_type) @definition.struct
  (#eq? @_type "type"))
; A file that names itself counts as a struct of that name.
((source_file
  (variable_declaration
    (identifier) @receiver
    (builtin_function (arguments . "(" . ")" .)))
  (function_declaration name: (identifier) @name) @definition.method)
  (#not-eq? @receiver "Self"))
(function_declaration name: (identifier) @name) @definition.function

; With a body, they count inside functions as well.
(block
  (variable_declaration
    (identifier) @name
    [(struct_declaration) (union_declaration) (opaque_declaration)] @body) @definition.struct)
(block
  (variable_declaration
    (identifier) @name
    [(enum_declaration) (error_set_declaration)] @body) @definition.enum)
(variable_declaration
  (identifier) @name
  [(struct_declaration) (union_declaration) (opaque_declaration)]) @definition.struct
(variable_declaration
  (identifier) @name
  [(enum_declaration) (error_set_declaration)]) @definition.enum

; Constants and variables of a file or type, except those that only name something else. A name in
; title case is a type.
([
  (source_file
    (variable_declaration "const" . (identifier) @name (_) @_value) @definition.type)
  (struct_declaration
    (variable_declaration "const" . (identifier) @name (_) @_value) @definition.type)
]
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#not-match? @_value "^@(import|This)\\(")
  (#not-match? @_value "^[A-Za-z_]\\w*(\\.\\w+)+$"))
([
  (source_file
    (variable_declaration "pub" (identifier) @name (field_expression) @_value) @definition.type)
  (struct_declaration
    (variable_declaration "pub" (identifier) @name (field_expression) @_value) @definition.type)
]
  (#match? @name "^[A-Z][A-Z0-9]*[a-z]")
  (#not-match? @_value "^@import\\("))
([
  (source_file
    (variable_declaration "const" . (identifier) @name (_) @_value) @definition.constant)
  (struct_declaration
    (variable_declaration "const" . (identifier) @name (_) @_value) @definition.constant)
]
  (#not-match? @_value "^@(import|This)\\(")
  (#not-match? @_value "^[A-Za-z_]\\w*(\\.\\w+)+$"))
([
  (source_file
    (variable_declaration "var" . (identifier) @name (_) @_value) @definition.variable)
  (struct_declaration
    (variable_declaration "var" . (identifier) @name (_) @_value) @definition.variable)
]
  (#not-match? @_value "^@(import|This)\\(")
  (#not-match? @_value "^[A-Za-z_]\\w*(\\.\\w+)+$"))

([
  (variable_declaration
    (identifier)
    [
      (builtin_function (builtin_identifier) @_import)
      (field_expression object: (builtin_function (builtin_identifier) @_import))
    ]) @import
  (using_namespace_declaration (builtin_function (builtin_identifier) @_import)) @import
]
  (#eq? @_import "@import"))
((source_file
  (variable_declaration
    (identifier) @_name
    (field_expression
      object: [(identifier) (field_expression)]
      member: (identifier) @_member)) @import)
  (#eq? @_name @_member))

; `.init(…)` of a declared type.
(variable_declaration
  (identifier)
  type: (identifier) @qualifier
  (call_expression
    function: (field_expression . "." . member: (identifier) @reference.call)))
(call_expression function: (identifier) @reference.call)
(call_expression
  function: (field_expression
    object: (_) @qualifier
    member: (identifier) @reference.call))
(call_expression
  function: (field_expression . "." . member: (identifier) @reference.call))

(parameter type: (identifier) @reference.type)
(parameter
  type: (field_expression object: (_) @qualifier member: (identifier) @reference.type))
(container_field type: (identifier) @reference.type)
(container_field
  type: (field_expression object: (_) @qualifier member: (identifier) @reference.type))
(variable_declaration type: (identifier) @reference.type)
(variable_declaration
  type: (field_expression object: (_) @qualifier member: (identifier) @reference.type))
(function_declaration type: (identifier) @reference.type)
(function_declaration
  type: (field_expression object: (_) @qualifier member: (identifier) @reference.type))
(pointer_type (identifier) @reference.type)
(pointer_type
  (field_expression object: (_) @qualifier member: (identifier) @reference.type))
(nullable_type (identifier) @reference.type)
(nullable_type
  (field_expression object: (_) @qualifier member: (identifier) @reference.type))
(slice_type (identifier) @reference.type)
(slice_type (field_expression object: (_) @qualifier member: (identifier) @reference.type))
(array_type (identifier) @reference.type .)
(error_union_type error: (identifier) @reference.type)
(error_union_type ok: (identifier) @reference.type)
(error_union_type
  ok: (field_expression object: (_) @qualifier member: (identifier) @reference.type))
(struct_initializer . (identifier) @reference.type)
(struct_initializer
  . (field_expression object: (_) @qualifier member: (identifier) @reference.type))
((call_expression function: (_) (identifier) @reference.type)
  (#match? @reference.type "^[A-Z]\\w*[a-z]"))

(parameter
  name: (identifier) @variable
  type: [
    (identifier) @variable.type
    (pointer_type (identifier) @variable.type)
    (nullable_type (identifier) @variable.type)
    (nullable_type (pointer_type (identifier) @variable.type))
    (field_expression member: (identifier) @variable.type)
    (pointer_type (field_expression member: (identifier) @variable.type))
  ])
(container_field
  name: (identifier) @variable
  type: [
    (identifier) @variable.type
    (pointer_type (identifier) @variable.type)
    (nullable_type (identifier) @variable.type)
    (field_expression member: (identifier) @variable.type)
    (call_expression
      function: [
        (identifier) @variable.type
        (field_expression member: (identifier) @variable.type)
      ])
  ])
(variable_declaration
  . (identifier) @variable
  type: [
    (identifier) @variable.type
    (pointer_type (identifier) @variable.type)
  ])
((variable_declaration
  . (identifier) @variable
  [
    (struct_initializer . (identifier) @variable.type)
    (struct_initializer . (call_expression function: (identifier) @variable.type))
    (call_expression function: (field_expression object: (identifier) @variable.type))
    (try_expression
      (call_expression function: (field_expression object: (identifier) @variable.type)))
  ])
  (#match? @variable.type "^[A-Z]"))
