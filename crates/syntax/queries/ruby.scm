; Ruby. Capture names are listed in src/grammar.rs.

(comment) @comment

((call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string))) @import
  (#any-of? @_require "require" "require_relative" "load" "require_dependency"))
((call
  !receiver
  method: (identifier) @_autoload
  arguments: (argument_list . (simple_symbol) . (string) .)) @import
  (#eq? @_autoload "autoload"))

; Access markers between `class << self` and its end apply only there.
(body_statement
  (identifier) @access
  (#any-of? @access "public" "private" "protected"))
(singleton_class "class" @access "end" @access)
; `private def a`, `memoize def b`.
(call !receiver arguments: (argument_list . [(method) (singleton_method)] @wrapped)) @wrapper

; The declaration of a type without a body is the whole type.
(class
  name: [
    (constant) @name
    (scope_resolution scope: (_) @receiver name: (constant) @name)
  ]
  body: (_)) @definition.class
(class
  name: [
    (constant) @name
    (scope_resolution scope: (_) @receiver name: (constant) @name)
  ]
  "end" @body) @definition.class
(module
  name: [
    (constant) @name
    (scope_resolution scope: (_) @receiver name: (constant) @name)
  ]) @definition.module
((assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @_struct
    method: (identifier) @_new
    block: (_)? @body)) @definition.class
  (#any-of? @_struct "Struct" "Class" "Data")
  (#any-of? @_new "new" "define"))
((assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @_module
    method: (identifier) @_new
    block: (_) @body)) @definition.module
  (#eq? @_module "Module")
  (#eq? @_new "new"))
(assignment left: (constant) @name) @definition.constant

(method name: _ @name body: (_)) @definition.function
(method name: _ @name "end" @body) @definition.function
(singleton_method object: (constant) @receiver name: _ @name body: (_)) @definition.method
(singleton_method object: (constant) @receiver name: _ @name "end" @body) @definition.method
(singleton_method name: _ @name body: (_)) @definition.function
(singleton_method name: _ @name "end" @body) @definition.function
(alias name: [(identifier) (operator)] @name) @definition.method
((call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name)
  block: (_) @body) @definition.method
  (#any-of? @_define "define_method" "define_singleton_method"))
((call
  !receiver
  method: (identifier) @_alias
  arguments: (argument_list . (simple_symbol) @name . (simple_symbol))) @definition.method
  (#eq? @_alias "alias_method"))
((call
  !receiver
  method: (identifier) @_attribute
  arguments: (argument_list . (simple_symbol) @name)) @definition.field
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor" "attr"))
((call
  !receiver
  method: (identifier) @_attribute
  arguments: (argument_list (simple_symbol) @name @definition.field))
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor" "attr"))

(superclass
  [
    (constant) @reference.extends
    (scope_resolution name: (constant) @reference.extends)
  ])
((class
  body: (body_statement
    (call
      !receiver
      method: (identifier) @_include
      arguments: (argument_list
        [
          (constant) @reference.implements
          (scope_resolution name: (constant) @reference.implements)
        ]))))
  (#any-of? @_include "include" "extend" "prepend"))
((module
  body: (body_statement
    (call
      !receiver
      method: (identifier) @_include
      arguments: (argument_list
        [
          (constant) @reference.implements
          (scope_resolution name: (constant) @reference.implements)
        ]))))
  (#any-of? @_include "include" "extend" "prepend"))

; `Account.new` calls `Account`.
((call
  receiver: [
    (constant) @reference.call
    (scope_resolution scope: (_)? @qualifier name: (constant) @reference.call)
  ]
  method: (identifier) @_new)
  (#eq? @_new "new"))
((call receiver: (_) @qualifier method: (identifier) @reference.call)
  (#not-eq? @reference.call "new"))
((call !receiver method: [(identifier) (constant)] @reference.call)
  (#not-any-of? @reference.call
    "require" "require_relative" "load" "autoload" "include" "extend" "prepend" "attr" "attr_reader"
    "attr_writer" "attr_accessor" "alias_method" "define_method" "private" "protected" "public"
    "module_function" "private_class_method" "private_constant" "lambda" "proc" "block_given?"))

((argument_list
  [
    (constant) @reference.type
    (scope_resolution name: (constant) @reference.type)
  ])
  (#match? @reference.type "[a-z]"))
(exceptions
  [
    (constant) @reference.type
    (scope_resolution name: (constant) @reference.type)
  ])

((assignment
  left: [(identifier) (instance_variable)] @variable
  right: (call
    receiver: [
      (constant) @variable.type
      (scope_resolution name: (constant) @variable.type)
    ]
    method: (identifier) @_new))
  (#eq? @_new "new"))
((optional_parameter
  name: (identifier) @variable
  value: (call receiver: (constant) @variable.type method: (identifier) @_new))
  (#eq? @_new "new"))
((keyword_parameter
  name: (identifier) @variable
  value: (call receiver: (constant) @variable.type method: (identifier) @_new))
  (#eq? @_new "new"))
(assignment left: (instance_variable) @variable right: (identifier) @variable.like)
