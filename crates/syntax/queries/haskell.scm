; Haskell. Capture names are listed in src/grammar.rs.

[(comment) (haddock)] @comment
(pragma) @attribute

(export
  [
    (variable) @exported
    (name) @exported
    (prefix_id (operator) @exported)
    (children element: (variable) @exported)
  ])

(export type: (name) @reference.none)
(import_name type: (name) @reference.none)

; Signature and equations of one function follow each other.
(declarations
  [
    (signature name: [(variable) @name (prefix_id (operator) @name)])
    (signature names: (binding_list . name: (variable) @name))
    (function name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body)
    (function (infix operator: (operator) @name) match: (_) @body)
    (function (infix operator: (infix_id (variable) @name)) match: (_) @body)
    (bind name: (variable) @name match: (_) @body)
  ] @definition.function @clause)
(class_declarations
  [
    (signature name: [(variable) @name (prefix_id (operator) @name)])
    (function name: (variable) @name match: (_) @body)
    (bind name: (variable) @name match: (_) @body)
  ] @definition.method @clause)
(instance_declarations
  [
    (signature name: (variable) @name)
    (function name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body)
    (function (infix operator: (operator) @name) match: (_) @body)
    (bind name: (variable) @name match: (_) @body)
  ] @definition.method @clause)

(data_type
  name: (name) @name
  constructors: (data_constructors
    . (data_constructor) . (data_constructor))) @definition.enum
(data_type name: (name) @name constructors: (gadt_constructors)) @definition.enum
(data_type name: (name) @name) @definition.struct
(newtype name: (name) @name) @definition.struct
(type_synonym name: (name) @name) @definition.type
(type_family name: (name) @name) @definition.type
(data_family name: (name) @name) @definition.type
(class name: (name) @name declarations: (_)? @body) @definition.interface
(field name: (field_name (variable) @name)) @definition.field
(pattern_synonym (signature synonym: (constructor) @name)) @definition.function @clause
(pattern_synonym
  (equation synonym: (constructor) @name)) @definition.function @clause

; Instances are named after their first type.
([
  (instance
    patterns: (type_patterns
      . [
        (name) @name
        (qualified id: (name) @name)
        (list) @name
        (tuple) @name
        (unit) @name
        (variable) @name
        (apply constructor: (name) @name)
        (parens (name) @name)
        (parens (apply constructor: (name) @name))
        (parens (apply constructor: (apply constructor: (name) @name)))
        (parens (apply constructor: (apply constructor: (apply constructor: (name) @name))))
        (parens
          (apply constructor: (apply constructor: (apply constructor: 
            (apply constructor: (name) @name)))))
        (parens
          (apply constructor: (apply constructor: (apply constructor: 
            (apply constructor: (apply constructor: (name) @name))))))
        (parens
          (apply constructor: (apply constructor: (apply constructor: 
            (apply constructor: (apply constructor: (apply constructor: (name) @name)))))))
        (parens (function) @name)
        (parens (infix) @name)
        (prefix_list) @name
      ])
    declarations: (_)? @body)
  (deriving_instance
    patterns: (type_patterns
      . [
        (name) @name
        (parens (apply constructor: (name) @name))
        (parens (apply constructor: (apply constructor: (name) @name)))
      ]))
]) @definition.impl

[
  (instance name: (name) @reference.implements)
  (instance name: (qualified id: (name) @reference.implements))
  (deriving_instance name: (name) @reference.implements)
]
(class
  context: (context
    [
      (apply constructor: (name) @reference.extends)
      (parens (apply constructor: (name) @reference.extends))
      (tuple (apply constructor: (name) @reference.extends))
    ]))
(deriving
  classes: [
    (name) @reference.derives
    (parens (name) @reference.derives)
    (tuple (name) @reference.derives)
  ])

(import) @import

(apply
  function: [
    (variable) @reference.call
    (constructor) @reference.call
    (qualified module: (module) @qualifier id: (variable) @reference.call)
    (qualified module: (module) @qualifier id: (constructor) @reference.call)
  ])
(record constructor: (constructor) @reference.call)
; Functions that are applied or composed by operators.
((infix
  left_operand: [
    (variable) @reference.call
    (constructor) @reference.call
    (qualified module: (module) @qualifier id: (variable) @reference.call)
  ]
  operator: (operator) @_operator)
  (#any-of? @_operator "$" "$!" "." "<$>" "<$" "=<<" ">=>" "<=<" ">>=" ">>" "<*>" "*>" "<*"))
((infix
  operator: (operator) @_operator
  right_operand: [
    (variable) @reference.call
    (qualified module: (module) @qualifier id: (variable) @reference.call)
  ])
  (#any-of? @_operator "." "=<<" ">=>" "<=<" ">>=" ">>" "<*>" "*>" "<*" "&" "<&>"))
(infix
  operator: (infix_id
    [
      (variable) @reference.call
      (qualified module: (module) @qualifier id: (variable) @reference.call)
    ]))
(exp (variable) @reference.call)
(match expression: (variable) @reference.call)
(match
  expression: (qualified module: (module) @qualifier id: (variable) @reference.call))

(name) @reference.type
