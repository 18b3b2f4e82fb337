; Patterns that only C has. Most patterns are in c_family.scm.

(type_identifier) @reference.type

; Variables whose type is in the text.
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
