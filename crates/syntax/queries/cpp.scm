; Patterns that C++ has in addition to C.

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

; Members, defined or declared inside their type.
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

(base_class_clause [
  (type_identifier) @reference.extends
  (template_type name: (type_identifier) @reference.extends)
  (qualified_identifier
    name: [
      (type_identifier) @reference.extends
      (template_type name: (type_identifier) @reference.extends)
      (qualified_identifier name: (type_identifier) @reference.extends)
      (qualified_identifier name: (template_type name: (type_identifier) @reference.extends))
    ])
])

; Of a path, the last name is called; the part before it is the qualifier.
(call_expression
  function: (qualified_identifier
    scope: [
      (namespace_identifier) @qualifier
      (template_type name: (_) @qualifier)
    ]
    name: [
      (identifier) @reference.call
      (template_function name: (_) @reference.call)
      (qualified_identifier
        scope: [
          (namespace_identifier) @qualifier
          (template_type name: (_) @qualifier)
        ]
        name: [
          (identifier) @reference.call
          (template_function name: (_) @reference.call)
          (qualified_identifier scope: (_) @qualifier name: (identifier) @reference.call)
        ])
    ]))
(call_expression
  function: (qualified_identifier !scope name: (identifier) @reference.call))
((call_expression
  function: [
    (template_function name: (identifier) @reference.call)
    (field_expression
      argument: (_) @qualifier
      field: [
        (template_method name: (field_identifier) @reference.call)
        (dependent_name (template_method name: (field_identifier) @reference.call))
      ])
  ])
  (#not-any-of? @reference.call
    "const_cast" "dynamic_cast" "reinterpret_cast" "static_cast"))
(new_expression
  type: [
    (type_identifier) @reference.call
    (template_type name: (type_identifier) @reference.call)
    (qualified_identifier
      scope: (_) @qualifier
      name: [
        (type_identifier) @reference.call
        (template_type name: (type_identifier) @reference.call)
      ])
  ])
(compound_literal_expression
  type: [
    (type_identifier) @reference.call
    (qualified_identifier scope: (_) @qualifier name: (type_identifier) @reference.call)
  ])

(qualified_identifier
  scope: (_) @qualifier
  name: [
    (type_identifier) @reference.type
    (template_type name: (type_identifier) @reference.type)
  ])
((qualified_identifier scope: (namespace_identifier) @reference.type)
  (#match? @reference.type "^[A-Z]"))
(type_identifier) @reference.type
[
  (type_parameter_declaration (type_identifier) @type.parameter)
  (optional_type_parameter_declaration name: (type_identifier) @type.parameter)
  (variadic_type_parameter_declaration (type_identifier) @type.parameter)
]

; Variables whose type is in the text.
[
  (parameter_declaration
    type: (_) @variable.type
    declarator: [
      (identifier) @variable
      (pointer_declarator (identifier) @variable)
      (reference_declarator (identifier) @variable)
    ])
  (optional_parameter_declaration
    type: (_) @variable.type
    declarator: [
      (identifier) @variable
      (pointer_declarator (identifier) @variable)
      (reference_declarator (identifier) @variable)
    ])
  (for_range_loop
    type: (_) @variable.type
    declarator: [
      (identifier) @variable
      (pointer_declarator (identifier) @variable)
      (reference_declarator (identifier) @variable)
    ])
]
(field_declaration
  type: (_) @variable.type
  declarator: [
    (field_identifier) @variable
    (pointer_declarator (field_identifier) @variable)
    (reference_declarator (field_identifier) @variable)
  ])
(declaration
  type: (_) @variable.type
  declarator: [
    (identifier) @variable
    (pointer_declarator (identifier) @variable)
    (init_declarator
      declarator: [
        (identifier) @variable
        (pointer_declarator (identifier) @variable)
        (reference_declarator (identifier) @variable)
      ])
  ])
; `auto`: the type is that of the value.
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [(identifier) @variable (pointer_declarator (identifier) @variable)]
    value: [
      (new_expression type: (_) @variable.type)
      (compound_literal_expression type: (_) @variable.type)
    ]))
((declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [(identifier) @variable (pointer_declarator (identifier) @variable)]
    value: (call_expression
      function: [
        (template_function
          name: (identifier) @_made
          arguments: (template_argument_list . (type_descriptor type: (_) @variable.type)))
        (qualified_identifier
          name: (template_function
            name: (identifier) @_made
            arguments: (template_argument_list . (type_descriptor type: (_) @variable.type))))
      ])))
  (#any-of? @_made "dynamic_cast" "make_shared" "make_unique" "static_cast"))
((declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (identifier) @variable
    value: (call_expression function: (identifier) @variable.type)))
  (#match? @variable.type "^[A-Z][A-Za-z0-9]*[a-z]"))
