; Go. Capture names are listed in src/grammar.rs.

(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @receiver
        (pointer_type (type_identifier) @receiver)
        (generic_type type: (type_identifier) @receiver)
        (pointer_type (generic_type type: (type_identifier) @receiver))
      ]))
  name: (field_identifier) @name) @definition.method

; A declaration of one type starts at its keyword; in a group, each type is a definition of its own.
(type_declaration . (type_spec) @wrapped .) @wrapper
(type_declaration . (type_alias) @wrapped .) @wrapper
(const_declaration . (const_spec) @wrapped .) @wrapper
(var_declaration . (var_spec) @wrapped .) @wrapper

(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec
  name: (type_identifier) @name
  type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name) @definition.method
(const_spec . name: (identifier) @name) @definition.constant
(var_spec . name: (identifier) @name) @definition.variable

; Embedded fields and elements: their members become members of the type.
(type_spec
  type: (struct_type
    (field_declaration_list
      (field_declaration
        !name
        type: [
          (type_identifier) @reference.extends @variable.field @variable.type
          (qualified_type
            name: (type_identifier) @reference.extends @variable.field @variable.type)
          (generic_type
            type: (type_identifier) @reference.extends @variable.field @variable.type)
          (generic_type
            type: (qualified_type
              name: (type_identifier) @reference.extends @variable.field @variable.type))
        ]))))
(type_spec
  type: (interface_type
    (type_elem
      . [
        (type_identifier) @reference.extends
        (qualified_type name: (type_identifier) @reference.extends)
        (generic_type type: (type_identifier) @reference.extends)
        (generic_type type: (qualified_type name: (type_identifier) @reference.extends))
      ] .)))

(import_declaration) @import

; Calls. A call of a generic function looks like a conversion to a generic type.
((call_expression function: (identifier) @reference.call)
  (#not-any-of? @reference.call
    "append" "cap" "clear" "close" "copy" "delete" "len" "make" "max" "min" "new" "panic" "print"
    "println" "recover" "byte" "float64" "int" "int32" "int64" "rune" "string" "uint" "uint32"
    "uint64"))
(call_expression
  function: (selector_expression
    operand: (_) @qualifier
    field: (field_identifier) @reference.call))
(type_conversion_expression
  type: (generic_type
    type: [
      (type_identifier) @reference.call
      (qualified_type package: (_) @qualifier name: (type_identifier) @reference.call)
    ]))

(qualified_type package: (_) @qualifier name: (type_identifier) @reference.type)
((type_identifier) @reference.type
  (#not-any-of? @reference.type
    "any" "bool" "byte" "error" "float32" "float64" "int" "int16" "int32" "int64" "int8" "rune"
    "string"
    "uint" "uint16" "uint32" "uint64" "uint8" "uintptr"))
(type_parameter_declaration name: (identifier) @type.parameter)

; Variables whose type is in the text. A constructor is named after its type.
(parameter_declaration name: (identifier) @variable type: (_) @variable.type)
(field_declaration name: (field_identifier) @variable.field type: (_) @variable.type)
(var_spec name: (identifier) @variable type: (_) @variable.type)
(short_var_declaration
  left: (expression_list . (identifier) @variable)
  right: (expression_list
    . [
      (composite_literal type: (_) @variable.type)
      (unary_expression operand: (composite_literal type: (_) @variable.type))
      (type_assertion_expression type: (_) @variable.type)
    ]))
((short_var_declaration
  left: (expression_list . (identifier) @variable)
  right: (expression_list
    . (call_expression
      function: (identifier) @_new
      arguments: (argument_list . (type_identifier) @variable.type))))
  (#eq? @_new "new"))
((short_var_declaration
  left: (expression_list . (identifier) @variable)
  right: (expression_list . (call_expression function: (_) @_function) @variable.value))
  (#not-any-of? @_function "append" "cap" "copy" "len" "make" "max" "min" "new"))
((var_spec
  name: (identifier) @variable
  value: (expression_list . (call_expression function: (_) @_function) @variable.value))
  (#not-any-of? @_function "append" "cap" "copy" "len" "make" "max" "min" "new"))
(var_spec
  name: (identifier) @variable
  value: (expression_list
    . [
      (composite_literal type: (_) @variable.type)
      (unary_expression operand: (composite_literal type: (_) @variable.type))
    ]))
