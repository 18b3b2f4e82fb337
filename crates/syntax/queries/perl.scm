; Perl. Capture names are listed in src/grammar.rs.

[(comment) (pod)] @comment

(package_statement name: (package) @name (block) @body) @definition.module
(subroutine_declaration_statement name: (bareword) @name body: (_)) @definition.function
(method_declaration_statement name: (bareword) @name) @definition.method
(class_statement name: (package) @name (block) @body) @definition.class
(expression_statement
  (assignment_expression
    left: (variable_declaration variable: (scalar (varname) @name))
    right: (anonymous_subroutine_expression body: (_) @body))) @definition.function

((use_statement
  module: (package) @_constant
  (list_expression . (autoquoted_bareword) @name)) @definition.constant
  (#eq? @_constant "constant"))
((use_statement
  module: (package) @_constant
  (anonymous_hash_expression
    (list_expression (autoquoted_bareword) @name @definition.constant)))
  (#eq? @_constant "constant"))
(source_file
  (expression_statement
    (assignment_expression
      left: (variable_declaration
        variable: [
          (scalar (varname) @name)
          (array (varname) @name)
          (hash (varname) @name)
        ]))) @definition.variable)
((expression_statement
  (ambiguous_function_call_expression
    function: (function) @_has
    arguments: (list_expression
      . [
        (autoquoted_bareword) @name
        (string_literal content: (string_content) @name)
      ]))) @definition.field
  (#eq? @_has "has"))

((ambiguous_function_call_expression
  function: (function) @_extends
  arguments: (string_literal content: (string_content) @reference.extends))
  (#eq? @_extends "extends"))
((ambiguous_function_call_expression
  function: (function) @_with
  arguments: [
    (string_literal content: (string_content) @reference.implements)
    (list_expression (string_literal content: (string_content) @reference.implements))
  ])
  (#eq? @_with "with"))

((use_statement module: (package) @_module) @import
  (#match? @_module "^([A-Z]|parent$|base$)"))
((require_expression [(bareword) (string_literal) (interpolated_string_literal)] @import)
  (#match? @import "^['\"A-Z]"))

((function_call_expression function: (function) @reference.call)
  (#not-any-of? @reference.call
    "bless" "defined" "delete" "die" "exists" "join" "keys" "pop" "print" "printf" "push" "ref"
    "return" "shift" "sprintf" "values" "warn"))
((ambiguous_function_call_expression function: (function) @reference.call)
  (#not-any-of? @reference.call
    "bless" "defined" "delete" "die" "exists" "extends" "has" "join" "keys" "pop" "print"
    "printf" "push" "ref" "return" "shift" "sprintf" "values" "warn" "with"))
(method_call_expression
  invocant: [(scalar (varname) @qualifier) (bareword) @qualifier]
  method: (method) @reference.call)
(method_call_expression invocant: (_) @qualifier method: (method) @reference.call)

((assignment_expression
  left: (variable_declaration variable: (scalar (varname) @variable))
  right: (method_call_expression invocant: (bareword) @variable.type method: (method) @_new))
  (#match? @_new "^(new|instance|create)$"))
