; OCaml. Capture names are listed in src/grammar.rs.

(comment) @comment

(value_definition . (let_binding) @wrapped .) @wrapper
(type_definition . (type_binding) @wrapped .) @wrapper
(module_definition . (module_binding) @wrapped .) @wrapper
(class_definition . (class_binding) @wrapped .) @wrapper
(class_type_definition . (class_type_binding) @wrapped .) @wrapper

[
  (compilation_unit
    (value_definition
      (let_binding
        pattern: [(value_name) @name (parenthesized_operator (_) @name)]
        (parameter)) @definition.function))
  (structure
    (value_definition
      (let_binding
        pattern: [(value_name) @name (parenthesized_operator (_) @name)]
        (parameter)) @definition.function))
  (compilation_unit
    (value_definition
      (let_binding
        pattern: (value_name) @name
        body: [(fun_expression) (function_expression)]) @definition.function))
  (structure
    (value_definition
      (let_binding
        pattern: (value_name) @name
        body: [(fun_expression) (function_expression)]) @definition.function))
]
[
  (compilation_unit
    (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
  (structure
    (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
]
(value_specification (value_name) @name) @definition.function
(external (value_name) @name) @definition.function

(type_binding name: (type_constructor) @name body: (record_declaration)) @definition.struct
(type_binding name: (type_constructor) @name body: (variant_declaration)) @definition.enum
(type_binding name: (type_constructor) @name) @definition.type
(record_declaration (field_declaration (field_name) @name) @definition.field)
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type

; A module that only names another one is an import.
(module_definition (module_binding (module_name) body: (module_path))) @import
(module_binding
  (module_name) @name
  body: [
    (structure)
    (functor)
    (module_application)
    (typed_module_expression)
  ]) @definition.module
(module_binding (module_name) @name . module_type: (_) .) @definition.module
(module_type_definition (module_type_name) @name body: (_)) @definition.interface
(class_binding (class_name) @name) @definition.class
(class_type_binding (class_type_name) @name) @definition.interface
(method_definition (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

(module_binding
  module_type: [
    (module_type_path (module_type_name) @reference.implements)
    (module_type_constraint
      module_type: (module_type_path (module_type_name) @reference.implements))
  ])
(inheritance_definition class: (class_path (class_name) @reference.extends))
((item_attribute
  (attribute_id) @_deriving
  (attribute_payload
    (expression_item
      [
        (value_path (value_name) @reference.derives)
        (tuple_expression (value_path (value_name) @reference.derives))
        (tuple_expression
          (tuple_expression (value_path (value_name) @reference.derives)))
      ])))
  (#eq? @_deriving "deriving"))

[(open_module) (include_module)] @import

(application_expression
  function: [
    (value_path (module_path) @qualifier (value_name) @reference.call)
    (value_path . (value_name) @reference.call)
  ])
(infix_expression
  left: [
    (value_path (module_path) @qualifier (value_name) @reference.call)
    (value_path . (value_name) @reference.call)
  ]
  operator: _ @_apply (#eq? @_apply "@@"))
(infix_expression
  operator: _ @_pipe
  right: [
    (value_path (module_path) @qualifier (value_name) @reference.call)
    (value_path . (value_name) @reference.call)
  ]
  (#any-of? @_pipe "|>" ">>=" ">>|" ">|="))
(method_invocation object: (_) @qualifier method: (method_name) @reference.call)
(new_expression (class_path (class_name) @reference.call))
(module_application functor: (module_path (module_name) @reference.call .))

(type_constructor_path (extended_module_path) @qualifier (type_constructor) @reference.type)
(type_constructor_path . (type_constructor) @reference.type)
(module_parameter
  module_type: (module_type_path (module_type_name) @reference.type))

(typed_pattern
  pattern: (value_pattern) @variable
  type: (type_constructor_path (type_constructor) @variable.type))
(value_definition
  (let_binding
    pattern: (value_name) @variable
    body: (application_expression
      function: (new_expression (class_path (class_name) @variable.type)))))
