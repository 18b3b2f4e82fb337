; Dart. Capture names are listed in src/grammar.rs.

[(comment) (block_comment) (documentation_block_comment)] @comment
(annotation) @attribute
[(import_or_export) (part_directive)] @import

(class_declaration name: (identifier) @name) @definition.class
(class_declaration (mixin_application_class . (identifier) @name)) @definition.class
(mixin_declaration name: (identifier) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.enum
(extension_declaration class: (type (type_identifier) @name)) @definition.impl
(extension_type_declaration name: (extension_type_name (identifier) @name)) @definition.class
(type_alias (type_identifier) @name) @definition.type

; Functions of a file.
(function_declaration
  signature: (function_signature name: (identifier) @name)) @definition.function
(getter_declaration
  signature: (getter_signature name: (identifier) @name)) @definition.function
(setter_declaration
  signature: (setter_signature name: (identifier) @name)) @definition.function
(external_function_declaration
  signature: (function_signature name: (identifier) @name)) @definition.function
(local_function_declaration
  (function_signature name: (identifier) @name)
  (function_body) @body) @definition.function

; Members with a body, then without one.
(method_declaration
  signature: (method_signature
    [
      (function_signature name: (identifier) @name)
      (getter_signature name: (identifier) @name)
      (setter_signature name: (identifier) @name)
      (operator_signature operator: _ @name)
      (constructor_signature name: (identifier) @name . parameters: (_))
      (factory_constructor_signature name: (identifier) @name . parameters: (_))
    ])) @definition.method
(declaration
  [
    (constructor_signature name: (identifier) @name . parameters: (_))
    (constant_constructor_signature name: (identifier) @name . parameters: (_))
  ]
  . [(initializers) (redirection)] @body) @definition.method
(declaration
  [
    (function_signature name: (identifier) @name)
    (getter_signature name: (identifier) @name)
    (setter_signature name: (identifier) @name)
    (operator_signature operator: _ @name)
    (constructor_signature name: (identifier) @name . parameters: (_))
    (constant_constructor_signature name: (identifier) @name . parameters: (_))
    (factory_constructor_signature name: (identifier) @name . parameters: (_))
    (redirecting_factory_constructor_signature . (identifier) @name)
  ]) @definition.method
(declaration
  (static_final_declaration_list
    . (static_final_declaration name: (identifier) @name))) @definition.constant
(declaration
  (initialized_identifier_list
    . (initialized_identifier name: (identifier) @name))) @definition.field
(top_level_variable_declaration
  (static_final_declaration_list
    . (static_final_declaration name: (identifier) @name))) @definition.constant
(top_level_variable_declaration
  (initialized_identifier_list
    . (initialized_identifier name: (identifier) @name))) @definition.variable

(superclass type: (type (type_identifier) @reference.extends .))
(superclass type: (type (type_identifier) @reference.extends . (type_arguments)))
(mixin_declaration (type (type_identifier) @reference.extends))
(interfaces (type (type_identifier) @reference.implements))
(mixins (type (type_identifier) @reference.implements))

(call_expression function: (identifier) @reference.call)
(call_expression
  function: [
    (member_expression object: _ @qualifier property: (identifier) @reference.call)
    (null_aware_member_expression object: _ @qualifier property: (identifier) @reference.call)
  ])
(new_expression type: (type (type_identifier) @reference.call) !constructor)
(new_expression type: (type (type_identifier) @qualifier) constructor: (identifier) @reference.call)
(const_object_expression type: (type (type_identifier) @reference.call) !constructor)
(const_object_expression
  type: (type (type_identifier) @qualifier)
  constructor: (identifier) @reference.call)
(type_parameter name: (type_identifier) @type.parameter)
((type (type_identifier) @reference.type)
  (#match? @reference.type "^[A-Z_]"))

(formal_parameter
  (type . (type_identifier) @variable.type)
  name: (identifier) @variable)
(declaration
  (type . (type_identifier) @variable.type)
  (initialized_identifier_list
    (initialized_identifier name: (identifier) @variable)))
(declaration
  (type . (type_identifier) @variable.type)
  (static_final_declaration_list
    (static_final_declaration name: (identifier) @variable)))
(top_level_variable_declaration
  type: (type . (type_identifier) @variable.type)
  [
    (static_final_declaration_list
      (static_final_declaration name: (identifier) @variable))
    (initialized_identifier_list
      (initialized_identifier name: (identifier) @variable))
  ])
(initialized_variable_definition
  (type . (type_identifier) @variable.type)
  name: (identifier) @variable)
((initialized_variable_definition
  name: (identifier) @variable
  value: (call_expression function: (identifier) @variable.type))
  (#match? @variable.type "^_?[A-Z]"))
((initialized_identifier
  name: (identifier) @variable
  value: (call_expression function: (identifier) @variable.type))
  (#match? @variable.type "^_?[A-Z]"))
((static_final_declaration
  name: (identifier) @variable
  value: (call_expression function: (identifier) @variable.type))
  (#match? @variable.type "^_?[A-Z]"))
