; TOML. Capture names are listed in src/grammar.rs.

(comment) @comment

(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.field @key)
(document (table . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.module)
; Except arrays of tables, which are data.
(table (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.field @key)
