; Patterns that TypeScript has in addition to JavaScript.

(ambient_declaration (_) @wrapped) @wrapper

(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(lexical_declaration
  . (variable_declarator
    name: (identifier) @name
    value: (class body: (_) @body))) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(internal_module name: (identifier) @name) @definition.module
(module name: (identifier) @name) @definition.module

(function_signature name: (identifier) @name) @definition.function @head
(method_signature
  name: [(property_identifier) (private_property_identifier)] @name) @definition.method @head
(abstract_method_signature name: (property_identifier) @name) @definition.method @head
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method

(extends_clause
  value: [
    (identifier) @reference.extends
    (member_expression property: (property_identifier) @reference.extends)
  ])
(implements_clause [
  (type_identifier) @reference.implements
  (nested_type_identifier name: (type_identifier) @reference.implements)
  (generic_type name: (type_identifier) @reference.implements)
  (generic_type name: (nested_type_identifier name: (type_identifier) @reference.implements))
])
(extends_type_clause
  type: [
    (type_identifier) @reference.extends
    (nested_type_identifier name: (type_identifier) @reference.extends)
    (generic_type name: (type_identifier) @reference.extends)
    (generic_type name: (nested_type_identifier name: (type_identifier) @reference.extends))
  ])

(nested_type_identifier module: (_) @qualifier name: (type_identifier) @reference.type)
(type_identifier) @reference.type
(type_parameter name: (type_identifier) @type.parameter)
(type_parameter
  name: (type_identifier) @variable
  constraint: (constraint (_) @variable.type))

; Variables whose type is in the text. A parameter with an access modifier is a field, too.
(required_parameter
  ["readonly" (accessibility_modifier)]
  pattern: (identifier) @variable.field
  type: (type_annotation (_) @variable.type))
(required_parameter
  pattern: (identifier) @variable
  type: (type_annotation (_) @variable.type))
(optional_parameter
  pattern: (identifier) @variable
  type: (type_annotation (_) @variable.type))
(variable_declarator
  name: (identifier) @variable
  type: (type_annotation (_) @variable.type))
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @variable.field
  type: (type_annotation (_) @variable.type))
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @variable.field
  value: (new_expression constructor: (_) @variable.type))
(property_signature
  name: (property_identifier) @variable.field
  type: (type_annotation (_) @variable.type))

