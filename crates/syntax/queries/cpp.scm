; What C++ adds to C.

(template_declaration
  [
    (alias_declaration)
    (class_specifier)
    (struct_specifier)
    (declaration)
    (function_definition)
    (concept_definition)
  ] @wrapped) @wrapper
(access_specifier) @access

(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier
  name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(struct_specifier
  name: (template_type name: (type_identifier) @name) body: (_)) @definition.struct
(namespace_definition
  name: [
    (namespace_identifier) @name
    (nested_namespace_specifier (namespace_identifier) @name .)
  ]) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

; Members, defined or declared inside of their type.
(function_definition
  declarator: [
    (function_declarator
      declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
    (_ (function_declarator
      declarator: [(field_identifier) (destructor_name) (operator_name)] @name))
    (_ (_ (function_declarator
      declarator: [(field_identifier) (destructor_name) (operator_name)] @name)))
  ]) @definition.function
(field_declaration
  declarator: [
    (function_declarator
      declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
    (_ (function_declarator
      declarator: [(field_identifier) (destructor_name) (operator_name)] @name))
  ]) @definition.method
(declaration
  declarator: (function_declarator
    declarator: [(destructor_name) (operator_name)] @name)) @definition.function

; Members, defined outside of their type.
(function_definition
  declarator: [
    (function_declarator
      declarator: (qualified_identifier
        scope: [
          (namespace_identifier) @receiver
          (template_type name: (type_identifier) @receiver)
        ]
        name: [(identifier) (destructor_name) (operator_name)] @name))
    (_ (function_declarator
      declarator: (qualified_identifier
        scope: [
          (namespace_identifier) @receiver
          (template_type name: (type_identifier) @receiver)
        ]
        name: [(identifier) (destructor_name) (operator_name)] @name)))
    (function_declarator
      declarator: (qualified_identifier
        name: (qualified_identifier
          scope: [
            (namespace_identifier) @receiver
            (template_type name: (type_identifier) @receiver)
          ]
          name: [(identifier) (destructor_name) (operator_name)] @name)))
  ]) @definition.method
