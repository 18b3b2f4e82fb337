; Python. Capture names are listed in src/grammar.rs.

(comment) @comment
(decorator) @attribute
(decorated_definition definition: (_) @wrapped) @wrapper

(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type
((module
  (expression_statement
    (assignment left: (identifier) @name)) @definition.variable)
  (#not-eq? @name "__all__"))

(module . (comment)* . (expression_statement . (string) @doc))
(class_definition body: (block . (expression_statement . (string) @doc)))
(function_definition body: (block . (expression_statement . (string) @doc)))

; Supertypes of a class. Keyword arguments, such as the metaclass, are not supertypes.
(class_definition
  superclasses: (argument_list [
    (identifier) @reference.extends
    (attribute attribute: (identifier) @reference.extends)
    (subscript value: (identifier) @reference.extends)
    (subscript value: (attribute attribute: (identifier) @reference.extends))
  ]))

[(import_statement) (import_from_statement)] @import

(call
  function: [
    (identifier) @reference.call
    (attribute object: (_) @qualifier attribute: (identifier) @reference.call)
  ])
(decorator [
  (identifier) @reference.call
  (attribute object: (_) @qualifier attribute: (identifier) @reference.call)
])

; Types of annotations; caught exceptions; members of a name that looks like a class.
((type [
  (identifier) @reference.type
  (attribute object: (_) @qualifier attribute: (identifier) @reference.type)
  (string (string_content) @reference.type)
  (generic_type (identifier) @reference.type)
  (subscript value: (attribute object: (_) @qualifier attribute: (identifier) @reference.type))
  (list (identifier) @reference.type)
  (constrained_type . (_) . (type (identifier) @reference.type))
  (binary_operator (identifier) @reference.type)
  (binary_operator
    (attribute object: (_) @qualifier attribute: (identifier) @reference.type))
  (binary_operator (subscript value: (identifier) @reference.type))
  (binary_operator (binary_operator (identifier) @reference.type))
  (binary_operator (binary_operator (binary_operator (identifier) @reference.type)))
]) (#not-any-of? @reference.type
     "Any" "None" "bool" "bytes" "dict" "float" "int" "list" "object" "set" "str" "tuple"
     "type"))
(except_clause
  value: [
    (identifier) @reference.type
    (attribute object: (_) @qualifier attribute: (identifier) @reference.type)
    (tuple (identifier) @reference.type)
    (tuple (attribute object: (_) @qualifier attribute: (identifier) @reference.type))
    (as_pattern . (identifier) @reference.type)
    (as_pattern . (attribute object: (_) @qualifier attribute: (identifier) @reference.type))
    (as_pattern . (tuple (identifier) @reference.type))
    (as_pattern
      . (tuple (attribute object: (_) @qualifier attribute: (identifier) @reference.type)))
  ])
((attribute object: (identifier) @reference.type)
  (#match? @reference.type "^[A-Z][A-Za-z0-9_]*[a-z]"))

; Variables whose type is in the text. A class attribute needs its object named before it.
(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @variable.field type: (type) @variable.type))))
((class_definition
  body: (block
    (expression_statement
      (assignment
        left: (identifier) @variable.field
        right: (call function: (identifier) @variable.type)))))
  (#match? @variable.type "^_?[A-Z]"))
(typed_parameter . (identifier) @variable type: (type) @variable.type)
(typed_default_parameter name: (identifier) @variable type: (type) @variable.type)
(assignment left: [(identifier) (attribute)] @variable type: (type) @variable.type)
((assignment
  left: [(identifier) (attribute)] @variable
  right: (call
    function: [
      (identifier) @variable.type
      (attribute attribute: (identifier) @variable.type)
    ]))
  (#match? @variable.type "^_?[A-Z]"))
((assignment
  left: [(identifier) (attribute)] @variable
  right: [
    (call function: (_) @_function)
    (await (call function: (_) @_function))
  ] @variable.value)
  (#match? @_function "(^|[.])_*[a-z][^.]*$"))
((as_pattern
  (call
    function: [
      (identifier) @variable.type
      (attribute attribute: (identifier) @variable.type)
    ])
  alias: (as_pattern_target (identifier) @variable))
  (#match? @variable.type "^_?[A-Z]"))
((assignment
  left: (attribute object: (identifier) @_self) @variable
  right: (identifier) @variable.like)
  (#eq? @_self "self"))
