; HCL. Capture names are listed in src/grammar.rs.

(comment) @comment

; The last label is the name.
((config_file
  (body
    (block
      . (identifier) @_kind
      [(string_lit (template_literal) @name) (identifier) @name]
      . (block_start) @body) @definition.variable))
  (#any-of? @_kind "variable" "output"))
((config_file
  (body
    (block
      . (identifier) @_kind
      [(string_lit (template_literal) @name) (identifier) @name]
      . (block_start) @body) @definition.module))
  (#any-of? @_kind "module" "provider"))
((config_file
  (body
    (block
      . (identifier) @_kind
      [(string_lit (template_literal) @name) (identifier) @name]
      . (block_start) @body) @definition.struct))
  (#not-any-of? @_kind "variable" "output" "module" "provider"))
((config_file
  (body
    (block
      . (identifier) @_kind
      . (block_start)
      (body (attribute . (identifier) @name) @definition.variable))))
  (#eq? @_kind "locals"))
(config_file (body (attribute . (identifier) @name) @definition.variable))

; `var.region`, `cloud_machine.desk`, `data.cloud_image.latest`
((expression
  (variable_expr (identifier) @qualifier)
  . (get_attr (identifier) @reference.type))
  (#not-any-of? @qualifier "count" "data" "each" "path" "self" "terraform"))
((expression
  (variable_expr (identifier) @_data)
  . (get_attr (identifier) @qualifier)
  . (get_attr (identifier) @reference.type))
  (#eq? @_data "data"))
