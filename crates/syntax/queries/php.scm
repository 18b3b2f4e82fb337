; PHP. Capture names are listed in src/grammar.rs.

(comment) @comment
(attribute_list) @attribute
(namespace_use_declaration) @import

(namespace_definition
  name: (namespace_name (name) @name .)
  body: (_)) @definition.module
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.interface
(enum_declaration name: (name) @name) @definition.enum
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element . (name) @name)) @definition.constant
((function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))) @definition.constant
  (#eq? @_define "define"))
(property_declaration
  (property_element name: (variable_name (name) @name))) @definition.field

(class_declaration
  (base_clause
    [
      (name) @reference.extends
      (qualified_name (name) @reference.extends .)
    ]))
(interface_declaration
  (base_clause
    [
      (name) @reference.extends
      (qualified_name (name) @reference.extends .)
    ]))
(class_declaration
  (class_interface_clause
    [
      (name) @reference.implements
      (qualified_name (name) @reference.implements .)
    ]))
(enum_declaration
  (class_interface_clause
    [
      (name) @reference.implements
      (qualified_name (name) @reference.implements .)
    ]))
; Traits that a type uses.
(class_declaration
  body: (declaration_list
    (use_declaration
      [
        (name) @reference.implements
        (qualified_name (name) @reference.implements .)
      ])))
(trait_declaration
  body: (declaration_list
    (use_declaration
      [
        (name) @reference.implements
        (qualified_name (name) @reference.implements .)
      ])))
(enum_declaration
  body: (enum_declaration_list
    (use_declaration
      [
        (name) @reference.implements
        (qualified_name (name) @reference.implements .)
      ])))

((function_call_expression function: (name) @reference.call)
  (#not-eq? @reference.call "define"))
(function_call_expression
  function: (qualified_name
    prefix: (_)? @qualifier
    (name) @reference.call .))
(member_call_expression object: _ @qualifier name: (name) @reference.call)
(nullsafe_member_call_expression object: _ @qualifier name: (name) @reference.call)
(scoped_call_expression scope: _ @qualifier name: (name) @reference.call)
(object_creation_expression (name) @reference.call)
(object_creation_expression
  (qualified_name
    prefix: (_)? @qualifier
    (name) @reference.call .))

(named_type
  [
    (name) @reference.type
    (qualified_name (name) @reference.type .)
  ])
(binary_expression
  operator: "instanceof"
  right: [
    (name) @reference.type
    (qualified_name (name) @reference.type .)
  ])
(class_constant_access_expression
  . [
    (name) @reference.type
    (qualified_name (name) @reference.type .)
  ])
(attribute
  [
    (name) @reference.type
    (qualified_name (name) @reference.type .)
  ])
; Supertypes of an anonymous class.
(anonymous_class
  [
    (base_clause
      [
        (name) @reference.type
        (qualified_name (name) @reference.type .)
      ])
    (class_interface_clause
      [
        (name) @reference.type
        (qualified_name (name) @reference.type .)
      ])
  ])
(anonymous_class
  [
    (base_clause
      [
        (name) @reference.implementation
        (qualified_name (name) @reference.implementation .)
      ])
    (class_interface_clause
      [
        (name) @reference.implementation
        (qualified_name (name) @reference.implementation .)
      ])
  ])

(simple_parameter
  type: [
    (named_type) @variable.type
    (optional_type (named_type) @variable.type)
  ]
  name: (variable_name) @variable)
(property_promotion_parameter
  type: [
    (named_type) @variable.type
    (optional_type (named_type) @variable.type)
  ]
  name: (variable_name) @variable)
(property_promotion_parameter
  type: [
    (named_type) @variable.type
    (optional_type (named_type) @variable.type)
  ]
  name: (variable_name (name) @variable.field))
(property_declaration
  type: [
    (named_type) @variable.type
    (optional_type (named_type) @variable.type)
  ]
  (property_element name: (variable_name (name) @variable)))
(assignment_expression
  left: [(variable_name) (member_access_expression)] @variable
  right: (object_creation_expression
    [
      (name) @variable.type
      (qualified_name (name) @variable.type .)
    ]))
(assignment_expression
  left: (member_access_expression) @variable
  right: (variable_name) @variable.like)
(catch_clause
  type: (type_list . (named_type) @variable.type .)
  name: (variable_name) @variable)
