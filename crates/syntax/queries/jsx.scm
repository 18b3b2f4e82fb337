
; JSX elements: those with an upper-case first letter are functions and classes. Capture names are
; listed in src/grammar.rs.
([
  (jsx_opening_element
    name: [
      (identifier) @reference.call
      (member_expression object: (_) @qualifier property: (property_identifier) @reference.call)
    ])
  (jsx_self_closing_element
    name: [
      (identifier) @reference.call
      (member_expression object: (_) @qualifier property: (property_identifier) @reference.call)
    ])
] (#match? @reference.call "^[A-Z]"))
