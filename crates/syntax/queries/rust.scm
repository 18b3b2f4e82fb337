; Rust. Capture names are listed in src/grammar.rs.

[(line_comment) (block_comment)] @comment
(attribute_item) @attribute

(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.interface
(type_item name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(macro_definition name: (identifier) @name) @definition.macro
; `mod name;` only refers to another file.
(mod_item name: (identifier) @name body: (declaration_list)) @definition.module
(impl_item
  trait: [
    (type_identifier) @reference.implements
    (generic_type type: (type_identifier) @reference.implements)
    (scoped_type_identifier name: (type_identifier) @reference.implements)
    (generic_type
      type: (scoped_type_identifier name: (type_identifier) @reference.implements))
  ]?
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
    (scoped_type_identifier name: (type_identifier) @name)
    (reference_type type: (type_identifier) @name)
    (reference_type type: (generic_type type: (type_identifier) @name))
    (dynamic_type trait: (type_identifier) @name)
    (primitive_type) @name
  ]) @definition.impl

; Items wrapped in a macro, such as a macro for conditional compilation.
(source_file (macro_invocation (token_tree) @embedded))
(source_file (expression_statement (macro_invocation (token_tree) @embedded)))
(declaration_list (macro_invocation (token_tree) @embedded))

(trait_item
  bounds: (trait_bounds [
    (type_identifier) @reference.extends
    (generic_type type: (type_identifier) @reference.extends)
    (scoped_type_identifier name: (type_identifier) @reference.extends)
    (generic_type
      type: (scoped_type_identifier name: (type_identifier) @reference.extends))
  ]))
; The last name of each path, also inside a condition.
((attribute_item
  (attribute
    (identifier) @_derive
    arguments: (token_tree (identifier) @reference.derives . ["," ")"])))
  (#eq? @_derive "derive"))
((attribute_item
  (attribute
    (identifier) @_when
    arguments: (token_tree
      (identifier) @_derive
      . (token_tree (identifier) @reference.derives . ["," ")"]))))
  (#eq? @_when "cfg_attr")
  (#eq? @_derive "derive"))

(use_declaration) @import
(extern_crate_declaration) @import

; Calls. `Ok` and the like only wrap a value.
((call_expression
  function: [
    (identifier) @reference.call
    (generic_function function: (identifier) @reference.call)
  ]) (#not-any-of? @reference.call "Ok" "Err" "Some"))
(call_expression
  function: [
    (field_expression value: (_) @qualifier field: (field_identifier) @reference.call)
    (generic_function
      function: (field_expression
        value: (_) @qualifier
        field: (field_identifier) @reference.call))
  ])
(call_expression
  function: [
    (scoped_identifier
      path: (_) @qualifier
      name: (identifier) @reference.call)
    (generic_function
      function: (scoped_identifier
        path: (_) @qualifier
        name: (identifier) @reference.call))
  ])
((macro_invocation
  macro: [
    (identifier) @reference.call
    (scoped_identifier path: (_) @qualifier name: (identifier) @reference.call)
  ])
  (#not-any-of? @reference.call
    "assert" "assert_eq" "assert_ne" "debug_assert" "debug_assert_eq" "eprintln" "format" "matches"
    "panic" "println" "todo" "unimplemented" "unreachable" "vec" "write" "writeln"))

; Calls inside a macro, where only a name before brackets is visible.
((token_tree (identifier) @reference.token . (token_tree))
  (#not-any-of? @reference.token
    "Err" "Fn" "FnMut" "FnOnce" "Ok" "Some" "all" "any" "cfg" "cfg_attr" "derive" "doc" "not"))

; Types, by name and as part of a path.
(scoped_type_identifier
  path: [(identifier) (scoped_identifier) (crate) (self) (super)] @qualifier
  name: (type_identifier) @reference.type)
((type_identifier) @reference.type
  (#not-any-of? @reference.type "Self" "String" "Vec" "Option" "Box"))
(scoped_identifier
  path: [
    (identifier) @reference.type
    (scoped_identifier path: (_) @qualifier name: (identifier) @reference.type)
  ]
  (#match? @reference.type "^[A-Z]")
  (#not-eq? @reference.type "Self"))
(type_parameter
  name: (type_identifier) @variable
  bounds: (trait_bounds . (_) @variable.type))
[
  (type_parameter name: (type_identifier) @type.parameter)
  (associated_type name: (type_identifier) @type.parameter)
  (type_binding name: (type_identifier) @type.parameter)
]

; Variables whose type is in the text.
(parameter pattern: (identifier) @variable type: (_) @variable.type)
(field_declaration name: (field_identifier) @variable.field type: (_) @variable.type)
(let_declaration pattern: (identifier) @variable type: (_) @variable.type)
(const_item name: (identifier) @variable type: (_) @variable.type)
(static_item name: (identifier) @variable type: (_) @variable.type)
(let_declaration
  pattern: (identifier) @variable
  value: [
    (struct_expression name: (_) @variable.type)
    (reference_expression value: (struct_expression name: (_) @variable.type))
  ])
(let_declaration
  pattern: (identifier) @variable
  value: [
    (call_expression)
    (try_expression)
    (await_expression)
    (identifier)
    (field_expression)
    (reference_expression)
  ] @variable.value)
