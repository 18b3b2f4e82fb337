; Julia. Capture names are listed in src/grammar.rs.

[(line_comment) (block_comment)] @comment
; A string before a definition describes it.
((string_literal) @comment
  . [
    (abstract_definition) (assignment) (const_statement) (function_definition)
    (macro_definition) (macrocall_expression) (module_definition) (struct_definition)
    (identifier)
  ])
(macrocall_expression
  (macro_argument_list
    [(function_definition) (struct_definition) (assignment)] @wrapped .)) @wrapper

(module_definition name: (identifier) @name . (_) @body) @definition.module
(struct_definition
  . (type_head
    [
      (identifier) @name
      (parametrized_type_expression . (identifier) @name)
      (binary_expression
        . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
    ])
  . (_)? @body) @definition.struct
(abstract_definition
  (type_head
    [
      (identifier) @name
      (parametrized_type_expression . (identifier) @name)
      (binary_expression
        . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
    ])) @definition.interface
(primitive_definition
  (type_head [(identifier) @name (binary_expression . (identifier) @name)])) @definition.type
(struct_definition
  [
    (typed_expression . (identifier) @name)
    (assignment . (typed_expression . (identifier) @name))
  ] @definition.field)
((macrocall_expression
  (macro_identifier (identifier) @_enum)
  (macro_argument_list . (identifier) @name)) @definition.enum
  (#eq? @_enum "enum"))

(function_definition
  (signature
    [
      (identifier) @name
      (call_expression . [(identifier) (operator)] @name)
      (typed_expression . (call_expression . (identifier) @name))
      (where_expression . (call_expression . (identifier) @name))
      (where_expression . (typed_expression . (call_expression . (identifier) @name)))
      (call_expression . (parametrized_type_expression . (identifier) @name))
      (where_expression . (call_expression . (parametrized_type_expression . (identifier) @name)))
    ])
  . (_)? @body) @definition.function
(function_definition
  (signature
    [
      (call_expression
        . (field_expression value: (identifier) @receiver (identifier) @name .))
      (_
        . (call_expression
          . (field_expression value: (identifier) @receiver (identifier) @name .)))
    ])
  . (_)? @body) @definition.function
(assignment
  . [
    (call_expression . [(identifier) (operator)] @name)
    (typed_expression . (call_expression . (identifier) @name))
    (where_expression . (call_expression . (identifier) @name))
  ]
  . (operator)
  . (_) @body) @definition.function
(assignment
  . (call_expression
    . (field_expression value: (identifier) @receiver (identifier) @name .))
  . (operator)
  . (_) @body) @definition.function
(assignment
  . (identifier) @name
  . (operator)
  . (arrow_function_expression) @body) @definition.function
(macro_definition
  (signature (call_expression . (identifier) @name))
  . (_)? @body) @definition.macro

(const_statement (assignment . (identifier) @name)) @definition.constant
[
  (source_file (assignment . (identifier) @name) @definition.variable)
  (module_definition (assignment . (identifier) @name) @definition.variable)
]

[(export_statement (identifier) @exported) (public_statement (identifier) @exported)]
(export_statement (macro_identifier (identifier) @exported))

(struct_definition
  (type_head (binary_expression (operator) . [
    (identifier) @reference.extends
    (parametrized_type_expression . (identifier) @reference.extends)
    (field_expression (identifier) @reference.extends .)
  ])))
(abstract_definition
  (type_head (binary_expression (operator) . [
    (identifier) @reference.extends
    (parametrized_type_expression . (identifier) @reference.extends)
    (field_expression (identifier) @reference.extends .)
  ])))

[(using_statement) (import_statement)] @import
((call_expression . (identifier) @_include (argument_list . (string_literal))) @import
  (#eq? @_include "include"))

((call_expression . (identifier) @reference.call)
  (#not-any-of? @reference.call "include" "new"))
(call_expression
  . (field_expression value: (_) @qualifier (identifier) @reference.call .))
(call_expression . (parametrized_type_expression . (identifier) @reference.call)
  (#not-eq? @reference.call "new"))
(broadcast_call_expression . (identifier) @reference.call)
(broadcast_call_expression
  . (field_expression value: (_) @qualifier (identifier) @reference.call .))
((macrocall_expression (macro_identifier (identifier) @reference.call))
  (#not-any-of? @reference.call "enum" "inline" "doc" "kwdef"))

(typed_expression (_) . (identifier) @reference.type .)
(typed_expression
  (_) . (field_expression value: (_) @qualifier (identifier) @reference.type .) .)
((parametrized_type_expression . (identifier) @reference.type)
  (#not-eq? @reference.type "new"))
(curly_expression (identifier) @reference.type)
(curly_expression (binary_expression (operator) . (identifier) @reference.type))

(typed_expression
  . (identifier) @variable
  . [
    (identifier) @variable.type
    (parametrized_type_expression . (identifier) @variable.type)
  ] .)
((assignment
  . (identifier) @variable
  . (operator)
  . (call_expression
    . [
      (identifier) @variable.type
      (parametrized_type_expression . (identifier) @variable.type)
    ]))
  (#match? @variable.type "^[A-Z]"))
