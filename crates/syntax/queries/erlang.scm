; Erlang. Capture names are listed in src/grammar.rs.

(comment) @comment
[(spec) (module_attribute)] @attribute

; The module is the whole file.
(source_file
  (module_attribute name: (atom) @name)
  . (_) @body) @definition.module

(fun_decl
  clause: (function_clause name: (atom) @name body: (_) @body)) @definition.function @clause
(record_decl name: (atom) @name) @definition.struct
[
  (type_alias name: (type_name name: (atom) @name))
  (opaque name: (type_name name: (atom) @name))
] @definition.type
(pp_define lhs: (macro_lhs name: [(var) (atom)] @name)) @definition.macro
(callback fun: (atom) @name) @definition.function

(export_attribute (fa fun: (atom) @exported))
(export_type_attribute (fa fun: (atom) @exported))

(behaviour_attribute name: (atom) @reference.implements)

[(pp_include) (pp_include_lib) (import_attribute)] @import

(remote
  module: (remote_module module: (_) @qualifier)
  fun: (call expr: (atom) @reference.call))
(external_fun
  module: (module name: (_) @qualifier)
  fun: (atom) @reference.call)
; Types look like calls.
((call expr: (atom) @reference.call)
  (#not-any-of? @reference.call
    "any" "atom" "binary" "boolean" "integer" "iodata" "iolist" "list" "non_neg_integer"
    "number" "pid" "pos_integer" "reference" "string" "term" "timeout" "tuple"))
(internal_fun fun: (atom) @reference.call)
(macro_call_expr name: [(var) (atom)] @reference.call
  (#not-any-of? @reference.call "MODULE" "LINE" "FILE" "FUNCTION_NAME" "FUNCTION_ARITY"))

(record_name name: (atom) @reference.type)
(match_expr
  lhs: (record_expr name: (record_name name: (atom) @variable.type))
  rhs: (var) @variable)
