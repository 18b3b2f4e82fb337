; Objective-C. Capture names are listed in src/grammar.rs.

(comment) @comment
[(preproc_include) (module_import)] @import

; Categories and class extensions extend a type that is declared elsewhere.
(class_interface
  . (identifier) @name
  "("
  [(instance_variables) (property_declaration) (method_declaration)] @body) @definition.impl
(class_interface . (identifier) @name "(" "@end" @body) @definition.impl
(class_interface
  . (identifier) @name
  [(instance_variables) (property_declaration) (method_declaration)] @body) @definition.class
(class_interface . (identifier) @name "@end" @body) @definition.class
(class_implementation
  . (identifier) @name
  [(instance_variables) (implementation_definition)] @body) @definition.impl
(class_implementation . (identifier) @name "@end" @body) @definition.impl
(protocol_declaration
  . (identifier) @name
  [
    (qualified_protocol_interface_declaration)
    (property_declaration)
    (method_declaration)
  ] @body) @definition.interface
(protocol_declaration . (identifier) @name "@end" @body) @definition.interface

; The name of a method is the first part of its selector.
(method_declaration . (method_type)? . (identifier) @name) @definition.method
(method_definition
  . (method_type)?
  . (identifier) @name
  (compound_statement) @body) @definition.method
(property_declaration
  (struct_declaration
    (struct_declarator
      [
        (identifier) @name
        (pointer_declarator declarator: (identifier) @name)
      ]))) @definition.field

; Patterns shared with C.
(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  ]) @definition.function
(translation_unit
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    ]) @definition.function)
((type_definition
  type: (macro_type_specifier
    name: (identifier) @_macro
    type: (type_descriptor type: (type_identifier) @name)) @body) @definition.enum
  (#match? @_macro "^(NS|CF)_"))
(type_definition
  type: (struct_specifier body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (enum_specifier body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: [(type_identifier) (primitive_type) (sized_type_specifier) (typedefed_specifier)]
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator
        [
          (block_pointer_declarator declarator: (type_identifier) @name)
          (pointer_declarator declarator: (type_identifier) @name)
        ]))
  ]) @definition.type
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
(translation_unit
  (declaration
    (type_qualifier)
    declarator: (init_declarator declarator: (identifier) @name)) @definition.constant)
(translation_unit
  (declaration
    declarator: (init_declarator
      declarator: (pointer_declarator
        (type_qualifier)
        declarator: (identifier) @name))) @definition.constant)
(translation_unit
  (declaration
    declarator: (init_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator declarator: (identifier) @name)
      ])) @definition.variable)

(class_interface superclass: (identifier) @reference.extends)
(class_interface
  superclass: (identifier)
  . (parameterized_arguments (type_name (type_identifier) @reference.implements)))
(class_interface
  "("
  (parameterized_arguments (type_name (type_identifier) @reference.implements)))
(protocol_declaration (protocol_reference_list (identifier) @reference.extends))

; `[[Shelf alloc] init]`: the type is the allocated one.
((message_expression
  receiver: (message_expression
    receiver: (identifier) @qualifier
    method: (identifier) @_alloc)
  . method: (identifier) @reference.call)
  (#eq? @_alloc "alloc"))
((message_expression receiver: (_) @qualifier . method: (identifier) @reference.call)
  (#not-eq? @reference.call "alloc"))
(call_expression function: (identifier) @reference.call)
(call_expression
  function: (field_expression
    argument: (_) @qualifier
    field: (field_identifier) @reference.call))
((type_identifier) @reference.type
  (#not-match? @reference.type "^NS_"))
(typedefed_specifier (protocol_reference_list (identifier) @reference.type))

(method_parameter
  (method_type (type_name (type_identifier) @variable.type))
  . (identifier) @variable)
(parameter_declaration
  type: (type_identifier) @variable.type
  declarator: (pointer_declarator declarator: (identifier) @variable))
(declaration
  type: (type_identifier) @variable.type
  declarator: [
    (pointer_declarator declarator: (identifier) @variable)
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @variable))
  ])
(struct_declaration
  (type_identifier) @variable.type
  (struct_declarator (pointer_declarator declarator: (identifier) @variable)))
