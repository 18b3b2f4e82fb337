; Clojure. Capture names are listed in src/grammar.rs.

[(comment) (dis_expr)] @comment
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit)
  . (str_lit) @doc
  . (_))
  (#match? @_define "^def"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  (list_lit . (sym_lit) . (vec_lit) . (str_lit) @doc .))
  (#eq? @_define "defprotocol"))

; Functions with one arity, and with several.
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)
  (vec_lit)
  . (_) @body) @definition.function
  (#any-of? @_define "defn" "defn-" "deftask"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)
  (list_lit)? @body) @definition.function
  (#any-of? @_define "defn" "defn-" "defmulti"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)
  (vec_lit)
  . (_) @body) @definition.macro
  (#eq? @_define "defmacro"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)
  (list_lit)? @body) @definition.macro
  (#eq? @_define "defmacro"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)
  . [(kwd_lit name: (kwd_name) @receiver) (sym_lit name: (sym_name) @receiver) (_)]
  . (_)? @_arguments
  (_)? @body) @definition.method
  (#eq? @_define "defmethod"))

((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)
  (list_lit)? @body) @definition.interface
  (#any-of? @_define "defprotocol" "definterface"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)
  (vec_lit)
  . (_)? @body) @definition.struct
  (#any-of? @_define "defrecord" "deftype"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)
  . (_) @body) @definition.impl
  (#eq? @_define "extend-type"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit)
  . (sym_lit name: (sym_name) @name)
  . (_) @body) @definition.impl
  (#eq? @_define "extend-protocol"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  (list_lit
    . (sym_lit name: (sym_name) @name)
    . (vec_lit)
    . (_)? @body) @definition.method)
  (#any-of? @_define
    "defprotocol" "definterface" "defrecord" "deftype" "extend-type" "extend-protocol"))

((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit
    meta: (meta_lit value: (kwd_lit name: (kwd_name) @_const))
    name: (sym_name) @name)) @definition.constant
  (#eq? @_define "def")
  (#eq? @_const "const"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @name)) @definition.variable
  (#any-of? @_define "def" "defonce"))

((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit)
  . (vec_lit)
  (sym_lit name: (sym_name) @reference.implements))
  (#any-of? @_define "defrecord" "deftype"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit)
  (sym_lit name: (sym_name) @reference.implements))
  (#eq? @_define "extend-type"))
((list_lit
  . (sym_lit name: (sym_name) @_define)
  . (sym_lit name: (sym_name) @reference.implements))
  (#eq? @_define "extend-protocol"))

; Requirements of a namespace form.
((list_lit
  . (kwd_lit name: (kwd_name) @_require)
  [(vec_lit) (list_lit) (sym_lit)] @import)
  (#any-of? @_require "require" "use" "import" "require-macros"))
((list_lit
  . (kwd_lit name: (kwd_name) @_require)
  (list_lit . (sym_lit name: (sym_name) @reference.none)))
  (#any-of? @_require "require" "use" "import" "require-macros"))

((list_lit . (sym_lit !namespace name: (sym_name) @reference.call))
  (#not-match? @reference.call "^(def|[^A-Za-z.>_-])")
  (#not-any-of? @reference.call
    "and" "binding" "case" "catch" "comment" "cond" "declare" "do" "doseq" "dotimes" "extend-type"
    "extend-protocol" "fn" "for" "if" "if-let" "if-not" "if-some" "let" "letfn" "loop" "new" "ns"
    "or" "quote" "recur" "reify" "throw" "try" "var" "when" "when-let" "when-not" "when-some"
    "while" "->" "->>" "-"))
(list_lit
  . (sym_lit namespace: (sym_ns) @qualifier name: (sym_name) @reference.call))
; A type hint.
(sym_lit meta: (meta_lit value: (sym_lit name: (sym_name) @reference.type)))
(sym_lit
  meta: (meta_lit value: (sym_lit name: (sym_name) @variable.type))
  name: (sym_name) @variable)
