; What only C writes. Most is covered by the family's patterns.

(type_identifier) @reference.type

; Variables of which the text tells the type.
(parameter_declaration
  type: (_) @variable.type
  declarator: [
    (identifier) @variable
    (pointer_declarator declarator: (identifier) @variable)
  ])
(field_declaration
  type: (_) @variable.type
  declarator: [
    (field_identifier) @variable
    (pointer_declarator declarator: (field_identifier) @variable)
  ])
(declaration
  type: (_) @variable.type
  declarator: [
    (identifier) @variable
    (pointer_declarator declarator: (identifier) @variable)
    (init_declarator
      declarator: [
        (identifier) @variable
        (pointer_declarator declarator: (identifier) @variable)
      ])
  ])
