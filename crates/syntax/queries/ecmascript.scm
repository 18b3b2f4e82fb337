; Patterns of JavaScript and TypeScript. Capture names are listed in src/grammar.rs.

(comment) @comment
(decorator) @attribute
(export_statement declaration: (_) @wrapped) @wrapper
(export_statement (export_clause (export_specifier name: (identifier) @exported)))
(export_statement value: (identifier) @exported)

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(method_definition
  name: [(property_identifier) (private_property_identifier)] @name) @definition.method

; Functions that are values: of a variable, of a property, of an assignment.
(lexical_declaration
  . (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function
(variable_declaration
  . (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
    ])) @definition.function
(pair
  key: (property_identifier) @name
  value: [
    (arrow_function body: (statement_block) @body)
    (function_expression body: (_) @body)
  ]) @definition.method
(expression_statement
  (assignment_expression
    left: (member_expression
      object: [
        (identifier) @receiver
        (member_expression
          object: (identifier) @receiver
          property: (property_identifier) @_prototype)
      ]
      property: (property_identifier) @name)
    right: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
    ]) (#not-any-of? @receiver "exports" "module" "window" "global" "globalThis" "self")
       (#eq? @_prototype "prototype")) @definition.method
(expression_statement
  (assignment_expression
    left: [
      (identifier) @name
      (member_expression property: (property_identifier) @name)
    ]
    right: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
    ])) @definition.function

; Constants and variables of a file, except those that only name an import.
(program
  (lexical_declaration
    kind: "const"
    . (variable_declarator
      name: (identifier) @name
      value: (_)? @_value)
    (#not-match? @_value "^(await )?(require|import)\\b")) @definition.constant)
(program
  (lexical_declaration
    kind: "let"
    . (variable_declarator name: (identifier) @name)) @definition.variable)
(program
  (variable_declaration
    . (variable_declarator
      name: (identifier) @name
      value: (_)? @_value)
    (#not-match? @_value "^(require|import)\\b")) @definition.variable)
(program
  (export_statement
    declaration: (lexical_declaration
      kind: "const"
      . (variable_declarator name: (identifier) @name)) @definition.constant))
(program
  (export_statement
    declaration: (lexical_declaration
      kind: "let"
      . (variable_declarator name: (identifier) @name)) @definition.variable))

(import_statement) @import
(export_statement source: (_)) @import
((variable_declarator
  value: [
    (call_expression
      function: [(identifier) (import)] @_import
      arguments: (arguments . (string)))
    (await_expression
      (call_expression function: (import) @_import arguments: (arguments . (string))))
  ])
  (#any-of? @_import "require" "import")) @import
(program
  (expression_statement [
    (call_expression function: (identifier) @_import arguments: (arguments . (string)))
    (assignment_expression
      right: (call_expression
        function: (identifier) @_import
        arguments: (arguments . (string))))
  ] @import (#eq? @_import "require")))
(call_expression function: (import) arguments: (arguments . (string))) @import

((call_expression function: (identifier) @reference.call)
  (#not-eq? @reference.call "require"))
(call_expression
  function: (member_expression
    object: (_) @qualifier
    property: [(property_identifier) (private_property_identifier)] @reference.call))
(new_expression
  constructor: [
    (identifier) @reference.call
    (member_expression
      object: (_) @qualifier
      property: (property_identifier) @reference.call)
  ])
(decorator [
  (identifier) @reference.call
  (member_expression object: (_) @qualifier property: (property_identifier) @reference.call)
])

; Members of a name that looks like a type.
((member_expression object: (identifier) @reference.type)
  (#match? @reference.type "^[A-Z][A-Za-z0-9_]*[a-z]"))
(binary_expression operator: "instanceof" right: (identifier) @reference.type)

; Variables whose type is in the text.
(variable_declarator
  name: (identifier) @variable
  value: (new_expression constructor: (_) @variable.type))
(assignment_expression
  left: [(identifier) (member_expression object: (this))] @variable
  right: (new_expression constructor: (_) @variable.type))
((variable_declarator
  name: (identifier) @variable
  value: [(call_expression) (await_expression)] @variable.value)
  (#not-match? @variable.value "^(await +)?(import|require)\\b"))
(assignment_expression
  left: (member_expression object: (this)) @variable
  right: [(call_expression) (await_expression)] @variable.value)
