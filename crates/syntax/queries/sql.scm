; SQL. Capture names are listed in src/grammar.rs.

[(comment) (marginalia)] @comment

(create_table
  [(keyword_table) (keyword_exists)]
  . (object_reference name: (identifier) @name)
  (column_definitions) @body) @definition.type
(create_table
  [(keyword_table) (keyword_exists)]
  . (object_reference name: (identifier) @name)) @definition.type
(create_table
  (column_definitions (column_definition name: (identifier) @name) @definition.field))
(create_view
  [(keyword_view) (keyword_exists)]
  . (object_reference name: (identifier) @name)
  (keyword_as) @body) @definition.type
(create_materialized_view
  [(keyword_view) (keyword_exists)]
  . (object_reference name: (identifier) @name)
  (keyword_as) @body) @definition.type
(create_type
  (keyword_type) . (object_reference name: (identifier) @name)) @definition.type
(create_function
  (keyword_function)
  . (object_reference name: (identifier) @name)
  (function_body) @body) @definition.function
(create_trigger
  [(keyword_trigger) (keyword_exists)]
  . (object_reference name: (identifier) @name)) @definition.function

; Tables that are read and written.
(relation . (object_reference) @reference.type)
(insert (keyword_into) . (object_reference) @reference.type)
(from (keyword_from) . (object_reference) @reference.type)
(alter_table (object_reference) @reference.type)
(drop_table (object_reference) @reference.type)
(create_index (keyword_on) . (object_reference) @reference.type)
(create_trigger (keyword_on) . (object_reference) @reference.type)
(column_definition (object_reference) @reference.type)
(constraint (keyword_references) . (object_reference) @reference.type)

((invocation (object_reference) @reference.call)
  (#not-match? @reference.call "^(?i)(avg|coalesce|count|lower|max|min|now|round|sum|upper)$"))
(create_trigger
  [(keyword_function) (keyword_procedure)] . (object_reference) @reference.call)
