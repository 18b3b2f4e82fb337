; C#. Capture names are listed in src/grammar.rs.

(comment) @comment
(attribute_list) @attribute
(using_directive) @import

(namespace_declaration
  name: [
    (identifier) @name
    (qualified_name name: (identifier) @name)
  ]) @definition.module
(class_declaration name: (identifier) @name) @definition.class
(record_declaration "struct" name: (identifier) @name) @definition.struct
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type

; Methods, extension methods first: the receiver is the type of their first parameter.
((method_declaration
  name: (identifier) @name
  parameters: (parameter_list
    . (parameter
      (modifier) @_this
      type: [
        (identifier) @receiver
        (generic_name . (identifier) @receiver)
        (nullable_type type: (identifier) @receiver)
        (predefined_type) @receiver
      ]))) @definition.method
  (#eq? @_this "this"))
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration "operator" @name) @definition.method
(indexer_declaration "this" @name accessors: (_) @body) @definition.method
(indexer_declaration "this" @name value: (_) @body) @definition.method
(local_function_statement name: (identifier) @name) @definition.function

((field_declaration
  (modifier) @_const
  (variable_declaration
    . type: (_)
    . (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_const "const"))
((field_declaration
  (modifier) @_static
  (modifier) @_readonly
  (variable_declaration
    . type: (_)
    . (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_static "static")
  (#eq? @_readonly "readonly"))
(field_declaration
  (variable_declaration
    . type: (_)
    . (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration
  (variable_declaration
    . type: (_)
    . (variable_declarator name: (identifier) @name))) @definition.field
(event_declaration name: (identifier) @name accessors: (_) @body) @definition.field
(property_declaration name: (identifier) @name accessors: (_) @body) @definition.field
(property_declaration name: (identifier) @name value: (_) @body) @definition.field

; Names of interfaces start with `I`. A class has one base class, which comes first.
((class_declaration
  (base_list
    . [
      (identifier) @reference.extends
      (generic_name . (identifier) @reference.extends)
      (qualified_name
        name: [
          (identifier) @reference.extends
          (generic_name . (identifier) @reference.extends)
        ])
    ]))
  (#not-match? @reference.extends "^I[A-Z]"))
((record_declaration
  (base_list
    . [
      (identifier) @reference.extends
      (generic_name . (identifier) @reference.extends)
    ]))
  (#not-match? @reference.extends "^I[A-Z]"))
(base_list
  (primary_constructor_base_type
    type: [
      (identifier) @reference.extends
      (generic_name . (identifier) @reference.extends)
    ]))
(interface_declaration
  (base_list
    [
      (identifier) @reference.extends
      (generic_name . (identifier) @reference.extends)
      (qualified_name
        name: [
          (identifier) @reference.extends
          (generic_name . (identifier) @reference.extends)
        ])
    ]))
(base_list
  [
    (identifier) @reference.implements
    (generic_name . (identifier) @reference.implements)
    (qualified_name
      name: [
        (identifier) @reference.implements
        (generic_name . (identifier) @reference.implements)
      ])
  ])

((invocation_expression
  function: [
    (identifier) @reference.call
    (generic_name . (identifier) @reference.call)
  ])
  (#not-eq? @reference.call "nameof"))
(invocation_expression
  function: (member_access_expression
    expression: _ @qualifier
    name: [
      (identifier) @reference.call
      (generic_name . (identifier) @reference.call)
    ]))
(invocation_expression
  function: (conditional_access_expression
    condition: _ @qualifier
    (member_binding_expression
      name: [
        (identifier) @reference.call
        (generic_name . (identifier) @reference.call)
      ])))
(object_creation_expression
  type: [
    (identifier) @reference.call
    (generic_name . (identifier) @reference.call)
    (qualified_name
      qualifier: (_) @qualifier
      name: [
        (identifier) @reference.call
        (generic_name . (identifier) @reference.call)
      ])
  ])

; Names used as types; a call of the same name takes precedence.
(type_parameter name: (identifier) @type.parameter)
(generic_name . (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(nullable_type type: (identifier) @reference.type)
(array_type type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
(variable_declaration type: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(indexer_declaration type: (identifier) @reference.type)
(operator_declaration type: (identifier) @reference.type)
(conversion_operator_declaration type: (identifier) @reference.type)
(delegate_declaration type: (identifier) @reference.type)
(event_declaration type: (identifier) @reference.type)
(method_declaration returns: (identifier) @reference.type)
(local_function_statement type: (identifier) @reference.type)
(explicit_interface_specifier (identifier) @reference.type)
(type_parameter_constraint type: (identifier) @reference.type)
(tuple_element type: (identifier) @reference.type)
(cast_expression type: (identifier) @reference.type)
(as_expression right: (identifier) @reference.type)
(is_expression right: (identifier) @reference.type)
(is_pattern_expression pattern: (constant_pattern (identifier) @reference.type))
(declaration_pattern type: (identifier) @reference.type)
(recursive_pattern type: (identifier) @reference.type)
(typeof_expression type: (identifier) @reference.type)
(default_expression type: (identifier) @reference.type)
(foreach_statement type: (identifier) @reference.type)
(catch_declaration type: (identifier) @reference.type)
(attribute name: (identifier) @reference.type)

(parameter
  type: [
    (identifier) @variable.type
    (generic_name . (identifier) @variable.type)
    (nullable_type type: (identifier) @variable.type)
  ]
  name: (identifier) @variable)
(variable_declaration
  type: [
    (identifier) @variable.type
    (generic_name . (identifier) @variable.type)
    (nullable_type type: (identifier) @variable.type)
  ]
  (variable_declarator name: (identifier) @variable))
(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @variable
    [(invocation_expression) (await_expression)] @variable.value))
(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @variable
    (object_creation_expression
      type: [
        (identifier) @variable.type
        (generic_name . (identifier) @variable.type)
      ])))
(property_declaration
  type: [
    (identifier) @variable.type
    (generic_name . (identifier) @variable.type)
    (nullable_type type: (identifier) @variable.type)
  ]
  name: (identifier) @variable)
(foreach_statement type: (identifier) @variable.type left: (identifier) @variable)
(declaration_pattern type: (identifier) @variable.type name: (identifier) @variable)
