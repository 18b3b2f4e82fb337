; R. Capture names are listed in src/grammar.rs.

(comment) @comment

; Classes with their members in lists.
((binary_operator
  lhs: (identifier) @name
  rhs: (call function: (identifier) @_class arguments: (_) @body)) @definition.class
  (#any-of? @_class "R6Class" "setRefClass" "ggproto" "new_class"))
((call
  function: (identifier) @_class
  arguments: (arguments
    . (argument value: (string content: (string_content) @name)))) @definition.class
  (#any-of? @_class "setClass" "setClassUnion"))
(argument
  name: (identifier) @_list
  value: (call
    function: (identifier) @_make
    arguments: (arguments
      (argument
        name: (identifier) @name
        value: (function_definition body: (_) @body)) @definition.method))
  (#any-of? @_list "public" "private" "active" "methods")
  (#any-of? @_make "list" "c"))
((argument name: (identifier) @access value: (call))
  (#any-of? @access "public" "private"))
((argument name: (identifier) @_inherit value: (identifier) @reference.extends)
  (#any-of? @_inherit "inherit"))
((argument
  name: (identifier) @_contains
  value: (string content: (string_content) @reference.extends))
  (#any-of? @_contains "contains"))

; Generic functions and their methods.
((call
  function: (identifier) @_generic
  arguments: (arguments
    . (argument value: (string content: (string_content) @name))
    (argument value: (function_definition body: (_) @body)))) @definition.function
  (#any-of? @_generic "setGeneric"))
((call
  function: (identifier) @_method
  arguments: (arguments
    . (argument value: (string content: (string_content) @name))
    . (comma)
    . (argument
      value: [
        (string content: (string_content) @receiver)
        (call
          arguments: (arguments
            . (argument value: (string content: (string_content) @receiver))))
      ])
    (argument value: (function_definition body: (_) @body)))) @definition.method
  (#any-of? @_method "setMethod" "setReplaceMethod"))

(binary_operator
  lhs: [(identifier) (string)] @name
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @definition.function
((program
  (binary_operator
    lhs: (identifier) @name
    operator: ["<-" "=" "<<-"]
    rhs: (_) @_value) @definition.variable)
  (#not-match? @_value "^(setRefClass|R6Class|R6::R6Class)\\("))

((call
  function: (identifier) @_library
  arguments: (arguments . (argument value: [(identifier) (string)] @import)))
  (#any-of? @_library "library" "require" "requireNamespace" "loadNamespace" "source"))

((call function: (identifier) @reference.call)
  (#not-any-of? @reference.call
    "R6Class" "UseMethod" "c" "function" "library" "list" "loadNamespace" "representation"
    "require" "requireNamespace" "return" "setClass" "setGeneric" "setMethod" "setRefClass"
    "signature" "source" "standardGeneric"))
(call
  function: (namespace_operator lhs: (identifier) @qualifier rhs: (identifier) @reference.call))
(call
  function: (extract_operator lhs: (_) @qualifier rhs: (identifier) @reference.call))
((call
  function: (identifier) @_new
  arguments: (arguments
    . (argument value: (string content: (string_content) @reference.type))))
  (#any-of? @_new "new" "is" "inherits"))

((binary_operator
  lhs: (identifier) @variable
  rhs: (call
    function: (extract_operator
      lhs: (identifier) @variable.type
      rhs: (identifier) @_new)))
  (#eq? @_new "new"))
