; Java. Capture names are listed in src/grammar.rs.

[(line_comment) (block_comment)] @comment
[(annotation) (marker_annotation)] @attribute

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(method_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(constant_declaration
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(superclass [
  (type_identifier) @reference.extends
  (generic_type . (type_identifier) @reference.extends)
  (scoped_type_identifier (type_identifier) @reference.extends .)
  (generic_type . (scoped_type_identifier (type_identifier) @reference.extends .))
])
(super_interfaces
  (type_list [
    (type_identifier) @reference.implements
    (generic_type . (type_identifier) @reference.implements)
    (scoped_type_identifier (type_identifier) @reference.implements .)
    (generic_type . (scoped_type_identifier (type_identifier) @reference.implements .))
  ]))
(extends_interfaces
  (type_list [
    (type_identifier) @reference.extends
    (generic_type . (type_identifier) @reference.extends)
    (scoped_type_identifier (type_identifier) @reference.extends .)
    (generic_type . (scoped_type_identifier (type_identifier) @reference.extends .))
  ]))

(import_declaration) @import

(method_invocation !object name: (identifier) @reference.call)
(method_invocation object: (_) @qualifier name: (identifier) @reference.call)
(object_creation_expression
  type: [
    (type_identifier) @reference.call
    (generic_type . (type_identifier) @reference.call)
    (scoped_type_identifier (_) @qualifier . (type_identifier) @reference.call .)
    (generic_type
      . (scoped_type_identifier (_) @qualifier . (type_identifier) @reference.call .))
  ])
; `Store::save`, and `Store::new` as a call of `Store`.
((method_reference . (_) @qualifier (identifier) @reference.call .)
  (#not-eq? @reference.call "new"))
((method_reference . (identifier) @reference.call (identifier) @_new .) (#eq? @_new "new"))

; Types that an anonymous class or a lambda implements.
(object_creation_expression
  type: [
    (type_identifier) @reference.implementation
    (generic_type . (type_identifier) @reference.implementation)
    (scoped_type_identifier (type_identifier) @reference.implementation .)
    (generic_type . (scoped_type_identifier (type_identifier) @reference.implementation .))
  ]
  (class_body))
(local_variable_declaration
  type: [
    (type_identifier) @reference.implementation
    (generic_type . (type_identifier) @reference.implementation)
  ]
  declarator: (variable_declarator value: [(lambda_expression) (method_reference)]))
(field_declaration
  type: [
    (type_identifier) @reference.implementation
    (generic_type . (type_identifier) @reference.implementation)
  ]
  declarator: (variable_declarator value: [(lambda_expression) (method_reference)]))
(constant_declaration
  type: [
    (type_identifier) @reference.implementation
    (generic_type . (type_identifier) @reference.implementation)
  ]
  declarator: (variable_declarator value: [(lambda_expression) (method_reference)]))
(cast_expression
  type: [
    (type_identifier) @reference.implementation
    (generic_type . (type_identifier) @reference.implementation)
  ]
  value: [(lambda_expression) (method_reference)])
(method_declaration
  type: [
    (type_identifier) @reference.implementation
    (generic_type . (type_identifier) @reference.implementation)
  ]
  body: (block (return_statement [(lambda_expression) (method_reference)])))

(scoped_type_identifier (_) @qualifier . (type_identifier) @reference.type .)
; A package looks like a type.
((scoped_type_identifier . (type_identifier) @reference.none)
  (#match? @reference.none "^[a-z]"))
((type_identifier) @reference.type (#not-any-of? @reference.type "Object" "String" "var"))
[
  (marker_annotation name: (identifier) @reference.type)
  (annotation name: (identifier) @reference.type)
]
(type_parameter (type_identifier) @type.parameter)
(type_parameter (type_identifier) @variable (type_bound . (_) @variable.type))
; Constants of a type.
((field_access object: (identifier) @reference.type)
  (#match? @reference.type "^[A-Z]"))

; Variables whose type is in the text.
(formal_parameter type: (_) @variable.type name: (identifier) @variable)
(field_declaration
  type: (_) @variable.type
  declarator: (variable_declarator name: (identifier) @variable))
(local_variable_declaration
  type: (_) @variable.type
  declarator: (variable_declarator name: (identifier) @variable))
((local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator
    name: (identifier) @variable
    value: [
      (object_creation_expression type: (_) @variable.type)
      (cast_expression type: (_) @variable.type)
    ]))
  (#eq? @_var "var"))
((local_variable_declaration
  type: (_) @_var
  declarator: (variable_declarator
    name: (identifier) @variable
    value: (method_invocation) @variable.value))
  (#eq? @_var "var"))
(enhanced_for_statement type: (_) @variable.type name: (identifier) @variable)
(resource type: (_) @variable.type name: (identifier) @variable)
(catch_formal_parameter
  (catch_type . (_) @variable.type .)
  name: (identifier) @variable)
(instanceof_expression right: (_) @variable.type name: (identifier) @variable)
