; CSS. Capture names are listed in src/grammar.rs.

(comment) @comment

; Rules for one class or identifier. The parts of longer selectors have rules of their own.
(rule_set
  (selectors
    . [
      (class_selector . (class_name) @name)
      (id_selector . (id_name) @name)
    ])
  (block) @body) @definition.type
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.type
((declaration . (property_name) @name) @definition.variable
  (#match? @name "^--"))

(import_statement) @import
((call_expression
  (function_name) @_var
  (arguments . (plain_value) @reference.type))
  (#eq? @_var "var"))
