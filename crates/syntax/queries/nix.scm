; Nix. Capture names are listed in src/grammar.rs.

(comment) @comment

(binding
  attrpath: (attrpath attr: (identifier) @name .)
  expression: (function_expression body: (_) @body)) @definition.function
(let_expression
  (binding_set
    (binding attrpath: (attrpath attr: (identifier) @name .)) @definition.variable))
((apply_expression
  function: (variable_expression name: (identifier) @_import)
  argument: (path_expression) @import)
  (#any-of? @_import "import" "callPackage"))
((apply_expression
  function: (select_expression attrpath: (attrpath attr: (identifier) @_import .))
  argument: (path_expression) @import)
  (#eq? @_import "callPackage"))

((apply_expression function: (variable_expression name: (identifier) @reference.call))
  (#not-eq? @reference.call "import"))
(apply_expression
  function: (select_expression
    expression: (_) @qualifier
    attrpath: (attrpath attr: (identifier) @reference.call .)))
