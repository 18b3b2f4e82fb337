; Scala. Capture names are listed in src/grammar.rs.

[(comment) (block_comment)] @comment
(annotation) @attribute
(import_declaration) @import

(package_clause
  name: (package_identifier (identifier) @name .)
  body: (template_body)) @definition.module
(package_object name: (identifier) @name) @definition.module
(class_definition name: (identifier) @name) @definition.class
(object_definition name: (identifier) @name) @definition.class
(trait_definition name: (identifier) @name) @definition.interface
(enum_definition name: (identifier) @name) @definition.enum
(type_definition name: (type_identifier) @name) @definition.type
(function_definition name: [(identifier) (operator_identifier)] @name) @definition.function
(function_declaration name: [(identifier) (operator_identifier)] @name) @definition.function

; Extensions of a type: methods, or given instances of a trait.
(extension_definition
  parameters: (parameters
    (parameter
      type: [
        (type_identifier) @name
        (generic_type type: (type_identifier) @name)
      ]))) @definition.impl
(given_definition
  return_type: (generic_type
    type: (type_identifier) @reference.implements
    type_arguments: (type_arguments
      . [
        (type_identifier) @name
        (generic_type type: (type_identifier) @name)
      ] .))
  body: [(with_template_body) (template_body)]) @definition.impl
(given_definition
  name: (identifier) @name
  "=" @body) @definition.constant

(object_definition
  body: (template_body
    (val_definition pattern: (identifier) @name) @definition.constant))
(template_body (val_definition pattern: (identifier) @name) @definition.field)
(template_body (var_definition pattern: (identifier) @name) @definition.field)
(template_body (val_declaration name: (identifier) @name) @definition.field)
(template_body (var_declaration name: (identifier) @name) @definition.field)
(compilation_unit (val_definition pattern: (identifier) @name) @definition.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @definition.variable)

; The first supertype follows `extends`, the others `with`.
(class_definition
  extend: (extends_clause
    . [
      (type_identifier) @reference.extends
      (generic_type type: (type_identifier) @reference.extends)
      (stable_type_identifier (type_identifier) @reference.extends)
      (generic_type type: (stable_type_identifier (type_identifier) @reference.extends))
    ]))
(object_definition
  extend: (extends_clause
    . [
      (type_identifier) @reference.extends
      (generic_type type: (type_identifier) @reference.extends)
      (stable_type_identifier (type_identifier) @reference.extends)
      (generic_type type: (stable_type_identifier (type_identifier) @reference.extends))
    ]))
(trait_definition
  extend: (extends_clause
    [
      (type_identifier) @reference.extends
      (generic_type type: (type_identifier) @reference.extends)
      (stable_type_identifier (type_identifier) @reference.extends)
      (generic_type type: (stable_type_identifier (type_identifier) @reference.extends))
    ]))
(class_definition
  extend: (extends_clause
    [
      (type_identifier) @reference.implements
      (generic_type type: (type_identifier) @reference.implements)
      (stable_type_identifier (type_identifier) @reference.implements)
      (generic_type type: (stable_type_identifier (type_identifier) @reference.implements))
    ]))
(object_definition
  extend: (extends_clause
    [
      (type_identifier) @reference.implements
      (generic_type type: (type_identifier) @reference.implements)
      (stable_type_identifier (type_identifier) @reference.implements)
      (generic_type type: (stable_type_identifier (type_identifier) @reference.implements))
    ]))
(enum_definition
  extend: (extends_clause
    [
      (type_identifier) @reference.implements
      (generic_type type: (type_identifier) @reference.implements)
      (stable_type_identifier (type_identifier) @reference.implements)
      (generic_type type: (stable_type_identifier (type_identifier) @reference.implements))
    ]))
(derives_clause type: (type_identifier) @reference.derives)

((call_expression function: (identifier) @reference.call)
  (#not-any-of? @reference.call "this" "super"))
(call_expression
  function: (field_expression
    value: _ @qualifier
    field: (identifier) @reference.call))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression
  function: (generic_function
    function: (field_expression
      value: _ @qualifier
      field: (identifier) @reference.call)))
(instance_expression
  [
    (type_identifier) @reference.call
    (generic_type type: (type_identifier) @reference.call)
    (stable_type_identifier (_) @qualifier . (type_identifier) @reference.call)
  ])
(type_parameters
  [
    (identifier) @type.parameter
    (covariant_type_parameter name: (identifier) @type.parameter)
    (contravariant_type_parameter name: (identifier) @type.parameter)
  ])
(type_identifier) @reference.type

(parameter
  name: (identifier) @variable
  type: [
    (type_identifier) @variable.type
    (generic_type type: (type_identifier) @variable.type)
  ])
(class_parameter
  name: (identifier) @variable
  type: [
    (type_identifier) @variable.type
    (generic_type type: (type_identifier) @variable.type)
  ])
(val_definition
  pattern: (identifier) @variable
  type: [
    (type_identifier) @variable.type
    (generic_type type: (type_identifier) @variable.type)
  ])
(var_definition
  pattern: (identifier) @variable
  type: (type_identifier) @variable.type)
(val_definition
  pattern: (identifier) @variable
  value: (instance_expression
    . [
      (type_identifier) @variable.type
      (generic_type type: (type_identifier) @variable.type)
    ]))
((val_definition
  pattern: (identifier) @variable
  value: (call_expression function: (identifier) @variable.type))
  (#match? @variable.type "^[A-Z]"))
(typed_pattern
  pattern: (identifier) @variable
  type: (type_identifier) @variable.type)
