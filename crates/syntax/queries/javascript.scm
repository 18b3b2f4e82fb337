; Patterns that only JavaScript has.

(class_declaration name: (identifier) @name) @definition.class
(lexical_declaration
  . (variable_declarator
    name: (identifier) @name
    value: (class body: (_) @body))) @definition.class
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method

(class_heritage [
  (identifier) @reference.extends
  (member_expression property: (property_identifier) @reference.extends)
])
(field_definition
  property: [(property_identifier) (private_property_identifier)] @variable.field
  value: (new_expression constructor: (_) @variable.type))

