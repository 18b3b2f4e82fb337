; Elixir. Capture names are listed in src/grammar.rs.

(comment) @comment
((unary_operator
  operator: "@"
  operand: (call target: (identifier) @_doc (arguments [(string) (sigil)]))) @comment
  (#any-of? @_doc "doc" "typedoc"))
((unary_operator
  operator: "@"
  operand: (call target: (identifier) @_doc (arguments [(string) (sigil)] @doc)))
  (#eq? @_doc "moduledoc"))
((unary_operator
  operator: "@"
  operand: (call target: (identifier) @_name)) @attribute
  (#any-of? @_name "doc" "typedoc" "spec" "impl" "deprecated" "dialyzer"))

; A module that declares a struct counts as the struct.
((call
  target: (identifier) @_module
  (arguments . (alias) @name)
  (do_block (call target: (identifier) @_struct)) @body) @definition.struct
  (#eq? @_module "defmodule")
  (#any-of? @_struct "defstruct" "defexception" "embedded_schema" "schema"))
((call
  target: (identifier) @_module
  (arguments . [(alias) @name (dot right: (alias) @name)])
  (do_block) @body) @definition.module
  (#eq? @_module "defmodule"))
((call
  target: (identifier) @_protocol
  (arguments . (alias) @name)
  (do_block) @body) @definition.interface
  (#eq? @_protocol "defprotocol"))
((call
  target: (identifier) @_impl
  (arguments
    . (alias)
    (keywords
      . (pair
        key: (keyword) @_for
        value: [(alias) @name (list . (alias) @name)])))
  (do_block) @body) @definition.impl
  (#eq? @_impl "defimpl")
  (#match? @_for "^for:"))
((call
  target: (identifier) @_impl
  (arguments . (alias) @name .)
  (do_block) @body) @definition.impl
  (#eq? @_impl "defimpl"))

((call
  target: (identifier) @_define
  (arguments
    . [
      (call target: (identifier) @name)
      (identifier) @name
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")
    ]
    (keywords)? @body)
  (do_block)? @body) @definition.function @clause
  (#any-of? @_define "def" "defp" "defdelegate" "defn" "defnp"))
((call
  target: (identifier) @_define
  (arguments
    . (binary_operator left: (identifier) operator: _ @name right: (identifier))
    (keywords)? @body)
  (do_block)? @body) @definition.function @clause
  (#any-of? @_define "def" "defp")
  (#not-eq? @name "when"))
((call
  target: (identifier) @_define
  (arguments
    . [
      (call target: (identifier) @name)
      (identifier) @name
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")
    ]
    (keywords)? @body)
  (do_block)? @body) @definition.macro @clause
  (#any-of? @_define "defmacro" "defmacrop" "defguard" "defguardp"))

((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_type
    (arguments
      . (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "::")))) @definition.type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_callback
    (arguments
      . [
        (binary_operator left: (call target: (identifier) @name) operator: "::")
        (binary_operator
          left: (binary_operator left: (call target: (identifier) @name) operator: "::")
          operator: "when")
      ]))) @definition.function @clause
  (#any-of? @_callback "callback" "macrocallback"))
((unary_operator
  operator: "@"
  operand: (call target: (identifier) @name (arguments))) @definition.constant
  (#not-any-of? @name
    "after_compile" "after_verify" "before_compile" "behaviour" "callback" "compile" "deprecated"
    "derive" "describetag" "dialyzer" "doc" "enforce_keys" "external_resource" "fallback_to_any"
    "file" "impl" "macrocallback" "moduledoc" "moduletag" "nifs" "on_definition" "on_load"
    "opaque" "optional_callbacks" "shortdoc" "since" "spec" "tag" "type" "typedoc" "typep"))

((call target: (identifier) @_word (arguments . [(alias) (dot)])) @import
  (#any-of? @_word "alias" "import" "require" "use"))

((unary_operator
  operator: "@"
  operand: (call target: (identifier) @_behaviour (arguments (alias) @reference.implements)))
  (#eq? @_behaviour "behaviour"))
((call
  target: (identifier) @_word
  (arguments . (alias) @reference.implements))
  (#any-of? @_word "use" "defimpl"))

; Heads of declarations look like calls.
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_spec
    (arguments
      (binary_operator
        left: [
          (call target: (identifier) @reference.none)
          (binary_operator left: (call target: (identifier) @reference.none))
        ]))))
  (#eq? @_spec "spec"))
(unary_operator operator: "@" operand: (call target: (identifier) @reference.none))

((call target: (identifier) @reference.call)
  (#not-any-of? @reference.call
    "alias" "case" "cond" "def" "defdelegate" "defexception" "defguard" "defguardp" "defimpl"
    "defmacro" "defmacrop" "defmodule" "defn" "defnp" "defoverridable" "defp" "defprotocol"
    "defstruct" "fn" "non_neg_integer" "pos_integer" "t" "term" "for" "if" "import" "quote" "raise" "receive" "require" "super" "throw"
    "try" "unless" "unquote" "unquote_splicing" "use" "with"))
((call
  target: (dot
    left: (alias) @reference.type
    right: (identifier) @_type))
  (#eq? @_type "t"))
((call
  target: (dot
    left: (alias) @qualifier
    right: (identifier) @reference.call))
  (#not-eq? @reference.call "t"))
(call
  target: (dot
    left: [(identifier) (atom) (call) (unary_operator) (dot)] @qualifier
    right: (identifier) @reference.call)
  (arguments))
(unary_operator
  operator: "&"
  operand: (binary_operator left: (identifier) @reference.call operator: "/"))
(binary_operator operator: "|>" right: (identifier) @reference.call)

(struct (alias) @reference.type)
; Re-exported modules.
((call target: (identifier) @_word (arguments (alias) @reference.type))
  (#not-any-of? @_word
    "alias" "defimpl" "defmodule" "defprotocol" "import" "require" "use" "behaviour"))
(call target: (dot) (arguments (alias) @reference.type))
(list (alias) @reference.type)

(binary_operator
  left: (map (struct (alias) @variable.type))
  operator: "="
  right: (identifier) @variable)
