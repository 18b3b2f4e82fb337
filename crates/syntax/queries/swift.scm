; Swift. Capture names are listed in src/grammar.rs.

[(comment) (multiline_comment)] @comment
(attribute) @attribute
(import_declaration) @import

(class_declaration
  declaration_kind: ["class" "actor"]
  name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration
  declaration_kind: "extension"
  name: (user_type
    (type_identifier) @receiver
    . (type_identifier) @name .
    (type_arguments)? .)) @definition.impl
(class_declaration
  declaration_kind: "extension"
  name: (user_type
    (type_identifier) @name .
    (type_arguments)? .)) @definition.impl
(protocol_declaration name: (type_identifier) @name) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(macro_declaration (simple_identifier) @name) @definition.macro

; Operators are functions too, and the grammar also puts a result type into a field `name`.
(function_declaration "func" . name: _ @name) @definition.function
(protocol_function_declaration "func" . name: _ @name) @definition.method
(init_declaration "init" @name) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name (computed_property) @body) @definition.method

(source_file
  (property_declaration
    (value_binding_pattern mutability: "let")
    . name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(source_file
  (property_declaration
    (value_binding_pattern mutability: "var")
    . name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_)? @body) @definition.variable)
([
  (class_body
    (property_declaration
      (modifiers (property_modifier) @_static)
      (value_binding_pattern mutability: "let")
      . name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
  (enum_class_body
    (property_declaration
      (modifiers (property_modifier) @_static)
      (value_binding_pattern mutability: "let")
      . name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
] (#any-of? @_static "static" "class"))
(class_body
  (property_declaration
    (value_binding_pattern)
    . name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_)? @body) @definition.field)
(enum_class_body
  (property_declaration
    (value_binding_pattern)
    . name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_)? @body) @definition.field)
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (protocol_property_requirements) @body) @definition.field

; The text does not show which of several supertypes is a class. The raw type of an enumeration is
; not a supertype.
(protocol_declaration
  (inheritance_specifier
    inherits_from: (user_type (type_identifier) @reference.extends . (type_arguments)? .)))
((class_declaration
  (inheritance_specifier
    inherits_from: (user_type (type_identifier) @reference.implements . (type_arguments)? .)))
  (#not-any-of? @reference.implements "Int" "String" "UInt8" "Int32" "Character"))

(call_expression . (simple_identifier) @reference.call (call_suffix (value_arguments "(")))
(call_expression . (simple_identifier) @reference.call (call_suffix (lambda_literal)))
(call_expression
  . (navigation_expression
    target: _ @qualifier
    suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
; `.make()`: the type is inferred by the compiler.
(call_expression
  . (prefix_expression
    operation: "." @qualifier
    target: (simple_identifier) @reference.call))
(constructor_expression
  constructed_type: (user_type (type_identifier) @reference.call . (type_arguments)? .))
(macro_invocation (simple_identifier) @reference.call)

(type_parameter . (type_identifier) @type.parameter)
((user_type (type_identifier) @reference.type . (type_arguments)? .)
  (#match? @reference.type "^[A-Z_]")
  (#not-any-of? @reference.type "Any" "Self"))

(parameter
  name: (simple_identifier) @variable
  (_) @variable.type .)
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @variable)
  . (type_annotation (_) @variable.type .))
((property_declaration
  name: (pattern bound_identifier: (simple_identifier) @variable)
  . value: [
    (call_expression . (simple_identifier) @variable.type)
    (try_expression expr: (call_expression . (simple_identifier) @variable.type))
  ])
  (#match? @variable.type "^[A-Z]"))
((property_declaration
  name: (pattern bound_identifier: (simple_identifier) @variable)
  . value: [(call_expression) (try_expression) (await_expression)] @variable.value)
  (#not-match? @variable.value "^(try[!?]? +)?[A-Z][A-Za-z0-9_]*\\("))
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @variable)
  (type_annotation (_) @variable.type .))
