; Kotlin. Capture names are listed in src/grammar.rs.

[(line_comment) (block_comment)] @comment
[(annotation) (file_annotation)] @attribute
(import) @import

(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration name: (identifier) @name (enum_class_body)) @definition.enum
(class_declaration "class" name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(companion_object name: (identifier) @name) @definition.class
(type_alias type: (identifier) @name) @definition.type

; Functions, first extension functions: their type precedes the name.
(function_declaration
  [
    (user_type (identifier) @receiver . (type_arguments)? .)
    (nullable_type (user_type (identifier) @receiver . (type_arguments)? .))
  ]
  . "." . name: (identifier) @name
  (function_body) @body) @definition.function
(function_declaration name: (identifier) @name (function_body) @body) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(secondary_constructor
  "constructor" @name
  (function_value_parameters) . (_) @body) @definition.method
(secondary_constructor "constructor" @name) @definition.method

((property_declaration
  (modifiers (property_modifier) @_const)
  (variable_declaration . (identifier) @name)) @definition.constant
  (#eq? @_const "const"))
(property_declaration
  (user_type (identifier) @receiver . (type_arguments)? .)
  . "." . (variable_declaration . (identifier) @name)
  (getter) @body) @definition.field
(class_body
  (property_declaration
    (variable_declaration . (identifier) @name)
    [(getter) (setter) (property_delegate)] @body) @definition.field)
(class_body
  (property_declaration (variable_declaration . (identifier) @name)) @definition.field)
(source_file
  (property_declaration
    "val"
    (variable_declaration . (identifier) @name)
    [(getter) (property_delegate)] @body) @definition.constant)
(source_file
  (property_declaration "val" (variable_declaration . (identifier) @name)) @definition.constant)
(source_file
  (property_declaration "var" (variable_declaration . (identifier) @name)) @definition.variable)

; A supertype with a constructor call is a class.
(class_declaration
  (delegation_specifiers
    (delegation_specifier
      [
        (constructor_invocation
          (user_type (identifier) @reference.extends . (type_arguments)? .))
        (user_type (identifier) @reference.implements . (type_arguments)? .)
        (explicit_delegation
          (user_type (identifier) @reference.implements . (type_arguments)? .))
      ])))
(class_declaration
  "interface"
  (delegation_specifiers
    (delegation_specifier (user_type (identifier) @reference.extends . (type_arguments)? .))))
(object_declaration
  (delegation_specifiers
    (delegation_specifier
      [
        (constructor_invocation
          (user_type (identifier) @reference.extends . (type_arguments)? .))
        (user_type (identifier) @reference.implements . (type_arguments)? .)
        (explicit_delegation
          (user_type (identifier) @reference.implements . (type_arguments)? .))
      ])))
(companion_object
  name: (identifier)
  (delegation_specifiers
    (delegation_specifier
      [
        (constructor_invocation
          (user_type (identifier) @reference.extends . (type_arguments)? .))
        (user_type (identifier) @reference.implements . (type_arguments)? .)
      ])))

; Types that an object without a name implements.
(object_literal
  (delegation_specifiers
    (delegation_specifier
      [
        (constructor_invocation
          (user_type (identifier) @reference.implementation . (type_arguments)? .))
        (user_type (identifier) @reference.implementation . (type_arguments)? .)
        (explicit_delegation
          (user_type (identifier) @reference.implementation . (type_arguments)? .))
      ])))

(call_expression . (identifier) @reference.call)
(call_expression
  . (navigation_expression . (_) @qualifier (identifier) @reference.call .))
(type_parameter (identifier) @type.parameter)
(user_type (identifier) @reference.type . (type_arguments)? .)

(parameter
  (identifier) @variable
  . [
    (user_type (identifier) @variable.type . (type_arguments)? .)
    (nullable_type (user_type (identifier) @variable.type . (type_arguments)? .))
  ])
(class_parameter
  (identifier) @variable
  . [
    (user_type (identifier) @variable.type . (type_arguments)? .)
    (nullable_type (user_type (identifier) @variable.type . (type_arguments)? .))
  ])
(variable_declaration
  (identifier) @variable
  . [
    (user_type (identifier) @variable.type . (type_arguments)? .)
    (nullable_type (user_type (identifier) @variable.type . (type_arguments)? .))
  ])
((property_declaration
  (variable_declaration . (identifier) @variable .)
  . (call_expression . (identifier) @variable.type))
  (#match? @variable.type "^[A-Z]"))
((property_declaration
  (variable_declaration . (identifier) @variable .)
  . (call_expression) @variable.value)
  (#not-match? @variable.value "^[A-Z][A-Za-z0-9_]*[(<]"))
